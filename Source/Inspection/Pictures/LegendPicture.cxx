// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Pictures/LegendPicture.h"

#include "BrickCCL/Pictures/DrawSlice.h"
#include "BrickCCL/Pictures/Font.h"
#include "BrickCCL/Pictures/PictureKey.h"
#include "BrickCCL/Pictures/PictureLayout.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace brickccl
{

namespace
{

constexpr double LongestSide = 900;

/** Draws the slice and, over it, the labels in the colors of the legend, in a frame. */
void
DrawFramedSlice(Canvas &                       canvas,
                int                            x,
                int                            y,
                const SlicePixels &            pixels,
                const GrayWindow &             window,
                const std::vector<LegendRow> & legend)
{
  std::map<std::uint64_t, Color> colors;
  for (const LegendRow & row : legend)
  {
    colors[row.label] = row.color;
  }
  canvas.FillRectangle(x - 1, y - 1, pixels.width + 2, pixels.height + 2, FrameColor);
  DrawSlice(canvas, x, y, pixels, &window, [&](std::uint64_t label) { return colors[label]; });
}

} // namespace

void
WriteLegendPicture(const std::string & path, const LegendPicture & picture, const HostContext & context)
{
  const Extent &   extent = picture.background.extent;
  const Geometry & geometry = picture.background.geometry;
  const auto       sideOf = [&](int axis) { return geometry.spacing[axis] * static_cast<double>(extent.size[axis]); };
  const double     pixelSize = std::max(std::max(sideOf(0), sideOf(1)) / LongestSide,
                                    std::min(geometry.spacing[0], geometry.spacing[1]) / LargestVoxel);
  SliceView        view;
  view.width = std::max(1, static_cast<int>(std::lround(sideOf(0) / pixelSize)));
  view.height = std::max(1, static_cast<int>(std::lround(sideOf(1) / pixelSize)));
  const SlicePixels pixels = SampleSlice(picture.background, picture.labels, view, context);
  const GrayWindow  window = WindowOfPart(pixels.gray);

  int width = std::max(LongestScaleBar, TextWidth(window.Text()));
  for (const std::string & line : picture.title)
  {
    width = std::max(width, TextWidth(line));
  }
  for (const LegendRow & row : picture.legend)
  {
    width = std::max(width, 2 * SwatchSize + TextWidth(row.text));
  }
  const auto lines = static_cast<int>(picture.title.size() + picture.legend.size()) + 6;
  Canvas     canvas(4 * PictureMargin + view.width + width,
                2 * PictureMargin + std::max(view.height, lines * FontLineHeight),
                PictureGround);
  DrawFramedSlice(canvas, PictureMargin, PictureMargin, pixels, window, picture.legend);
  const int x = 3 * PictureMargin + view.width;
  int       y = PictureMargin + FontCapitalHeight;
  for (std::size_t i = 0; i < picture.title.size(); ++i, y += FontLineHeight)
  {
    canvas.DrawText(x, y, picture.title[i], i == 0 ? TextColor : DimTextColor);
  }
  y += FontLineHeight / 2;
  for (const LegendRow & row : picture.legend)
  {
    canvas.FillRectangle(x, y - FontCapitalHeight - 1, SwatchSize, SwatchSize, row.color);
    canvas.DrawText(x + 2 * SwatchSize, y, row.text, TextColor);
    y += FontLineHeight;
  }
  y += FontLineHeight / 2;
  canvas.DrawText(x, y, window.Text(), DimTextColor);
  y += FontLineHeight;
  DrawScaleBar(canvas, x, y, pixelSize, picture.hasSpacing ? "" : " pixels");
  canvas.Write(path);
}

} // namespace brickccl
