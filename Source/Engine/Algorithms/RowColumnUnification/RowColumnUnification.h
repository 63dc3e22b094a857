// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_ALGORITHMS_ROWCOLUMNUNIFICATION_ROWCOLUMNUNIFICATION_H
#define BRICKCCL_ALGORITHMS_ROWCOLUMNUNIFICATION_ROWCOLUMNUNIFICATION_H

#include "BrickCCL/Algorithms/Algorithm.h"

namespace brickccl::cuda
{

/** The CUDA side, see RowColumnUnification.cu. */
std::unique_ptr<CudaAlgorithm> MakeRowColumnUnification(bool isWide);

} // namespace brickccl::cuda

#endif
