// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Algorithms/DirectionalSearch/DirectionalSearch.h"

namespace brickccl
{

std::vector<Algorithm>
DirectionalSearchRows()
{
  return { { "DirectionalSearch",
             "smallest label along straight lines, M8DLS (Soh et al.)",
             {},
             { SupportsUpTo3D, BRICKCCL_IF_CUDA(cuda::MakeDirectionalSearch) },
             {} },
           { "Hybrid1",
             "directional search and sweeps along lines in turn (Soh et al.)",
             {},
             { SupportsUpTo3D, BRICKCCL_IF_CUDA(cuda::MakeHybrid1) },
             {} },
           { "Hybrid2",
             "directional search and label backtracking in turn (Soh et al.)",
             {},
             { SupportsUpTo3D, BRICKCCL_IF_CUDA(cuda::MakeHybrid2) },
             {} },
           { "Hybrid3",
             "search in earlier directions first, and backtracking (Soh et al.)",
             {},
             { SupportsUpTo3D, BRICKCCL_IF_CUDA(cuda::MakeHybrid3) },
             {} } };
}

} // namespace brickccl
