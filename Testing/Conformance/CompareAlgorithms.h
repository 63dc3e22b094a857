// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_TESTING_COMPAREALGORITHMS_H
#define BRICKCCL_TESTING_COMPAREALGORITHMS_H

#include "FloodFill.h"
#include "SlowBuild.h"

#include "BrickCCL/BrickCCL.h"
#include "BrickCCL/Dispatch/LabelingImplementation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <vector>

// How the conformance tests compare every algorithm with the flood fill.

namespace brickccl
{

/** The place of a type among all, for IsDoneHere. */
template <typename T>
std::size_t
PlaceOfType()
{
  return static_cast<std::size_t>(ScalarTypeOf<T>());
}

template <typename T>
testing::FloodFillProblem
ProblemOf(const std::vector<T> & voxels, const Extent & extent, int channels, const Criterion & criterion)
{
  testing::FloodFillProblem problem;
  problem.extent = extent;
  problem.channels = channels;
  problem.criterion = criterion;
  problem.values.assign(voxels.begin(), voxels.end());
  return problem;
}

/** Whether there is a CUDA device. Kernels that are compiled for the host count as one. */
inline bool
HasCuda()
{
  static const bool has = ResolveDevice({ Device::Kind::Cuda, 0 }).device.kind == Device::Kind::Cuda;
  return has;
}

/** Kernels on the host are slow. There, algorithms whose nodes are voxels do every eighth problem, since they see only
 *  its links. Of winding shapes, those that need a round for each turn do only small ones. */
inline bool
IsLeftOut([[maybe_unused]] const std::string & algorithm,
          [[maybe_unused]] const std::string & shape,
          [[maybe_unused]] const Extent &      extent)
{
#ifdef BRICKCCL_CUDA_ON_HOST
  const auto isOneOf = [&](std::initializer_list<const char *> names) {
    return std::find(names.begin(), names.end(), algorithm) != names.end();
  };
  const bool needsRounds =
    isOneOf({ "RowColumnUnification", "LinkPropagation", "DirectionalSearch", "Hybrid1", "Hybrid2", "Hybrid3" });
  const bool         isWinding = shape == "spiral" || shape == "Hilbert curve";
  static std::size_t problems = 0;
  return (needsRounds && isWinding && extent.VoxelCount() > 3000) ||
         ((needsRounds || isOneOf({ "LabelEquivalence", "HawickLabelEquivalence", "TileMerging" })) &&
          problems++ % 8 != 0);
#else
  return false;
#endif
}

/** Labels an image of the same extent whose voxels are in other places. So the memory that is kept holds what is wrong
 *  for the next image. */
template <typename T>
void
LabelOthersBefore(const std::vector<T> &            voxels,
                  const testing::FloodFillProblem & problem,
                  LabelOptions                      options,
                  Labeling &                        labeling)
{
  const std::vector<T> reversed(voxels.rbegin(), voxels.rend());
  options.mask.reset();
  Label(ImageView(reversed.data(), problem.extent, problem.channels), options, labeling);
}

/** Compares one algorithm on the CUDA device with the expected labels, if it supports the problem. `algorithm` may have
 *  options. \param afterOthers  whether memory holds what another image left, or else what the case before left */
template <typename T>
void
ExpectSameOnCuda(const std::string &                              algorithm,
                 const std::string &                              what,
                 const std::vector<T> &                           voxels,
                 const testing::FloodFillProblem &                problem,
                 const Connectivity &                             connectivity,
                 const std::optional<std::vector<std::uint8_t>> & mask,
                 const std::vector<std::uint64_t> &               expected,
                 [[maybe_unused]] bool                            afterOthers)
{
  static Labeling onCuda; // keeps the device's memory from case to case
  if (!HasCuda() || IsLeftOut(algorithm, what, problem.extent) ||
      !AlgorithmRunsOnCuda(algorithm, problem.extent, problem.criterion, connectivity))
  {
    return;
  }
  LabelOptions options;
  options.algorithm = algorithm;
  options.device = { Device::Kind::Cuda, 0 };
  options.connectivity = connectivity;
  options.criterion = problem.criterion;
  if (mask)
  {
    options.mask = ImageView(mask->data(), problem.extent);
  }
#ifndef BRICKCCL_CUDA_ON_HOST
  // The kernels on the host need no such image: there, memory is overwritten whenever it is asked for.
  if (afterOthers)
  {
    LabelOthersBefore(voxels, problem, options, onCuda);
  }
#endif
  Label(ImageView(voxels.data(), problem.extent, problem.channels), options, onCuda);
  ASSERT_EQ(onCuda.UsedDevice().device.kind, Device::Kind::Cuda) << onCuda.UsedDevice().remark;
  std::vector<std::uint64_t> labels(expected.size(), 12345);
  onCuda.Write(labels.data());
  ASSERT_EQ(labels, expected) << algorithm << " on CUDA, " << what << ", extent " << problem.extent.ToString()
                              << ", connectivity " << connectivity.ToString() << ", " << problem.criterion.ToString();
}

/** Compares a label map of one type. Each type has its own way of being written. */
template <typename T>
void
ExpectSameLabelMap(const std::string & what, const Labeling & labeling, const std::vector<std::uint64_t> & labels)
{
  if (static_cast<double>(labeling.ComponentCount()) > static_cast<double>(std::numeric_limits<T>::max()))
  {
    return;
  }
  std::vector<T> map(labels.size(), T{ 77 });
  labeling.Write(map.data());
  ASSERT_TRUE(
    std::equal(map.begin(), map.end(), labels.begin(), [](T a, std::uint64_t b) { return a == static_cast<T>(b); }))
    << what << ", " << sizeof(T) << " bytes per label";
}

/** Compares every algorithm with the oracle, for several numbers of threads and divisions of the work. Where there is a
 *  CUDA device, it is compared as well. */
template <typename T>
void
ExpectSameAsFloodFill(const std::string &                              what,
                      const std::vector<T> &                           voxels,
                      const testing::FloodFillProblem &                problem,
                      const Connectivity &                             connectivity,
                      const std::optional<std::vector<std::uint8_t>> & mask = {})
{
  const std::vector<std::uint64_t> expected = testing::FloodFill(problem);
  Labeling                         reused;
  // Contents of the CPU's memory before a call. `Others` is what the algorithm that keeps the most memory has left.
  enum class Memory
  {
    None,
    Others,
    Ones,
    Mixed
  };
  struct Run
  {
    int    threads;
    int    grain;
    Memory memory;
  };
  for (const AlgorithmInfo & algorithm : ListAlgorithms())
  {
    ExpectSameOnCuda(algorithm.name, what, voxels, problem, connectivity, mask, expected, true);
    if (::testing::Test::HasFatalFailure())
    {
      return;
    }
    if (!AlgorithmRunsOnCpu(algorithm.name, problem.extent, problem.criterion, connectivity))
    {
      continue;
    }
    for (const auto & [threads, grain, memory] : { Run{ 1, 1 << 20, Memory::None },
                                                   Run{ 1, 1 << 20, Memory::Others },
                                                   Run{ 1, 1, Memory::Ones },
                                                   Run{ 3, 1, Memory::Mixed } })
    {
      LabelOptions options;
      options.algorithm = algorithm.name;
      options.device = { Device::Kind::Cpu, 0 };
      options.connectivity = connectivity;
      options.criterion = problem.criterion;
      options.threads = threads;
      options.grain = grain;
      if (mask)
      {
        options.mask = ImageView(mask->data(), problem.extent);
      }
      if (testing::HasThreadSanitizer && threads == 1)
      {
        continue; // there are no others to race with
      }
      if (memory == Memory::None)
      {
        reused = Labeling();
      }
      else
      {
        LabelOptions others = options;
        others.algorithm = "RunMerging";
        LabelOthersBefore(voxels, problem, others, reused);
      }
      if (memory == Memory::Ones || memory == Memory::Mixed)
      {
        testing::OverwriteMemory(reused, memory == Memory::Ones ? 0xFF : 0x5A);
      }
      Label(ImageView(voxels.data(), problem.extent, problem.channels), options, reused);
      std::vector<std::uint64_t> labels(expected.size(), 12345);
      reused.Write(labels.data());
      ASSERT_EQ(labels, expected) << algorithm.name << ", " << what << ", extent " << problem.extent.ToString()
                                  << ", connectivity " << connectivity.ToString() << ", "
                                  << problem.criterion.ToString() << ", " << threads << " threads, grain " << grain
                                  << ", memory " << static_cast<int>(memory);
    }
    ExpectSameLabelMap<std::uint32_t>(what, reused, expected);
    ExpectSameLabelMap<std::int16_t>(what, reused, expected);
    ExpectSameLabelMap<std::uint8_t>(what, reused, expected);
    ExpectSameLabelMap<float>(what, reused, expected);
    ExpectSameLabelMap<double>(what, reused, expected);
  }
}

template <typename T>
void
CheckAllConnectivities(const std::string &    what,
                       const std::vector<T> & voxels,
                       const Extent &         extent,
                       const Criterion &      criterion,
                       int                    channels = 1)
{
  testing::FloodFillProblem problem = ProblemOf(voxels, extent, channels, criterion);
  for (int rank = 1; rank <= extent.dimension; ++rank)
  {
    problem.rank = rank;
    ASSERT_NO_FATAL_FAILURE(ExpectSameAsFloodFill(what, voxels, problem, Connectivity(extent.dimension, rank)));
  }
}

/** Tests that compare only on a CUDA device. Without one they are skipped, visibly. If they are not skipped, the other
 *  tests compare there, too. */
class ConformanceOnCuda : public ::testing::Test
{
protected:
  void
  SetUp() override
  {
    if (!HasCuda())
    {
      GTEST_SKIP() << ResolveDevice({ Device::Kind::Cuda, 0 }).remark;
    }
  }
};

} // namespace brickccl

#endif
