// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Algorithms/Algorithm.h"

namespace brickccl
{

/** Label equivalence on the CPU: scan and analysis as on CUDA devices (LabelEquivalence.cu), but on runs instead of
 *  voxels and on the context's threads. The kernels have the same options; they change nothing here. Any dimension,
 *  connectivity and criterion.
 *
 *  Afterwards the labels of `result` are 1..N in the raster order of each component's first voxel. Cost: the cost of
 *  RunMerging's links for each round; memory as for RunVolume. \return N.
 *  \throws Unsupported for rows of 2^32 voxels or more, Canceled. */
std::uint64_t LabelByLabelEquivalence(const RowLinks &     links,
                                      const Extent &       extent,
                                      const Connectivity & connectivity,
                                      const HostContext &  context,
                                      RunVolume &          result);

/** The indices of LabelEquivalence's options among its values. */
enum LabelEquivalenceOption
{
  LabelEquivalenceAtomics,
  LabelEquivalenceFirstScan,
  LabelEquivalenceFlag,
  LabelEquivalenceProperties,
  LabelEquivalenceThreads
};

namespace cuda
{

/** The CUDA side, see LabelEquivalence.cu. */
std::unique_ptr<CudaAlgorithm> MakeLabelEquivalence(bool isWide);

} // namespace cuda

} // namespace brickccl
