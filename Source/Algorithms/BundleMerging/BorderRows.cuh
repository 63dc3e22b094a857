#ifndef BRICKCCL_ALGORITHMS_BUNDLEMERGING_BORDERROWS_CUH
#define BRICKCCL_ALGORITHMS_BUNDLEMERGING_BORDERROWS_CUH

#include "BrickCCL/Algorithms/BundleMerging/Borders.cuh"
#include "BrickCCL/Algorithms/BundleMerging/LinkRows.cuh"

/** The rows at a border along z or y, where values decide. */
namespace brickccl::cuda
{

/** With face connectivity all links lead straight across. */
template <bool VAlongAxes>
using RowBorderRole = BorderRole<VAlongAxes ? 1 : 3>;

/** The first voxel of a word of the border, if the volume has it. */
template <typename TProblem, int VParts>
__device__ inline const typename TProblem::Pixel *
FirstVoxel(const TProblem & problem, const BorderRole<VParts> & role, int at)
{
  using Role = BorderRole<VParts>;
  const BundleGrid & grid = problem.grid;
  const bool         isOther = at >= Role::others;
  const int          step = at / WordsPerBrickRow - (isOther ? Role::others / WordsPerBrickRow + 1 : 0);
  const int          back = isOther ? -1 : 0;
  const int          y = (role.place.y << grid.bundlesShiftY) + (role.axis == AlongZ ? step : back);
  const int          z = (role.place.z << grid.bundlesShiftZ) + (role.axis == AlongZ ? back : step);
  const int          word = role.place.x * WordsPerBrickRow + at % WordsPerBrickRow;
  const unsigned     row = grid.RowAt(static_cast<unsigned>(y), static_cast<unsigned>(z));
  return problem.VoxelAt(row * grid.rowLength + static_cast<unsigned>(word) * BitsPerDeviceWord);
}

/** A word of a border with the bits beside it. */
__device__ inline RunWindow
WindowOf(const BorderWord<RowLayout> & word)
{
  const BitWindow<DeviceWord> bits = word.Window().Row(0);
  const BitWindow<DeviceWord> starts = { word.starts, 0, word.StartsAfter() ? 1u : 0u };
  return { { bits.word, starts.word }, bits.Left(), bits.Right(), starts.Right() };
}

/** Calls `then` with the object that compares the voxels of a part's links. */
template <typename TProblem, typename TRole, typename TThen>
__device__ inline void
WithComparison(const TProblem & problem, const TRole & role, int part, const TThen & then)
{
  // The rows of the warp's lanes: rows of the brick, or rows that face them.
  const BundleGrid &       grid = problem.grid;
  const int                from = role.From(part);
  const bool               areOthers = from != role.Facing(false);
  const ReaderOf<TProblem> rows(problem,
                                role.place.x * WordsPerBrickRow,
                                (role.place.y << grid.bundlesShiftY) - (areOthers ? 1 : 0),
                                role.place.z << grid.bundlesShiftZ,
                                role.axis == AlongY);
  then(VoxelComparison<TProblem>(problem, rows, FirstVoxel(problem, role, from), role.BackwardBundle(part)));
}

} // namespace brickccl::cuda

#endif
