// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_TESTING_GPU_PAPERRIDGES_CUH
#define BRICKCCL_TESTING_GPU_PAPERRIDGES_CUH

#include "PaperTimes.cuh"

#include "Ridges.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <future>
#include <string>
#include <utility>
#include <vector>

/** The tables of the paper about ridge patterns. */
namespace brickccl::benchmark
{

/** The variants that the paper about ridge patterns compares. */
inline std::vector<Method>
RidgeMethods()
{
  const std::string equivalence = "LabelEquivalence:atomics=on,first-scan=earlier";
  return { { "Ordinary LE", equivalence },
           { "Ordinary TM", "TileMerging" },
           { "Early LE", equivalence + ",properties=moments", Sums::Moments },
           { "Early TM", "TileMerging:properties=moments", Sums::Moments },
           { "Late LE", equivalence, Sums::Moments },
           { "Late TM", "TileMerging", Sums::Moments },
           Default,
           { "default with table", "Auto", Sums::Table } };
}

struct FamilyImage
{
  std::string family;
  RidgeImage  image;
};

inline std::vector<FamilyImage>
FamilyImages(int n)
{
  using Family = RidgeImage::Family;
  std::vector<FamilyImage> images;
  const auto               add = [&](const char * name, Family family, int level, int subdivisions, double parameter) {
    RidgeImage image;
    image.family = family;
    image.level = level;
    image.subdivisions = subdivisions;
    image.parameter = parameter;
    images.push_back({ name, image });
  };
  for (int level = 1; level <= std::min(12, n - 1); ++level)
  {
    add("Leveling", Family::Leveling, level, 0, 1);
  }
  for (int s = 0; s <= n - 4; ++s)
  {
    add("Subdivision", Family::Subdivision, 3, s, 1);
  }
  for (int step = 0; step <= 10; ++step)
  {
    const double parameter = step / 10.0;
    add("RandomInstancing", Family::RandomInstancing, 3, 5, parameter);
    add("RandomMerging", Family::RandomMerging, 3, 5, parameter);
    add("Scaling", Family::Scaling, 2, 0, parameter);
    if (step > 0)
    {
      add("Spiral", Family::Spiral, 1, 0, parameter);
    }
  }
  return images;
}

struct Mask
{
  std::string file;
  Extent      extent;
};

/** Every fiftieth slice of a mask, if at most 30 % is foreground, as a square of 2^n x 2^n nearest neighbors. */
inline std::vector<Pixels>
ScaledSlices(const Mask & mask, int n)
{
  const Extent &      extent = mask.extent;
  Pixels              volume(static_cast<std::size_t>(extent.VoxelCount()));
  std::ifstream       stream(mask.file, std::ios::binary);
  std::vector<Pixels> slices;
  if (!stream.read(reinterpret_cast<char *>(volume.data()), static_cast<std::streamsize>(volume.size())))
  {
    std::fprintf(stderr, "%s does not have %lld bytes\n", mask.file.c_str(), static_cast<long long>(volume.size()));
    std::exit(1);
  }
  const std::int64_t        side = std::int64_t{ 1 } << n;
  std::vector<std::int64_t> sources(static_cast<std::size_t>(side));
  for (std::int64_t x = 0; x < side; ++x)
  {
    sources[static_cast<std::size_t>(x)] = x * extent.size[0] / side;
  }
  for (std::int64_t z = 25; z < extent.size[2]; z += 50)
  {
    Pixels       pixels(static_cast<std::size_t>(side * side));
    std::int64_t count = 0;
    for (std::int64_t y = 0; y < side; ++y)
    {
      const std::uint8_t * row = volume.data() + (z * extent.size[1] + y * extent.size[1] / side) * extent.size[0];
      for (std::int64_t x = 0; x < side; ++x)
      {
        const std::uint8_t pixel = row[sources[static_cast<std::size_t>(x)]] != 0 ? 1 : 0;
        pixels[static_cast<std::size_t>(y * side + x)] = pixel;
        count += pixel;
      }
    }
    if (static_cast<double>(count) <= 0.3 * static_cast<double>(side * side))
    {
      slices.push_back(std::move(pixels));
    }
  }
  return slices;
}

/** The paper about ridge patterns: the measurements that tables III, IV and VI to VIII are made of, for images of 2^n
 *  pixels a side. There is one line for each image and method. */
inline void
Ridges(Benchmark & benchmark, int firstN, int lastN, const std::vector<Mask> & masks)
{
  // Only means over many images are wanted, so each image has less time.
  benchmark.limit = 25;
  for (int n = firstN; n <= lastN; ++n)
  {
    const std::int64_t               side = std::int64_t{ 1 } << n;
    const Extent                     extent{ side, side };
    const std::vector<FamilyImage>   images = FamilyImages(n);
    const std::size_t                ahead = 12;
    std::vector<std::future<Pixels>> made(images.size());
    const auto                       make = [&](std::size_t i) {
      made[i] = std::async(std::launch::async, [&, i] { return MakeRidges(extent, images[i].image); });
    };
    for (std::size_t i = 0; i < std::min(ahead, images.size()); ++i)
    {
      make(i);
    }
    for (std::size_t i = 0; i < images.size(); ++i)
    {
      const Pixels pixels = made[i].get();
      if (i + ahead < images.size())
      {
        make(i + ahead);
      }
      const RidgeImage & image = images[i].image;
      const std::string  name = images[i].family + " l=" + std::to_string(image.level) +
                               " s=" + std::to_string(image.subdivisions) + " p=" + std::to_string(image.parameter);
      benchmark.Row("Ridges", name, static_cast<double>(side), pixels, extent, Connectivity::Full(2), RidgeMethods());
    }
    for (const Mask & mask : masks)
    {
      for (const Pixels & pixels : ScaledSlices(mask, n))
      {
        benchmark.Row("Ridges",
                      "Dataset " + mask.file,
                      static_cast<double>(side),
                      pixels,
                      extent,
                      Connectivity::Full(2),
                      RidgeMethods());
      }
    }
  }
}

} // namespace brickccl::benchmark

#endif
