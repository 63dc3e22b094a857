#include "BrickCCL/Dispatch/AlgorithmTable.h"

#include "BrickCCL/Algorithms/RunMerging/RunMerging.h"
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Dispatch/CudaLabeler.h"

#include <cstdint>
#include <limits>

namespace brickccl
{

const std::vector<Algorithm> &
Algorithms()
{
  static const std::vector<Algorithm> algorithms = {
    { "RunMerging", "bit-packed rows, runs united a word at a time", true, LabelByRunMerging },
    { "BundleMerging", "bundles of rows solved brick by brick in shared memory, few global unions", true, nullptr },
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

const std::vector<std::string> &
CudaAlgorithms()
{
  static const std::vector<std::string> names = { "BundleMerging", "RunMerging", "BrickMerging" };
  return names;
}

bool
CudaAlgorithmOffers(const std::string &  algorithm,
                    const Extent &       extent,
                    const Criterion &    criterion,
                    const Connectivity & connectivity)
{
  bool everyAxis = true;
  for (int axis = 0; axis < connectivity.Dimension(); ++axis)
  {
    everyAxis = everyAxis && connectivity.Uses(axis);
  }
  return algorithm == "RunMerging" || (algorithm == "BrickMerging" && extent.dimension <= 3) ||
         (algorithm == "BundleMerging" && extent.dimension <= 3 && everyAxis &&
          criterion.joining == Criterion::Joining::Foreground &&
          extent.VoxelCount() < std::int64_t{ std::numeric_limits<std::uint32_t>::max() } - 1);
}

} // namespace brickccl
