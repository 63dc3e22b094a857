// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Core/BitRow.h"
#include "BrickCCL/Core/Connectivity.h"
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Forest/Forest.h"
#include "BrickCCL/Geometry/DistanceTransform.h"
#include "BrickCCL/Host/Parallel.h"
#include "BrickCCL/Runs/FindRuns.h"
#include "BrickCCL/Splitting/MergeBasins.h"
#include "BrickCCL/Splitting/Split.h"
#include "BrickCCL/Splitting/UphillSteps.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace brickccl
{

/** A bit for each axis along which voxels have neighbors. */
inline unsigned
UsedAxes(const Connectivity & connectivity)
{
  unsigned axes = 0;
  for (int axis = 0; axis < connectivity.Dimension(); ++axis)
  {
    axes |= connectivity.Uses(axis) ? 1u << axis : 0u;
  }
  return axes;
}

/** \return a function that says whether a peak of squared distances is too low above a pass to stay */
inline auto
LowPeak(const std::optional<SplitHeight> & height, const DistanceUnit & unit)
{
  const bool isPercent = height && height->isPercent;
  // A quotient that is rounded up must not merge what rises as much.
  const double length = unit.length * (1 + 1e-12);
  const double least = !height ? 0.75 * unit.smallest : height->value / (isPercent ? 1 : length);
  return [=](auto peak, auto pass) {
    // Without roots, whole squares and per cents are compared exactly.
    return isPercent ? 1e4 * static_cast<double>(pass) > (100 - least) * (100 - least) * static_cast<double>(peak)
                     : DistanceUnit::RootOf(peak) - DistanceUnit::RootOf(pass) < least;
  };
}

/** The heights that a split climbs. */
template <typename T>
struct Landscape
{
  /** A height for each voxel; the background has the height `ground`, and no other voxel is as low. */
  const T * heights = nullptr;
  T         ground = 0;
  /** The label of a voxel, and whether neighbors may have different ones. */
  std::function<std::uint64_t(std::int64_t)> labelAt;
  bool                                       labelsTouch = false;
  /** The seed of a voxel, 0 for none; null in a split without seeds. */
  std::function<std::uint32_t(std::int64_t)> seedAt;
  /** A height as a number, and whether a peak is too low above a pass to stay. */
  std::function<double(T)>  asNumber;
  std::function<bool(T, T)> isLow;
  /** The rows whose voxels step uphill. Each voxel of other rows is a basin by itself, without passes among them. */
  std::int64_t firstRow = 0;
  std::int64_t endRow = std::numeric_limits<std::int64_t>::max();
};

/** Splits labels along the valleys of a landscape. Each voxel has an entry in the result: 0 in the background, the code
 *  of its step uphill, or FirstBasin plus the number of its basin. Peaks get the last at once, the others by following
 *  steps. Threads may follow the same steps at the same time: an entry changes once, from its step to the basin in
 *  which the step ends. */
template <typename T>
class Splitter
{
public:
  Splitter(const Extent &       extent,
           const Connectivity & connectivity,
           const PeriodicAxes & periodic,
           const Landscape<T> & landscape,
           std::uint32_t *      entries)
    : m_Extent(extent)
    , m_Landscape(landscape)
    , m_Entries(entries)
    , m_Steps(extent, connectivity, periodic)
    , m_IsRing(periodic.Has(0))
  {}

  /** The first entry that is a basin's; codes are smaller. */
  static constexpr std::uint32_t FirstBasin = 1024;

  /** Makes entries the numbers of basins. \return the highest pass between each two of them, highest first */
  std::vector<Pass<T>>
  FindBasins(const HostContext & context)
  {
    FindPeaks(context.Part(0, 0.3));
    ForRows(context.Part(0.3, 0.5), [this](std::int64_t, std::int64_t begin) {
      for (std::int64_t voxel = begin; voxel < begin + m_Extent.RowLength(); ++voxel)
      {
        Climb(voxel);
      }
    });
    return FindPasses(context.Part(0.5, 0.8));
  }

  /** Writes the numbers of objects. \return the basins' objects
   *  \param rises  null, or gets for each object at the least height how far its peak is above the pass to a higher
   * one; infinity if there is none */
  ObjectsOfBasins
  Run(const HostContext & context, std::vector<double> * rises)
  {
    const std::vector<Pass<T>> passes = FindBasins(context);
    if (rises != nullptr)
    {
      Basins<T>             copy = m_Basins;
      const ObjectsOfBasins all = MergeBasins(copy, passes, [&](T peak, T pass) {
        rises->push_back(m_Landscape.asNumber(peak) - m_Landscape.asNumber(pass));
        return true;
      });
      rises->insert(rises->end(), all.highest.size(), std::numeric_limits<double>::infinity());
    }
    const ObjectsOfBasins objects = MergeBasins(m_Basins, passes, m_Landscape.isLow);
    ForRows(context.Part(0.8, 1), [&](std::int64_t, std::int64_t begin) {
      std::uint64_t unreached = 0;
      for (std::int64_t voxel = begin; voxel < begin + m_Extent.RowLength(); ++voxel)
      {
        const bool isObject = m_Entries[voxel] != 0;
        m_Entries[voxel] = isObject ? objects.numbers[m_Entries[voxel] - FirstBasin] : 0;
        unreached += isObject && m_Entries[voxel] == 0 ? 1 : 0;
      }
      m_Unreached += unreached;
    });
    return objects;
  }

  const Basins<T> &
  GetBasins() const
  {
    return m_Basins;
  }

  /** The voxels of labels that no seed reaches. */
  std::uint64_t
  UnreachedCount() const
  {
    return m_Unreached;
  }

private:
  /** Heights by pairs of basins: the first in the upper half of the key, the second in the lower. */
  using HighestPasses = std::unordered_map<std::uint64_t, T>;

  /** Calls `work(row, place of its first voxel)` for each row. */
  template <typename TWork>
  void
  ForRows(const HostContext & context, const TWork & work) const
  {
    const Chunks chunks = RowChunks(m_Extent, context);
    ParallelFor(chunks.count, context, [&](std::int64_t chunk) {
      for (std::int64_t row = chunks.Begin(chunk); row < chunks.End(chunk); ++row)
      {
        work(row, row * m_Extent.RowLength());
      }
    });
  }

  /** The steps from voxels of a row that have neighbors at x - 1 and x + 1 or not. */
  std::vector<UphillStep>
  StepsFrom(std::int64_t row, bool hasLeft, bool hasRight) const
  {
    return m_Steps.From(row, hasLeft, hasRight, row >= m_Landscape.firstRow && row < m_Landscape.endRow);
  }

  /** Sets each entry to the step uphill, and the entries of peaks to their basins. */
  void
  FindPeaks(const HostContext & context)
  {
    std::vector<std::vector<std::int64_t>> peaks(static_cast<std::size_t>(m_Extent.RowCount()));
    ForRows(context, [&](std::int64_t row, std::int64_t begin) {
      const std::int64_t last = m_Extent.RowLength() - 1;
      ClimbFrom(begin, begin + 1, StepsFrom(row, false, last > 0));
      ClimbFrom(begin + 1, begin + last, StepsFrom(row, true, true));
      ClimbFrom(std::max(begin + 1, begin + last), begin + last + 1, StepsFrom(row, true, false));
      for (std::int64_t voxel = begin; voxel <= begin + last; ++voxel)
      {
        if (m_Entries[voxel] == m_Steps.OwnCode())
        {
          peaks[static_cast<std::size_t>(row)].push_back(voxel);
        }
      }
    });
    for (const std::vector<std::int64_t> & some : peaks)
    {
      for (const std::int64_t peak : some)
      {
        m_Entries[peak] = FirstBasin + static_cast<std::uint32_t>(BasinAt(peak));
      }
    }
    ThrowIf<Unsupported>(m_Basins.peaks.size() > std::numeric_limits<std::uint32_t>::max() - FirstBasin,
                         "the image has " + std::to_string(m_Basins.peaks.size()) +
                           " peaks; a split supports fewer than 2^32");
    m_Basins.firsts = m_Basins.peaks;
  }

  /** The basin of a peak, or of a voxel of a seed. Peaks come in raster order. */
  std::size_t
  BasinAt(std::int64_t peak)
  {
    const std::uint32_t seed = m_Landscape.seedAt ? m_Landscape.seedAt(peak) : 0;
    const T             height = m_Landscape.heights[peak];
    std::size_t         basin = m_Basins.peaks.size();
    basin = seed != 0 ? m_BasinOfSeed.try_emplace(seed, basin).first->second : basin;
    if (basin == m_Basins.peaks.size())
    {
      m_Basins.peaks.push_back(peak);
      m_Basins.heights.push_back(height);
      if (m_Landscape.seedAt)
      {
        m_Basins.seeds.push_back(seed);
      }
    }
    else if (m_Basins.heights[basin] < height)
    {
      m_Basins.peaks[basin] = peak;
      m_Basins.heights[basin] = height;
    }
    return basin;
  }

  /** Sets the entries of voxels to their steps to the highest of their neighbors, the first of equal ones. */
  void
  ClimbFrom(std::int64_t begin, std::int64_t end, const std::vector<UphillStep> & steps)
  {
    // Codes are of the type of heights, so that loops over arrays become vector code.
    constexpr std::int64_t room = 64;
    T                      best[room];
    T                      codes[room];
    for (; begin < end; begin += room)
    {
      const T * const    heights = m_Landscape.heights + begin;
      const std::int64_t count = std::min(room, end - begin);
      if (std::all_of(heights, heights + count, [&](T height) { return height == m_Landscape.ground; }))
      {
        std::fill_n(m_Entries + begin, count, 0u);
        continue;
      }
      std::copy_n(heights + steps[0].distance, count, best);
      std::fill_n(codes, count, static_cast<T>(steps[0].code));
      for (std::size_t i = 1; i < steps.size(); ++i)
      {
        const T * const others = heights + steps[i].distance;
        const T         code = static_cast<T>(steps[i].code);
        for (std::int64_t x = 0; x < count; ++x)
        {
          const T higher = std::max(best[x], others[x]);
          codes[x] = higher == best[x] ? codes[x] : code;
          best[x] = higher;
        }
      }
      for (std::int64_t x = 0; x < count; ++x)
      {
        m_Entries[begin + x] = heights[x] == m_Landscape.ground ? 0 : static_cast<std::uint32_t>(codes[x]);
      }
      for (std::int64_t voxel = begin; m_Landscape.labelsTouch && voxel < begin + count; ++voxel)
      {
        const std::uint32_t code = m_Entries[voxel];
        if (code != 0 && !HaveSameLabel(voxel, voxel + m_Steps.DistanceOf(code)))
        {
          m_Entries[voxel] = CodeAt(voxel, steps);
        }
      }
      for (std::int64_t voxel = begin; m_Landscape.seedAt && voxel < begin + count; ++voxel)
      {
        if (m_Entries[voxel] != 0 && m_Landscape.seedAt(voxel) != 0)
        {
          m_Entries[voxel] = m_Steps.OwnCode();
        }
      }
    }
  }

  /** The code of the step to the highest neighbor of the same label. */
  std::uint32_t
  CodeAt(std::int64_t voxel, const std::vector<UphillStep> & steps) const
  {
    const UphillStep * best = nullptr;
    for (const UphillStep & step : steps)
    {
      const T height = m_Landscape.heights[voxel + step.distance];
      if ((best == nullptr || height > m_Landscape.heights[voxel + best->distance]) &&
          HaveSameLabel(voxel, voxel + step.distance))
      {
        best = &step;
      }
    }
    return best->code;
  }

  bool
  HaveSameLabel(std::int64_t a, std::int64_t b) const
  {
    return m_Landscape.labelAt(a) == m_Landscape.labelAt(b);
  }

  /** Points the voxels from this one uphill at their basin. */
  void
  Climb(std::int64_t voxel)
  {
    const std::uint32_t step = LoadShared(m_Entries + voxel);
    if (step == 0 || step >= FirstBasin)
    {
      return;
    }
    std::uint32_t basin = step;
    for (std::int64_t at = voxel; basin < FirstBasin; basin = LoadShared(m_Entries + at))
    {
      at += m_Steps.DistanceOf(basin);
    }
    for (std::uint32_t entry = step; entry < FirstBasin; entry = LoadShared(m_Entries + voxel))
    {
      StoreShared(m_Entries + voxel, basin);
      voxel += m_Steps.DistanceOf(entry);
    }
  }

  /** The highest pass between each two basins, highest first; also the first voxel of each basin. */
  std::vector<Pass<T>>
  FindPasses(const HostContext & context)
  {
    const std::int64_t         length = m_Extent.RowLength();
    const Chunks               chunks = RowChunks(m_Extent, context);
    std::vector<HighestPasses> found(static_cast<std::size_t>(chunks.count));
    ParallelFor(chunks.count, context, [&](std::int64_t chunk) {
      for (std::int64_t row = chunks.Begin(chunk); row < chunks.End(chunk); ++row)
      {
        LowerFirsts(row * length);
        const std::int64_t begin = row * length;
        const auto         add = [&](std::int64_t from, std::int64_t to, const UphillStep & step) {
          if (step.code < m_Steps.OwnCode())
          {
            AddPasses(from, to, step.distance, found[static_cast<std::size_t>(chunk)]);
          }
        };
        for (const UphillStep & step : StepsFrom(row, length > 1, length > 1))
        {
          add(begin + (step.offset[0] < 0 ? 1 : 0), begin + length - (step.offset[0] > 0 ? 1 : 0), step);
        }
        for (const UphillStep & step : m_IsRing ? StepsFrom(row, false, false) : std::vector<UphillStep>())
        {
          const std::int64_t end = begin + (step.offset[0] < 0 ? 0 : length - 1);
          add(end, end + ((step.through & 1u) != 0 ? 1 : 0), step);
        }
      }
    });
    std::vector<Pass<T>> passes;
    for (const HighestPasses & some : found)
    {
      for (const auto & [pair, height] : some)
      {
        passes.push_back({ height, static_cast<std::uint32_t>(pair >> 32), static_cast<std::uint32_t>(pair) });
      }
    }
    std::sort(passes.begin(), passes.end());
    return passes;
  }

  /** Lowers the first voxels of the basins in a row. */
  void
  LowerFirsts(std::int64_t begin)
  {
    std::uint32_t last = 0;
    for (std::int64_t voxel = begin; voxel < begin + m_Extent.RowLength(); ++voxel)
    {
      const std::uint32_t entry = m_Entries[voxel];
      if (entry != last && entry != 0)
      {
        std::int64_t * const first = m_Basins.firsts.data() + (entry - FirstBasin);
        std::int64_t         known = LoadShared(first);
        while (voxel < known &&
               !__atomic_compare_exchange_n(first, &known, voxel, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        {}
      }
      last = entry;
    }
  }

  /** Adds the passes between some voxels and their neighbors at a distance. */
  void
  AddPasses(std::int64_t begin, std::int64_t end, std::int64_t distance, HighestPasses & passes) const
  {
    // Few blocks have any, which vector code finds out.
    constexpr std::int64_t block = 64;
    const T * const        heights = m_Landscape.heights;
    for (; begin < end; begin += block)
    {
      const std::int64_t last = std::min(end, begin + block);
      std::uint32_t      any = 0;
      for (std::int64_t voxel = begin; voxel < last; ++voxel)
      {
        const std::uint32_t other = m_Entries[voxel + distance];
        any |= std::min(m_Entries[voxel], other) == 0 ? 0 : m_Entries[voxel] ^ other;
      }
      for (std::int64_t voxel = any != 0 ? begin : last; voxel < last; ++voxel)
      {
        const std::uint32_t own = m_Entries[voxel];
        const std::uint32_t other = m_Entries[voxel + distance];
        if (own != other && own != 0 && other != 0 &&
            (!m_Landscape.labelsTouch || HaveSameLabel(voxel, voxel + distance)))
        {
          const std::uint64_t pair =
            std::uint64_t{ std::min(own, other) - FirstBasin } << 32 | (std::max(own, other) - FirstBasin);
          const T pass = std::min(heights[voxel], heights[voxel + distance]);
          T &     highest = passes.try_emplace(pair, pass).first->second;
          highest = std::max(highest, pass);
        }
      }
    }
  }

  const Extent         m_Extent;
  const Landscape<T> & m_Landscape;
  std::uint32_t *      m_Entries;

  const UphillSteps m_Steps;
  /** Whether x is periodic. */
  const bool m_IsRing;
  Basins<T>  m_Basins;

  std::unordered_map<std::uint32_t, std::size_t> m_BasinOfSeed;
  std::atomic<std::uint64_t>                     m_Unreached{ 0 };
};

} // namespace brickccl
