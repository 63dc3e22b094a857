// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Pictures/Picture.h"

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Pictures/Canvas.h"
#include "BrickCCL/Pictures/DrawSlice.h"
#include "BrickCCL/Pictures/Font.h"
#include "BrickCCL/Pictures/GrayWindow.h"
#include "BrickCCL/Pictures/LabelColors.h"
#include "BrickCCL/Pictures/PictureKey.h"
#include "BrickCCL/Pictures/PictureLayout.h"
#include "BrickCCL/Pictures/Slice.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace brickccl
{

constexpr Color MarkColor{ 255, 255, 255 };
constexpr Color EndColor{ 255, 220, 120 };

/** The voxel nearest to the largest component's centroid, the first of several; without any the middle. */
static std::array<std::int64_t, 3>
FindCenter(const RunVolume & labels, const ComponentTable & table)
{
  const Extent &              extent = labels.GetExtent();
  std::array<std::int64_t, 3> center{ extent.size[0] / 2, extent.size[1] / 2, extent.size[2] / 2 };
  std::size_t                 largest = 0;
  for (std::size_t place = 1; place < table.components.size(); ++place)
  {
    largest = table.components.VoxelCount(place) > table.components.VoxelCount(largest) ? place : largest;
  }
  if (table.components.empty())
  {
    return center;
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
          center = { x, y, z };
        }
      });
    }
  }
  return center;
}

/** Marks, outside of a panel, where the other slices cut it. */
static void
DrawMarks(Canvas & canvas, const PicturePanel & panel, const Extent & extent)
{
  const auto pixelOf = [&](int axis, int pixels, bool isReversed) {
    const double share = (static_cast<double>(panel.view.place[axis]) + 0.5) / static_cast<double>(extent.size[axis]);
    return static_cast<int>((isReversed ? 1 - share : share) * pixels);
  };
  const int x = panel.x + pixelOf(panel.view.across, panel.view.width, panel.view.isMirrored);
  const int y = panel.y + pixelOf(panel.view.down, panel.view.height, panel.view.isUpsideDown);
  canvas.FillRectangle(x, panel.y - 2 - PictureMarkLength, 1, PictureMarkLength, MarkColor);
  canvas.FillRectangle(x, panel.y + panel.view.height + 2, 1, PictureMarkLength, MarkColor);
  canvas.FillRectangle(panel.x - 2 - PictureMarkLength, y, PictureMarkLength, 1, MarkColor);
  canvas.FillRectangle(panel.x + panel.view.width + 2, y, PictureMarkLength, 1, MarkColor);
}

/** Writes the letters of a patient's sides at a panel's sides, together for a thin stack, as S/I. */
static void
DrawEnds(Canvas & canvas, const PicturePanel & panel)
{
  constexpr int margin = 5;
  const int     right = panel.x + panel.view.width;
  const int     bottom = panel.y + panel.view.height;
  const int     middleX = (panel.x + right) / 2;
  const int     middleY = (panel.y + bottom + FontCapitalHeight) / 2;
  const auto    draw = [&](int x, int y, const std::string & text, Anchor anchor) {
    canvas.DrawText(x + 1, y + 1, text, PictureGround, anchor);
    canvas.DrawText(x, y, text, EndColor, anchor);
  };
  const auto drawBoth = [&](std::size_t i) {
    draw(middleX, middleY, panel.ends[i].empty() ? "" : panel.ends[i] + "/" + panel.ends[i + 1], Anchor::Middle);
  };
  if (panel.view.width < 2 * (TextWidth("W") + margin))
  {
    drawBoth(0);
  }
  else
  {
    draw(panel.x + margin, middleY, panel.ends[0], Anchor::Begin);
    draw(right - margin, middleY, panel.ends[1], Anchor::End);
  }
  if (panel.view.height < 2 * (FontCapitalHeight + margin + 1))
  {
    drawBoth(2);
  }
  else
  {
    draw(middleX, panel.y + FontCapitalHeight + margin, panel.ends[2], Anchor::Middle);
    draw(middleX, bottom - margin - 1, panel.ends[3], Anchor::Middle);
  }
}

static std::vector<SlicePixels>
SamplePanels(const PictureContents & contents, const PictureLayout & layout, const HostContext & context)
{
  std::vector<SlicePixels> slices;
  const auto               count = static_cast<double>(layout.panels.size());
  for (const PicturePanel & panel : layout.panels)
  {
    const auto        done = static_cast<double>(slices.size());
    const HostContext part = context.Part(done / count, (done + 1) / count);
    slices.push_back(layout.style == PictureStyle::Projection && contents.background.extent.size[panel.fixed] > 1
                       ? SampleProjection(contents.background, contents.labels, panel.view, panel.fixed, part)
                       : SampleSlice(contents.background, contents.labels, panel.view, part));
  }
  return slices;
}

void
CheckPicture(const Extent & extent)
{
  ThrowIf<Unsupported>(extent.dimension > 3,
                       "a picture shows images of 1 to 3 dimensions, not " + std::to_string(extent.dimension));
}

void
WritePicture(const std::string &     path,
             const PictureContents & contents,
             const HostContext &     context,
             const PictureOptions &  options)
{
  CheckPicture(contents.background.extent);
  PictureLayout layout =
    LayOutPicture(contents, options, options.center ? *options.center : FindCenter(contents.labels, contents.table));
  const std::vector<SlicePixels> slices = SamplePanels(contents, layout, context);
  std::vector<double>            values;
  for (const SlicePixels & slice : slices)
  {
    values.insert(values.end(), slice.gray.begin(), slice.gray.end());
  }
  const GrayWindow   window = WindowOfPart(values);
  const GrayWindow * shown = contents.hasGray ? &window : nullptr;
  const PictureKey   key({ contents.table,
                           contents.hasSpacing,
                           LabelsOf(slices),
                           "in these slices",
                           options.columnColors,
                           shown,
                           options.title },
                       layout.pixelSize,
                       layout.heightForKey);
  layout.Arrange(key.Width(), key.Height());
  Canvas canvas(layout.width, layout.height, PictureGround);

  const LabelColors colors(slices, key.Labels());
  for (std::size_t i = 0; i < layout.panels.size(); ++i)
  {
    const PicturePanel & panel = layout.panels[i];
    canvas.FillRectangle(panel.x - 1, panel.y - 1, panel.view.width + 2, panel.view.height + 2, FrameColor);
    DrawSlice(canvas, panel.x, panel.y, slices[i], shown, [&](std::uint64_t label) {
      return options.columnColors != nullptr ? (*options.columnColors)[label] : colors[label];
    });
    if (layout.hasMarks)
    {
      DrawMarks(canvas, panel, contents.background.extent);
    }
    DrawEnds(canvas, panel);
    int y = panel.y + panel.view.height + (layout.style == PictureStyle::Montage ? 0 : PictureMarkLength);
    for (std::size_t line = 0; line < panel.caption.size(); ++line)
    {
      const bool isFirst = line == 0 && layout.panels.size() > 1;
      canvas.DrawText(panel.x, y += FontLineHeight, panel.caption[line], isFirst ? TextColor : DimTextColor);
    }
  }
  key.Draw(canvas, layout.keyX, PictureMargin, colors);
  canvas.Write(path);
}

} // namespace brickccl
