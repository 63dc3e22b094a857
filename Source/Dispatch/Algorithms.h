#ifndef BRICKCCL_DISPATCH_ALGORITHMS_H
#define BRICKCCL_DISPATCH_ALGORITHMS_H

#include "BrickCCL/Core/AlgorithmOptions.h"
#include "BrickCCL/Core/Connectivity.h"
#include "BrickCCL/Criteria/Criterion.h"

#include <string>
#include <vector>

namespace brickccl
{

/** One labeling algorithm. All of them give the same labels. */
struct AlgorithmInfo
{
  /** For LabelOptions::algorithm. */
  std::string name;
  std::string summary;
  bool        runsOnCpu = false;
  bool        runsOnCuda = false;
  /** The options that callers may set, as "Name:option=value,option=value" in place of the name. */
  std::vector<AlgorithmOption> options;
};

/** Every algorithm, in the order in which `Auto` asks them. */
std::vector<AlgorithmInfo> ListAlgorithms();

/** Whether an algorithm labels images of an extent under a criterion and connectivity, on the CPU or on CUDA devices.
 *  \throws InvalidArgument for an unknown name, or a connectivity of another dimension than the extent's. */
bool AlgorithmRunsOnCpu(const std::string &  name,
                        const Extent &       extent,
                        const Criterion &    criterion,
                        const Connectivity & connectivity);
bool AlgorithmRunsOnCuda(const std::string &  name,
                         const Extent &       extent,
                         const Criterion &    criterion,
                         const Connectivity & connectivity);

} // namespace brickccl

#endif
