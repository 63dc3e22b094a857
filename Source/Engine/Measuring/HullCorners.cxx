// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Measuring/HullCorners.h"

#include "BrickCCL/Labels/LabeledRuns.h"
#include "BrickCCL/Runs/AccumulateRuns.h"

#include <algorithm>
#include <functional>
#include <tuple>

namespace brickccl
{

namespace
{

/** Its sign is the side to which the way from a over b to c turns in a plane (u, v). Exact below 2^62 voxels. */
std::int64_t
Turn(std::int64_t au, std::int64_t av, std::int64_t bu, std::int64_t bv, std::int64_t cu, std::int64_t cv)
{
  return (bv - av) * (cu - au) - (bu - au) * (cv - av);
}

/** Voxels of components: the i-th component has the voxels from ends[i - 1] up to, without it, ends[i]. */
struct ComponentVoxels
{
  std::vector<std::uint64_t> labels;
  std::vector<std::size_t>   ends;
  std::vector<VoxelIndex>    voxels;
};

/** Finds the corners of the hulls of components within slices across z. */
class SliceCorners
{
public:
  SliceCorners(const RunVolume & volume, std::size_t components)
    : m_Volume(volume)
    , m_PlaceOf(components, none)
  {}

  void
  Collect(std::int64_t slice, ComponentVoxels & corners)
  {
    m_Rows.clear();
    m_Chains.clear();
    const std::int64_t rows = m_Volume.GetExtent().size[1];
    m_Volume.VisitLabels([&](const auto * labels) {
      for (std::int64_t y = 0; y < rows; ++y)
      {
        m_Volume.ForEachRun(slice * rows + y, [&](std::int64_t begin, std::int64_t end, std::uint64_t run) {
          const std::uint64_t label = labels[run];
          if (label != 0)
          {
            AddRun(y, { begin, end, label }, corners.labels);
          }
        });
      }
    });
    for (const Chain & chain : m_Chains)
    {
      AppendCorners(chain.first, slice, corners.voxels);
      corners.ends.push_back(corners.voxels.size());
    }
    for (const std::uint64_t label : corners.labels)
    {
      m_PlaceOf[static_cast<std::size_t>(label - 1)] = none;
    }
  }

private:
  static constexpr std::size_t none = ~std::size_t{ 0 };

  /** The outermost voxels of a component in a row, and its next row. */
  struct Row
  {
    std::int64_t y;
    std::int64_t low;
    std::int64_t high;
    std::size_t  next;
  };
  struct Chain
  {
    std::size_t first;
    std::size_t last;
  };

  /** Adds the corners of the hull of a chain of rows: only the first and last voxels of rows can be corners. */
  void
  AppendCorners(std::size_t first, std::int64_t z, std::vector<VoxelIndex> & corners)
  {
    m_Ends.clear();
    for (std::size_t i = first; i != none; i = m_Rows[i].next)
    {
      const Row & row = m_Rows[i];
      m_Ends.push_back({ { row.low, row.y, z } });
      if (row.high != row.low)
      {
        m_Ends.push_back({ { row.high, row.y, z } });
      }
    }
    m_Hull.AppendCorners(0, 1, m_Ends.data(), m_Ends.size(), corners);
  }

  void
  AddRun(std::int64_t y, const LabeledRun & run, std::vector<std::uint64_t> & labels)
  {
    std::size_t & place = m_PlaceOf[static_cast<std::size_t>(run.label - 1)];
    if (place != none && m_Rows[m_Chains[place].last].y == y)
    {
      m_Rows[m_Chains[place].last].high = run.end - 1;
      return;
    }
    const std::size_t row = m_Rows.size();
    m_Rows.push_back({ y, run.begin, run.end - 1, none });
    if (place == none)
    {
      place = m_Chains.size();
      m_Chains.push_back({ row, row });
      labels.push_back(run.label);
      return;
    }
    m_Rows[m_Chains[place].last].next = row;
    m_Chains[place].last = row;
  }

