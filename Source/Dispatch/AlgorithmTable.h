#ifndef BRICKCCL_DISPATCH_ALGORITHMTABLE_H
#define BRICKCCL_DISPATCH_ALGORITHMTABLE_H

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
  /** Whether CudaLabeler offers it. */
  bool onCuda;

  /** Labels `result` 1..N in raster order on the CPU and returns N; null if it runs on CUDA devices alone. */
  std::uint64_t (*label)(const RowLinks &     links,
                         const Extent &       extent,
                         const Connectivity & connectivity,
                         const HostContext &  context,
                         RunVolume &          result);
};

/** Every algorithm. `Auto` chooses the first one on the CPU, the first of CudaAlgorithms() that fits on CUDA devices.
 */
const std::vector<Algorithm> & Algorithms();

/** \throws InvalidArgument, which lists the names. */
const Algorithm & AlgorithmFromName(const std::string & name);

} // namespace brickccl

#endif
