// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_VOXELS_VOXELPROPERTIES_CUH
#define BRICKCCL_VOXELS_VOXELPROPERTIES_CUH

#include "BrickCCL/Runs/RunTable.cuh"
#include "BrickCCL/Voxels/VoxelVolume.cuh"

/** Size, centroid and covariance of components, as sums over their voxels. They are collected while labeling (early) or
 *  after it (late). These are the two strategies of the paper about ridge patterns (CUCCL, gitlab.com/lcg/cuccl,
 *  section III), for any extent of up to 3 dimensions. */
namespace brickccl::cuda
{

/** Which sums are collected; the values of the algorithms' option. */
enum class Properties : std::int64_t
{
  None,
  /** The number of voxels (Kalentev's SZ). */
  Size,
  /** The number of voxels and the sums of coordinates and of their products. */
  Moments
};

/** One sum per place and term. Each term is an array of its own. Places are voxels (early) or components (late). */
template <typename TIndex>
struct PropertyArrays
{
  TIndex *             counts = nullptr;
  unsigned long long * sums = nullptr;
  std::int64_t         places = 0;
  int                  axes = 0;

  /** The sums of x, y, z as far as there are axes, then the sums of xx, xy, yy, xz, yz, zz. */
  __host__ __device__ static constexpr int
  Terms(int axes)
  {
    return axes + axes * (axes + 1) / 2;
  }

  __device__ unsigned long long &
  Sum(int term, std::int64_t place) const
  {
    return sums[term * places + place];
  }

  /** Calls function(term, value) with what one voxel adds to each term. */
  template <typename TFunction>
  __device__ void
  ForEachTerm(const std::int64_t (&at)[3], TFunction && function) const
  {
    int term = 0;
    for (int axis = 0; axis < axes; ++axis)
    {
      function(term++, static_cast<unsigned long long>(at[axis]));
    }
    for (int j = 0; j < axes; ++j)
    {
      for (int i = 0; i <= j; ++i)
      {
        function(term++, static_cast<unsigned long long>(at[i] * at[j]));
      }
    }
  }

  /** Sets a place to the properties of one voxel. */
  __device__ void
  Set(std::int64_t place, const std::int64_t (&at)[3]) const
  {
    counts[place] = 1;
    ForEachTerm(at, [&](int term, unsigned long long value) { Sum(term, place) = value; });
  }

  /** Adds one voxel to a place to which others add as well. */
  __device__ void
  AddVoxel(std::int64_t place, const std::int64_t (&at)[3]) const
  {
    atomicAdd(counts + place, TIndex{ 1 });
    ForEachTerm(at, [&](int term, unsigned long long value) { atomicAdd(&Sum(term, place), value); });
  }

  /** Moves the sums of a place to another one. This happens once per place, when its voxel stops being a root: from
   * then on nothing is added to it (CUCCL, equation 1). */
  __device__ void
  Move(std::int64_t from, std::int64_t to) const
  {
    const TIndex count = counts[from];
    if (count == 0)
    {
      return;
    }
    atomicAdd(counts + to, count);
    counts[from] = 0;
    for (int term = 0; term < Terms(axes); ++term)
    {
      const unsigned long long value = Sum(term, from);
      if (value != 0)
      {
        atomicAdd(&Sum(term, to), value);
      }
    }
  }
};

/** The memory of PropertyArrays. */
template <typename TIndex>
struct PropertyBuffer
{
  DeviceBuffer<TIndex>             counts;
  DeviceBuffer<unsigned long long> sums;
  PropertyArrays<TIndex>           arrays;

  /** \throws Unsupported if a sum might not fit 64 bits. */
  void
  Resize(const Extent & extent, std::int64_t places, Properties properties)
  {
    arrays = {};
    if (properties == Properties::None)
    {
      return;
    }
    std::int64_t longest = 0;
    for (int axis = 0; axis < 3; ++axis)
    {
      longest = extent.size[axis] > longest ? extent.size[axis] : longest;
    }
    if (static_cast<long double>(longest) * static_cast<long double>(longest) *
          static_cast<long double>(extent.VoxelCount()) >=
        0x1p64L)
    {
      throw Unsupported("moments are not collected voxel by voxel in an image of " + extent.ToString() +
                        ", where their sums might pass 2^64; use the component table");
    }
    arrays.places = places;
    arrays.axes = properties == Properties::Moments ? extent.dimension : 0;
    counts.Resize(static_cast<std::size_t>(places));
    sums.Resize(static_cast<std::size_t>(places * PropertyArrays<TIndex>::Terms(arrays.axes)));
    arrays.counts = counts.Data();
    arrays.sums = sums.Data();
  }

  void
  Clear(cudaStream_t stream)
  {
    if (arrays.counts == nullptr)
    {
      return;
    }
    const auto places = static_cast<std::size_t>(arrays.places);
    BRICKCCL_CUDA_CHECK(cudaMemsetAsync(arrays.counts, 0, places * sizeof(TIndex), stream));
    BRICKCCL_CUDA_CHECK(
      cudaMemsetAsync(arrays.sums,
                      0,
                      places * static_cast<std::size_t>(PropertyArrays<TIndex>::Terms(arrays.axes)) * 8,
                      stream));
  }

  std::size_t
  CapacityBytes() const
  {
    return counts.CapacityBytes() + sums.CapacityBytes();
  }
};

} // namespace brickccl::cuda

#endif
