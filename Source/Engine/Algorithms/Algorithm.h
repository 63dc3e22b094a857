// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Core/AlgorithmOptions.h"
#include "BrickCCL/Criteria/Problem.h"
#include "BrickCCL/Criteria/RowLinks.h"
#include "BrickCCL/Host/Parallel.h"
#include "BrickCCL/Runs/RunVolume.h"

#include <cstdint>
#include <memory>
#include <vector>

/** `function` in a build with CUDA, null in others: so that a row names its CUDA side in every build. */
#ifdef BRICKCCL_USE_CUDA
#  define BRICKCCL_IF_CUDA(function) (function)
#else
#  define BRICKCCL_IF_CUDA(function) nullptr
#endif

namespace brickccl
{

namespace cuda
{
class CudaAlgorithm;
}

/** The CPU side of an algorithm. */
struct CpuSide
{
  /** Labels `result` 1..N in raster order and returns N; null if there is no CPU side. `options` has a value for each
   *  of the algorithm's options. */
  std::uint64_t (*label)(const RowLinks &     links,
                         const Extent &       extent,
                         const Connectivity & connectivity,
                         const OptionValues & options,
                         const HostContext &  context,
                         RunVolume &          result) = nullptr;
  /** Whether it labels a problem. */
  bool (*supports)(const ProblemTraits & problem) = nullptr;
  /** Whether `Auto` takes it for a problem that it supports; null: always. */
  bool (*prefers)(const ProblemTraits & problem) = nullptr;
  /** Whether it labels every connectivity that has whole rows, plain or not. */
  bool takesWholeRows = false;
};

/** The CUDA side of an algorithm. */
struct CudaSide
{
  /** Whether it labels a problem; null if there is no CUDA side. */
  bool (*supports)(const ProblemTraits & problem) = nullptr;
  /** Makes its state for one device, with node numbers of 64 bits if `isWide`; null in a build without CUDA. */
  std::unique_ptr<cuda::CudaAlgorithm> (*make)(bool isWide) = nullptr;
};

/** One labeling algorithm. Each folder of Algorithms/ defines its rows in `std::vector<Algorithm> <Name>Rows()`; the
 *  table of all rows (Dispatch/AlgorithmTable.h) is what tests, benchmarks, `brickccl info` and `--algorithm` iterate
 *  over. */
struct Algorithm
{
  const char * name = "";
  const char * summary = "";
  CpuSide      cpu;
  CudaSide     cuda;
  /** Options of "Name:option=value,option=value". */
  std::vector<AlgorithmOption> options;

  bool
  RunsOnCpu() const
  {
    return cpu.label != nullptr;
  }
  bool
  RunsOnCuda() const
  {
    return cuda.supports != nullptr;
  }
};

/** Common conditions on problems of several rows. */
inline bool
SupportsAll(const ProblemTraits &)
{
  return true;
}
inline bool
SupportsUpTo3D(const ProblemTraits & problem)
{
  return problem.extent.dimension <= 3;
}

} // namespace brickccl
