// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Algorithms/TileMerging/TileMerging.h"

namespace brickccl
{

/** Images, and stacks of slices that are labeled each on its own. */
static bool
SupportsTiles(const ProblemTraits & problem)
{
  return problem.extent.dimension == 2 || (problem.extent.dimension == 3 && !problem.connectivity.Uses(2));
}

std::vector<Algorithm>
TileMergingRows()
{
  return { { "TileMerging",
             "as Stava and Benes printed it: tiles of 16 x 16 pixels, 16 of them merged per block and level",
             {},
             { SupportsTiles, BRICKCCL_IF_CUDA(cuda::MakeTileMerging) },
             { { "properties", "sums collected while trees are flattened", { "none", "size", "moments" } } } } };
}

} // namespace brickccl
