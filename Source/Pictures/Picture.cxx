#include "BrickCCL/Pictures/Picture.h"

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Pictures/Canvas.h"
#include "BrickCCL/Pictures/Font.h"
#include "BrickCCL/Pictures/GrayWindow.h"
#include "BrickCCL/Pictures/LabelColours.h"
#include "BrickCCL/Pictures/Slice.h"
#include "BrickCCL/Pictures/Ticks.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace brickccl
{

namespace
{

/** In pixels: the longest axis of the image where there is one slice, and where there are three. */
constexpr double LongestSideOfOne = 960;
constexpr double LongestSideOfThree = 480;
constexpr double LargestVoxel = 32;
constexpr int    ThinnestSide = 16;
constexpr int    Margin = 16;
constexpr int    MarkLength = 6;
constexpr int    LeastRows = 4;
constexpr int    LongestScaleBar = 180;

constexpr double FillOpacity = 0.6;
constexpr double EdgeOpacity = 0.9;

constexpr Colour Ground{ 24, 26, 30 };
constexpr Colour FrameColour{ 90, 94, 102 };
constexpr Colour TextColour{ 232, 234, 238 };
constexpr Colour DimTextColour{ 160, 165, 175 };
constexpr Colour MarkColour{ 255, 255, 255 };

constexpr const char * AxisNames[3] = { "x", "y", "z" };

/** The voxel of the largest component nearest to its centroid, the first of several; the middle of the volume without
 *  components. */
std::array<std::int64_t, 3>
FindCentre(const RunVolume & labels, const ComponentTable & table)
{
  const Extent &              extent = labels.GetExtent();
  std::array<std::int64_t, 3> centre{ extent.size[0] / 2, extent.size[1] / 2, extent.size[2] / 2 };
  std::size_t                 largest = 0;
  for (std::size_t place = 1; place < table.components.size(); ++place)
  {
    largest = table.components.VoxelCount(place) > table.components.VoxelCount(largest) ? place : largest;
  }
  if (table.components.empty())
  {
    return centre;
  }
  const ComponentMeasures component = table.components[largest];
  const std::int64_t *    start = table.geometry.startIndex;
  const auto              offset = [&](int axis, std::int64_t index) {
    return table.geometry.spacing[axis] * (static_cast<double>(index + start[axis]) - component.centroid[axis]);
  };
  double nearest = std::numeric_limits<double>::infinity();
  for (std::int64_t z = component.boxMinimum[2] - start[2]; z <= component.boxMaximum[2] - start[2]; ++z)
  {
    for (std::int64_t y = component.boxMinimum[1] - start[1]; y <= component.boxMaximum[1] - start[1]; ++y)
    {
      const double across = offset(1, y) * offset(1, y) + offset(2, z) * offset(2, z);
      if (across >= nearest)
      {
        continue;
      }
      labels.ForEachRun(z * extent.size[1] + y, [&](std::int64_t begin, std::int64_t end, std::uint64_t run) {
        if (labels.Label(run) != component.label)
        {
          return;
        }
        const auto         middle = static_cast<std::int64_t>(std::llround(component.centroid[0])) - start[0];
        const std::int64_t x = std::clamp(middle, begin, end - 1);
        const double       distance = across + offset(0, x) * offset(0, x);
        if (distance < nearest)
        {
          nearest = distance;
          centre = { x, y, z };
        }
      });
    }
  }
  return centre;
}

/** A slice and where it lies in the picture. */
struct Panel
{
  SliceView view;
  /** The axis that the slice is orthogonal to. */
  int fixed = 2;
  int x = 0;
  int y = 0;
};

/** The texts under a panel. */
std::vector<std::string>
CaptionOf(const Panel & panel, const PictureContents & contents, const bool (&isWidened)[3], bool isOnlyOne)
{
  std::vector<std::string> lines;
  const Extent &           extent = contents.background.extent;
  const int                fixed = panel.fixed;
  if (!isOnlyOne)
  {
    std::string position = std::string(AxisNames[fixed]) + " = " + std::to_string(panel.view.place[fixed]) + " of 0.." +
                           std::to_string(extent.size[fixed] - 1);
    if (contents.hasSpacing)
    {
      position += ", at " + LengthText(static_cast<double>(panel.view.place[fixed]) *
                                       contents.background.geometry.spacing[fixed]);
    }
    lines.push_back(position);
  }
  lines.push_back(std::string(AxisNames[panel.view.across]) + " right, " + AxisNames[panel.view.down] +
                  (panel.view.isUpsideDown ? " up" : " down"));
  for (const int axis : { panel.view.across, panel.view.down })
  {
    if (isWidened[axis])
    {
      lines.push_back(std::string(AxisNames[axis]) + " is drawn too wide");
    }
  }
  return lines;
}

/** The background, the labels over it, and a frame around. */
void
DrawSlice(Canvas &             canvas,
          const Panel &        panel,
          const SlicePixels &  pixels,
          const GrayWindow &   window,
          const LabelColours & colours)
{
  canvas.FillRectangle(panel.x - 1, panel.y - 1, pixels.width + 2, pixels.height + 2, FrameColour);
  const auto labelAt = [&](int x, int y) {
    return pixels
      .labels[static_cast<std::size_t>(y) * static_cast<std::size_t>(pixels.width) + static_cast<std::size_t>(x)];
  };
  for (int y = 0; y < pixels.height; ++y)
  {
    for (int x = 0; x < pixels.width; ++x)
    {
      const auto at =
        static_cast<std::size_t>(y) * static_cast<std::size_t>(pixels.width) + static_cast<std::size_t>(x);
      const auto level = static_cast<std::uint8_t>(std::lround(255 * window.ShareOf(pixels.gray[at])));
      canvas.Blend(panel.x + x, panel.y + y, { level, level, level });
      const std::uint64_t label = labelAt(x, y);
      if (label == 0)
      {
        continue;
      }
      const bool isEdge =
        (x > 0 && labelAt(x - 1, y) != label) || (x + 1 < pixels.width && labelAt(x + 1, y) != label) ||
        (y > 0 && labelAt(x, y - 1) != label) || (y + 1 < pixels.height && labelAt(x, y + 1) != label);
      // The root lets components be seen that are thinner than a pixel.
      const double opacity = (isEdge ? EdgeOpacity : FillOpacity) * std::sqrt(static_cast<double>(pixels.coverage[at]));
      canvas.Blend(panel.x + x, panel.y + y, colours[label], opacity);
    }
  }
}

/** Marks outside of a panel where the other slices cut it. */
void
DrawMarks(Canvas & canvas, const Panel & panel, const Extent & extent)
{
  const auto pixelOf = [&](int axis, int pixels, bool isReversed) {
    const double share = (static_cast<double>(panel.view.place[axis]) + 0.5) / static_cast<double>(extent.size[axis]);
    return static_cast<int>((isReversed ? 1 - share : share) * pixels);
  };
  const int x = panel.x + pixelOf(panel.view.across, panel.view.width, false);
  const int y = panel.y + pixelOf(panel.view.down, panel.view.height, panel.view.isUpsideDown);
  canvas.FillRectangle(x, panel.y - 2 - MarkLength, 1, MarkLength, MarkColour);
  canvas.FillRectangle(x, panel.y + panel.view.height + 2, 1, MarkLength, MarkColour);
  canvas.FillRectangle(panel.x - 2 - MarkLength, y, MarkLength, 1, MarkColour);
  canvas.FillRectangle(panel.x + panel.view.width + 2, y, MarkLength, 1, MarkColour);
}

/** The unit of components' sizes, and one voxel's size in it. */
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

/** What stands beside the slices. */
class Key
{
public:
  /** \param height  of the room that it has at least. */
  Key(const PictureContents & contents, const std::vector<SlicePixels> & slices, double pixelSize, int height)
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
    const auto room = static_cast<std::size_t>(std::max(LeastRows, (height - HeightWithout()) / FontLineHeight));
    // As many as there are colours to tell apart.
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
  Labels() const
  {
    std::vector<std::uint64_t> labels;
    for (const Row & row : m_Rows)
    {
      labels.push_back(row.label);
    }
    return labels;
  }

  int
  Height() const
  {
    return HeightWithout() + static_cast<int>(m_Rows.size() + (m_Rest.empty() ? 0 : 1)) * FontLineHeight;
  }
  int
  Width() const
  {
    return std::max({ LongestScaleBar, TextWidth(m_Title), SizeEnd(), TextWidth(m_Rest) });
  }

  void
  Draw(Canvas & canvas, int x, int y, const GrayWindow & window, const LabelColours & colours) const
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

private:
  struct Row
  {
    std::uint64_t label;
    double        size;
  };

  static constexpr int SwatchSize = 12;
  static constexpr int Gap = 16;

  /** All but the rows of components. */
  static int
  HeightWithout()
  {
    return 8 * FontLineHeight + FontLineHeight / 2;
  }
  int
  LabelEnd() const
  {
    int width = TextWidth("label");
    for (const Row & row : m_Rows)
    {
      width = std::max(width, TextWidth(std::to_string(row.label)));
    }
    return SwatchSize + Gap / 2 + width;
  }
  int
  SizeEnd() const
  {
    int width = TextWidth(m_Unit);
    for (const Row & row : m_Rows)
    {
      width = std::max(width, TextWidth(ShortNumber(row.size)));
    }
    return LabelEnd() + Gap + width;
  }

  void
  DrawGrayBar(Canvas & canvas, int x, int y, const GrayWindow & window) const
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
  DrawScaleBar(Canvas & canvas, int x, int y) const
  {
    const double length = LargestRoundNumber(LongestScaleBar * m_PixelSize);
    const int    width = static_cast<int>(std::lround(length / m_PixelSize));
    canvas.FillRectangle(x, y, width, 4, TextColour);
    canvas.DrawText(x,
                    y + FontLineHeight,
                    m_HasSpacing ? LengthText(length) : ShortNumber(length) + m_IndexUnit,
                    TextColour);
  }

  double           m_PixelSize;
  bool             m_HasSpacing;
  std::vector<Row> m_Rows;
  std::string      m_Title;
  std::string      m_Subtitle;
  std::string      m_Rest;
  std::string      m_Unit;
  std::string      m_IndexUnit;
};

/** How many pixels each axis has, and whether that is more than its part. \return a pixel's size in mm. */
double
ScaleAxes(const PictureContents & contents, double longestSide, int (&pixels)[3], bool (&isWidened)[3])
{
  const Extent & extent = contents.background.extent;
  double         longest = 0;
  double         smallestVoxel = std::numeric_limits<double>::infinity();
  for (int axis = 0; axis < extent.dimension; ++axis)
  {
    const double spacing = contents.background.geometry.spacing[axis];
    longest = std::max(longest, spacing * static_cast<double>(extent.size[axis]));
    smallestVoxel = std::min(smallestVoxel, spacing);
  }
  const double pixelSize = std::max(longest / longestSide, smallestVoxel / LargestVoxel);
  for (int axis = 0; axis < 3; ++axis)
  {
    const double spacing = axis < extent.dimension ? contents.background.geometry.spacing[axis] : pixelSize;
    const auto   wanted = std::lround(spacing * static_cast<double>(extent.size[axis]) / pixelSize);
    pixels[axis] = std::max(ThinnestSide, static_cast<int>(wanted));
    isWidened[axis] = wanted < ThinnestSide;
  }
  return pixelSize;
}

/** The slices to draw: the only one that is more than a line, or else three. */
std::vector<Panel>
ChoosePanels(const Extent & extent, const std::array<std::int64_t, 3> & centre, const int (&pixels)[3])
{
  constexpr int      axes[3][2] = { { 1, 2 }, { 0, 2 }, { 0, 1 } };
  std::vector<Panel> panels;
  int                only = -1;
  for (int axis = 0; axis < 3; ++axis)
  {
    only = extent.size[axis] == 1 ? axis : only;
  }
  for (const int fixed : { 2, 1, 0 })
  {
    if (only < 0 || only == fixed)
    {
      Panel panel;
      panel.fixed = fixed;
      panel.view.across = axes[fixed][0];
      panel.view.down = axes[fixed][1];
      std::copy(centre.begin(), centre.end(), panel.view.place);
      panel.view.width = pixels[panel.view.across];
      panel.view.height = pixels[panel.view.down];
      panel.view.isUpsideDown = panel.view.down == 2;
      panels.push_back(panel);
    }
  }
  return panels;
}

} // namespace

void
CheckPicture(const Extent & extent)
{
  if (extent.dimension > 3)
  {
    throw Unsupported("a picture shows images of 1 to 3 dimensions, not " + std::to_string(extent.dimension));
  }
}

void
WritePicture(const std::string & path, const PictureContents & contents, const HostContext & context)
{
  const Extent & extent = contents.background.extent;
  CheckPicture(extent);
  const bool   isOnlyOne = *std::min_element(extent.size, extent.size + 3) == 1;
  int          pixels[3];
  bool         isWidened[3];
  const double pixelSize = ScaleAxes(contents, isOnlyOne ? LongestSideOfOne : LongestSideOfThree, pixels, isWidened);
  std::vector<Panel>       panels = ChoosePanels(extent, FindCentre(contents.labels, contents.table), pixels);
  std::vector<SlicePixels> slices;
  std::vector<double>      values;
  for (const Panel & panel : panels)
  {
    slices.push_back(SampleSlice(contents.background, contents.labels, panel.view, context));
    values.insert(values.end(), slices.back().gray.begin(), slices.back().gray.end());
  }
  const GrayWindow window = WindowOfPart(values);

  // The slice along z is on top, with the key to its right; the others are below it, where they share its x and their
  // z.
  std::vector<std::vector<std::string>> captions;
  int                                   widths[3] = {};
  int                                   captionHeights[3] = {};
  for (std::size_t i = 0; i < panels.size(); ++i)
  {
    captions.push_back(CaptionOf(panels[i], contents, isWidened, isOnlyOne));
    widths[i] = panels[i].view.width;
    for (const std::string & line : captions[i])
    {
      widths[i] = std::max(widths[i], TextWidth(line));
    }
    captionHeights[i] = MarkLength + static_cast<int>(captions[i].size()) * FontLineHeight;
  }
  const Key key(contents, slices, pixelSize, panels[0].view.height + captionHeights[0]);
  const int right = Margin + std::max(widths[0], widths[1]) + 2 * Margin;
  const int below = Margin + std::max(panels[0].view.height + captionHeights[0], key.Height()) + 2 * Margin;
  panels[0].x = panels[0].y = Margin;
  int height = below - Margin;
  if (!isOnlyOne)
  {
    panels[1].x = Margin;
    panels[2].x = right;
    panels[1].y = panels[2].y = below;
    height = below + panels[1].view.height + std::max(captionHeights[1], captionHeights[2]) + Margin;
  }
  Canvas canvas(right + std::max(key.Width(), widths[2]) + Margin, height, Ground);

  const LabelColours colours(slices, key.Labels());
  for (std::size_t i = 0; i < panels.size(); ++i)
  {
    DrawSlice(canvas, panels[i], slices[i], window, colours);
    if (!isOnlyOne)
    {
      DrawMarks(canvas, panels[i], extent);
    }
    int y = panels[i].y + panels[i].view.height + MarkLength;
    for (std::size_t line = 0; line < captions[i].size(); ++line)
    {
      const bool isFirst = line == 0 && !isOnlyOne;
      canvas.DrawText(panels[i].x, y += FontLineHeight, captions[i][line], isFirst ? TextColour : DimTextColour);
    }
  }
  key.Draw(canvas, right, Margin, window, colours);
  canvas.Write(path);
}

} // namespace brickccl
