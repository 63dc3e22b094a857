// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_ALGORITHMS_HAWICKLABELEQUIVALENCE_HAWICKLABELEQUIVALENCE_H
#define BRICKCCL_ALGORITHMS_HAWICKLABELEQUIVALENCE_HAWICKLABELEQUIVALENCE_H

#include "BrickCCL/Algorithms/Algorithm.h"

namespace brickccl::cuda
{

/** The CUDA side, see HawickLabelEquivalence.cu. */
std::unique_ptr<CudaAlgorithm> MakeHawickLabelEquivalence(bool isWide);

} // namespace brickccl::cuda

#endif
