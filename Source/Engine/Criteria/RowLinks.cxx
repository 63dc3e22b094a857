// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Criteria/RowLinks.h"

#include "BrickCCL/Criteria/SeparatingValues.h"
#include "BrickCCL/Criteria/RuleConversion.h"
#include "BrickCCL/Criteria/PackRow.h"
#include "BrickCCL/Criteria/Problem.h"

#include <cstring>
#include <mutex>
#include <vector>
#ifdef __SSE2__
#  include <emmintrin.h>
#endif

namespace brickccl
{

namespace
{

/** Gathers 64 bytes that are 0 or 1 into the bits of a word. */
inline Word
PackBytes(const std::uint8_t * bytes)
{
  Word word = 0;
#ifdef __SSE2__
  for (std::ptrdiff_t part = 0; part < 4; ++part)
  {
    const __m128i block = _mm_loadu_si128(reinterpret_cast<const __m128i *>(bytes + 16 * part));
    const auto    mask = static_cast<unsigned>(_mm_movemask_epi8(_mm_slli_epi16(block, 7)));
    word |= Word{ mask } << (16 * part);
  }
#else
  for (int part = 0; part < 8; ++part)
  {
    Word eight;
    std::memcpy(&eight, bytes + 8 * part, 8);
    word |= ((eight * Word{ 0x0102040810204080 }) >> 56) << (8 * part);
  }
#endif
  return word;
}

/** The word of predicate(0) .. predicate(count - 1), count <= 64. */
template <typename TPredicate>
inline Word
PackPredicate(std::int64_t count, TPredicate predicate)
{
  std::uint8_t bytes[BitsPerWord];
  if (count >= BitsPerWord)
  {
    for (int b = 0; b < BitsPerWord; ++b)
    {
      bytes[b] = predicate(b);
    }
  }
  else
  {
    std::memset(bytes, 0, sizeof(bytes));
    for (int b = 0; b < count; ++b)
    {
      bytes[b] = predicate(b);
    }
  }
  return PackBytes(bytes);
}

/** Finds values that explain most neighbors that are not joined, from samples of an image of one channel.
 *  \return nothing if these neighbors are few or of many kinds */
template <typename T>
std::optional<SeparatingValues<T>>
FindSeparatingValues(const NeighborSamples<T> & samples, const VoxelRule<T> & rule)
{
  std::vector<SeparatingValues<T>> separated;
  for (int i = 0; i < samples.Count() && separated.size() < NeighborSamples<T>::MaximumSeparated; ++i)
  {
    SeparatingValues<T> values;
    if (samples.IsSeparated(i, values))
    {
      separated.push_back(values);
    }
  }
  const auto                         count = static_cast<int>(separated.size());
  std::optional<ExplainedSamples<T>> best;
  for (const SeparatingValues<T> & candidate : separated)
  {
    const ExplainedSamples<T> explained(candidate, separated.data(), count, rule);
    if (!best || explained.count > best->count)
    {
      best = explained;
    }
  }
  return best && best->AreMost(count) ? std::optional(best->InTheMiddle(rule)) : std::nullopt;
}

template <typename T>
class PixelRowLinks final : public RowLinks
{
public:
  PixelRowLinks(const ImageView & image, const Criterion & criterion, const std::optional<ImageView> & mask)
    : RowLinks(image.data, static_cast<std::int64_t>(sizeof(T)) * image.channels)
    , m_Data(static_cast<const T *>(image.data))
    , m_Extent(image.extent)
    , m_Channels(image.channels)
    , m_Rule(ToVoxelRule<T>(criterion, image.channels))
  {
    if (mask)
    {
      m_Mask = MakeRowLinks(*mask, Criterion::Foreground(0));
    }
  }

  bool
  FollowForeground() const override
  {
    return m_Rule.followsForeground;
  }

  bool
  AreTransitive() const override
  {
    return m_Rule.followsForeground || m_Rule.IsEquality();
  }

