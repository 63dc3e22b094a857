#include "BrickCCL/Dispatch/AlgorithmTable.h"

#include "BrickCCL/Algorithms/RunMerging/RunMerging.h"
#include "BrickCCL/Core/Error.h"

namespace brickccl
{

const std::vector<Algorithm> &
Algorithms()
{
  static const std::vector<Algorithm> algorithms = {
    { "RunMerging", "bit-packed rows, runs united 64 voxels at a time, slabs in parallel", LabelByRunMerging },
  };
  return algorithms;
}

const Algorithm &
AlgorithmFromName(const std::string & name)
{
  std::string valid = "Auto";
  for (const Algorithm & algorithm : Algorithms())
  {
    if (name == algorithm.name || name == "Auto")
    {
      return algorithm;
    }
    valid += std::string(", ") + algorithm.name;
  }
  throw InvalidArgument("algorithm '" + name + "' is unknown; choose one of " + valid);
}

} // namespace brickccl
