// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Bricks/Bricks.h"
#include "BrickCCL/Criteria/Criterion.h"
#include "BrickCCL/Files/LoadedImage.h"
#include "BrickCCL/Job/Job.h"

#include <cstdint>
#include <string>
#include <vector>

namespace brickccl
{

/** The images of a volume, all read in parts. */
struct SlabImages
{
  const LoadedImage * image = nullptr;
  /** Null if there are none. */
  const LoadedImage * mask = nullptr;
  const LoadedImage * intensity = nullptr;
  const LoadedImage * zones = nullptr;
};

/** How a volume is cut into slabs of whole slices along its slowest axis, so that the work fits into a memory. */
struct SlabPlan
{
  /** In raster order. */
  std::vector<BrickBox> slabs;
  std::uint64_t         inputBytes = 0;
  /** The memory of one slab during labeling, very probably an upper limit, and of the program itself. */
  std::uint64_t slabBytes = 0;
  std::uint64_t fixedBytes = 0;
  std::uint64_t memory = 0;
  /** Whether slices that are compressed together (LoadedImage::slicesAtOnce) are in several slabs. */
  bool cutsChunks = false;
  /** The size of the state in the work folder, by a rule of thumb. */
  std::uint64_t diskBytes = 0;

  /** The memory left for the records of all slabs. */
  std::uint64_t
  BytesForMerging() const
  {
    return memory - fixedBytes - slabBytes;
  }

  /** "16 slabs of 64 slices, 1.00 GiB to read; up to ... of memory ..." */
  std::string ToString() const;

  /** "use --memory 84MiB": fits this many bytes and the program, also if other slabs have some more components. */
  std::string AskForBytes(std::uint64_t bytes) const;
};

/** Plans for the memory of a job. \throws InvalidArgument, with the minimum memory for few components and a number of
 * threads that fits, if the fewest slices that can be read do not fit. */
SlabPlan PlanSlabs(const SlabImages & images, const Criterion & criterion, const job::Job & job);

/** "1.50 GiB" */
std::string BytesAsText(std::uint64_t bytes);

} // namespace brickccl
