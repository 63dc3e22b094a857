// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Algorithms/BrickMerging/BrickMerging.h"

namespace brickccl
{

std::vector<Algorithm>
BrickMergingRows()
{
  return { { "BrickMerging",
             "tiles or bricks solved in shared memory, merged level by level",
             {},
             { SupportsUpTo3D, BRICKCCL_IF_CUDA(cuda::MakeBrickMerging) },
             {} } };
}

} // namespace brickccl
