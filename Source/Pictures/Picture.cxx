#include "BrickCCL/Pictures/Picture.h"

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Pictures/Canvas.h"
#include "BrickCCL/Pictures/Font.h"
#include "BrickCCL/Pictures/GrayWindow.h"
#include "BrickCCL/Pictures/LabelColours.h"
#include "BrickCCL/Pictures/PictureKey.h"
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

/** The length in pixels of the image's longest axis, for a picture of one slice and for one of three. */
constexpr double LongestSideOfOne = 960;
constexpr double LongestSideOfThree = 480;
constexpr double LargestVoxel = 32;
constexpr int    ThinnestSide = 16;
constexpr int    Margin = 16;
constexpr int    MarkLength = 6;

constexpr double FillOpacity = 0.6;
constexpr double EdgeOpacity = 0.9;

constexpr Colour Ground{ 24, 26, 30 };
constexpr Colour MarkColour{ 255, 255, 255 };

constexpr const char * AxisNames[3] = { "x", "y", "z" };

/** The voxel of the largest component that lies nearest to its centroid, the first if there are several. Without
 *  components it is the middle of the volume. */
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

/** The texts below a panel. */
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

/** Draws the background, the labels over it, and a frame around it. */
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
      // The square root makes components visible that are thinner than a pixel.
      const double opacity = (isEdge ? EdgeOpacity : FillOpacity) * std::sqrt(static_cast<double>(pixels.coverage[at]));
      canvas.Blend(panel.x + x, panel.y + y, colours[label], opacity);
    }
  }
}

/** Marks, outside of a panel, where the other slices cut it. */
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

/** Finds how many pixels each axis gets, and whether these are more than its proportion asks for. \return a pixel's
 *  size in mm. */
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

/** The slices to draw: the only one there is if an axis has a single voxel, or else three. */
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
    const auto count = static_cast<double>(panels.size());
    const auto done = static_cast<double>(slices.size());
    slices.push_back(
      SampleSlice(contents.background, contents.labels, panel.view, context.Part(done / count, (done + 1) / count)));
    values.insert(values.end(), slices.back().gray.begin(), slices.back().gray.end());
  }
  const GrayWindow window = WindowOfPart(values);

  // The slice along z is on top, and the key is to its right. The other slices are below it, where one shares its x and
  // both share their z.
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
  const PictureKey key(contents, slices, pixelSize, panels[0].view.height + captionHeights[0]);
  const int        right = Margin + std::max(widths[0], widths[1]) + 2 * Margin;
  const int        below = Margin + std::max(panels[0].view.height + captionHeights[0], key.Height()) + 2 * Margin;
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
