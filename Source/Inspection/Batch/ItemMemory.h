// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_BATCH_ITEMMEMORY_H
#define BRICKCCL_BATCH_ITEMMEMORY_H

#include "BrickCCL/Batch/Recipe.h"
#include "BrickCCL/Core/VolumeView.h"
#include "BrickCCL/Runs/RunVolume.h"

#include <cstdint>
#include <exception>
#include <limits>
#include <set>
#include <string>

namespace brickccl::batch
{

/** An item needs more memory than it was given. */
class MoreMemoryNeeded : public std::exception
{
public:
  explicit MoreMemoryNeeded(std::uint64_t needed)
    : bytes(needed)
  {}
  const char *
  what() const noexcept override
  {
    return "the item needs more memory than planned";
  }

  /** All that it needs. */
  std::uint64_t bytes;
};

/** An item's properties before its voxels are read. */
struct ItemHeader
{
  Extent     extent;
  Geometry   geometry;
  ScalarType type = ScalarType::UInt8;
  int        channels = 1;
  /** The most bytes that its voxels take while they are read. */
  std::uint64_t voxelBytes = 0;
  /** The bytes of its files. */
  std::uint64_t fileBytes = 0;
};

/** The most memory of an item's process, in bytes, estimated from its header: the image, the recipe's steps per
 *  voxel, the process itself, and lists of runs and components as in most scans. */
std::uint64_t MemoryForVoxels(const ItemHeader & header, const Recipe & recipe);

/** The memory to draw the slices of an item's report. */
std::uint64_t MemoryForReportSlices(const Extent & extent);

/** The memory of the program that draws surfaces, with its display. `runs` is the number of the labels' runs. */
std::uint64_t MemoryForSurfaces(const Extent & extent, std::uint64_t runs);

/** The memory for labeling in addition to the voxels, when the number of runs is known. */
std::uint64_t MemoryForLabeling(std::uint64_t runs);

/** The memory for finding the part in addition to the voxels, when the number of the material's runs is known. */
std::uint64_t MemoryForPart(std::uint64_t materialRuns, const Extent & extent);

/** The memory for measuring and judging in addition to the voxels, when the numbers of runs of components and outside
 *  the part are known. */
std::uint64_t
MemoryForRuns(std::uint64_t runs, std::uint64_t outsideRuns, std::uint64_t components, const Recipe & recipe);

/** The bytes of files together; one that is not there has none. */
std::uint64_t BytesOfFiles(const std::set<std::string> & files);

/** Whether an item keeps to the memory that it was given, as more and more is known of it. */
class MemoryPlan
{
public:
  /** \param limit  what the item was given
   *  \param maximum   what it can be given */
  MemoryPlan(std::uint64_t limit, std::uint64_t maximum)
    : m_Limit(limit)
    , m_Maximum(maximum)
  {}

  bool
  IsLimited() const
  {
    return m_Limit != std::numeric_limits<std::uint64_t>::max();
  }
  bool
  IsMade() const
  {
    return m_ForVoxels > 0;
  }

  /** Plans from the header. Surfaces are left out where they take more than the item can be given.
   *  \throws MoreMemoryNeeded */
  void Plan(const ItemHeader & header, const Recipe & recipe, bool drawsForReport, bool drawsSurfaces);

  /** Checks lists that will have this many bytes. \throws MoreMemoryNeeded */
  void CheckLists(std::uint64_t bytes);

  /** Why surfaces of labels are not drawn, without a full stop; empty if they are, or were not asked for.
   *  \throws MoreMemoryNeeded if the item can be given what they take, but was not. */
  std::string WhyNoSurfaces(const RunVolume & labels) const;

private:
  /** \throws MoreMemoryNeeded */
  void Check() const;

  std::uint64_t m_Limit;
  std::uint64_t m_Maximum;
  std::uint64_t m_ForVoxels = 0;
  std::uint64_t m_ForSurfaces = 0;
  /** All that the item itself takes, as far as its lists are known. */
  std::uint64_t m_Needed = 0;
  /** The part of that for lists. */
  std::uint64_t m_ForLists = 0;
};

/** "1.5 GB". */
std::string DescribeBytes(std::uint64_t bytes);
/** As above, rounded up. */
std::string DescribeNeed(std::uint64_t bytes);

} // namespace brickccl::batch

#endif
