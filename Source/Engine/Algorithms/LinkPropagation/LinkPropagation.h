// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Algorithms/Algorithm.h"

namespace brickccl
{

/** The indices of LinkPropagation's options among its values. */
enum LinkPropagationOption
{
  LinkPropagationGather,
  LinkPropagationMaxGather,
  LinkPropagationOneGather,
  LinkPropagationMaster
};

namespace cuda
{

/** The CUDA side, see LinkPropagation.cu. */
std::unique_ptr<CudaAlgorithm> MakeLinkPropagation(bool isWide);

} // namespace cuda

} // namespace brickccl
