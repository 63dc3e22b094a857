// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_BATCH_COMPAREBATCHES_H
#define BRICKCCL_BATCH_COMPAREBATCHES_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace brickccl::batch
{

/** The change of a defect from one batch to another one. */
enum class DefectChange
{
  /** They share voxels, more than either does with any other defect. */
  Same,
  Grown,
  Shrunk,
  /** No defect of the other batch shares a voxel with it. */
  New,
  Vanished,
  /** It shares voxels with a defect of the other batch that shares more with another one: it came off that defect, or
   *  became a part of it. */
  Split,
  Merged
};

std::string NameOf(DefectChange change);

struct ComparedDefect
{
  DefectChange change = DefectChange::Same;
  /** The labels and voxels in both batches; no label where it is not there. */
  std::optional<std::uint64_t> before;
  std::optional<std::uint64_t> after;
  std::uint64_t                voxelsBefore = 0;
  std::uint64_t                voxelsAfter = 0;
  std::uint64_t                commonVoxels = 0;
};

/** An item that both batches have, or one of them. */
struct ComparedItem
{
  std::string name;
  /** Why its defects could not be compared; empty if they were. */
  std::string reason;
  /** Whether the reason is that only one batch had it, which is not an error. */
  bool                        isOfOneBatch = false;
  std::vector<ComparedDefect> defects;
};

/** \throws Error if two batches were made with recipes that differ in more than comments, blanks and order. */
void CheckSameRecipe(const std::string & before, const std::string & after);

struct CompareOptions
{
  /** A defect has grown or shrunk if its number of voxels changed by more than this share. */
  double leastChange = 0.1;
  int    threads = 0;
};

/** Compares the defects of the items of two batches that have the same name, by the overlap of their label maps.
 *  \throws Error if one of the folders is not a batch's folder; Canceled. */
std::vector<ComparedItem>
CompareBatches(const std::string & before, const std::string & after, const CompareOptions & options);

} // namespace brickccl::batch

#endif
