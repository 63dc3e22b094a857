// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Core/AxisOfParts.h"
#include "BrickCCL/Core/TextLists.h"
#include "BrickCCL/Measuring/Groups/GroupTable.h"
#include "BrickCCL/Measuring/Measuring.h"
#include "BrickCCL/Splitting/LabelGrowth.h"
#include "BrickCCL/Splitting/Splitter.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

namespace brickccl
{

/** A slab, the slices from `begin` to `end`, and the labels of the slices from `first` to `last` in and around it. */
struct LabelSlab
{
  const std::uint32_t * labels;
  std::int64_t          first, last, begin, end;
};

/** Splits the labels of a volume as Split does, slab by slab. Slabs are slices along the axis of AxisOfParts, in their
 *  order. Steps uphill that leave a slab are followed when all slabs are known. */
class SlabSplitter
{
public:
  /** \param roomBytes  the most memory for the records of regions */
  SlabSplitter(const Extent &       extent,
               const Connectivity & neighbors,
               const Geometry &     geometry,
               std::uint64_t        roomBytes = ~std::uint64_t{ 0 })
    : m_Extent(extent)
    , m_Axis(AxisOfParts(extent))
    , m_SliceVoxels(extent.VoxelCount() / extent.size[m_Axis])
    , m_Neighbors(neighbors)
    , m_Unit(DistanceTo::Centers, extent, geometry, UsedAxes(neighbors))
    , m_Room(roomBytes)
    , m_Around{ neighbors.Uses(m_Axis) ? 8 : 0, neighbors.Uses(m_Axis) ? 8 : 0 }
  {}

  /** The axis along which slabs are slices. */
  int
  Axis() const
  {
    return m_Axis;
  }

  /** The slices on both sides of a slab that distances need, as far as is known; 0 if slices are not neighbors. */
  struct Around
  {
    std::int64_t known;
    /** This many are enough for the slabs known so far. */
    std::int64_t atMost;
  };
  const Around &
  GetAround() const
  {
    return m_Around;
  }
  /** The bytes for each voxel of a slab and the slices around it, labels included. */
  std::uint64_t
  BytesPerVoxel() const
  {
    return m_Unit.isWhole ? 16 : 20;
  }
  /** The memory for the records of regions: at most the room, or about the need of all slabs if that is too little. */
  std::uint64_t
  RecordBytes() const
  {
    return m_Bytes + BytesFor(m_Next.size(), m_Passes.size());
  }

  /** Finds the regions in the next slab, from 1. \throws Canceled
   *  \param regions  gets the region of each voxel; null: only GetAround() and RecordBytes() are found from now on
   *  \return whether distances are certain; if not, call it again with more slices on both sides */
  bool
  FindRegions(const LabelSlab & slab, std::uint32_t * regions, const HostContext & context)
  {
    const SquaredDistances found(ImageView(slab.labels, Slices(slab.last - slab.first)), m_Unit, context);
    return std::visit(
      [&](const auto & squares) {
        const bool areCertain = m_Around.known == 0 || AreCertain(squares.Data(), slab);
        if (regions == nullptr && !m_IsFull)
        {
          CountRecords(m_Next.size(), m_Passes.size());
        }
        if (areCertain || m_IsFull)
        {
          Climb(squares.Data(), slab, found.areSeveral, regions, context);
        }
        return areCertain;
      },
      found.squares);
  }

  /** Merges all regions. \param height  as SplitOptions::height \return by object, the label it is part of */
  std::vector<std::uint32_t>
  Merge(const std::optional<SplitHeight> & height)
  {
    KeepHighest();
    std::sort(m_Passes.begin(), m_Passes.end());
    m_Basins.firsts = m_Basins.peaks;
    const auto found = MergeBasins(m_Basins, m_Passes, LowPeak(height, m_Unit));
    const auto parents = Mapped(found.highest, [&](std::uint32_t basin) { return m_Labels[basin]; });
    // In the place of labels, which are not needed any more.
    for (std::uint32_t basin = 0; basin < m_Next.size(); ++basin)
    {
      m_Labels[basin] = found.numbers[EndOf(basin)];
    }
    return parents;
  }

  /** Makes regions the numbers of their objects, from 1 in no special order. */
  void
  MakeObjects(std::uint32_t * regions, const Extent & slab, const HostContext & context) const
  {
    ForEachVoxel(slab, context, [&](std::size_t voxel) {
      regions[voxel] = regions[voxel] == 0 ? 0 : m_Labels[regions[voxel] - 1];
    });
  }

private:
  static std::uint64_t
  BytesFor(std::uint64_t regions, std::uint64_t passes)
  {
    return 48 * regions + 32 * passes;
  }

