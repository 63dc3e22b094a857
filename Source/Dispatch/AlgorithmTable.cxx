#include "BrickCCL/Dispatch/AlgorithmTable.h"

#include "BrickCCL/Algorithms/BundleMerging/BundleMerging.h"
#include "BrickCCL/Algorithms/RunMerging/RunMerging.h"
#include "BrickCCL/Core/Error.h"

#include <cstdint>
#include <limits>

namespace brickccl
{

namespace
{

bool
OffersAlways(const Extent &, const Criterion &, const Connectivity &)
{
  return true;
}

bool
OffersUpTo3D(const Extent & extent, const Criterion &, const Connectivity &)
{
  return extent.dimension <= 3;
}

/** Neighbours must lie along every axis, and 32 bits must number the voxels. */
bool
OffersBundles(const Extent & extent, const Criterion &, const Connectivity & connectivity)
{
  return connectivity.UsesEveryAxis() && extent.dimension <= 3 &&
         extent.VoxelCount() < std::int64_t{ std::numeric_limits<std::uint32_t>::max() } - 1;
}

} // namespace

const std::vector<Algorithm> &
Algorithms()
{
  static const std::vector<Algorithm> algorithms = {
    { "BundleMerging",
      "bundles of rows as runs of their united bits; on CUDA devices brick by brick in shared memory",
      LabelByBundleMerging,
      OffersBundleMerging,
      // In a plane RunMerging takes three quarters of its time (noise of all densities and grains).
      [](const Extent & extent) { return extent.dimension > 2; },
      OffersBundles },
    { "RunMerging",
      "bit-packed rows, runs united a word at a time",
      LabelByRunMerging,
      [](const RowLinks &, const Extent &, const Connectivity &) { return true; },
      nullptr,
      OffersAlways },
    { "BrickMerging",
      "tiles or bricks solved in shared memory, merged level by level",
      nullptr,
      nullptr,
      nullptr,
      OffersUpTo3D },
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

const Algorithm &
CpuAlgorithmFor(const std::string &  name,
                const RowLinks &     links,
                const Extent &       extent,
                const Connectivity & connectivity)
{
  AlgorithmFromName(name);
  std::string offering = "Auto";
  for (const Algorithm & algorithm : Algorithms())
  {
    const bool offers = algorithm.offersOnCpu != nullptr && algorithm.offersOnCpu(links, extent, connectivity);
    const bool suits = algorithm.suitsOnCpu == nullptr || algorithm.suitsOnCpu(extent);
    if (offers && (name == algorithm.name || (name == "Auto" && suits)))
    {
      return algorithm;
    }
    offering += offers ? std::string(", ") + algorithm.name : std::string();
  }
  throw Unsupported("algorithm " + name + " does not label an image of " + std::to_string(extent.dimension) +
                    " dimensions with connectivity " + connectivity.ToString() +
                    " and this criterion on the CPU; choose one of " + offering);
}

std::vector<std::string>
CudaAlgorithms()
{
  std::vector<std::string> names;
  for (const Algorithm & algorithm : Algorithms())
  {
    if (algorithm.offersOnCuda != nullptr)
    {
      names.push_back(algorithm.name);
    }
  }
  return names;
}

bool
CudaAlgorithmOffers(const std::string &  algorithm,
                    const Extent &       extent,
                    const Criterion &    criterion,
                    const Connectivity & connectivity)
{
  const Algorithm & row = AlgorithmFromName(algorithm);
  return row.offersOnCuda != nullptr && row.offersOnCuda(extent, criterion, connectivity);
}

} // namespace brickccl
