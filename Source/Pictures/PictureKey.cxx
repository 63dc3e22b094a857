#include "BrickCCL/Pictures/PictureKey.h"

#include "BrickCCL/Core/RoundNumber.h"
#include "BrickCCL/Pictures/Font.h"
#include "BrickCCL/Pictures/Ticks.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace brickccl
{

namespace
{

constexpr int LeastRows = 4;
constexpr int LongestScaleBar = 180;
constexpr int SwatchSize = 12;
constexpr int Gap = 16;

/** The height of everything except the rows of components. */
constexpr int HeightWithoutRows = 8 * FontLineHeight + FontLineHeight / 2;

/** The unit for components' sizes, and the size of one voxel in it. */
std::pair<std::string, double>
UnitOfSizes(const PictureContents & contents, double largestVoxelCount)
{
  const int dimension = contents.background.extent.dimension;
  if (!contents.hasSpacing)
  {
    return { dimension > 2 ? "voxels" : "pixels", 1 };
  }
  double voxel = 1;
  for (int axis = 0; axis < dimension; ++axis)
  {
    voxel *= contents.background.geometry.spacing[axis];
  }
  const std::string power = dimension > 2 ? "³" : dimension > 1 ? "²" : "";
  const double      thousand = std::pow(1e3, dimension);
  const double      largest = largestVoxelCount * voxel;
  return largest < 1e-3     ? std::make_pair("µm" + power, voxel * thousand)
       : largest < thousand ? std::make_pair("mm" + power, voxel)
                            : std::make_pair("m" + power, voxel / thousand);
}

} // namespace

PictureKey::PictureKey(const PictureContents &          contents,
                       const std::vector<SlicePixels> & slices,
                       double                           pixelSize,
                       int                              height)
  : m_PixelSize(pixelSize)
  , m_HasSpacing(contents.hasSpacing)
{
  std::vector<std::uint64_t> shown;
  for (const SlicePixels & slice : slices)
  {
    shown.insert(shown.end(), slice.labels.begin(), slice.labels.end());
    std::sort(shown.begin(), shown.end());
    shown.erase(std::unique(shown.begin(), shown.end()), shown.end());
  }
  shown.erase(shown.begin(), shown.begin() + (!shown.empty() && shown.front() == 0 ? 1 : 0));
  const ComponentRows & rows = contents.table.components;
  for (std::size_t place = 0; place < rows.size(); ++place)
  {
    const std::uint64_t label = rows.Label(place);
    if (std::binary_search(shown.begin(), shown.end(), label))
    {
      m_Rows.push_back({ label, static_cast<double>(rows.VoxelCount(place)) });
    }
  }
  std::stable_sort(m_Rows.begin(), m_Rows.end(), [](const Row & a, const Row & b) { return a.size > b.size; });

  m_Title =
    rows.empty() ? "no components" : std::to_string(rows.size()) + (rows.size() == 1 ? " component" : " components");
  m_Subtitle = rows.empty() ? "" : std::to_string(m_Rows.size()) + " visible here";
  const auto room = static_cast<std::size_t>(std::max(LeastRows, (height - HeightWithoutRows) / FontLineHeight));
  // There are at most as many rows as colours that can be told apart.
  const std::size_t most = std::min(room, LabelColours::Count() + 1);
  if (m_Rows.size() > most)
  {
    m_Rest = "and " + std::to_string(m_Rows.size() - most + 1) + " smaller ones";
    m_Rows.resize(most - 1);
  }
  const auto unit = UnitOfSizes(contents, m_Rows.empty() ? 0 : m_Rows.front().size);
  m_Unit = unit.first;
  for (Row & row : m_Rows)
  {
    row.size *= unit.second;
  }
  m_IndexUnit = contents.background.extent.dimension > 2 ? " voxels" : " pixels";
}

std::vector<std::uint64_t>
PictureKey::Labels() const
{
  std::vector<std::uint64_t> labels;
  for (const Row & row : m_Rows)
  {
    labels.push_back(row.label);
  }
  return labels;
}

int
PictureKey::Height() const
{
  return HeightWithoutRows + static_cast<int>(m_Rows.size() + (m_Rest.empty() ? 0 : 1)) * FontLineHeight;
}

int
PictureKey::Width() const
{
  return std::max({ LongestScaleBar, TextWidth(m_Title), TextWidth(m_Subtitle), SizeEnd(), TextWidth(m_Rest) });
}

void
PictureKey::Draw(Canvas & canvas, int x, int y, const GrayWindow & window, const LabelColours & colours) const
{
  y += FontCapitalHeight;
  canvas.DrawText(x, y, m_Title, TextColour);
  canvas.DrawText(x, y += FontLineHeight, m_Subtitle, DimTextColour);
  y += FontLineHeight / 2;
  if (!m_Rows.empty())
  {
    y += FontLineHeight;
    canvas.DrawText(x + LabelEnd(), y, "label", DimTextColour, Anchor::End);
    canvas.DrawText(x + SizeEnd(), y, m_Unit, DimTextColour, Anchor::End);
  }
  for (const Row & row : m_Rows)
  {
    y += FontLineHeight;
    canvas.FillRectangle(x, y - FontCapitalHeight - 1, SwatchSize, SwatchSize, colours[row.label]);
    canvas.DrawText(x + LabelEnd(), y, std::to_string(row.label), TextColour, Anchor::End);
    canvas.DrawText(x + SizeEnd(), y, ShortNumber(row.size), TextColour, Anchor::End);
  }
  if (!m_Rest.empty())
  {
    canvas.DrawText(x, y += FontLineHeight, m_Rest, DimTextColour);
  }
  y += FontLineHeight;
  DrawGrayBar(canvas, x, y, window);
  DrawScaleBar(canvas, x, y + 2 * FontLineHeight + FontLineHeight / 2);
}

int
PictureKey::LabelEnd() const
{
  int width = TextWidth("label");
  for (const Row & row : m_Rows)
  {
    width = std::max(width, TextWidth(std::to_string(row.label)));
  }
  return SwatchSize + Gap / 2 + width;
}

int
PictureKey::SizeEnd() const
{
  int width = TextWidth(m_Unit);
  for (const Row & row : m_Rows)
  {
    width = std::max(width, TextWidth(ShortNumber(row.size)));
  }
  return LabelEnd() + Gap + width;
}

void
PictureKey::DrawGrayBar(Canvas & canvas, int x, int y, const GrayWindow & window) const
{
  canvas.FillRectangle(x, y, LongestScaleBar, SwatchSize, FrameColour);
  for (int i = 1; i + 1 < LongestScaleBar; ++i)
  {
    const auto level = static_cast<std::uint8_t>(255 * (i - 1) / (LongestScaleBar - 3));
    canvas.FillRectangle(x + i, y + 1, 1, SwatchSize - 2, { level, level, level });
  }
  y += SwatchSize + FontLineHeight - 4;
  canvas.DrawText(x, y, ShortNumber(window.black), DimTextColour);
  canvas.DrawText(x + LongestScaleBar, y, ShortNumber(window.white), DimTextColour, Anchor::End);
}

void
PictureKey::DrawScaleBar(Canvas & canvas, int x, int y) const
{
  const double length = LargestRoundNumber(LongestScaleBar * m_PixelSize);
  const int    width = static_cast<int>(std::lround(length / m_PixelSize));
  canvas.FillRectangle(x, y, width, 4, TextColour);
  canvas.DrawText(x,
                  y + FontLineHeight,
                  m_HasSpacing ? LengthText(length) : ShortNumber(length) + m_IndexUnit,
                  TextColour);
}

} // namespace brickccl