  void
  PackForeground(std::int64_t row, Word * bits) const override
  {
    const std::int64_t length = m_Extent.RowLength();
    const T *          pixels = RowOf(row);
    const auto         rule = m_Rule.foreground;
    const auto         packWords = [pixels, rule](std::int64_t first, std::int64_t words, Word * to) {
      simd::PackWords(pixels + first, words, rule.low, rule.high, rule.outside, to);
    };
    if (m_Mask)
    {
      m_Mask->PackForeground(row, bits);
    }
    else if (m_Channels == 1 && PackByVectors(length, packWords, bits))
    {
      return;
    }
    for (std::int64_t w = 0; w < WordsForBits(length); ++w)
    {
      if (m_Mask && bits[w] == 0)
      {
        continue;
      }
      const std::int64_t begin = w * BitsPerWord;
      const T *          block = pixels + begin * m_Channels;
      Word               word;
      if (m_Channels > 1)
      {
        word =
          PackPredicate(length - begin, [this, block](int b) { return m_Rule.IsForeground(block + b * m_Channels); });
      }
      else if (length - begin >= BitsPerWord)
      {
        packWords(begin, 1, &word);
      }
      else
      {
        word = PackPredicate(length - begin, [block, rule](int b) { return rule(block[b]); });
      }
      bits[w] = m_Mask ? bits[w] & word : word;
    }
  }

  bool
  KnowsSeparation() const override
  {
    std::call_once(m_LooksForSeparatingValues, [this] {
      if (m_Channels == 1 && !AreTransitive())
      {
        m_SeparatingValues =
          FindSeparatingValues(NeighborSamples<T>(m_Data, m_Extent.VoxelCount(), m_Extent.RowLength(), m_Rule), m_Rule);
      }
    });
    return m_SeparatingValues.has_value();
  }

  void
  PackSeparated(std::int64_t row, Word * below, Word * above) const override
  {
    const std::int64_t        length = m_Extent.RowLength();
    const T *                 pixels = RowOf(row);
    const SeparatingValues<T> values = *m_SeparatingValues;
    const auto                pack = [&](std::int64_t first, std::int64_t words, Word * isBelow, Word * isAbove) {
      simd::PackSeparated(pixels + first, words, values.low, values.high, isBelow, isAbove);
    };
    if (PackByVectors(length, pack, below, above))
    {
      return;
    }
    for (std::int64_t w = 0; w < WordsForBits(length); ++w)
    {
      const std::int64_t begin = w * BitsPerWord;
      const T *          block = pixels + begin;
      below[w] = PackPredicate(length - begin, [block, values](int b) { return block[b] <= values.low; });
      above[w] = PackPredicate(length - begin, [block, values](int b) { return block[b] >= values.high; });
    }
  }

  bool
  PackLinkedRow(const LinkedRow & row) const override
  {
    if (!CanPackLinked(row))
    {
      return false;
    }
    simd::NearRow<T> near[MaximumEarlierRows];
    simd::PackLinkedRow(ToPixels(row, near), m_Extent.RowLength(), PixelRule());
    return true;
  }

  bool
  PackLinkedPair(const LinkedRow & first, const LinkedRow & second) const override
  {
    if (!CanPackLinked(first) || !CanPackLinked(second))
    {
      return false;
    }
    simd::NearRow<T> nearFirst[MaximumEarlierRows];
    simd::NearRow<T> nearSecond[MaximumEarlierRows];
    simd::PackLinkedPair(ToPixels(first, nearFirst), ToPixels(second, nearSecond), m_Extent.RowLength(), PixelRule());
    return true;
  }

  void
  PackLinks(std::int64_t row, std::int64_t neighborRow, int step, const Word * candidates, Word * bits) const override
  {
    const std::int64_t words = WordsForBits(m_Extent.RowLength());
    if (HasVoxels(row, neighborRow, step, 0, words))
    {
      simd::PackNear(RowOf(row), RowOf(neighborRow) + step, words, m_Rule.difference.limit, candidates, bits);
      return;
    }
    for (std::int64_t w = 0; w < words; ++w)
    {
      bits[w] = LinksOfWord(row, neighborRow, step, w, candidates[w]);
    }
  }

  bool
  AreJoined(std::int64_t a, std::int64_t b) const override
  {
    return m_Rule.AreJoined(m_Data + a * m_Channels, m_Data + b * m_Channels);
  }

private:
  /** Calls `pack(first, words, bits...)` for the whole words of a row, then for its last 64 pixels, some of them again.
   *  \return false if the row has no whole word */
  template <typename TPack, typename... TWords>
  static bool
  PackByVectors(std::int64_t length, const TPack & pack, TWords *... bits)
  {
    const std::int64_t whole = length / BitsPerWord;
    const auto         rest = static_cast<int>(length % BitsPerWord);
    if (whole == 0)
    {
      return false;
    }
    pack(0, whole, bits...);
    if (rest != 0)
    {
      pack(length - BitsPerWord, 1, (bits + whole)...);
      ((bits[whole] >>= BitsPerWord - rest), ...);
    }
    return true;
  }

