// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Host/Parallel.h"
#include "BrickCCL/Host/UninitializedVector.h"
#include "BrickCCL/Runs/RunVolume.h"
#include "BrickCCL/Tables/ComponentTable.h"

#include <cstddef>
#include <cstdint>
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

/** The hulls of all components. Between the voxels of two components there may be unused ones. */
struct ComponentHulls
{
  std::vector<HullCorners>        hulls;
  UninitializedVector<VoxelIndex> voxels;
};

/** Finds voxels that span the convex hulls of all components: within each slice across z only corners of the slice's
 *  hull. For images of up to 3 dimensions. */
ComponentHulls FindHullCorners(const RunVolume & volume, const HostContext & context, const ComponentTable & table);

/** Keeps only the corners of the convex hull of voxels in one plane, by Andrew's monotone chain (1979) in
 *  integers. */
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
  /** Keeps the corners of the hulls of all planes across the axes `lastAxis`, ..., 1, 0. No other voxel is a corner of
   *  the hull. */
  void Reduce(std::vector<VoxelIndex> & voxels, int lastAxis);

private:
  void KeepCornersOfPlanes(std::vector<VoxelIndex> & voxels, int axis);

  PlaneHull               m_Hull;
  std::vector<VoxelIndex> m_Kept;
};

} // namespace brickccl
