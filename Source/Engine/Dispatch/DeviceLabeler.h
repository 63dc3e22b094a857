// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Criteria/Problem.h"
#include "BrickCCL/Dispatch/AlgorithmTable.h"
#include "BrickCCL/Dispatch/CudaLabeler.h"
#include "BrickCCL/Host/Parallel.h"
#include "BrickCCL/Runs/RunVolume.h"
#include "BrickCCL/Tables/ComponentSums.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace brickccl
{

/** A CudaLabeler with functions for Label() on a device, for slabs, and for comparisons of the papers' algorithms. Only
 *  builds with CUDA have it. */
class DeviceLabeler : public CudaLabeler
{
public:
  using CudaLabeler::CudaLabeler;

  /** Labels a problem with its voxels in host memory. The labels 1..N come back as runs, the same as the CPU's. Both
   *  ways go through page-locked memory. The context's threads copy; its progress is reported, and may cancel.
   *  \param isOnDevice  the voxels are on the device already; the problem has no mask
   *  \return N. \throws Unsupported, Canceled, cuda::DeviceError. After an exception the labeler can be used again. */
  std::uint64_t Label(const AlgorithmChoice & asked,
                      const Problem &         problem,
                      const HostContext &     context,
                      RunVolume &             result,
                      bool                    isOnDevice = false);

  /** The seconds that the steps of the last Label() took. */
  struct Times
  {
    double upload = 0;
    double label = 0;
    double download = 0;
  };
  const Times & LastTimes() const;

  /** The device memory that it holds for the next call, with uploaded images. */
  std::size_t HeldBytes() const;

  /** Labels a problem with its voxels on the device. `queueMore` queues work on the labels after labeling, as
   *  WriteRowStartsOnDevice on this labeler; it is called before the host waits, where the algorithm can do that. It
   *  may be called again; then there were no labels yet. \return N */
  std::uint64_t LabelThen(const AlgorithmChoice &       asked,
                          const Problem &               problem,
                          const std::function<void()> & queueMore,
                          void *                        stream);

  /** Queues the labels of some rows of what was labeled last: whole rows from `firstRow` on. Labels are written at the
   *  first voxel of each run of linked voxels along x, and perhaps at others. `places` says where: it gets a bit for
   *  each voxel, and each row begins with a word. */
  void
  WriteRowStartsOnDevice(std::int64_t firstRow, std::int64_t rows, unsigned * labels, unsigned * places, void * stream);
  /** Queues other labels for what was labeled last: by label - 1, in memory of the device. None is larger than
   *  `highest`, which is at most 2^32 - 1. After that only WriteOnDevice makes sense. */
  void NumberOnDevice(const unsigned long long * numbers, std::uint64_t highest, void * stream);
  /** Declares that none of these labels is larger than `highest`. */
  void LowerHighest(std::uint64_t highest);

  /** In how many rounds the last algorithm changed something, if it repeats its steps until nothing changes; 0 for
   *  other algorithms. \throws InvalidArgument if nothing was labeled. */
  int LastIterations() const;

  /** Sets whether algorithms whose nodes are voxels measure the times of their stages. At first they do not. */
  void MeasureStages(bool on);

  /** The stages of the last call in order, with their milliseconds on the device. Empty if they were not measured. */
  std::vector<std::pair<std::string, double>> LastStages() const;

  /** Queues the components' sizes and moments, summed voxel by voxel as the paper about ridge patterns does (CUCCL,
   *  gitlab.com/lcg/cuccl, section III). If the algorithm was asked to collect them while it labeled
   *  ("LabelEquivalence:properties=moments", early computation), they are brought together; otherwise they are summed
   *  now (late computation). The component table has the same numbers and is made faster; these two ways are there to
   *  be compared. \throws InvalidArgument if nothing was labeled; Unsupported for algorithms whose nodes are runs. */
  void MomentsOnDevice(void * stream = nullptr);

  /** Does the same, and brings them to the host in the order of labels. With "properties=size" they have only sizes. */
  std::vector<ComponentMoments> FetchMoments(void * stream = nullptr);
};

} // namespace brickccl
