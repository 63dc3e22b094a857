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
SupportsAlways(const Extent &, const Criterion &, const Connectivity &)
{
  return true;
}

bool
SupportsUpTo3D(const Extent & extent, const Criterion &, const Connectivity &)
{
  return extent.dimension <= 3;
}

/** Neighbours must lie along every axis, and 32 bits must number the voxels and count the runs and the voxels of a row,
 *  31 the bundles of rows along an axis, also when bricks are filled up. */
bool
SupportsBundles(const Extent & extent, const Criterion & criterion, const Connectivity & connectivity)
{
  constexpr std::int64_t numbers = std::int64_t{ 1 } << 32;
  constexpr std::int64_t mostRows = numbers / 2 - 256;
  return connectivity.UsesEveryAxis() && extent.dimension <= 3 && extent.size[1] <= mostRows &&
         extent.size[2] <= mostRows && extent.RowLength() < numbers && extent.VoxelCount() <= numbers &&
         MaximumRunCount(extent, criterion, connectivity) < numbers;
}

bool
SupportsFaces(const Extent & extent, const Criterion &, const Connectivity & connectivity)
{
  return extent.dimension <= 3 && connectivity.Rank() == 1;
}

/** Images, and stacks of slices that are labeled each on its own. */
bool
SupportsTiles(const Extent & extent, const Criterion &, const Connectivity & connectivity)
{
  return extent.dimension == 2 || (extent.dimension == 3 && !connectivity.Uses(2));
}

/** An algorithm that runs on CUDA devices alone. */
Algorithm
OnCudaAlone(const char * name,
            const char * summary,
            bool (*supports)(const Extent &, const Criterion &, const Connectivity &),
            std::vector<AlgorithmOption> options = {})
{
  return { name, summary, nullptr, nullptr, nullptr, supports, std::move(options) };
}

} // namespace

const std::vector<Algorithm> &
Algorithms()
{
  static const std::vector<Algorithm> algorithms = {
    { "BundleMerging",
      "bundles of rows as runs of their united bits; on CUDA devices brick by brick in shared memory",
      LabelByBundleMerging,
      SupportsBundleMerging,
      // In a plane RunMerging takes three quarters of its time (noise of all densities and grains).
      [](const Extent & extent) { return extent.dimension > 2; },
      SupportsBundles },
    { "RunMerging",
      "bit-packed rows, runs united a word at a time",
      LabelByRunMerging,
      [](const RowLinks &, const Extent &, const Connectivity &) { return true; },
      nullptr,
      SupportsAlways },
    OnCudaAlone("BrickMerging", "tiles or bricks solved in shared memory, merged level by level", SupportsUpTo3D),
    OnCudaAlone("TileMerging",
                "as Stava and Benes printed it: tiles of 16 x 16 pixels, 16 of them merged per block and level",
                SupportsTiles,
                TileMergingOptions()),
    { "LabelEquivalence",
      "scan and analysis in the labels themselves, until nothing changes (Kalentev et al.)",
      LabelByLabelEquivalence,
      [](const RowLinks &, const Extent &, const Connectivity &) { return true; },
      nullptr,
      SupportsUpTo3D,
      LabelEquivalenceOptions() },
    OnCudaAlone("HawickLabelEquivalence",
                "scan, analysis and labeling with an array of references (Hawick et al.)",
                SupportsUpTo3D),
    OnCudaAlone("LinkPropagation",
                "smallest labels gathered over links found by doubling (Ziegler and Rasmusson)",
                SupportsUpTo3D,
                LinkPropagationOptions()),
    OnCudaAlone("RowColumnUnification",
                "smallest labels along rows, columns and the third axis in turn (Kalentev et al.)",
                SupportsFaces),
    OnCudaAlone("DirectionalSearch", "smallest label along straight lines, M8DLS (Soh et al.)", SupportsUpTo3D),
    OnCudaAlone("Hybrid1", "directional search and sweeps along lines in turn (Soh et al.)", SupportsUpTo3D),
    OnCudaAlone("Hybrid2", "directional search and label backtracking in turn (Soh et al.)", SupportsUpTo3D),
    OnCudaAlone("Hybrid3", "search in earlier directions first, and backtracking (Soh et al.)", SupportsUpTo3D),
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
  std::string       supporting = "Auto";
  for (const Algorithm & algorithm : Algorithms())
  {
    const bool supports = algorithm.supportsOnCpu != nullptr && algorithm.supportsOnCpu(links, extent, connectivity);
    const bool prefers = algorithm.prefersOnCpu == nullptr || algorithm.prefersOnCpu(extent);
    if (supports && (name == algorithm.name || (name == "Auto" && prefers)))
    {
      return algorithm;
    }
    supporting += supports ? std::string(", ") + algorithm.name : std::string();
  }
  throw Unsupported("algorithm " + name + " does not label an image of " + std::to_string(extent.dimension) +
                    " dimensions with connectivity " + connectivity.ToString() +
                    " and this criterion on the CPU; choose one of " + supporting);
}

std::vector<std::string>
CudaAlgorithms()
{
  std::vector<std::string> names;
  for (const Algorithm & algorithm : Algorithms())
  {
    if (algorithm.supportsOnCuda != nullptr)
    {
      names.push_back(algorithm.name);
    }
  }
  return names;
}

bool
CudaAlgorithmSupports(const std::string &  algorithm,
                    const Extent &       extent,
                    const Criterion &    criterion,
                    const Connectivity & connectivity)
{
  const Algorithm & row = AlgorithmFromName(algorithm);
  return row.supportsOnCuda != nullptr && row.supportsOnCuda(extent, criterion, connectivity);
}

} // namespace brickccl
