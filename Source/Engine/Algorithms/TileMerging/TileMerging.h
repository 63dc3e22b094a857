// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Algorithms/Algorithm.h"

namespace brickccl
{

/** The indices of TileMerging's options among its values. */
enum TileMergingOption
{
  TileMergingProperties
};

namespace cuda
{

/** The CUDA side, see TileMerging.cu. */
std::unique_ptr<CudaAlgorithm> MakeTileMerging(bool isWide);

} // namespace cuda

} // namespace brickccl
