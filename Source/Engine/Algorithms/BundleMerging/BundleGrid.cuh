// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_ALGORITHMS_BUNDLEMERGING_BUNDLEGRID_CUH
#define BRICKCCL_ALGORITHMS_BUNDLEMERGING_BUNDLEGRID_CUH

#include "BrickCCL/Runs/Bundle.h"
#include "BrickCCL/Runs/RunTable.cuh"

/** The layout of an image's rows in bundles and bricks. */
namespace brickccl::cuda
{

inline constexpr int WordsPerBrickRow = 4;
inline constexpr int WordsPerBrick = 256;
inline constexpr int VoxelsPerBrickRow = WordsPerBrickRow * BitsPerDeviceWord;
/** A warp holds a layer of a brick: 8 bundles of 4 words. */
inline constexpr int WordsPerLayer = 32;
inline constexpr int LayersPerBrick = WordsPerBrick / WordsPerLayer;
inline constexpr int BundlesPerLayer = WordsPerLayer / WordsPerBrickRow;

/** Divides numbers below 2^31 by a number that does not change. It multiplies, and needs no loop as the hardware's
 *  division does (Granlund and Montgomery, Division by Invariant Integers using Multiplication, 1994). */
class Divisor
{
public:
  explicit Divisor(std::uint32_t divisor)
  {
    while (std::uint64_t{ 1 } << m_Shift < divisor)
    {
      ++m_Shift;
    }
    m_Factor = static_cast<std::uint32_t>(((std::uint64_t{ 1 } << (31 + m_Shift)) - 1) / divisor + 1);
  }
  __device__ unsigned
  Quotient(unsigned of) const
  {
    return __umulhi(of << 1, m_Factor) >> m_Shift;
  }

private:
  std::uint32_t m_Factor;
  int           m_Shift = 0;
};

/** The axes of a grid of bricks in the volume. */
enum class GridAxes
{
  AsInVolume,
  /** For slices orthogonal to y: the grid's y is the volume's z, and its z the volume's y. */
  YAndZExchanged,
  /** For slices orthogonal to x: the grid's x, y and z are the volume's y, z and x. Voxels are read from a copy of the
   *  image with these axes (SlicesAlongX.cuh), since rows of the volume have no runs. */
  YThenZThenX
};

/** The layout of rows in bundles, and of bundles in bricks. Sizes are powers of two, given as shifts.
 *
 *  If slices are labeled separately, a brick has rows of one slice only, as if each were an image in a plane,
 *  and slices follow each other along the grid's z. */
struct BundleGrid
{
  GridAxes axes;
  /** The extent of the image whose rows are read. */
  Extent extent;
  /** The sizes of the extent, which has no more than 2^32 voxels. */
  unsigned rowLength;
  unsigned sizeY;
  unsigned sizeZ;
  /** How many rows of the image lie from a row to the next one along y and along z. */
  unsigned rowsPerY;
  unsigned rowsPerZ;
  /** The distance of neighboring voxels' numbers in the volume. */
  unsigned     numbersPerX;
  unsigned     numbersPerY;
  unsigned     numbersPerZ;
  bool         joinsSlices;
  int          rowsShiftY;
  int          rowsShiftZ;
  int          bundlesShiftY;
  int          bundlesShiftZ;
  int          bundlesY;
  int          bundlesZ;
  int          bricksX;
  int          bricksY;
  int          bricksZ;
  std::int64_t bricks;
  Divisor      byBricksX;
  Divisor      byBricksY;

