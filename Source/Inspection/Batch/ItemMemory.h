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
    return "the item needs more memory than it was given";
  }

  /** All that it needs. */
  std::uint64_t bytes;
};

/** What is known of an item before its voxels are read. */
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

/** The most memory that the process of an item holds, in bytes, as far as its header tells: the image, what the steps
 *  of the recipe take for each voxel, the process itself, and as much for lists of runs and components as most scans
 *  take. */
std::uint64_t MemoryForVoxels(const ItemHeader & header, const Recipe & recipe);

/** What the slices of an item's report take while they are drawn. */
std::uint64_t MemoryForReportSlices(const Extent & extent);

/** What the program that draws surfaces takes, with the display that it draws on. `runs` are those of the labels. */
std::uint64_t MemoryForSurfaces(const Extent & extent, std::uint64_t runs);

/** What labeling takes beside the voxels, when it is known how many runs there are. */
std::uint64_t MemoryForLabeling(std::uint64_t runs);

/** What finding the part takes beside the voxels, when it is known how many runs the material has. */
std::uint64_t MemoryForPart(std::uint64_t materialRuns, const Extent & extent);

/** The memory that measuring and judging take beside the voxels, when it is known how many runs the components have,
 *  and how many those outside of the part. */
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

  /** Checks lists that will have so many bytes. \throws MoreMemoryNeeded */
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
/** The same, rounded up: so much is enough. */
std::string DescribeNeed(std::uint64_t bytes);

} // namespace brickccl::batch

#endif
