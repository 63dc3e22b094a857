// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <tuple>
#include <utility>
#include <vector>

namespace brickccl
{

/** The highest place where two basins meet; first < second. */
template <typename T>
struct Pass
{
  T             height;
  std::uint32_t first;
  std::uint32_t second;

  /** Highest passes come first, equal ones in the order of the basins. */
  bool
  operator<(const Pass & other) const
  {
    return std::tie(other.height, first, second) < std::tie(height, other.first, other.second);
  }
};

/** The basins of a split in raster order of their peaks, or of the first voxels of their seeds. */
template <typename T>
struct Basins
{
  /** The highest voxel of each basin, and its height. */
  std::vector<std::int64_t> peaks;
  std::vector<T>            heights;
  /** The first voxel of each basin. */
  std::vector<std::int64_t> firsts;
  /** The number of the seed of each basin, or 0; empty in a split without seeds. */
  std::vector<std::uint32_t> seeds;
};

/** Which basins are one object. */
struct ObjectsOfBasins
{
  /** The number of each basin's object; 0 without a seed. */
  std::vector<std::uint32_t> numbers;
  /** The basin with the highest peak of each object, in the order of the objects' numbers. */
  std::vector<std::uint32_t> highest;
};

/** Merges basins along their passes, which come in their order. With seeds, two basins are merged unless both have one.
 *  Without, they are merged if their lower peak is as high as the pass.
 *  \param isLow  says whether they are merged as well if it is higher: `isLow(peak, pass)` */
template <typename T, typename TIsLow>
ObjectsOfBasins
MergeBasins(Basins<T> & basins, const std::vector<Pass<T>> & passes, const TIsLow & isLow)
{
  const bool                 hasSeeds = !basins.seeds.empty();
  std::vector<std::uint32_t> roots(basins.peaks.size());
  std::iota(roots.begin(), roots.end(), 0u);
  const auto find = [&](std::uint32_t basin) {
    for (; roots[basin] != basin; basin = roots[basin])
    {
      roots[basin] = roots[roots[basin]];
    }
    return basin;
  };
  for (const Pass<T> & pass : passes)
  {
    // The first of equal peaks in raster order stays.
    auto [upper, lower] = std::minmax({ find(pass.first), find(pass.second) });
    if (hasSeeds ? basins.seeds[upper] == 0 : basins.heights[upper] < basins.heights[lower])
    {
      std::swap(upper, lower);
    }
    const T peak = basins.heights[lower];
    if (lower != upper && (hasSeeds ? basins.seeds[lower] == 0 : peak == pass.height || isLow(peak, pass.height)))
    {
      roots[lower] = upper;
    }
  }
  ObjectsOfBasins            objects;
  std::vector<std::uint32_t> highest = roots;
  std::vector<std::uint32_t> kept;
  for (std::uint32_t basin = 0; basin < roots.size(); ++basin)
  {
    const std::uint32_t root = find(basin);
    basins.firsts[root] = std::min(basins.firsts[root], basins.firsts[basin]);
    highest[root] = basins.heights[highest[root]] < basins.heights[basin] ? basin : highest[root];
    if (root == basin && (!hasSeeds || basins.seeds[root] != 0))
    {
      kept.push_back(root);
    }
  }
  std::sort(kept.begin(), kept.end(), [&](std::uint32_t a, std::uint32_t b) {
    return hasSeeds ? basins.seeds[a] < basins.seeds[b] : basins.firsts[a] < basins.firsts[b];
  });
  std::vector<std::uint32_t> numberOf(roots.size());
  for (const std::uint32_t root : kept)
  {
    objects.highest.push_back(highest[root]);
    numberOf[root] = hasSeeds ? basins.seeds[root] : static_cast<std::uint32_t>(objects.highest.size());
  }
  std::transform(roots.begin(), roots.end(), std::back_inserter(objects.numbers), [&](std::uint32_t basin) {
    return numberOf[find(basin)];
  });
  return objects;
}

} // namespace brickccl
