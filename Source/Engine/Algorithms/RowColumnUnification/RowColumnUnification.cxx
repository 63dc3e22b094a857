// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Algorithms/RowColumnUnification/RowColumnUnification.h"

namespace brickccl
{

static bool
SupportsFaces(const ProblemTraits & problem)
{
  return problem.extent.dimension <= 3 && problem.connectivity.Rank() == 1;
}

std::vector<Algorithm>
RowColumnUnificationRows()
{
  return { { "RowColumnUnification",
             "smallest labels along rows, columns and the third axis in turn (Kalentev et al.)",
             {},
             { SupportsFaces, BRICKCCL_IF_CUDA(cuda::MakeRowColumnUnification) },
             {} } };
}

} // namespace brickccl
