#include "BrickCCL/Dispatch/AlgorithmTable.h"

#include "BrickCCL/Algorithms/BundleMerging/BundleMerging.h"
#include "BrickCCL/Algorithms/LabelEquivalence/LabelEquivalence.h"
#include "BrickCCL/Algorithms/LinkPropagation/LinkPropagation.h"
#include "BrickCCL/Algorithms/RunMerging/RunMerging.h"
#include "BrickCCL/Algorithms/TileMerging/TileMerging.h"
#include "BrickCCL/Core/Error.h"

#include <cstdint>
#include <utility>

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

/** Neighbours must lie along every axis, and 32 bits must number the voxels and count the runs and the voxels of a row,
 *  31 the bundles of rows along an axis, also when bricks are filled up. */
bool
OffersBundles(const Extent & extent, const Criterion & criterion, const Connectivity & connectivity)
{
  constexpr std::int64_t numbers = std::int64_t{ 1 } << 32;
  constexpr std::int64_t mostRows = numbers / 2 - 256;
  return connectivity.UsesEveryAxis() && extent.dimension <= 3 && extent.size[1] <= mostRows &&
         extent.size[2] <= mostRows && extent.RowLength() < numbers && extent.VoxelCount() <= numbers &&
         MostRuns(extent, criterion, connectivity) < numbers;
}

bool
OffersFaces(const Extent & extent, const Criterion &, const Connectivity & connectivity)
{
  return extent.dimension <= 3 && connectivity.Rank() == 1;
}

/** Images, and stacks of slices that are labeled each on its own. */
bool
OffersTiles(const Extent & extent, const Criterion &, const Connectivity & connectivity)
{
  return extent.dimension == 2 || (extent.dimension == 3 && !connectivity.Uses(2));
}

/** An algorithm that runs on CUDA devices alone. */
Algorithm
OnCudaAlone(const char * name,
            const char * summary,
            bool (*offers)(const Extent &, const Criterion &, const Connectivity &),
            std::vector<AlgorithmOption> options = {})
{
  return { name, summary, nullptr, nullptr, nullptr, offers, std::move(options) };
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
    OnCudaAlone("BrickMerging", "tiles or bricks solved in shared memory, merged level by level", OffersUpTo3D),
    OnCudaAlone("TileMerging",
                "as Stava and Benes printed it: tiles of 16 x 16 pixels, 16 of them merged per block and level",
                OffersTiles,
                TileMergingOptions()),
    { "LabelEquivalence",
      "scan and analysis in the labels themselves, until nothing changes (Kalentev et al.)",
      LabelByLabelEquivalence,
      [](const RowLinks &, const Extent &, const Connectivity &) { return true; },
      nullptr,
      OffersUpTo3D,
      LabelEquivalenceOptions() },
    OnCudaAlone("HawickLabelEquivalence",
                "scan, analysis and labeling with an array of references (Hawick et al.)",
                OffersUpTo3D),
    OnCudaAlone("LinkPropagation",
                "smallest labels gathered over links found by doubling (Ziegler and Rasmusson)",
                OffersUpTo3D,
                LinkPropagationOptions()),
    OnCudaAlone("RowColumnUnification",
                "smallest labels along rows, columns and the third axis in turn (Kalentev et al.)",
                OffersFaces),
    OnCudaAlone("DirectionalSearch", "smallest label along straight lines, M8DLS (Soh et al.)", OffersUpTo3D),
    OnCudaAlone("Hybrid1", "directional search and sweeps along lines in turn (Soh et al.)", OffersUpTo3D),
    OnCudaAlone("Hybrid2", "directional search and label backtracking in turn (Soh et al.)", OffersUpTo3D),
    OnCudaAlone("Hybrid3", "search in earlier directions first, and backtracking (Soh et al.)", OffersUpTo3D),
  };
  return algorithms;
}

const Algorithm &
AlgorithmFromName(const std::string & text)
{
  const AlgorithmText asked(text);
  const std::string & name = asked.name;
  std::string         valid = "Auto";
  for (const Algorithm & algorithm : Algorithms())
  {
    if (name == algorithm.name || name == "Auto")
    {
      ParseOptions(name, name == "Auto" ? std::vector<AlgorithmOption>() : algorithm.options, asked.options);
      return algorithm;
    }
    valid += std::string(", ") + algorithm.name;
  }
  throw InvalidArgument("algorithm '" + name + "' is unknown; choose one of " + valid);
}

const Algorithm &
CpuAlgorithmFor(const std::string &  text,
                const RowLinks &     links,
                const Extent &       extent,
                const Connectivity & connectivity)
{
  AlgorithmFromName(text);
  const std::string name = AlgorithmText(text).name;
  std::string       offering = "Auto";
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
