#ifndef BRICKCCL_ALGORITHMS_BUNDLEMERGING_BUNDLEMERGING_H
#define BRICKCCL_ALGORITHMS_BUNDLEMERGING_BUNDLEMERGING_H

#include "BrickCCL/Algorithms/Algorithm.h"

namespace brickccl
{

/** Whether bundles of rows serve: bits alone tell the links, along every axis of 2 or 3, and diagonals count. */
bool SupportsBundleMerging(const ProblemTraits & problem);

/** Labels runs of bundles of rows on the CPU, where SupportsBundleMerging says that it can: two rows (8- and
 * 18-connected) or two by two (26-connected) are united to one row of bits whose runs are connected, so that there are
 * fewer nodes and fewer rows to compare. Bundles unite 64 voxels at a time, slabs in parallel, then the seams between
 * them; links that others imply are left out. See README.md for what CPU and CUDA have in common.
 *
 *  Afterwards the labels of `result` are 1..N in the raster order of each component's first voxel.
 *  Memory: as RunVolume says, and for 26 (18) neighbours 0.05 (0.1) bytes per voxel, 8 (16) bytes per run of a bundle
 *  and 0.2 (0.25) bytes per run of a row, kept in the RunVolume for the next call.
 *  \return N.
 *  \throws Unsupported for rows of 2^32 voxels or more, Cancelled. */
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
/** As LabelByBundleMerging, with 64-bit node numbers whatever the size. */
std::uint64_t LabelByWideBundleMerging(const RowLinks &     links,
                                       const Extent &       extent,
                                       const Connectivity & connectivity,
                                       const HostContext &  context,
                                       RunVolume &          result);
} // namespace testing

} // namespace brickccl

#endif
