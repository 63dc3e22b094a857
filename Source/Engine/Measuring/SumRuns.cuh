// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_MEASURING_SUMRUNS_CUH
#define BRICKCCL_MEASURING_SUMRUNS_CUH

#include "BrickCCL/Runs/RunTable.cuh"
#include "BrickCCL/Tables/ComponentSums.h"

namespace brickccl::cuda
{

/** Queues the sums of the default columns over the `components` components of a labeled table of up to 3 dimensions. */
template <typename TIndex>
void SumRuns(const Extent &                   extent,
             const RunTable<TIndex> &         table,
             std::uint64_t                    components,
             DeviceBuffer<CompactShapeSums> & sums,
             cudaStream_t                     stream);

} // namespace brickccl::cuda

#endif
