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

/** One labeling algorithm of the CPU: a row of the table that tests, benchmarks and `brickccl info` iterate over. */
struct Algorithm
{
  const char * name;
  const char * summary;

  /** Labels `result` 1..N in raster order and returns N. */
  std::uint64_t (*label)(const RowLinks &     links,
                         const Extent &       extent,
                         const Connectivity & connectivity,
                         const HostContext &  context,
                         RunVolume &          result);
};

/** Every algorithm; the first one is what `Auto` chooses. */
const std::vector<Algorithm> & Algorithms();

/** \throws InvalidArgument, which lists the names. */
const Algorithm & AlgorithmFromName(const std::string & name);

} // namespace brickccl

#endif
