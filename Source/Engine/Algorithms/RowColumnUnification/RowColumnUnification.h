// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Algorithms/Algorithm.h"

namespace brickccl::cuda
{

/** The CUDA side, see RowColumnUnification.cu. */
std::unique_ptr<CudaAlgorithm> MakeRowColumnUnification(bool isWide);

} // namespace brickccl::cuda
