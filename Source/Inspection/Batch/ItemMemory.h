// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_BATCH_ITEMMEMORY_H
#define BRICKCCL_BATCH_ITEMMEMORY_H

#include "BrickCCL/Batch/Recipe.h"
#include "BrickCCL/Files/LoadedImage.h"
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

/** Whether an item keeps to the memory that it was given, as more and more is known of it. */
class MemoryPlan
{
public:
  /** \param limit  what the item was given
   *  \param maximum   what it can be given */
  MemoryPlan(std::uint64_t limit, std::uint64_t maximum, const Recipe & recipe)
    : m_Limit(limit)
    , m_Maximum(maximum)
    , m_Recipe(recipe)
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

  /** Plans from the header, the most bytes that its voxels take while they are read, and the files. Surfaces are left
   * out where they take more than the item can be given. \throws MoreMemoryNeeded */
  void Plan(const LoadedImage &           header,
            std::uint64_t                 voxelBytes,
            const std::set<std::string> & files,
            bool                          drawsForReport,
            bool                          drawsSurfaces);

  /** Checks the lists of runs: of the part's material, of what is labeled, and of components and what is outside the
   *  part, to measure and judge. \throws MoreMemoryNeeded */
  void CheckMaterial(std::uint64_t runs);
  void CheckForeground(std::uint64_t runs);
  void CheckComponents(std::uint64_t runs, std::uint64_t outsideRuns, std::uint64_t components);

  /** Why surfaces of labels are not drawn, without a full stop; empty if they are, or were not asked for.
   *  \throws MoreMemoryNeeded if the item can be given what they take, but was not. */
  std::string WhyNoSurfaces(const RunVolume & labels) const;

private:
  /** Checks lists that will have this many bytes. \throws MoreMemoryNeeded */
  void CheckLists(std::uint64_t bytes);
  void Check() const;

  std::uint64_t  m_Limit;
  std::uint64_t  m_Maximum;
  const Recipe & m_Recipe;
  Extent         m_Extent;
  std::uint64_t  m_ForVoxels = 0;
  std::uint64_t  m_ForSurfaces = 0;
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
