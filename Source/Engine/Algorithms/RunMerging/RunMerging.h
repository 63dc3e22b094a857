// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Algorithms/Algorithm.h"

namespace brickccl
{

/** Labels runs of voxels. Rows are packed to bits and cut into runs. Runs that touch in neighboring rows are united
 *  by bit operations on 64 voxels at a time. Slabs of rows are merged in parallel, then the seams between them.
 *
 *  The connectivity is plain or has whole rows. Afterwards the labels of `result` are 1..N in the raster order of
 *  each component's first voxel. Cost: linear in voxels / 64 and in runs. Memory: the memory of RunVolume, 1 bit and
 *  1/16 byte per run. \return N. \throws Unsupported for rows of 2^32 voxels or more, Canceled. */
std::uint64_t LabelByRunMerging(const RowLinks &     links,
                                const Extent &       extent,
                                const Connectivity & connectivity,
                                const HostContext &  context,
                                RunVolume &          result);

namespace testing
{
/** LabelByRunMerging with 64-bit numbers of nodes, whatever the size. */
std::uint64_t LabelByWideRunMerging(const RowLinks &     links,
                                    const Extent &       extent,
                                    const Connectivity & connectivity,
                                    const HostContext &  context,
                                    RunVolume &          result);
} // namespace testing

namespace cuda
{

/** The CUDA side, see RunMerging.cuh. */
std::unique_ptr<CudaAlgorithm> MakeRunMerging(bool isWide);

} // namespace cuda

} // namespace brickccl
