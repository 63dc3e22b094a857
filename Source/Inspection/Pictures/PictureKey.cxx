// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Pictures/PictureKey.h"

#include "BrickCCL/Core/RoundNumber.h"
#include "BrickCCL/Core/TextLists.h"
#include "BrickCCL/Pictures/Font.h"
#include "BrickCCL/Pictures/Ticks.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

namespace brickccl
{

constexpr int LeastRows = 4;

/** The height of everything except the rows of components, or the color bar, and the gray bar. */
constexpr int HeightWithoutRows = 6 * FontLineHeight;
constexpr int GrayBarHeight = 3 * FontLineHeight + FontLineHeight / 2;
constexpr int ColorBarHeight = 200;
constexpr int ColorBarWidth = 20;

/** The unit for components' sizes, and the size of one voxel in it. */
static std::pair<std::string, double>
UnitOfSizes(const KeyContents & contents, double largestVoxelCount)
{
  const int dimension = contents.table.extent.dimension;
  if (!contents.hasSpacing)
  {
    return { dimension > 2 ? "voxels" : "pixels", 1 };
  }
  const double      voxel = contents.table.geometry.VoxelVolume(dimension);
  const std::string power = dimension > 2 ? "³" : dimension > 1 ? "²" : "";
  const double      thousand = std::pow(1e3, dimension);
  const double      largest = largestVoxelCount * voxel;
  return largest < 1e-3     ? std::make_pair("µm" + power, voxel * thousand)
       : largest < thousand ? std::make_pair("mm" + power, voxel)
                            : std::make_pair("m" + power, voxel / thousand);
}

std::vector<std::uint64_t>
LabelsOf(const std::vector<SlicePixels> & slices)
{
  std::vector<std::uint64_t> shown;
  for (const SlicePixels & slice : slices)
  {
    std::unique_copy(slice.labels.begin(), slice.labels.end(), std::back_inserter(shown));
    std::sort(shown.begin(), shown.end());
    shown.erase(std::unique(shown.begin(), shown.end()), shown.end());
  }
  shown.erase(shown.begin(), shown.begin() + (!shown.empty() && shown.front() == 0 ? 1 : 0));
  return shown;
}

PictureKey::PictureKey(const KeyContents & contents, double pixelSize, int height)
  : m_Contents(contents)
  , m_PixelSize(pixelSize)
{
  const ComponentRows & rows = contents.table.components;
  for (std::size_t place = 0; place < rows.size(); ++place)
  {
    const std::uint64_t label = rows.Label(place);
    if (std::binary_search(contents.visible.begin(), contents.visible.end(), label))
    {
      m_Rows.push_back({ label, static_cast<double>(rows.VoxelCount(place)) });
    }
  }
  std::stable_sort(m_Rows.begin(), m_Rows.end(), [](const Row & a, const Row & b) { return a.size > b.size; });

  m_Title = !contents.title.empty() ? contents.title
          : rows.empty()            ? "no components"
                                    : std::to_string(rows.size()) + (rows.size() == 1 ? " component" : " components");
  m_Subtitle =
    rows.empty() || !contents.title.empty() ? "" : std::to_string(m_Rows.size()) + " " + contents.whereVisible;
  const auto room =
    static_cast<std::size_t>(std::max(LeastRows, (height - HeightWithoutRows - GrayBarHeight) / FontLineHeight));
  // There are at most as many rows as distinguishable colors.
  const std::size_t limit = std::min(room, LabelColors::Count() + 1);
  if (m_Rows.size() > limit)
  {
    const bool areSmaller = m_Rows[limit - 1].size < m_Rows[limit - 2].size;
    m_Rest = "and " + std::to_string(m_Rows.size() - limit + 1) + (areSmaller ? " smaller ones" : " others");
    m_Rows.resize(limit - 1);
  }
  if (contents.columnColors != nullptr)
  {
    m_Rows.clear();
    m_Rest.clear();
  }
  const auto unit = UnitOfSizes(contents, m_Rows.empty() ? 0 : m_Rows.front().size);
  m_Unit = unit.first;
  for (Row & row : m_Rows)
  {
    row.size *= unit.second;
  }
  m_IndexUnit = contents.table.extent.dimension > 2 ? " voxels" : " pixels";
}

std::vector<std::uint64_t>
PictureKey::Labels() const
{
  return Mapped(m_Rows, [](const Row & row) { return row.label; });
}

int
PictureKey::Height() const
{
  const auto rows = static_cast<int>(m_Rows.size() + (m_Rest.empty() ? 0 : 1)) * FontLineHeight;
  const int  bar = m_Contents.columnColors == nullptr ? 0 : ColorBarHeight + 3 * FontLineHeight;
  return HeightWithoutRows + rows + bar + (m_Contents.window == nullptr ? 0 : GrayBarHeight);
}

int
PictureKey::Width() const
{
  const int title = m_Contents.columnColors == nullptr ? 0 : TextWidth(m_Contents.columnColors->title);
  const int window = m_Contents.window == nullptr ? 0 : TextWidth(m_Contents.window->Text());
  return std::max(
    { LongestScaleBar, TextWidth(m_Title), TextWidth(m_Subtitle), SizeEnd(), TextWidth(m_Rest), title, window });
}

void
PictureKey::Draw(Canvas & canvas, int x, int y, const LabelColors & colors) const
{
  y += FontCapitalHeight;
  canvas.DrawText(x, y, m_Title, TextColor);
  canvas.DrawText(x, y += FontLineHeight, m_Subtitle, DimTextColor);
  y += FontLineHeight / 2;
  y = m_Contents.columnColors == nullptr ? DrawRows(canvas, x, y, colors) : DrawColorBar(canvas, x, y);
  y += FontLineHeight;
  if (m_Contents.window != nullptr)
  {
    DrawGrayBar(canvas, x, y);
    y += GrayBarHeight;
  }
  DrawScaleBar(canvas, x, y, m_PixelSize, m_Contents.hasSpacing ? "" : m_IndexUnit);
}

int
PictureKey::DrawRows(Canvas & canvas, int x, int y, const LabelColors & colors) const
{
  if (!m_Rows.empty())
  {
    y += FontLineHeight;
    canvas.DrawText(x + LabelEnd(), y, "label", DimTextColor, Anchor::End);
    canvas.DrawText(x + SizeEnd(), y, m_Unit, DimTextColor, Anchor::End);
  }
  for (const Row & row : m_Rows)
  {
    y += FontLineHeight;
    canvas.FillRectangle(x, y - FontCapitalHeight - 1, SwatchSize, SwatchSize, colors[row.label]);
    canvas.DrawText(x + LabelEnd(), y, std::to_string(row.label), TextColor, Anchor::End);
    canvas.DrawText(x + SizeEnd(), y, ShortNumber(row.size), TextColor, Anchor::End);
  }
  if (!m_Rest.empty())
  {
    canvas.DrawText(x, y += FontLineHeight, m_Rest, DimTextColor);
  }
  return y;
}

int
PictureKey::DrawColorBar(Canvas & canvas, int x, int y) const
{
  const ColumnColors & scale = *m_Contents.columnColors;
  canvas.DrawText(x, y += FontLineHeight, scale.title, TextColor);
  const std::string kind = scale.isLogarithmic ? "logarithmic" : "";
  const std::string between = scale.unit.empty() || kind.empty() ? "" : ", ";
  canvas.DrawText(x, y += FontLineHeight, scale.unit + between + kind, DimTextColor);
  y += FontLineHeight / 2;
  canvas.FillRectangle(x, y, ColorBarWidth, ColorBarHeight, FrameColor);
  for (int i = 1; i + 1 < ColorBarHeight; ++i)
  {
    const double share = 1 - (i - 1.0) / (ColorBarHeight - 3);
    canvas.FillRectangle(x + 1, y + i, ColorBarWidth - 2, 1, ColumnColors::At(share));
  }
  const Ticks ticks = scale.low == scale.high ? Ticks{ { scale.low }, { ShortNumber(scale.low) } }
                    : scale.isLogarithmic     ? LogarithmicTicks(scale.low, scale.high)
                                              : LinearTicks(scale.low, scale.high, 6);
  for (std::size_t i = 0; i < ticks.places.size(); ++i)
  {
    const int at = y + static_cast<int>(std::lround((1 - scale.ShareOf(ticks.places[i])) * (ColorBarHeight - 1)));
    canvas.FillRectangle(x + ColorBarWidth, at, 5, 1, DimTextColor);
    canvas.DrawText(x + ColorBarWidth + 10, at + FontCapitalHeight / 2, ticks.texts[i], TextColor);
  }
  y += ColorBarHeight + FontLineHeight / 2;
  if (scale.hasMissing)
  {
    y += FontLineHeight;
    canvas.FillRectangle(x, y - FontCapitalHeight - 1, SwatchSize, SwatchSize, ColumnColors::Missing);
    canvas.DrawText(x + SwatchSize + KeyGap / 2, y, "no value", DimTextColor);
  }
  return y;
}

int
PictureKey::LabelEnd() const
{
  int width = TextWidth("label");
  for (const Row & row : m_Rows)
  {
    width = std::max(width, TextWidth(std::to_string(row.label)));
  }
  return SwatchSize + KeyGap / 2 + width;
}

int
PictureKey::SizeEnd() const
{
  int width = TextWidth(m_Unit);
  for (const Row & row : m_Rows)
  {
    width = std::max(width, TextWidth(ShortNumber(row.size)));
  }
  return LabelEnd() + KeyGap + width;
}

void
PictureKey::DrawGrayBar(Canvas & canvas, int x, int y) const
{
  canvas.FillRectangle(x, y, LongestScaleBar, SwatchSize, FrameColor);
  for (int i = 1; i + 1 < LongestScaleBar; ++i)
  {
    const auto level = static_cast<std::uint8_t>(255 * (i - 1) / (LongestScaleBar - 3));
    canvas.FillRectangle(x + i, y + 1, 1, SwatchSize - 2, { level, level, level });
  }
  y += SwatchSize + FontLineHeight - 4;
  canvas.DrawText(x, y, ShortNumber(m_Contents.window->black), DimTextColor);
  canvas.DrawText(x + LongestScaleBar, y, ShortNumber(m_Contents.window->white), DimTextColor, Anchor::End);
  canvas.DrawText(x, y + FontLineHeight, m_Contents.window->Text(), DimTextColor);
}

void
DrawScaleBar(Canvas & canvas, int x, int y, double pixelSize, const std::string & unit)
{
  const double length = LargestRoundNumber(LongestScaleBar * pixelSize);
  canvas.FillRectangle(x, y, static_cast<int>(std::lround(length / pixelSize)), 4, TextColor);
  canvas.DrawText(x, y + FontLineHeight, unit.empty() ? LengthText(length) : ShortNumber(length) + unit, TextColor);
}

} // namespace brickccl
