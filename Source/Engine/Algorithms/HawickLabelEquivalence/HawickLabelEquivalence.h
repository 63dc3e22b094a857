// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Algorithms/Algorithm.h"

namespace brickccl::cuda
{

/** The CUDA side, see HawickLabelEquivalence.cu. */
std::unique_ptr<CudaAlgorithm> MakeHawickLabelEquivalence(bool isWide);

} // namespace brickccl::cuda
