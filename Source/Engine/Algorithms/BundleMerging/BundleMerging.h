// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Algorithms/Algorithm.h"

namespace brickccl
{

/** Whether bundles of rows can be used: links follow the foreground along every axis, the rank is at least 2, and there
 *  are at most 3 dimensions. */
bool SupportsBundleMerging(const ProblemTraits & problem);

/** Labels runs of bundles of rows on the CPU, where SupportsBundleMerging is true. Two rows (8- and 18-connected) or
 *  two by two rows (26-connected) are united to one row of bits whose runs are connected. So there are fewer nodes
 *  and fewer rows to compare. Bundles are merged 64 voxels at a time; slabs are merged in parallel, then the seams
 *  between them. Links that others imply are left out. README.md says what CPU and CUDA have in common.
 *
 *  Afterwards the labels of `result` are 1..N in the raster order of each component's first voxel. Memory: the memory
 *  of RunVolume, and for 26 (18) neighbors 0.05 (0.1) bytes per voxel, 8 (16) bytes per run of a bundle and 0.2
 *  (0.25) bytes per run of a row, kept in the RunVolume for the next call.
 *  \return N.
 *  \throws Unsupported for rows of 2^32 voxels or more, Canceled. */
std::uint64_t LabelByBundleMerging(const RowLinks &     links,
                                   const Extent &       extent,
                                   const Connectivity & connectivity,
                                   const HostContext &  context,
                                   RunVolume &          result);

namespace cuda
{

/** The CUDA side, see BundleMerging.cuh; its numbers always have 32 bits. */
std::unique_ptr<CudaAlgorithm> MakeBundleMerging(bool isWide);

} // namespace cuda

namespace testing
{
/** LabelByBundleMerging with 64-bit numbers of nodes, whatever the size. */
std::uint64_t LabelByWideBundleMerging(const RowLinks &     links,
                                       const Extent &       extent,
                                       const Connectivity & connectivity,
                                       const HostContext &  context,
                                       RunVolume &          result);
} // namespace testing

} // namespace brickccl
