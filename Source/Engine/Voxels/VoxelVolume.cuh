// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_VOXELS_VOXELVOLUME_CUH
#define BRICKCCL_VOXELS_VOXELVOLUME_CUH

#include "BrickCCL/Runs/RunTable.cuh"

namespace brickccl::cuda
{

/** The foreground bits of a volume, by voxel. */
struct ForegroundBits
{
  const DeviceWord * words;
  std::int64_t       wordsPerRow;
  std::int64_t       rowsPerSlice;

  ForegroundBits(const Extent & extent, const DeviceWord * foreground)
    : words(foreground)
    , wordsPerRow(WordGrid(extent).wordsPerRow)
    , rowsPerSlice(extent.size[1])
  {}

  __device__ bool
  operator()(const std::int64_t (&at)[3]) const
  {
    const std::int64_t row = at[2] * rowsPerSlice + at[1];
    return (words[row * wordsPerRow + at[0] / BitsPerDeviceWord] >> (at[0] % BitsPerDeviceWord)) & 1u;
  }
};

/** Voxels, their rule and their foreground bits. */
template <typename T>
struct VoxelVolume
{
  using Pixel = T;

  const T *      voxels;
  VoxelRule<T>   rule;
  Extent         extent;
  ForegroundBits isForeground;

  VoxelVolume(const T *            pixels,
              const VoxelRule<T> & voxelRule,
              const Extent &       voxelExtent,
              const DeviceWord *   foreground)
    : voxels(pixels)
    , rule(voxelRule)
    , extent(voxelExtent)
    , isForeground(voxelExtent, foreground)
  {}

  __device__ bool
  IsInside(const std::int64_t (&at)[3]) const
  {
    bool inside = true;
    for (int axis = 0; axis < 3; ++axis)
    {
      inside = inside && at[axis] >= 0 && at[axis] < extent.size[axis];
    }
    return inside;
  }
  __device__ std::int64_t
             IndexOf(const std::int64_t (&at)[3]) const
  {
    return (at[2] * extent.size[1] + at[1]) * extent.size[0] + at[0];
  }
  __device__ bool
  AreJoined(std::int64_t a, std::int64_t b) const
  {
    return rule.AreJoined(voxels + a * rule.channels, voxels + b * rule.channels);
  }
};

/** Calls `function(volume)` with the VoxelVolume of a problem. `table` holds its foreground bits. */
template <typename TIndex, typename TFunction>
void
VisitVolume(const Problem & problem, const RunTable<TIndex> & table, TFunction && function)
{
  VisitPixels(problem.image, problem.criterion, [&](auto rule, const auto * pixels) {
    using T = typename std::decay_t<decltype(rule)>::Pixel;
    function(VoxelVolume<T>(pixels, rule, problem.image.extent, table.foreground.Data()));
  });
}

/** Finds the coordinates of a voxel. It divides 32-bit numbers where they suffice. */
__device__ inline void
LocateVoxel(const Extent & extent, std::int64_t voxel, std::int64_t (&at)[3])
{
  if (extent.VoxelCount() <= 0xFFFFFFFFll)
  {
    const auto index = static_cast<unsigned>(voxel);
    const auto row = index / static_cast<unsigned>(extent.size[0]);
    at[0] = index - row * static_cast<unsigned>(extent.size[0]);
    at[2] = row / static_cast<unsigned>(extent.size[1]);
    at[1] = row - static_cast<unsigned>(at[2]) * static_cast<unsigned>(extent.size[1]);
    return;
  }
  const std::int64_t row = voxel / extent.size[0];
  at[0] = voxel - row * extent.size[0];
  at[2] = row / extent.size[1];
  at[1] = row - at[2] * extent.size[1];
}

/** The lines of an image's voxels along one axis. */
struct AxisLines
{
  std::int64_t length;
  /** The difference between the numbers of two successive voxels of a line. */
  std::int64_t stride;
  std::int64_t count;

  AxisLines(const Extent & extent, int axis)
    : length(extent.size[axis])
    , stride(axis == 0   ? 1
             : axis == 1 ? extent.size[0]
                         : extent.size[0] * extent.size[1])
    , count(extent.VoxelCount() / length)
  {}

  /** The number of a line's first voxel. */
  __device__ std::int64_t
             StartOf(std::int64_t line) const
  {
    return line / stride * stride * length + line % stride;
  }
};

} // namespace brickccl::cuda

#endif
