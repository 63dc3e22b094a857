#ifndef BRICKCCL_ALGORITHMS_LABELEQUIVALENCE_LABELEQUIVALENCE_H
#define BRICKCCL_ALGORITHMS_LABELEQUIVALENCE_LABELEQUIVALENCE_H

#include "BrickCCL/Core/AlgorithmOptions.h"
#include "BrickCCL/Core/Connectivity.h"
#include "BrickCCL/Criteria/RowLinks.h"
#include "BrickCCL/Host/Parallel.h"
#include "BrickCCL/Runs/RunVolume.h"

namespace brickccl
{

/** Label equivalence on the CPU: scan and analysis as on CUDA devices (LabelEquivalence.cuh), but on runs instead of
 *  voxels and on the context's threads. The options are those of the kernels; they change nothing here. Any dimension,
 *  connectivity and criterion.
 *
 *  Afterwards the labels of `result` are 1..N in the raster order of each component's first voxel. Cost: that of
 *  RunMerging's links for each round; memory as for RunVolume. \return N.
 *  \throws Unsupported for rows of 2^32 voxels or more, Cancelled. */
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

inline std::vector<AlgorithmOption>
LabelEquivalenceOptions()
{
  return { { "atomics", "write references with atomicMin (CUCCL) or with plain stores (Kalentev)", { "off", "on" } },
           { "first-scan", "neighbours that the first scan looks at", { "all", "earlier" } },
           { "flag", "how threads say that something changed", { "global", "block" }, 1 },
           { "properties", "sums collected during analysis", { "none", "size", "moments" } },
           { "threads", "threads per block", {}, 256, 1, 1024 } };
}

} // namespace brickccl

#endif
