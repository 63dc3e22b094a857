// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Host/Parallel.h"
#include "BrickCCL/Host/UninitializedVector.h"
#include "BrickCCL/Runs/RunVolume.h"
#include "BrickCCL/Tables/ComponentTable.h"
#include "BrickCCL/Tables/MergeTables.h"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace brickccl
{

/** The index of a voxel in up to 3 dimensions, counted from the first voxel of the buffer. */
struct VoxelIndex
{
  std::int64_t at[3] = {};
};

/** Voxels with the same convex hull as their component. They are from `begin` up to, not including, `end` in one list
 *  for all components; a table keeps the list as its measures of the type VoxelIndex. */
struct HullCorners
{
  std::size_t begin = 0;
  std::size_t end = 0;
};

/** Adds the hulls' corners, as HullReducer leaves them, to a table without them, for images of up to 3 dimensions. */
void AddHullCorners(const RunVolume & volume, const HostContext & context, ComponentTable & table);
void MergeHullCorners(const MergeInput & input, ComponentTable & table);

/** Sets all components' TMeasures by `finish(component, corners of its hull, measures)` of each thread's TFinisher. */
template <typename TMeasures, typename TFinisher>
void
MeasureHulls(const HostContext & context, ComponentTable & table)
{
  const auto   hulls = table.measures.Of<HullCorners>();
  const auto   voxels = table.measures.Of<VoxelIndex>();
  auto         measures = MakeUnset<TMeasures>(hulls.size());
  const Chunks parts(static_cast<std::int64_t>(hulls.size()), 1, 256);
  StopPoint    stop(context);
  ParallelFor(parts.count, context, [&](std::int64_t part) {
    TFinisher               finisher(table);
    std::vector<VoxelIndex> corners;
    for (auto c = static_cast<std::size_t>(parts.Begin(part)); c < static_cast<std::size_t>(parts.End(part)); ++c)
    {
      stop.AskAt(c);
      corners.assign(voxels.begin() + hulls[c].begin, voxels.begin() + hulls[c].end);
      measures[c] = TMeasures();
      finisher.Finish(c, corners, measures[c]);
    }
  });
  table.measures.Set(std::move(measures));
}

/** Finds the corners of the convex hull of voxels in one plane, by Andrew's monotone chain (1979) in integers. */
class PlaneHull
{
public:
  /** Appends the corners to `corners`, in their order. \param voxels  sorted by index `v`, then by index `u`. */
  void AppendCorners(int u, int v, const VoxelIndex * voxels, std::size_t count, std::vector<VoxelIndex> & corners);

private:
  std::vector<unsigned char> m_IsCorner;
  std::vector<std::size_t>   m_Chain;
};

/** Removes voxels that are not corners of a convex hull; keeps memory from one component to the next. */
class HullReducer
{
public:
  /** Keeps the corners in all planes across the axes `lastAxis`, ..., 1, 0: no other voxel is a corner of the hull. */
  void Reduce(std::vector<VoxelIndex> & voxels, int lastAxis);

private:
  void KeepCornersOfPlanes(std::vector<VoxelIndex> & voxels, int axis);

  PlaneHull               m_Hull;
  std::vector<VoxelIndex> m_Kept;
};

} // namespace brickccl
