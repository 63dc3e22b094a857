// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_ALGORITHMS_BUNDLEMERGING_ROWARRAYS_CUH
#define BRICKCCL_ALGORITHMS_BUNDLEMERGING_ROWARRAYS_CUH

#include "BrickCCL/Algorithms/BundleMerging/VoxelGroup.cuh"
#include "BrickCCL/Core/Connectivity.h"

/** Problems where values decide, and what is kept of the ends of bricks for their borders: voxels, and with equal
 * values links, so that few voxels must be compared. */
namespace brickccl::cuda
{

/** A problem where values decide: its voxels, and which backward rows have neighbors at other x, too. Kernel argument.
 *  \tparam TLinks       how links are found: EqualLinks or CloseLinks (LinkRows.cuh)
 *  \tparam VOneChannel  whether voxels have one channel
 *  \tparam VAlongAxes   whether only neighbors along the axes count */
template <typename T, typename TLinks, bool VOneChannel, bool VAlongAxes>
struct RowProblem
{
  using Pixel = T;
  using Links = TLinks;
  static constexpr bool isTransitive = TLinks::isTransitive;
  static constexpr bool isOneChannel = VOneChannel;
  static constexpr bool isAlongAxes = VAlongAxes;
  /** Whether the voxels are in shared memory while a brick is solved. */
  static constexpr bool isTiled = isOneChannel && sizeof(T) <= 4;
  /** Whether borders ask for the bits at which words of a brick are linked to those before them: along y for words at a
   *  border along z, and along z for words at a border along y. */
  static constexpr bool keepsJoined = isTransitive && !isAlongAxes;

  const T *    voxels;
  const T *    end;
  VoxelRule<T> rule;
  BundleGrid   grid;
  /** Bit n says that x - 1 and x + 1 of the n-th backward row are neighbors, too. */
  unsigned diagonals;
  /** Whether four voxels can be read at once wherever a row has them. */
  bool isAligned;

  RowProblem(const T *            image,
             const VoxelRule<T> & voxelRule,
             const BundleGrid &   bundleGrid,
             const Connectivity & connectivity)
    : voxels(image)
    , end(image + bundleGrid.extent.VoxelCount() * voxelRule.channels)
    , rule(voxelRule)
    , grid(bundleGrid)
    , diagonals(connectivity.Rank() == 1   ? 0x0u
                : connectivity.Rank() == 2 ? 0x3u
                                           : 0xFu)
    , isAligned(bundleGrid.extent.RowLength() % 4 == 0 && reinterpret_cast<std::uintptr_t>(image) % 16 == 0)
  {}

  __device__ const T *
  VoxelAt(std::int64_t row, std::int64_t x) const
  {
    return voxels + (row * grid.extent.RowLength() + x) * Channels();
  }
  /** \param index  the voxel's number in the volume */
  __device__ const T *
  VoxelAt(unsigned index) const
  {
    return voxels + std::size_t{ index } * static_cast<unsigned>(Channels());
  }
  __device__ int
  Channels() const
  {
    return VOneChannel ? 1 : rule.channels;
  }
  /** Whether two neighboring foreground voxels are joined. */
  __device__ bool
  AreJoined(const T * a, const T * b) const
  {
    if constexpr (VOneChannel)
    {
      return isTransitive ? *a == *b : rule.difference(*a, *b);
    }
    else
    {
      return rule.AreJoined(a, b);
    }
  }
  __device__ bool
  HasDiagonals(int n) const
  {
    return (diagonals >> n & 1u) != 0;
  }
};

/** The data of the words at the ends of bricks along z and y, as kernel argument. */
template <typename T>
struct BorderArrays
{
  /** A brick has a layer at either end along z, and a row of each layer at either end along y. */
  static constexpr int perBrick = 4 * WordsPerLayer;

  T * words;

  /** The words of a brick at its lower end along z (0) or y (2), or at the upper end (1, 3). */
  __device__ T *
  AtEnd(unsigned brick, int end) const
  {
    return words + std::size_t{ brick } * perBrick + end * WordsPerLayer;
  }
  /** Keeps the data of a word at an end of its brick.
   *  \param y, z      the word's bundle in the brick
   *  \param atZ, atY  the data for a border along z and for one along y */
  __device__ void
  Keep(const BundleGrid & grid, unsigned brick, int word, int y, int z, const T & atZ, const T & atY) const
  {
    constexpr int inLast = WordsPerBrick - WordsPerLayer;
    const int     alongY = z * WordsPerBrickRow + word % WordsPerBrickRow;
    if (word < WordsPerLayer)
    {
      AtEnd(brick, 0)[word] = atZ;
    }
    if (word >= inLast)
    {
      AtEnd(brick, 1)[word - inLast] = atZ;
    }
    if (y == 0)
    {
      AtEnd(brick, 2)[alongY] = atY;
    }
    if (y == grid.MaskY())
    {
      AtEnd(brick, 3)[alongY] = atY;
    }
  }
};

/** The first and the last voxels of all rows of all bricks, for the borders along x. In the volume each of them lies in
 *  a cache line of its own. They are kept for problems with isTiled. */
template <typename T>
struct EndArrays
{
  static constexpr int rows = WordsPerBrick / WordsPerBrickRow;
  static constexpr int perBrick = 2 * rows;

  T * voxels;

  __device__ T *
  Firsts(unsigned brick) const
  {
    return voxels + std::size_t{ brick } * perBrick;
  }
  __device__ T *
  Lasts(unsigned brick) const
  {
    return Firsts(brick) + rows;
  }
  /** Keeps the end of a row in a word of its brick, if any. */
  template <typename TTile>
  __device__ void
  Keep(unsigned brick, int word, const TTile & tile) const
  {
    const int row = word / WordsPerBrickRow;
    if (word % WordsPerBrickRow == 0)
    {
      Firsts(brick)[row] = tile.At(static_cast<unsigned>(word), 0);
    }
    if (word % WordsPerBrickRow == WordsPerBrickRow - 1)
    {
      Lasts(brick)[row] = tile.At(static_cast<unsigned>(word), BitsPerDeviceWord - 1);
    }
  }
};

/** The data of the ends of bricks for their borders. */
template <typename T>
struct RowArrays
{
  BorderArrays<DeviceWord> joined;
  EndArrays<T>             ends;
};

} // namespace brickccl::cuda

#endif