  const RunVolume & m_Volume;
  /** The chain of rows that each component has in this slice. */
  std::vector<std::size_t> m_PlaceOf;
  std::vector<Row>         m_Rows;
  std::vector<Chain>       m_Chains;
  std::vector<VoxelIndex>  m_Ends;
  PlaneHull                m_Hull;
};

/** The hulls of all components. Between the voxels of two components there may be unused ones. */
struct ComponentHulls
{
  std::vector<HullCorners>        hulls;
  UninitializedVector<VoxelIndex> voxels;
};

/** Finds voxels that span the hulls: within each slice across z only corners of the slice's hull. */
ComponentHulls
FindHullCorners(const RunVolume & volume, const HostContext & context, const ComponentTable & table)
{
  // The ends of hulls first hold their numbers of voxels.
  ComponentHulls all;
  all.hulls.resize(table.components.size());
  const std::int64_t           slices = volume.GetExtent().size[2];
  std::vector<ComponentVoxels> corners(static_cast<std::size_t>(slices));
  const Chunks                 chunks(slices, 1, std::int64_t{ 4 } * EffectiveThreadCount(context.threads));
  ParallelFor(chunks.count, context, [&](std::int64_t chunk) {
    SliceCorners ofSlices(volume, all.hulls.size());
    for (std::int64_t slice = chunks.Begin(chunk); slice < chunks.End(chunk); ++slice)
    {
      ofSlices.Collect(slice, corners[static_cast<std::size_t>(slice)]);
    }
  });
  StopPoint  stop(context);
  const auto forVoxels = [&all](const ComponentVoxels & slice, auto function) {
    for (std::size_t i = 0, begin = 0; i < slice.labels.size(); begin = slice.ends[i++])
    {
      function(all.hulls[static_cast<std::size_t>(slice.labels[i] - 1)], begin, slice.ends[i]);
    }
  };
  for (const ComponentVoxels & slice : corners)
  {
    stop.Ask();
    forVoxels(slice, [](HullCorners & hull, std::size_t begin, std::size_t end) { hull.end += end - begin; });
  }
  std::size_t voxels = 0;
  for (std::size_t c = 0; c < all.hulls.size(); ++c)
  {
    stop.AskAt(c);
    const std::size_t begin = std::exchange(voxels, voxels + all.hulls[c].end);
    all.hulls[c] = { begin, begin };
  }
  all.voxels = MakeUnset<VoxelIndex>(voxels);
  for (ComponentVoxels & slice : corners)
  {
    stop.Ask();
    forVoxels(slice, [&](HullCorners & hull, std::size_t begin, std::size_t end) {
      std::copy(slice.voxels.data() + begin, slice.voxels.data() + end, all.voxels.data() + hull.end);
      hull.end += end - begin;
    });
    slice = ComponentVoxels();
  }
  return all;
}

} // namespace

void
PlaneHull::AppendCorners(int u, int v, const VoxelIndex * voxels, std::size_t count, std::vector<VoxelIndex> & corners)
{
  if (count <= 2)
  {
    corners.insert(corners.end(), voxels, voxels + count);
    return;
  }
  // Among voxels with the same v, only the first can be on the side of small u and only the last on the other side.
  const auto isNew = [=](std::size_t i, std::size_t beside) { return voxels[i].at[v] != voxels[beside].at[v]; };
  m_IsCorner.assign(count, 0);
  for (const int side : { 1, -1 })
  {
    m_Chain.clear();
    for (std::size_t i = 0; i < count; ++i)
    {
      if (side > 0 ? i > 0 && !isNew(i, i - 1) : i + 1 < count && !isNew(i, i + 1))
      {
        continue;
      }
      while (m_Chain.size() >= 2)
      {
        const VoxelIndex & before = voxels[m_Chain[m_Chain.size() - 2]];
        const VoxelIndex & last = voxels[m_Chain.back()];
        if (Turn(before.at[u], before.at[v], last.at[u], last.at[v], voxels[i].at[u], voxels[i].at[v]) * side > 0)
        {
          break;
        }
        m_Chain.pop_back();
      }
      m_Chain.push_back(i);
    }
    for (const std::size_t i : m_Chain)
    {
      m_IsCorner[i] = 1;
    }
  }
  for (std::size_t i = 0; i < count; ++i)
  {
    if (m_IsCorner[i] != 0)
    {
      corners.push_back(voxels[i]);
    }
  }
}

void
HullReducer::KeepCornersOfPlanes(std::vector<VoxelIndex> & voxels, int axis)
{
  const int  u = axis == 0 ? 1 : 0;
  const int  v = axis == 2 ? 1 : 2;
  const auto key = [=](const VoxelIndex & voxel) { return std::make_tuple(voxel.at[axis], voxel.at[v], voxel.at[u]); };
  const auto isBefore = [&](const VoxelIndex & a, const VoxelIndex & b) { return key(a) < key(b); };
  if (!std::is_sorted(voxels.begin(), voxels.end(), isBefore))
  {
    std::sort(voxels.begin(), voxels.end(), isBefore);
  }
  m_Kept.clear();
  for (std::size_t begin = 0; begin < voxels.size();)
  {
    std::size_t end = begin;
    while (end < voxels.size() && voxels[end].at[axis] == voxels[begin].at[axis])
    {
      ++end;
    }
    m_Hull.AppendCorners(u, v, voxels.data() + begin, end - begin, m_Kept);
    begin = end;
  }
  voxels.swap(m_Kept);
}

void
HullReducer::Reduce(std::vector<VoxelIndex> & voxels, int lastAxis)
{
  for (int axis = lastAxis; axis >= 0 && voxels.size() > 2; --axis)
  {
    KeepCornersOfPlanes(voxels, axis);
  }
  const auto isBefore = [](const VoxelIndex & a, const VoxelIndex & b) {
    return std::lexicographical_compare(a.at, a.at + 3, b.at, b.at + 3);
  };
  if (voxels.size() == 2 && isBefore(voxels.back(), voxels.front()))
  {
    std::swap(voxels.front(), voxels.back());
  }
}

void
AddHullCorners(const RunVolume & volume, const HostContext & context, ComponentTable & table)
{
  if (table.measures.Has<HullCorners>())
  {
    return;
  }
  ComponentHulls all = FindHullCorners(volume, context, table);
  const Chunks   parts(static_cast<std::int64_t>(all.hulls.size()), 1, 256);
  StopPoint      stop(context);
  ParallelFor(parts.count, context, [&](std::int64_t part) {
    HullReducer             reducer;
    std::vector<VoxelIndex> corners;
    for (auto c = static_cast<std::size_t>(parts.Begin(part)); c < static_cast<std::size_t>(parts.End(part)); ++c)
    {
      stop.AskAt(c);
      HullCorners &      hull = all.hulls[c];
      VoxelIndex * const first = all.voxels.data() + hull.begin;
      corners.assign(first, all.voxels.data() + hull.end);
      // Planes across z hold corners only.
      reducer.Reduce(corners, std::min(1, table.extent.dimension - 1));
      std::copy(corners.begin(), corners.end(), first);
      hull.end = hull.begin + corners.size();
    }
  });
  table.measures.Set(std::move(all.hulls));
  table.measures.Set(std::move(all.voxels));
}

void
MergeHullCorners(const MergeInput & input, ComponentTable & table)
{
  if (table.measures.Has<HullCorners>())
  {
    return;
  }
  std::vector<HullCorners> hulls(table.components.size());
  std::vector<VoxelIndex>  voxels;
  HullReducer              reducer;
  std::vector<VoxelIndex>  corners;
  for (std::size_t c = 0; c < hulls.size(); ++c)
  {
    corners.clear();
    input.ForParts(c, [&](const PartRow & row) {
      const PartOffset  offset(row, table);
      const HullCorners own = row.table->measures.Of<HullCorners>()[row.place];
      for (std::size_t i = own.begin; i < own.end; ++i)
      {
        VoxelIndex voxel = row.table->measures.Of<VoxelIndex>()[i];
        std::transform(voxel.at, voxel.at + 3, offset.along, voxel.at, std::plus<>());
        corners.push_back(voxel);
      }
    });
    reducer.Reduce(corners, table.extent.dimension - 1);
    hulls[c] = { voxels.size(), voxels.size() + corners.size() };
    voxels.insert(voxels.end(), corners.begin(), corners.end());
  }
  table.measures.Set(std::move(hulls));
  table.measures.Set(std::move(voxels));
}

} // namespace brickccl
