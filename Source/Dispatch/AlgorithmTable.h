#ifndef BRICKCCL_DISPATCH_ALGORITHMTABLE_H
#define BRICKCCL_DISPATCH_ALGORITHMTABLE_H

#include "BrickCCL/Core/AlgorithmOptions.h"
#include "BrickCCL/Core/Connectivity.h"
#include "BrickCCL/Criteria/RowLinks.h"
#include "BrickCCL/Host/Parallel.h"
#include "BrickCCL/Runs/RunVolume.h"

#include <string>
#include <vector>

namespace brickccl
{

/** One labeling algorithm: a row of the table that tests, benchmarks and `brickccl info` iterate over. */
struct Algorithm
{
  const char * name;
  const char * summary;
  /** Labels `result` 1..N in raster order on the CPU and returns N; null if it runs on CUDA devices alone. */
  std::uint64_t (*label)(const RowLinks &     links,
                         const Extent &       extent,
                         const Connectivity & connectivity,
                         const HostContext &  context,
                         RunVolume &          result);

  /** Whether it labels a problem on the CPU; null if it runs on CUDA devices alone. */
  bool (*supportsOnCpu)(const RowLinks & links, const Extent & extent, const Connectivity & connectivity);

  /** Whether `Auto` should choose it on the CPU for a problem that it supports; null: always. */
  bool (*prefersOnCpu)(const Extent & extent);

  /** Whether it labels a problem on CUDA devices; null if it runs on the CPU alone. */
  bool (*supportsOnCuda)(const Extent & extent, const Criterion & criterion, const Connectivity & connectivity);

  /** What its callers may choose, as "Name:option=value,option=value" in place of its name. */
  std::vector<AlgorithmOption> options = {};
};

/** Every algorithm. `Auto` chooses the first one that supports the problem where it runs, and prefers it there. */
const std::vector<Algorithm> & Algorithms();

/** The algorithm of "Name" or "Name:option=value,...". \throws InvalidArgument, which lists the names or the options.
 */
const Algorithm & AlgorithmFromName(const std::string & text);

/** The algorithm that a text, or `Auto`, stands for on the CPU.
 *  \throws InvalidArgument for an unknown name; Unsupported, which lists the algorithms that support the problem. */
const Algorithm & CpuAlgorithmFor(const std::string &  text,
                                  const RowLinks &     links,
                                  const Extent &       extent,
                                  const Connectivity & connectivity);

/** The names of the algorithms that run on CUDA devices. `Auto` chooses the first one that supports the problem. */
std::vector<std::string> CudaAlgorithms();

/** Whether an algorithm supports a problem on CUDA devices. RunMerging supports all of them; BundleMerging those of up to 3
 *  dimensions, 2^32 voxels, 2^32 - 1 runs that there may be and 2^31 - 256 rows along an axis, not in slices;
 *  RowColumnUnification those of up to 3 dimensions under face connectivity; TileMerging those of 2 dimensions and of
 *  slices along z; the others those of up to 3 dimensions. */
bool CudaAlgorithmSupports(const std::string &  algorithm,
                         const Extent &       extent,
                         const Criterion &    criterion,
                         const Connectivity & connectivity);

} // namespace brickccl

#endif