  Extent
  Slices(std::int64_t count) const
  {
    Extent slices = m_Extent;
    slices.size[m_Axis] = count;
    return slices;
  }

  /** Whether distances in a slab and the slices next to it end in known slices. If not, it asks for more slices. */
  template <typename T>
  bool
  AreCertain(const T * squares, const LabelSlab & slab)
  {
    const std::int64_t all = m_Extent.size[m_Axis];
    const double       step = std::sqrt(m_Unit.weights[m_Axis]);
    double             most = 0;
    bool               areCertain = true;
    for (auto slice = std::max(slab.first, slab.begin - 1); slice < std::min(slab.last, slab.end + 1); ++slice)
    {
      const double way = std::min(slab.first > 0 ? static_cast<double>(slice - slab.first + 1) : HUGE_VAL,
                                  slab.last < all ? static_cast<double>(slab.last - slice) : HUGE_VAL);
      const T *    place = squares + (slice - slab.first) * m_SliceVoxels;
      const double depth = DistanceUnit::RootOf(*std::max_element(place, place + m_SliceVoxels)) / step;
      most = std::max(most, depth);
      // Roots are rounded.
      areCertain = areCertain && depth <= way * (1 - 1e-12);
    }
    if (!areCertain)
    {
      // Distances are at most as large as they seem here.
      const auto enough = static_cast<std::int64_t>(std::min(most + 2, static_cast<double>(all)));
      m_Around.atMost = std::max(m_Around.atMost, enough);
      m_Around.known = std::min(2 * m_Around.known, std::max(m_Around.known + 1, enough));
    }
    return areCertain;
  }

  /** Finds the basins in a slab and the passes between them. */
  template <typename T>
  void
  Climb(const T *           squares,
        const LabelSlab &   slab,
        bool                labelsTouch,
        std::uint32_t *     regions,
        const HostContext & context)
  {
    const std::int64_t reach = std::min<std::int64_t>(1, m_Around.known);
    const std::int64_t first = std::max<std::int64_t>(0, slab.begin - reach);
    const std::int64_t before = (slab.begin - first) * m_SliceVoxels;
    const std::int64_t last = (slab.end - first) * m_SliceVoxels;
    const Extent       near = Slices(std::min(m_Extent.size[m_Axis], slab.end + reach) - first);
    const auto * const labels = slab.labels + (first - slab.first) * m_SliceVoxels;
    Landscape<T>       landscape;
    landscape.heights = squares + (first - slab.first) * m_SliceVoxels;
    landscape.labelAt = [labels](std::int64_t voxel) { return std::uint64_t{ labels[voxel] }; };
    landscape.labelsTouch = labelsTouch;
    landscape.firstRow = before / m_Extent.RowLength();
    landscape.endRow = last / m_Extent.RowLength();
    std::vector<std::uint32_t> entries(static_cast<std::size_t>(near.VoxelCount()));
    Splitter<T>                splitter(near, m_Neighbors, {}, landscape, entries.data());
    const auto                 passes = splitter.FindBasins(context);
    const auto &               found = splitter.GetBasins();
    if (m_IsFull)
    {
      const auto isInside = [&](std::int64_t peak) { return peak >= before && peak < last; };
      const auto count = std::count_if(found.peaks.begin(), found.peaks.end(), isInside);
      // Many passes lead to other slabs.
      CountRecords(count, 8 * count);
      return;
    }
    std::vector<bool> isUsed(found.peaks.size() + Splitter<T>::FirstBasin);
    std::for_each(entries.begin() + before, entries.begin() + last, [&](std::uint32_t entry) { isUsed[entry] = true; });
    isUsed.erase(isUsed.begin(), isUsed.begin() + Splitter<T>::FirstBasin);
    const auto came = std::exchange(m_Leaving, {});
    const auto basins = AddBasins(found, isUsed, labels, before, last, first * m_SliceVoxels);
    for (const Pass<T> & pass : passes)
    {
      m_Passes.push_back({ static_cast<double>(pass.height), basins[pass.first], basins[pass.second] });
    }
    ForEachVoxel(Slices(slab.end - slab.begin), context, [&](std::size_t voxel) {
      const std::uint32_t entry = entries[static_cast<std::size_t>(before) + voxel];
      regions[voxel] = entry == 0 ? 0 : basins[entry - Splitter<T>::FirstBasin] + 1;
    });
    for (const auto & [place, basin] : came)
    {
      m_Next[basin] = regions[place] - 1;
    }
    m_LastSlice.assign(regions + last - before - m_SliceVoxels, regions + last - before);
    if (m_Passes.size() > 2 * m_PassesKept || RecordBytes() > m_Room)
    {
      KeepHighest();
    }
    if (RecordBytes() > m_Room)
    {
      CountRecords(m_Next.size(), m_Passes.size());
    }
  }

