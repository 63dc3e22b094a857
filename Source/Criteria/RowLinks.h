#ifndef BRICKCCL_CRITERIA_ROWLINKS_H
#define BRICKCCL_CRITERIA_ROWLINKS_H

#include "BrickCCL/Core/BitRow.h"
#include "BrickCCL/Core/Connectivity.h"
#include "BrickCCL/Core/VolumeView.h"
#include "BrickCCL/Criteria/Criterion.h"

#include <memory>
#include <optional>
#include <utility>

namespace brickccl
{

/** The linking stage, a row at a time: pixels and criterion go in, bits come out. What stands behind this interface
 *  knows pixel types; nobody after it does. All functions may be called from several threads at once. */
class RowLinks
{
public:
  virtual ~RowLinks() = default;

  /** Whether neighbours are joined exactly if both are foreground, so that PackLinks need not be asked. */
  virtual bool FollowForeground() const = 0;

  /** Whether voxels that are both joined to a third one would be joined too, were they neighbours: then the runs of
   *  two rows are joined at every column that they share or at none. */
  virtual bool
  AreTransitive() const
  {
    return FollowForeground();
  }

  /** Bit x of `bits`: voxel x of the row is foreground. */
  virtual void PackForeground(std::int64_t row, Word * bits) const = 0;

  /** A row before another one along y or z, whose foreground is known, and where the straight links to it go. */
  struct EarlierRow
  {
    std::int64_t row;
    const Word * foreground;
    Word *       links;
  };

  static constexpr int MaximumEarlierRows = 2;

  /** A row, where its foreground and the starts of its runs go, and the rows to which links are wanted. */
  struct LinkedRow
  {
    std::int64_t row;
    Word *       foreground;
    Word *       starts;
    EarlierRow   earlier[MaximumEarlierRows];
    int          earlierCount;
  };

  /** Finds foreground, starts of runs and the links to earlier rows at once, if that is faster than one after the
   * other. \return false if it is not, and nothing was done. */
  virtual bool
  PackLinkedRow(const LinkedRow & /* row */) const
  {
    return false;
  }

  /** The same of two rows at once, each linked to MaximumEarlierRows, of which the second row's last one is the first row.
   */
  virtual bool
  PackLinkedPair(const LinkedRow & /* first */, const LinkedRow & /* second */) const
  {
    return false;
  }

  /** Whether PackSeparated tells voxels apart, from some of them. */
  virtual bool
  KnowsSeparation() const
  {
    return false;
  }

  /** Bit x of `below` and of `above`: voxel x of the row lies at or below one value, or at or above another one, too
   * far apart for any voxel below to be joined to one above. To be asked only after KnowsSeparation() has said so. */
  virtual void
  PackSeparated(std::int64_t /* row */, Word * /* below */, Word * /* above */) const
  {}

  /** Bit x of `bits`: bit x of `candidates` is set, and voxel x of `row` is joined to voxel x + step of
   *  `neighbourRow`. Candidates have both voxels inside the row and foreground. `step` is -1, 0 or 1. */
  virtual void
  PackLinks(std::int64_t row, std::int64_t neighbourRow, int step, const Word * candidates, Word * bits) const = 0;

  /** Whether two neighbouring foreground voxels are joined, by their places in the image, x fastest. */
  virtual bool AreJoined(std::int64_t a, std::int64_t b) const = 0;

  /** Asks the memory for what AreJoined will look at: for the second-level cache, which waits for more at a time than
   *  the first-level one. */
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
  /** Links of pixels in memory. */
  RowLinks(const void * pixels, std::int64_t bytesPerPixel)
    : m_Pixels(static_cast<const char *>(pixels))
    , m_BytesPerPixel(bytesPerPixel)
  {}

private:
  const char * m_Pixels = nullptr;
  std::int64_t m_BytesPerPixel = 0;
};

/** Links of an image under a criterion; voxels where `mask` is 0 never take part.
 *  \throws InvalidArgument for a criterion without meaning or a mask of another extent. */
std::unique_ptr<RowLinks>
MakeRowLinks(const ImageView & image, const Criterion & criterion, const std::optional<ImageView> & mask = {});

/** Links that a caller's own functions decide, voxel by voxel.
 *  `foreground(index)` and `joined(indexA, indexB)` take linear voxel indices, x fastest; `joined` must be symmetric
 *  and is asked for pairs of neighbouring foreground voxels only. */
template <typename TForeground, typename TJoined>
class FunctorRowLinks final : public RowLinks
{
public:
  FunctorRowLinks(const Extent & extent, TForeground foreground, TJoined joined)
    : m_Extent(extent)
    , m_Foreground(std::move(foreground))
    , m_Joined(std::move(joined))
  {}

  bool
  FollowForeground() const override
  {
    return false;
  }

  void
  PackForeground(std::int64_t row, Word * bits) const override
  {
    const std::int64_t length = m_Extent.RowLength();
    for (std::int64_t w = 0; w < WordsForBits(length); ++w)
    {
      bits[w] = 0;
    }
    for (std::int64_t x = 0; x < length; ++x)
    {
      bits[x / BitsPerWord] |= Word{ m_Foreground(row * length + x) ? 1u : 0u } << (x % BitsPerWord);
    }
  }

  void
  PackLinks(std::int64_t row, std::int64_t neighbourRow, int step, const Word * candidates, Word * bits) const override
  {
    const std::int64_t length = m_Extent.RowLength();
    for (std::int64_t w = 0; w < WordsForBits(length); ++w)
    {
      bits[w] = 0;
      for (Word rest = candidates[w]; rest != 0; rest &= rest - 1)
      {
        const std::int64_t x = w * BitsPerWord + LowestBit(rest);
        if (m_Joined(row * length + x, neighbourRow * length + x + step))
        {
          bits[w] |= rest & (~rest + 1);
        }
      }
    }
  }

  bool
  AreJoined(std::int64_t a, std::int64_t b) const override
  {
    return m_Joined(a, b);
  }

private:
  Extent      m_Extent;
  TForeground m_Foreground;
  TJoined     m_Joined;
};

} // namespace brickccl

#endif
