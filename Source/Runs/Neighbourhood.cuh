#ifndef BRICKCCL_RUNS_NEIGHBOURHOOD_CUH
#define BRICKCCL_RUNS_NEIGHBOURHOOD_CUH

#include "BrickCCL/Core/Connectivity.h"

#include <cuda_runtime.h>

#include <cstdint>

namespace brickccl::cuda
{

/** The rows of a voxel's neighbours that raster order visits earlier, as kernel argument: at most (3^3 - 1) / 2. */
struct BackwardRowSteps
{
  struct Step
  {
    int  step[MaximumDimension - 1];
    bool diagonal;
    /** How many rows earlier. */
    std::int64_t rows;
  };

  int  count = 0;
  Step steps[13];

  BackwardRowSteps(const Connectivity & connectivity, const Extent & extent)
  {
    for (const RowOffset & offset : connectivity.BackwardRows())
    {
      Step & step = steps[count++];
      step.diagonal = offset.diagonal;
      step.rows = 0;
      std::int64_t stride = 1;
      for (int axis = 1; axis < MaximumDimension; ++axis)
      {
        step.step[axis - 1] = offset.step[axis - 1];
        step.rows -= offset.step[axis - 1] * stride;
        stride *= extent.size[axis];
      }
    }
  }
};

/** Whether a row has the neighbouring row of a step. */
__device__ inline bool
HasRow(const BackwardRowSteps::Step & step, const Extent & extent, std::int64_t row)
{
  for (int axis = 1; axis < MaximumDimension; ++axis)
  {
    const std::int64_t size = extent.size[axis];
    // Rows of an axis of size 1 are all at 0 and need no division.
    const std::int64_t place = size == 1           ? 0
                             : row <= 0xFFFFFFFFll ? static_cast<unsigned>(row) % static_cast<unsigned>(size)
                                                   : row % size;
    row = size == 1 ? row : row <= 0xFFFFFFFFll ? static_cast<unsigned>(row) / static_cast<unsigned>(size) : row / size;
    const std::int64_t to = place + step.step[axis - 1];
    if (to < 0 || to >= size)
    {
      return false;
    }
  }
  return true;
}

} // namespace brickccl::cuda

#endif