  /** Adds the basins of a slab, from voxel `before` to `last`, and the later voxels in which steps end. The next slab
   *  shows where these lead. \return the number of each basin */
  template <typename T>
  std::vector<std::uint32_t>
  AddBasins(const Basins<T> &         found,
            const std::vector<bool> & isUsed,
            const std::uint32_t *     labels,
            std::int64_t              before,
            std::int64_t              last,
            std::int64_t              place)
  {
    std::vector<std::uint32_t> numbers;
    for (std::size_t basin = 0; basin < found.peaks.size(); ++basin)
    {
      const std::int64_t peak = found.peaks[basin];
      numbers.push_back(peak < before ? m_LastSlice[static_cast<std::size_t>(peak)] - 1
                                      : static_cast<std::uint32_t>(m_Next.size()));
      if (peak >= before && isUsed[basin])
      {
        const T square = found.heights[basin];
        m_Basins.peaks.push_back(place + peak);
        m_Basins.heights.push_back(square == UnknownSquare<T> ? HUGE_VAL : static_cast<double>(square));
        m_Next.push_back(numbers.back());
        m_Labels.push_back(labels[peak]);
      }
      if (peak >= last && isUsed[basin])
      {
        m_Leaving.emplace_back(peak - last, numbers.back());
      }
    }
    return numbers;
  }

  /** The basin in which the steps of another one end, as far as is known. */
  std::uint32_t
  EndOf(std::uint32_t basin) const
  {
    for (; m_Next[basin] != basin; basin = m_Next[basin])
    {}
    return basin;
  }

  /** Keeps the highest pass between each two basins. */
  void
  KeepHighest()
  {
    const auto pairOf = [](const Pass<double> & pass) { return std::uint64_t{ pass.first } << 32 | pass.second; };
    for (Pass<double> & pass : m_Passes)
    {
      std::tie(pass.first, pass.second) = std::minmax({ EndOf(pass.first), EndOf(pass.second) });
    }
    std::sort(m_Passes.begin(), m_Passes.end(), [&](const Pass<double> & a, const Pass<double> & b) {
      return std::make_pair(pairOf(a), -a.height) < std::make_pair(pairOf(b), -b.height);
    });
    const auto end = std::unique(m_Passes.begin(), m_Passes.end(), [&](const Pass<double> & a, const Pass<double> & b) {
      return pairOf(a) == pairOf(b);
    });
    m_Passes.erase(end, m_Passes.end());
    m_PassesKept = m_Passes.size();
  }

  /** Forgets all records, and only adds up their bytes from now on. */
  void
  CountRecords(std::int64_t regions, std::int64_t passes)
  {
    m_Bytes += BytesFor(static_cast<std::uint64_t>(regions), static_cast<std::uint64_t>(passes));
    m_IsFull = true;
    m_Basins = {};
    m_Next = {};
    m_Labels = {};
    m_Passes = {};
  }

  const Extent        m_Extent;
  const int           m_Axis;
  const std::int64_t  m_SliceVoxels;
  const Connectivity  m_Neighbors;
  const DistanceUnit  m_Unit;
  const std::uint64_t m_Room;

  Around m_Around;
  /** Whether records are only counted, and the bytes of these. */
  bool          m_IsFull = false;
  std::uint64_t m_Bytes = 0;

  Basins<double> m_Basins;
  /** By basin: the one in which its steps end, and its label, at last its object. */
  std::vector<std::uint32_t> m_Next;
  std::vector<std::uint32_t> m_Labels;
  /** The basins in the last slice, and the basins of later voxels. */
  std::vector<std::uint32_t>                          m_LastSlice;
  std::vector<std::pair<std::int64_t, std::uint32_t>> m_Leaving;
  std::vector<Pass<double>>                           m_Passes;
  std::size_t                                         m_PassesKept = 0;
};

/** Replaces the values of objects, which are their numbers, by the labels of which they are parts. */
inline void
SetParents(ComponentTable & table, const std::vector<std::uint32_t> & parents)
{
  std::vector<ParentLabel> own;
  for (const ClassValue & object : table.measures.Of<ClassValue>())
  {
    own.push_back({ parents.at(static_cast<std::size_t>(std::get<std::uint64_t>(object.value)) - 1) });
  }
  table.measures.Set(std::move(own));
  std::replace(table.groups.begin(), table.groups.end(), &groups::Classes, &groups::Parents);
}

} // namespace brickccl