  /** Whether all voxels of some words of two rows can be read and compared at once, with the second row `step` voxels
   * further on. Voxels past a row's ends belong to other rows of the image and are not candidates. */
  bool
  HasVoxels(std::int64_t row, std::int64_t neighborRow, int step, std::int64_t word, std::int64_t words) const
  {
    const std::int64_t here = row * m_Extent.RowLength() + word * BitsPerWord;
    const std::int64_t there = neighborRow * m_Extent.RowLength() + word * BitsPerWord + step;
    const std::int64_t last = m_Extent.VoxelCount() - words * BitsPerWord;
    return m_Channels == 1 && !m_Rule.followsForeground && there >= 0 && here <= last && there <= last;
  }

  bool
  CanPackLinked(const LinkedRow & row) const
  {
    return !m_Mask && HasVoxels(row.row, row.row, -1, 0, WordsForBits(m_Extent.RowLength()));
  }
  /** \param near  gets the rows that `row` is linked to */
  simd::LinkedRow<T>
  ToPixels(const LinkedRow & row, simd::NearRow<T> (&near)[MaximumEarlierRows]) const
  {
    for (int i = 0; i < row.earlierCount; ++i)
    {
      near[i] = { RowOf(row.earlier[i].row), row.earlier[i].foreground, row.earlier[i].links };
    }
    return { RowOf(row.row), row.foreground, row.starts, near, row.earlierCount };
  }
  simd::RowRule<T>
  PixelRule() const
  {
    const auto rule = m_Rule.foreground;
    return { rule.low, rule.high, rule.outside, m_Rule.difference.limit };
  }

  inline Word
  LinksOfWord(std::int64_t row, std::int64_t neighborRow, int step, std::int64_t w, Word candidates) const
  {
    if (candidates == 0 || m_Rule.followsForeground)
    {
      return candidates;
    }
    const T *          here = RowOf(row);
    const T *          there = RowOf(neighborRow) + step * m_Channels;
    const std::int64_t begin = w * BitsPerWord;
    if (CountBits(candidates) > SparseBits && HasVoxels(row, neighborRow, step, w, 1))
    {
      Word near;
      simd::PackNear(here + begin, there + begin, 1, m_Rule.difference.limit, &candidates, &near);
      return near;
    }
    Word bits = 0;
    if (m_Channels == 1)
    {
      for (Word rest = candidates; rest != 0; rest &= rest - 1)
      {
        const int b = LowestBit(rest);
        bits |= Word{ m_Rule.difference(here[begin + b], there[begin + b]) } << b;
      }
      return bits;
    }
    for (Word rest = candidates; rest != 0; rest &= rest - 1)
    {
      const std::int64_t at = (begin + LowestBit(rest)) * m_Channels;
      if (m_Rule.AreJoined(here + at, there + at))
      {
        bits |= rest & (~rest + 1);
      }
    }
    return bits;
  }

  /** A word with at most this many candidates is compared voxel by voxel. */
  static constexpr int SparseBits = 4;

  const T *
  RowOf(std::int64_t row) const
  {
    return m_Data + row * m_Extent.RowLength() * m_Channels;
  }

  const T *                 m_Data;
  Extent                    m_Extent;
  int                       m_Channels;
  VoxelRule<T>              m_Rule;
  std::unique_ptr<RowLinks> m_Mask;
  /** Values between which no voxels are joined. Found when first needed: that costs a small image noticeable time. */
  mutable std::optional<SeparatingValues<T>> m_SeparatingValues;
  mutable std::once_flag                     m_LooksForSeparatingValues;
};

} // namespace

std::unique_ptr<RowLinks>
MakeRowLinks(const ImageView & image, const Criterion & criterion, const std::optional<ImageView> & mask)
{
  CheckProblem(image, criterion, mask);
  return VisitScalarType(image.type, [&](auto tag) -> std::unique_ptr<RowLinks> {
    return std::make_unique<PixelRowLinks<typename decltype(tag)::Type>>(image, criterion, mask);
  });
}

} // namespace brickccl
