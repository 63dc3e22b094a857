// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Core/BitRow.h"
#include "BrickCCL/Core/Connectivity.h"
#include "BrickCCL/Core/VolumeView.h"
#include "BrickCCL/Criteria/Criterion.h"

#include <memory>
#include <optional>
#include <utility>

namespace brickccl
{

/** The linking stage, one row at a time: pixels and a criterion go in, bits come out. Its callers never see pixel
 *  types. All functions may be called from several threads at once. */
class RowLinks
{
public:
  virtual ~RowLinks() = default;

  /** Whether neighbors are joined exactly if both are foreground. Then PackLinks need not be called. */
  virtual bool FollowForeground() const = 0;

  /** Whether two neighbors are joined whenever both are joined to a third voxel. Then the runs of two rows are joined
   *  at every column that they share or at none. */
  virtual bool
  AreTransitive() const
  {
    return FollowForeground();
  }

  /** Sets bit x of `bits` if voxel x of the row is foreground. */
  virtual void PackForeground(std::int64_t row, Word * bits) const = 0;

  /** A row earlier along y or z. Its foreground is known; the straight links to it are written to `links`. */
  struct EarlierRow
  {
    std::int64_t row;
    const Word * foreground;
    Word *       links;
  };

  static constexpr int MaximumEarlierRows = 2;

  /** A row whose foreground and starts of runs are written, and the rows to which its links are wanted. */
  struct LinkedRow
  {
    std::int64_t row;
    Word *       foreground;
    Word *       starts;
    EarlierRow   earlier[MaximumEarlierRows];
    int          earlierCount;
  };

  /** Finds the foreground, the starts of runs and the links to earlier rows at once, where that is faster than one
   *  after the other.
   *  \return false if it is not faster; then nothing is written */
  virtual bool
  PackLinkedRow(const LinkedRow & /* row */) const
  {
    return false;
  }

  /** Does the same for two rows, each linked to MaximumEarlierRows others. The last row linked to the second row is
   *  the first row. */
  virtual bool
  PackLinkedPair(const LinkedRow & /* first */, const LinkedRow & /* second */) const
  {
    return false;
  }

  /** Whether PackSeparated finds separated voxels. The answer comes from samples. */
  virtual bool
  KnowsSeparation() const
  {
    return false;
  }

  /** Sets bit x of `below` if voxel x of the row is at or below one value, and of `above` if it is at or above
   *  another value. No voxel below is joined to one above. Call it only if KnowsSeparation() is true. */
  virtual void
  PackSeparated(std::int64_t /* row */, Word * /* below */, Word * /* above */) const
  {}

  /** Sets bit x of `bits` if it is set in `candidates` and voxel x of `row` is joined to voxel x + step of
   *  `neighborRow`. Both voxels of a candidate are in their rows and are foreground. `step` is -1, 0 or 1. */
  virtual void
  PackLinks(std::int64_t row, std::int64_t neighborRow, int step, const Word * candidates, Word * bits) const = 0;

  /** Whether two neighboring foreground voxels are joined. \param a, b  linear voxel indices, x fastest */
  virtual bool AreJoined(std::int64_t a, std::int64_t b) const = 0;

  /** Prefetches the pixel that AreJoined will read. It goes into the second-level cache, which waits for more lines at
   *  a time than the first-level one. */
  void
  Prefetch(std::int64_t place) const
  {
#if defined(__GNUC__)
    constexpr int second = 2;
    __builtin_prefetch(m_Pixels + place * m_BytesPerPixel, 0, second);
#else
    (void)place;
#endif
  }

protected:
  RowLinks() = default;
  /** \param pixels  where the pixels lie, for Prefetch */
  RowLinks(const void * pixels, std::int64_t bytesPerPixel)
    : m_Pixels(static_cast<const char *>(pixels))
    , m_BytesPerPixel(bytesPerPixel)
  {}

private:
  const char * m_Pixels = nullptr;
  std::int64_t m_BytesPerPixel = 0;
};

/** Makes the links of an image under a criterion. Voxels where `mask` is 0 are never foreground. \throws
 *  InvalidArgument for an invalid criterion or a mask of another extent. */
std::unique_ptr<RowLinks>
MakeRowLinks(const ImageView & image, const Criterion & criterion, const std::optional<ImageView> & mask = {});

} // namespace brickccl
