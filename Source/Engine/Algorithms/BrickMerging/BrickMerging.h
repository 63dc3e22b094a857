// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_ALGORITHMS_BRICKMERGING_BRICKMERGING_H
#define BRICKCCL_ALGORITHMS_BRICKMERGING_BRICKMERGING_H

#include "BrickCCL/Algorithms/Algorithm.h"

namespace brickccl::cuda
{

/** The CUDA side, see BrickMerging.cu. */
std::unique_ptr<CudaAlgorithm> MakeBrickMerging(bool isWide);

} // namespace brickccl::cuda

#endif
