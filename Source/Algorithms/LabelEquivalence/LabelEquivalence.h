#ifndef BRICKCCL_ALGORITHMS_LABELEQUIVALENCE_LABELEQUIVALENCE_H
#define BRICKCCL_ALGORITHMS_LABELEQUIVALENCE_LABELEQUIVALENCE_H

#include "BrickCCL/Core/AlgorithmOptions.h"

namespace brickccl
{

/** Places of LabelEquivalence's options among its values. */
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