  BundleGrid(const Extent & volume, const Connectivity & connectivity, Bundling bundling)
    : axes(!connectivity.Uses(0)   ? GridAxes::YThenZThenX
           : !connectivity.Uses(1) ? GridAxes::YAndZExchanged
                                   : GridAxes::AsInVolume)
    , extent(axes == GridAxes::YThenZThenX ? Extent{ volume.size[1], volume.size[2], volume.size[0] } : volume)
    , rowLength(static_cast<unsigned>(extent.RowLength()))
    , joinsSlices(connectivity.UsesEveryAxis())
    , byBricksX(1)
    , byBricksY(1)
  {
    const bool         isTurned = axes == GridAxes::YAndZExchanged;
    const std::int64_t sizes[] = { extent.size[isTurned ? 2 : 1], extent.size[isTurned ? 1 : 2] };
    sizeY = static_cast<unsigned>(sizes[0]);
    sizeZ = static_cast<unsigned>(sizes[1]);
    rowsPerY = isTurned ? sizeZ : 1;
    rowsPerZ = isTurned ? 1 : sizeY;
    const bool isAlongY = axes == GridAxes::YThenZThenX;
    numbersPerX = isAlongY ? sizeZ : 1;
    numbersPerY = isAlongY ? sizeZ * rowLength : rowsPerY * rowLength;
    numbersPerZ = isAlongY ? 1 : rowsPerZ * rowLength;
    rowsShiftY = bundling == Bundling::Rows ? 0 : 1;
    rowsShiftZ = bundling == Bundling::Squares ? 1 : 0;
    // Two slices are no higher than a bundle of squares; seven eighths of cubic bricks would be empty.
    const bool flat = extent.dimension < 3 || !joinsSlices || sizes[1] <= std::int64_t{ 1 } << rowsShiftZ;
    bundlesShiftY = flat ? 6 : 3;
    bundlesShiftZ = flat ? 0 : 3;
    const auto parts = [](std::int64_t size, int shift) { return static_cast<int>(((size - 1) >> shift) + 1); };
    bundlesY = parts(sizes[0], rowsShiftY);
    bundlesZ = parts(sizes[1], rowsShiftZ);
    bricksX = static_cast<int>((extent.RowLength() - 1) / VoxelsPerBrickRow + 1);
    bricksY = parts(bundlesY, bundlesShiftY);
    bricksZ = parts(bundlesZ, bundlesShiftZ);
    bricks = std::int64_t{ bricksX } * bricksY * bricksZ;
    byBricksX = Divisor(static_cast<unsigned>(bricksX));
    byBricksY = Divisor(static_cast<unsigned>(bricksY));
  }

  __device__ int
  MaskY() const
  {
    return (1 << bundlesShiftY) - 1;
  }
  __device__ int
  MaskZ() const
  {
    return (1 << bundlesShiftZ) - 1;
  }
  /** The number of a voxel of the grid in the volume. */
  __device__ unsigned
  NumberAt(unsigned x, int y, int z) const
  {
    return x * numbersPerX + static_cast<unsigned>(y) * numbersPerY + static_cast<unsigned>(z) * numbersPerZ;
  }
  /** The number of a row in the image. */
  __device__ unsigned
  RowAt(unsigned y, unsigned z) const
  {
    return z * rowsPerZ + y * rowsPerY;
  }
  /** How many rows of the image lie from one row to another one, which may come before it. */
  __device__ std::int64_t
             RowsFurther(int stepY, int stepZ) const
  {
    return std::int64_t{ stepZ } * rowsPerZ + std::int64_t{ stepY } * rowsPerY;
  }
  /** Whether the image has row r of a bundle. If so, `row` gets its number. */
  __device__ bool
  HasRow(int bundleY, int bundleZ, int r, unsigned & row) const
  {
    const unsigned y = (static_cast<unsigned>(bundleY) << rowsShiftY) + static_cast<unsigned>(r & 1);
    const unsigned z = (static_cast<unsigned>(bundleZ) << rowsShiftZ) + static_cast<unsigned>(r >> 1);
    row = RowAt(y, z);
    return y < sizeY && z < sizeZ;
  }
  /** The number of row r of a bundle in the image; -1 if the image has no such row. */
  __device__ std::int64_t
             RowOf(int bundleY, int bundleZ, int r) const
  {
    unsigned row = 0;
    return HasRow(bundleY, bundleZ, r, row) ? std::int64_t{ row } : -1;
  }
};

} // namespace brickccl::cuda

#endif
