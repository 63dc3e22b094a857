// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Pictures/DrawSlice.h"

#include <cmath>

namespace brickccl
{

constexpr double EdgeOpacity = 0.9;

constexpr Color PlainColor{ 44, 47, 53 };

void
DrawSlice(Canvas &                                    canvas,
          int                                         left,
          int                                         top,
          const SlicePixels &                         pixels,
          const GrayWindow *                          window,
          const std::function<Color(std::uint64_t)> & colorOf,
          double                                      fill)
{
  const auto placeOf = [&](int x, int y) {
    return static_cast<std::size_t>(y) * static_cast<std::size_t>(pixels.width) + static_cast<std::size_t>(x);
  };
  const auto labelAt = [&](int x, int y) { return pixels.labels[placeOf(x, y)]; };
  for (int y = 0; y < pixels.height; ++y)
  {
    for (int x = 0; x < pixels.width; ++x)
    {
      const std::size_t at = placeOf(x, y);
      Color             ground = PlainColor;
      if (window != nullptr)
      {
        const auto level = static_cast<std::uint8_t>(std::lround(255 * window->ShareOf(pixels.gray[at])));
        ground = { level, level, level };
      }
      canvas.Blend(left + x, top + y, ground);
      const std::uint64_t label = labelAt(x, y);
      if (label == 0)
      {
        continue;
      }
      const bool isEdge =
        (x > 0 && labelAt(x - 1, y) != label) || (x + 1 < pixels.width && labelAt(x + 1, y) != label) ||
        (y > 0 && labelAt(x, y - 1) != label) || (y + 1 < pixels.height && labelAt(x, y + 1) != label);
      // The square root makes components visible that are thinner than a pixel.
      const double opacity = (isEdge ? EdgeOpacity : fill) * std::sqrt(static_cast<double>(pixels.coverage[at]));
      canvas.Blend(left + x, top + y, colorOf(label), opacity);
    }
  }
}

} // namespace brickccl
