// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Pictures/Sheets.h"

#include "BrickCCL/Pictures/DrawSlice.h"
#include "BrickCCL/Pictures/LabelColors.h"
#include "BrickCCL/Pictures/PictureLayout.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace brickccl
{

/** A sheet with more columns than this is wider than what decoders of pictures like. */
constexpr int MaximumColumns = 8;

constexpr int   JpegQuality = 78;
constexpr Color OutlineColor{ 255, 140, 0 };
/** The margin around a component: at least this share of its size, and this many voxels. */
constexpr double ShareBeside = 0.35;
constexpr double VoxelsBeside = 6;

static Canvas
CanvasFor(const Sheet & sheet, std::size_t tiles)
{
  const auto count = static_cast<int>(tiles);
  return Canvas(sheet.tileWidth * std::min(count, sheet.columns),
                sheet.tileHeight * ((count + sheet.columns - 1) / sheet.columns),
                PictureGround);
}

/** The part of a slice around a component, at most as many pixels wide and high as the square has. */
static SlicePixels
SampleAround(const PictureContents & contents, int axis, const SlicedComponent & shown, int side)
{
  const LoadedImage &     image = contents.background;
  const ComponentMeasures component = contents.table.components[shown.place];
  SliceView               view = PanelAcross(image, axis, {}, side).view;
  const int               axes[2] = { view.across, view.down };
  // The square is as wide as the larger side of the component's box, with its margin.
  double half = 0;
  for (const int each : axes)
  {
    const auto voxels = static_cast<double>(component.boxMaximum[each] - component.boxMinimum[each] + 1);
    half = std::max(half, (voxels * (0.5 + ShareBeside) + VoxelsBeside) * image.geometry.spacing[each]);
  }
  view.place[axis] = shown.slice;
  for (int i = 0; i < 2; ++i)
  {
    const int    each = axes[i];
    const double voxels = half / image.geometry.spacing[each];
    const double center = 0.5 * static_cast<double>(component.boxMinimum[each] + component.boxMaximum[each]) -
                          static_cast<double>(contents.table.geometry.startIndex[each]);
    view.low[i] = std::max<std::int64_t>(0, std::llround(center - voxels));
    view.size[i] = std::min<std::int64_t>(image.extent.size[each] - 1, std::llround(center + voxels)) - view.low[i] + 1;
    const double share = static_cast<double>(view.size[i]) * image.geometry.spacing[each] / (2 * half);
    (i == 0 ? view.width : view.height) = std::clamp(static_cast<int>(std::lround(share * side)), 1, side);
  }
  return SampleSlice(image, contents.labels, view, { 1, Progress() });
}

Sheet
WriteSliceSheet(const std::string &               path,
                const PictureContents &           contents,
                int                               axis,
                const std::vector<std::int64_t> & slices,
                int                               longestSide,
                const HostContext &               context)
{
  std::vector<SlicePixels> pixels;
  std::vector<double>      values;
  for (std::size_t i = 0; i < slices.size(); ++i)
  {
    std::array<std::int64_t, 3> place{};
    place[static_cast<std::size_t>(axis)] = slices[i];
    const auto count = static_cast<double>(slices.size());
    pixels.push_back(SampleSlice(contents.background,
                                 contents.labels,
                                 PanelAcross(contents.background, axis, place, longestSide).view,
                                 context.Part(static_cast<double>(i) / count, static_cast<double>(i + 1) / count)));
    // Some of the values set the window.
    constexpr std::size_t stride = 5;
    for (std::size_t at = 0; at < pixels.back().gray.size(); at += stride)
    {
      values.push_back(pixels.back().gray[at]);
    }
  }
  Sheet sheet;
  sheet.window = WindowOfPart(values);
  sheet.columns = std::min(MaximumColumns, static_cast<int>(slices.size()));
  sheet.tileWidth = pixels.front().width;
  sheet.tileHeight = pixels.front().height;
  Canvas            canvas = CanvasFor(sheet, slices.size());
  const LabelColors colors(pixels, {});
  for (std::size_t i = 0; i < slices.size(); ++i)
  {
    const int at = static_cast<int>(i);
    DrawSlice(canvas,
              at % sheet.columns * sheet.tileWidth,
              at / sheet.columns * sheet.tileHeight,
              pixels[i],
              &sheet.window,
              [&](std::uint64_t label) { return colors[label]; });
  }
  canvas.WriteJpeg(path, JpegQuality);
  return sheet;
}

Sheet
WriteThumbnails(const std::string &                  path,
                const PictureContents &              contents,
                int                                  axis,
                const std::vector<SlicedComponent> & components,
                int                                  side,
                const GrayWindow &                   window,
                const HostContext &                  context,
                bool                                 areOutlined)
{
  Sheet  sheet{ std::min(MaximumColumns, static_cast<int>(components.size())), side, side, window };
  Canvas canvas = CanvasFor(sheet, components.size());
  for (std::size_t i = 0; i < components.size(); ++i)
  {
    const SlicePixels pixels = SampleAround(contents, axis, components[i], side);
    const LabelColors colors({ pixels }, {});
    const int         at = static_cast<int>(i);
    DrawSlice(
      canvas,
      at % sheet.columns * side + (side - pixels.width) / 2,
      at / sheet.columns * side + (side - pixels.height) / 2,
      pixels,
      &window,
      [&](std::uint64_t label) { return areOutlined ? OutlineColor : colors[label]; },
      areOutlined ? 0 : LabelOpacity);
    context.progress.Update(static_cast<double>(i + 1) / static_cast<double>(components.size()));
  }
  canvas.WriteJpeg(path, JpegQuality);
  return sheet;
}

} // namespace brickccl
