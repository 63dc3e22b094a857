// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Algorithms/LinkPropagation/LinkPropagation.h"

namespace brickccl
{

std::vector<Algorithm>
LinkPropagationRows()
{
  return {
    { "LinkPropagation",
      "smallest labels gathered over links found by doubling (Ziegler and Rasmusson)",
      {},
      { SupportsUpTo3D, BRICKCCL_IF_CUDA(cuda::MakeLinkPropagation) },
      { { "gather", "most voxels that a link leads along", {}, 128, 1, 65535 },
        { "max-gather", "gather from the farthest linked voxels", { "off", "on" }, 1 },
        { "one-gather", "gather from neighbors at once (off: when the farthest have nothing new)", { "off", "on" }, 1 },
        { "master", "gather from the voxel that a label came from", { "off", "on" }, 1 } } }
  };
}

} // namespace brickccl
