// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Algorithms/Algorithm.h"

namespace brickccl::cuda
{

/** The CUDA sides of the variants, see DirectionalSearch.cu. */
std::unique_ptr<CudaAlgorithm> MakeDirectionalSearch(bool isWide);
std::unique_ptr<CudaAlgorithm> MakeHybrid1(bool isWide);
std::unique_ptr<CudaAlgorithm> MakeHybrid2(bool isWide);
std::unique_ptr<CudaAlgorithm> MakeHybrid3(bool isWide);

} // namespace brickccl::cuda
