// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Runs/ListRuns.h"

// Highway compiles the rest of this file once for every instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "BrickCCL/Runs/ListRuns-simd.cxx"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "BrickCCL/Runs/RowWords-inl.h"

HWY_BEFORE_NAMESPACE();

namespace brickccl::simd
{
namespace HWY_NAMESPACE
{

/** The bits of word w of a row at which runs begin. `hasBefore` says that there is a word before word 0. */
HWY_INLINE Word
StartsOf(const Word * bits, std::int64_t w, bool hasBefore = false)
{
  return bits[w] & ~FromLeft(bits[w], w > 0 || hasBefore ? bits[w - 1] : 0);
}

// For a bit x, List writes before - 1 + the number of starts among the bits below `reach` << x, or among all bits if
// that is past the word. Vector code lists a word without asking whether it has bits: in noise and in rocks no
// processor would predict that.
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3_DL

bool
ListsManyAtOnce()
{
  return true;
}

class BitPlaces
{
public:
  HWY_INLINE explicit BitPlaces(Word marks)
    : m_Count(CountBits(marks))
  {
    _mm512_store_si512(m_Places, PlacesOfBits(marks));
  }

  HWY_INLINE int
  Count() const
  {
    return m_Count;
  }

  HWY_INLINE void
  List(Word starts, std::uint32_t before, unsigned reach, std::uint32_t * runs) const
  {
    const __m512i all = _mm512_set1_epi64(static_cast<long long>(starts));
    const __m512i first = _mm512_set1_epi64(reach);
    const __m256i from = _mm256_set1_epi32(static_cast<int>(before - 1));
    int           i = 0;
    do
    {
      const __m512i places = _mm512_cvtepu8_epi64(_mm_loadl_epi64(reinterpret_cast<const __m128i *>(m_Places + i)));
      const __m512i below = _mm512_sub_epi64(_mm512_sllv_epi64(first, places), _mm512_set1_epi64(1));
      const __m512i counts = _mm512_popcnt_epi64(_mm512_and_si512(all, below));
      _mm256_storeu_si256(reinterpret_cast<__m256i *>(runs + i), _mm256_add_epi32(_mm512_cvtepi64_epi32(counts), from));
      i += 8;
    } while (i < m_Count);
  }

private:
  alignas(64) std::uint8_t m_Places[64];
  int m_Count;
};

#else

bool
ListsManyAtOnce()
{
  return false;
}

class BitPlaces
{
public:
  HWY_INLINE explicit BitPlaces(Word marks)
    : m_Marks(marks)
  {}

  HWY_INLINE int
  Count() const
  {
    return CountBits(m_Marks);
  }

