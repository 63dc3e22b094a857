// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Algorithms/HawickLabelEquivalence/HawickLabelEquivalence.h"

namespace brickccl
{

std::vector<Algorithm>
HawickLabelEquivalenceRows()
{
  return { { "HawickLabelEquivalence",
             "scan, analysis and labeling with an array of references (Hawick et al.)",
             {},
             { SupportsUpTo3D, BRICKCCL_IF_CUDA(cuda::MakeHawickLabelEquivalence) },
             {} } };
}

} // namespace brickccl
