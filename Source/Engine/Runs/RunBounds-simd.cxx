// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Runs/RunBounds.h"

// Highway compiles the rest of this file once for every instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "BrickCCL/Runs/RunBounds-simd.cxx"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "BrickCCL/Runs/RowWords-inl.h"

#include <algorithm>

HWY_BEFORE_NAMESPACE();

namespace brickccl::simd
{
namespace HWY_NAMESPACE
{

// A branch for each bit would cost more than it saves, since processors predict badly how many bits a word has.
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3_DL

/** Which of the RowWordsAtOnce words from `words` on have bits; bit i is word i. */
HWY_INLINE Word
NonZeroOf(const Word * words)
{
  const __m512i all = _mm512_loadu_si512(words);
  return _mm512_test_epi64_mask(all, all);
}

/** Writes base + x for every bit x of a word, ascending. \return their number */
HWY_INLINE int
PutBits(Word word, int base, std::int32_t * places)
{
  const __m512i bits = PlacesOfBits(word);
  const __m512i from = _mm512_set1_epi32(base);
  const auto    put = [&](int part, __m128i bytes) HWY_ATTR {
    _mm512_storeu_si512(places + 16 * part, _mm512_add_epi32(_mm512_cvtepu8_epi32(bytes), from));
  };
  const int count = CountBits(word);
  put(0, _mm512_castsi512_si128(bits));
  if (count > 16)
  {
    put(1, _mm512_extracti32x4_epi32(bits, 1));
    put(2, _mm512_extracti32x4_epi32(bits, 2));
    put(3, _mm512_extracti32x4_epi32(bits, 3));
  }
  return count;
}

#else

HWY_INLINE Word
NonZeroOf(const Word * words)
{
  Word nonZero = 0;
  for (std::size_t i = 0; i < RowWordsAtOnce; ++i)
  {
    nonZero |= Word{ words[i] != 0 ? 1u : 0u } << i;
  }
  return nonZero;
}

HWY_INLINE int
PutBits(Word word, int base, std::int32_t * places)
{
  const int      count = CountBits(word);
  constexpr Word guard = Word{ 1 } << (BitsPerWord - 1);
  constexpr int  always = 4;
  for (int i = 0; i < always; ++i)
  {
    places[i] = base + LowestBit(word | guard);
    word &= word - 1;
  }
  for (int i = always; i < count; ++i)
  {
    places[i] = base + LowestBit(word);
    word &= word - 1;
  }
  return count;
}

#endif

static_assert(std::int64_t{ 2 } * SparseWords + WordListPadding <= RunBounds::WordRoom);
static_assert(BoundWords <= SparseWords && SparseRuns <= RunBounds::Maximum);

/** Where runs follow the foreground, begins and ends alternate at the bits that differ from the bit before. */
HWY_INLINE void
FindFromForeground(const RowsOfBits & rows, int shift, std::int64_t first, std::int64_t end, RunBounds & bounds)
{
  const WordTag      tag;
  const std::int64_t step = (std::int64_t{ 1 } << shift) / BitsPerWord;
  WordList           changes{ bounds.words, bounds.places, 0 };
  for (std::int64_t r = 0; r < rows.count; ++r)
  {
    const Word * const words = rows.foreground + r * rows.wordsPerRow;
    for (std::int64_t w = first; w < end; w += static_cast<std::int64_t>(hn::Lanes(tag)))
    {
      const RowEnds    ends(w, rows.wordsPerRow);
      const WordVector here = hn::LoadU(tag, words + w);
      AppendWords(ends.Own(hn::Xor(here, ends.BitsBefore(here, words + w))), r * step + w, 0, changes);
    }
    if (end == rows.wordsPerRow)
    {
      AppendWord(words[end - 1] >> (BitsPerWord - 1), r * step + end, 0, changes);
    }
  }
  std::int32_t * last = bounds.bounds;
  if (bounds.open >= 0)
  {
    *last++ = bounds.open;
  }
  for (std::int64_t i = 0; i < changes.count; ++i)
  {
    last += PutBits(changes.bits[i], static_cast<int>(changes.places[i] >> KindBits) * BitsPerWord, last);
  }
  const auto count = static_cast<int>(last - bounds.bounds);
  bounds.open = count % 2 != 0 ? last[-1] : -1;
  bounds.runs = { count / 2, shift, 2, bounds.bounds, bounds.bounds + 1 };
}

HWY_INLINE void
FindFromStarts(const RowsOfBits & rows, int shift, std::int64_t first, std::int64_t end, RunBounds & bounds)
{
  std::int32_t * const begins = bounds.bounds;
  std::int32_t * const ends = bounds.bounds + RunBounds::Room;
  std::int32_t *       lastBegin = begins;
  std::int32_t *       lastEnd = ends;
  *begins = bounds.open;
  lastBegin += bounds.open >= 0 ? 1 : 0;
  for (std::int64_t r = 0; r < rows.count; ++r)
  {
    const Word * const words = rows.foreground + r * rows.wordsPerRow;
    const Word * const starts = rows.starts + r * rows.wordsPerRow;
    const int          row = static_cast<int>(r << shift);
    for (std::int64_t group = first; group < end; group += RowWordsAtOnce)
    {
      const Word inside = BitsUpTo(static_cast<int>(std::min<std::int64_t>(RowWordsAtOnce, end - group)) - 1);
      for (Word rest = NonZeroOf(words + group) & inside; rest != 0; rest &= rest - 1)
      {
        const std::int64_t w = group + LowestBit(rest);
        const bool         hasNext = w + 1 < rows.wordsPerRow;
        const Word         goesOn = words[w] & ~starts[w];
        const Word         nextGoesOn = hasNext ? words[w + 1] & ~starts[w + 1] : 0;
        const int          place = row + static_cast<int>(w) * BitsPerWord;
        lastBegin += PutBits(starts[w], place, lastBegin);
        lastEnd += PutBits(words[w] & ~FromRight(goesOn, nextGoesOn), place + 1, lastEnd);
      }
    }
  }
  bounds.open = lastBegin - begins > lastEnd - ends ? lastBegin[-1] : -1;
  bounds.runs = { static_cast<int>(lastEnd - ends), shift, 1, begins, ends };
}

void
FindRunBoundsOf(const RowsOfBits & rows, int shift, std::int64_t first, RunBounds & bounds)
{
  const std::int64_t end = std::min(rows.wordsPerRow, first + BoundWords);
  rows.starts == nullptr ? FindFromForeground(rows, shift, first, end, bounds)
                         : FindFromStarts(rows, shift, first, end, bounds);
}

} // namespace HWY_NAMESPACE
} // namespace brickccl::simd

HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace brickccl::simd
{

HWY_EXPORT(FindRunBoundsOf);

void
FindRunBounds(const RowsOfBits & rows, int shift, std::int64_t first, RunBounds & bounds)
{
  HWY_DYNAMIC_DISPATCH(FindRunBoundsOf)(rows, shift, first, bounds);
}

} // namespace brickccl::simd

#endif