  HWY_INLINE void
  List(Word starts, std::uint32_t before, unsigned reach, std::uint32_t * runs) const
  {
    const int shift = reach == 1 ? 0 : reach == 2 ? 1 : 2;
    for (Word rest = m_Marks; rest != 0; rest &= rest - 1)
    {
      const int  end = LowestBit(rest) + shift;
      const Word below = end >= BitsPerWord ? ~Word{ 0 } : (Word{ 1 } << end) - 1;
      *runs++ = before - 1 + static_cast<std::uint32_t>(CountBits(starts & below));
    }
  }

private:
  Word m_Marks;
};

#endif

void
ListStarts(const Word * foreground, std::int64_t words, WordList & list)
{
  const WordTag tag;
  WordList      found{ list.bits, list.places, 0 };
  for (std::int64_t w = 0; w < words; w += static_cast<std::int64_t>(hn::Lanes(tag)))
  {
    const RowEnds    ends(w, words);
    const WordVector here = ends.Own(hn::LoadU(tag, foreground + w));
    AppendWords(hn::AndNot(ends.BitsBefore(here, foreground + w), here), w, 0, found);
  }
  list.count = found.count;
}

int
ListRunsUnder(const Word *        foreground,
              const NumberedRow & row,
              std::int64_t        first,
              int                 count,
              std::uint32_t (&runs)[ListWords * BitsPerWord + ListPadding])
{
  int listed = 0;
  for (std::int64_t w = first; w < first + count; ++w)
  {
    const BitPlaces places(StartsOf(foreground, w));
    places.List(StartsOf(row.bits, w), row.before[w], 2, runs + listed);
    listed += places.Count();
  }
  return listed;
}

void
ListLinkedRuns(const RowLinkWords & links,
               const NumberedRow &  a,
               const NumberedRow &  b,
               bool                 hasBefore,
               std::int64_t         wordsLeft,
               int                  count,
               RunPairs &           pairs)
{
  int listed = 0;
  for (int w = 0; w < count; ++w)
  {
    if ((links.same[w] | links.left[w] | links.right[w]) == 0)
    {
      continue;
    }
    const Word startsA = StartsOf(a.bits, w, hasBefore);
    const Word startsB = StartsOf(b.bits, w, hasBefore);
    const auto list = [&](Word marks, unsigned reachInB) HWY_ATTR {
      const BitPlaces places(marks);
      places.List(startsA, a.before[w], 2, pairs.a + listed);
      places.List(startsB, b.before[w], reachInB, pairs.b + listed);
      listed += places.Count();
    };
    list(links.same[w], 2);
    if (links.left[w] != 0)
    {
      list(links.left[w], 1);
    }
    if (links.right[w] != 0)
    {
      list(links.right[w], 4);
    }
    // The last link goes to a run of the next word.
    if (links.right[w] >> (BitsPerWord - 1) != 0 && w + 1 < wordsLeft)
    {
      pairs.b[listed - 1] += static_cast<std::uint32_t>(StartsOf(b.bits, w + 1, hasBefore) & 1u);
    }
  }
  pairs.count = listed;
}

void
ListStraightRuns(const StraightRows & rows,
                 Word                 previous,
                 int                  count,
                 std::uint32_t &      countA,
                 std::uint32_t &      countB,
                 RunPairs &           pairs)
{
  int           listed = 0;
  std::uint32_t beforeA = countA;
  std::uint32_t beforeB = countB;
  for (int w = 0; w < count; ++w)
  {
    const Word      startsA = rows.startsA[w];
    const Word      startsB = rows.startsB[w];
    const Word      same = rows.same[w];
    const BitPlaces places(same & ~(FromLeft(same, previous) & ~startsA & ~startsB));
    places.List(startsA, beforeA, 2, pairs.a + listed);
    places.List(startsB, beforeB, 2, pairs.b + listed);
    listed += places.Count();
    previous = same;
    beforeA += static_cast<std::uint32_t>(CountBits(startsA));
    beforeB += static_cast<std::uint32_t>(CountBits(startsB));
  }
  countA = beforeA;
  countB = beforeB;
  pairs.count = listed;
}

} // namespace HWY_NAMESPACE
} // namespace brickccl::simd

HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace brickccl::simd
{

HWY_EXPORT(ListRunsUnder);
HWY_EXPORT(ListStarts);
HWY_EXPORT(ListLinkedRuns);
HWY_EXPORT(ListsManyAtOnce);
HWY_EXPORT(ListStraightRuns);

int
ListRunsUnder(const Word *        foreground,
              const NumberedRow & row,
              std::int64_t        first,
              int                 count,
              std::uint32_t (&runs)[ListWords * BitsPerWord + ListPadding])
{
  return HWY_DYNAMIC_DISPATCH(ListRunsUnder)(foreground, row, first, count, runs);
}

void
ListLinkedRuns(const RowLinkWords & links,
               const NumberedRow &  a,
               const NumberedRow &  b,
               bool                 hasBefore,
               std::int64_t         wordsLeft,
               int                  count,
               RunPairs &           pairs)
{
  HWY_DYNAMIC_DISPATCH(ListLinkedRuns)(links, a, b, hasBefore, wordsLeft, count, pairs);
}

void
ListStarts(const Word * foreground, std::int64_t words, WordList & list)
{
  HWY_DYNAMIC_DISPATCH(ListStarts)(foreground, words, list);
}

bool
ListsManyAtOnce()
{
  return HWY_DYNAMIC_DISPATCH(ListsManyAtOnce)();
}

void
ListStraightRuns(const StraightRows & rows,
                 Word                 previous,
                 int                  count,
                 std::uint32_t &      countA,
                 std::uint32_t &      countB,
                 RunPairs &           pairs)
{
  HWY_DYNAMIC_DISPATCH(ListStraightRuns)(rows, previous, count, countA, countB, pairs);
}

} // namespace brickccl::simd

#endif
