// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Algorithms/Algorithm.h"

namespace brickccl::cuda
{

/** The CUDA side, see BrickMerging.cu. */
std::unique_ptr<CudaAlgorithm> MakeBrickMerging(bool isWide);

} // namespace brickccl::cuda
