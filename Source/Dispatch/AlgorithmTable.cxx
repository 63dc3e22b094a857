#include "BrickCCL/Dispatch/AlgorithmTable.h"

#include "BrickCCL/Algorithms/RunMerging/RunMerging.h"
#include "BrickCCL/Core/Error.h"

namespace brickccl
{

const std::vector<Algorithm> &
Algorithms()
{
  static const std::vector<Algorithm> algorithms = {
    { "RunMerging", "bit-packed rows, runs united a word at a time", true, LabelByRunMerging },
    { "BrickMerging", "tiles or bricks solved in shared memory, merged level by level", true, nullptr },
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
