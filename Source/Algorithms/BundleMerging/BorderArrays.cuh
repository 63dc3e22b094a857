#ifndef BRICKCCL_ALGORITHMS_BUNDLEMERGING_BORDERARRAYS_CUH
#define BRICKCCL_ALGORITHMS_BUNDLEMERGING_BORDERARRAYS_CUH

#include "BrickCCL/Algorithms/BundleMerging/BundleBricks.cuh"

/** What is kept of the ends of bricks for their borders, where values decide. */
namespace brickccl::cuda
{

/** What is kept of the words at the ends of bricks along z and y, as kernel argument. */
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
  /** Keeps what belongs to a word that lies at an end of its brick.
   *  \param y, z      the word's bundle in the brick
   *  \param atZ, atY  what to keep for a border along z and for one along y */
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
 *  a cache line of its own. Kernel argument for problems with IsTiled. */
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
  /** Keeps the end of a row that lies in a word of its brick, if any does. */
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

} // namespace brickccl::cuda

#endif
