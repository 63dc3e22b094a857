// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_TESTING_GPU_PAPERIMAGES_H
#define BRICKCCL_TESTING_GPU_PAPERIMAGES_H

#include "BrickCCL/BrickCCL.h"
#include "BrickCCL/Phantoms/Phantoms.h"
#include "BrickCCL/Phantoms/Random.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

/** Images as the papers describe theirs, which they do not publish. */
namespace brickccl::benchmark
{

using Pixels = std::vector<std::uint8_t>;

/** Paints a disc of one value. */
template <typename TPlace, typename TRadius>
void
PaintDisc(Pixels & pixels, std::int64_t side, TPlace centerX, TPlace centerY, TRadius radius, std::uint8_t value)
{
  for (std::int64_t y = std::max<std::int64_t>(0, centerY - radius); y <= std::min(side - 1, centerY + radius); ++y)
  {
    for (std::int64_t x = std::max<std::int64_t>(0, centerX - radius); x <= std::min(side - 1, centerX + radius); ++x)
    {
      if ((x - centerX) * (x - centerX) + (y - centerY) * (y - centerY) <= radius * radius)
      {
        pixels[static_cast<std::size_t>(y * side + x)] = value;
      }
    }
  }
}

inline std::int64_t
PlaceOf(std::uint64_t seed, std::uint64_t number, std::int64_t side)
{
  return static_cast<std::int64_t>(HashOf(seed, number) % static_cast<std::uint64_t>(side));
}

/** Half of the pixels are foreground: half of these in discs of one radius, the others as single random pixels. */
inline Pixels
DiscsWithNoise(std::int64_t side, std::int64_t radius)
{
  Pixels     pixels(static_cast<std::size_t>(side * side), 0);
  const auto share = [&] {
    return static_cast<double>(std::count(pixels.begin(), pixels.end(), 1)) / static_cast<double>(pixels.size());
  };
  for (std::uint64_t disc = 0; share() < 0.25;)
  {
    for (int several = 0; several < std::max<int>(1, static_cast<int>(2000 / (radius * radius))); ++several, ++disc)
    {
      PaintDisc(pixels, side, PlaceOf(1, 2 * disc, side), PlaceOf(1, 2 * disc + 1, side), radius, 1);
    }
  }
  const double rest = (0.5 - share()) / (1 - share());
  for (std::size_t i = 0; i < pixels.size(); ++i)
  {
    pixels[i] = pixels[i] != 0 || UniformOf(2, i) < rest ? 1 : 0;
  }
  return pixels;
}

/** Segments of a log of wood: 1 is air, 2 is wood, 3 is denser than water. In 2-D it is one slice of the log. */
inline Pixels
LogSegments(const Extent & extent)
{
  const Extent volume{ extent.size[0], extent.size[1], std::max<std::int64_t>(extent.size[2], 16) };
  const Scan   log = MakeLog(volume, 1);
  Pixels       segments(static_cast<std::size_t>(extent.VoxelCount()));
  const auto   first = log.image.begin() + (extent.dimension == 2 ? 8 * extent.VoxelCount() : 0);
  std::transform(first, first + extent.VoxelCount(), segments.begin(), [](std::int16_t value) {
    return static_cast<std::uint8_t>(value < -800 ? 1 : value <= 0 ? 2 : 3);
  });
  return segments;
}

/** Discs of several values. The base image of 1024 x 1024 pixels has `count` of them. */
inline Pixels
ManyDiscs(std::int64_t side, int count, bool isGrid)
{
  constexpr std::int64_t base = 1024;
  Pixels                 tile(static_cast<std::size_t>(base * base), 0);
  const auto             perSide = static_cast<std::int64_t>(std::sqrt(static_cast<double>(count)));
  for (std::uint64_t disc = 0; disc < static_cast<std::uint64_t>(count); ++disc)
  {
    const auto number = static_cast<std::int64_t>(disc);
    const auto along = [&](std::int64_t place) { return (2 * place + 1) * base / (2 * perSide); };
    PaintDisc(tile,
              base,
              isGrid ? along(number % perSide) : PlaceOf(3, 2 * disc, base),
              isGrid ? along(number / perSide) : PlaceOf(3, 2 * disc + 1, base),
              std::int64_t{ 10 },
              static_cast<std::uint8_t>(1 + disc % 5));
  }
  Pixels pixels(static_cast<std::size_t>(side * side));
  for (std::int64_t i = 0; i < side * side; ++i)
  {
    pixels[static_cast<std::size_t>(i)] = tile[static_cast<std::size_t>(i / side % base * base + i % side % base)];
  }
  return pixels;
}

/** A few large discs that fill most of the image. Their size follows the image's. */
inline Pixels
FewDiscs(std::int64_t side)
{
  Pixels pixels(static_cast<std::size_t>(side * side), 0);
  for (std::uint64_t disc = 0; disc < 40; ++disc)
  {
    const auto unit = static_cast<double>(side);
    PaintDisc(pixels,
              side,
              static_cast<std::int64_t>(UniformOf(4, 3 * disc) * unit),
              static_cast<std::int64_t>(UniformOf(4, 3 * disc + 1) * unit),
              static_cast<std::int64_t>((0.05 + 0.15 * UniformOf(4, 3 * disc + 2)) * unit),
              static_cast<std::uint8_t>(1 + disc % 5));
  }
  return pixels;
}

} // namespace brickccl::benchmark

#endif
