// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Measuring/JoinRuns.h"

// Highway compiles the rest of this file once for every instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "BrickCCL/Measuring/JoinRuns-simd.cxx"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>

HWY_BEFORE_NAMESPACE();

namespace brickccl::simd
{
namespace HWY_NAMESPACE
{

#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3

bool
JoinsRunsOf()
{
  return true;
}

/** Adds to each lane the lane VLanes below it. */
template <int VLanes>
HWY_INLINE __m512i
AddLanesBelow(__m512i lanes)
{
  return _mm512_add_epi32(lanes, _mm512_alignr_epi32(lanes, _mm512_setzero_si512(), 16 - VLanes));
}

/** The sum of each lane, all lanes below it and `before`. */
HWY_INLINE __m512i
SumsUpTo(__m512i lanes, std::uint32_t before)
{
  const __m512i sums = AddLanesBelow<8>(AddLanesBelow<4>(AddLanesBelow<2>(AddLanesBelow<1>(lanes))));
  return _mm512_add_epi32(sums, _mm512_set1_epi32(static_cast<int>(before)));
}

HWY_INLINE std::uint32_t
           LastOf(__m512i lanes)
{
  const __m128i last = _mm512_extracti32x4_epi32(lanes, 3);
  return static_cast<std::uint32_t>(_mm_extract_epi32(last, 3));
}

/** The bounds of 16 runs, from the i-th on. */
struct BoundsOfRuns
{
  HWY_INLINE
  BoundsOfRuns(const RunPlaces & runs, int i)
  {
    if (runs.step == 1)
    {
      begins = _mm512_loadu_si512(runs.begins + i);
      nextBegins = _mm512_loadu_si512(runs.begins + i + 1);
      ends = _mm512_loadu_si512(runs.ends + i);
      return;
    }
    const __m512i even = _mm512_set_epi32(30, 28, 26, 24, 22, 20, 18, 16, 14, 12, 10, 8, 6, 4, 2, 0);
    const __m512i odd = _mm512_add_epi32(even, _mm512_set1_epi32(1));
    const auto    at = [&](int place) HWY_ATTR { return _mm512_loadu_si512(runs.begins + 2 * i + place); };
    const __m512i low = at(0);
    const __m512i high = at(16);
    begins = _mm512_permutex2var_epi32(low, even, high);
    ends = _mm512_permutex2var_epi32(low, odd, high);
    nextBegins = _mm512_permutex2var_epi32(at(2), even, at(18));
  }

  __m512i begins;
  __m512i nextBegins;
  __m512i ends;
};

/** For each of the numbers up to `count`, the difference to the next one. */
HWY_INLINE void
ToDifferences(std::uint32_t * numbers, int count)
{
  for (int i = 0; i < count; i += 16)
  {
    const __m512i here = _mm512_loadu_si512(numbers + i);
    _mm512_storeu_si512(numbers + i, _mm512_sub_epi32(_mm512_loadu_si512(numbers + i + 1), here));
  }
}

void
JoinRunsOf(const RunPlaces & runs, const std::uint32_t * labels, JoinedRuns & joined)
{
  const __m512i inRow = _mm512_set1_epi32(runs.LastInRow());
  const __m128i shift = _mm_cvtsi32_si128(runs.shift);
  std::uint32_t voxels = 0;
  std::uint32_t sum = 0;
  // Says whether the next run begins another stretch of runs to be joined.
  unsigned isNew = 1;
  int      begun = 0;
  joined.count = 0;
  // Sums up to the end of each stretch, modulo 2^32, until all stretches are known.
  joined.voxels[0] = 0;
  joined.sums[0] = 0;
  for (int i = 0; i < runs.count; i += 16)
  {
    const BoundsOfRuns bounds(runs, i);
    const __m512i      lengths = _mm512_sub_epi32(bounds.ends, bounds.begins);
    const __m512i      x = _mm512_and_si512(bounds.begins, inRow);
    // The sum of the first and the last x.
    const __m512i   ends = _mm512_add_epi32(_mm512_add_epi32(x, x), _mm512_sub_epi32(lengths, _mm512_set1_epi32(1)));
    const __m512i   allVoxels = SumsUpTo(lengths, voxels);
    const __m512i   allSums = SumsUpTo(_mm512_srli_epi32(_mm512_mullo_epi32(ends, lengths), 1), sum);
    const __m512i   own = _mm512_loadu_si512(labels + i);
    const __mmask16 isOther = _mm512_cmpneq_epi32_mask(own, _mm512_loadu_si512(labels + i + 1));
    const __m512i   toNext = _mm512_xor_si512(bounds.begins, bounds.nextBegins);
    const __mmask16 isNextRow = _mm512_cmpgt_epi32_mask(toNext, inRow);
    const int       rest = runs.count - i;
    unsigned        isLast = static_cast<unsigned>(isOther) | isNextRow;
    if (rest <= 16)
    {
      isLast = (isLast | 1u << (rest - 1)) & (0xffffu >> (16 - rest));
    }
    const unsigned isFirst = (isLast << 1 | isNew) & 0xffffu;
    const auto     put = [](auto * to, unsigned mask, __m512i from) HWY_ATTR {
      _mm512_storeu_si512(to, _mm512_maskz_compress_epi32(static_cast<__mmask16>(mask), from));
    };
    put(joined.begins + begun, isFirst, x);
    put(joined.ends + joined.count, isLast, _mm512_add_epi32(x, lengths));
    put(joined.rows + joined.count, isLast, _mm512_srl_epi32(bounds.begins, shift));
    put(joined.labels + joined.count, isLast, own);
    put(joined.voxels + joined.count + 1, isLast, allVoxels);
    put(joined.sums + joined.count + 1, isLast, allSums);
    begun += __builtin_popcount(isFirst);
    joined.count += __builtin_popcount(isLast);
    isNew = isLast >> 15;
    voxels = LastOf(allVoxels);
    sum = LastOf(allSums);
  }
  ToDifferences(joined.voxels, joined.count);
  ToDifferences(joined.sums, joined.count);
}

/** Eight runs or joined runs. */
struct EightRuns
{
  /** For each: its row, the x of its first voxel, the x behind its last voxel, its number of voxels, and the sum of
   *  their x. */
  __m512i row;
  __m512i begin;
  __m512i end;
  __m512i voxels;
  __m512i sum;

  /** Loads eight, from the first-th on. */
  HWY_INLINE
  EightRuns(const JoinedRuns & joined, int first)
    : row(Load(joined.rows + first))
    , begin(Load(joined.begins + first))
    , end(Load(joined.ends + first))
    , voxels(Load(joined.voxels + first))
    , sum(Load(joined.sums + first))
  {}
  HWY_INLINE
  EightRuns(const RunPlaces & runs, int first)
  {
    __m512i place;
    __m512i placeOfEnd;
    if (runs.step == 1)
    {
      place = Load(runs.begins + first);
      placeOfEnd = Load(runs.ends + first);
    }
    else
    {
      const __m512i both = _mm512_loadu_si512(runs.begins + 2 * first);
      place = _mm512_and_si512(both, _mm512_set1_epi64(0xffffffff));
      placeOfEnd = _mm512_srli_epi64(both, 32);
    }
    row = _mm512_srl_epi64(place, _mm_cvtsi32_si128(runs.shift));
    begin = _mm512_and_si512(place, _mm512_set1_epi64(runs.LastInRow()));
    voxels = _mm512_sub_epi64(placeOfEnd, place);
    end = _mm512_add_epi64(begin, voxels);
    // The first x and the last one, together.
    const __m512i ends = _mm512_sub_epi64(_mm512_add_epi64(begin, end), _mm512_set1_epi64(1));
    sum = _mm512_srli_epi64(_mm512_mul_epu32(ends, voxels), 1);
  }

private:
  template <typename T>
  static HWY_INLINE __m512i
  Load(const T * from)
  {
    return _mm512_cvtepu32_epi64(_mm256_loadu_si256(reinterpret_cast<const __m256i *>(from)));
  }
};

/** The contributions of eight runs to their lines, one line for each run. */
class LinesToAdd
{
public:
  HWY_INLINE
  LinesToAdd(const EightRuns & runs, const RowsOfSlice & rows)
  {
    const __m512i y = _mm512_add_epi64(runs.row, _mm512_set1_epi64(rows.y));
    const __m512i z = _mm512_set1_epi64(rows.z);
    const __m512i place = _mm512_add_epi64(_mm512_mul_epu32(runs.row, _mm512_set1_epi64(rows.length)), runs.begin);
    const auto    both = [](__m512i low, __m512i high)
                        HWY_ATTR { return _mm512_mask_blend_epi32(0xAAAA, low, _mm512_slli_epi64(high, 32)); };
    const __m512i none = _mm512_setzero_si512();
    Transpose(runs.voxels,
              runs.sum,
              _mm512_mul_epu32(runs.voxels, y),
              _mm512_mul_epu32(runs.voxels, z),
              both(runs.begin, y),
              both(_mm512_sub_epi64(none, runs.end), _mm512_xor_si512(y, _mm512_set1_epi64(-1))),
              _mm512_add_epi64(place, _mm512_set1_epi64(rows.place)),
              z);
  }

  /** Adds the i-th run to its line. */
  HWY_INLINE void
  AddTo(SumLine & line, int i) const
  {
    constexpr __mmask8  sums = 0x0F;
    constexpr __mmask16 lowest = 0x0F00;
    // The first voxel is set for new components only, the last slice for all.
    const auto    replaced = static_cast<__mmask8>(line.sums[0] == 0 ? 0xC0 : 0x80);
    const __m512i own = _mm512_load_si512(m_Lines + 8 * i);
    __m512i       result = _mm512_load_si512(&line);
    result = _mm512_mask_add_epi64(result, sums, result, own);
    result = _mm512_mask_min_epi32(result, lowest, result, own);
    _mm512_store_si512(&line, _mm512_mask_mov_epi64(result, replaced, own));
  }

private:
  /** Turns columns of sums into lines. */
  HWY_INLINE void
  Transpose(__m512i a, __m512i b, __m512i c, __m512i d, __m512i e, __m512i f, __m512i g, __m512i h)
  {
    // Takes the even runs first, then the odd ones.
    TransposeHalf(0,
                  _mm512_unpacklo_epi64(a, b),
                  _mm512_unpacklo_epi64(c, d),
                  _mm512_unpacklo_epi64(e, f),
                  _mm512_unpacklo_epi64(g, h));
    TransposeHalf(1,
                  _mm512_unpackhi_epi64(a, b),
                  _mm512_unpackhi_epi64(c, d),
                  _mm512_unpackhi_epi64(e, f),
                  _mm512_unpackhi_epi64(g, h));
  }
  HWY_INLINE void
  TransposeHalf(int first, __m512i ab, __m512i cd, __m512i ef, __m512i gh)
  {
    constexpr int even = 0x88;
    constexpr int odd = 0xDD;
    const __m512i ad04 = _mm512_shuffle_i64x2(ab, cd, even);
    const __m512i ad26 = _mm512_shuffle_i64x2(ab, cd, odd);
    const __m512i eh04 = _mm512_shuffle_i64x2(ef, gh, even);
    const __m512i eh26 = _mm512_shuffle_i64x2(ef, gh, odd);
    _mm512_store_si512(m_Lines + 8 * first, _mm512_shuffle_i64x2(ad04, eh04, even));
    _mm512_store_si512(m_Lines + 8 * (first + 2), _mm512_shuffle_i64x2(ad26, eh26, even));
    _mm512_store_si512(m_Lines + 8 * (first + 4), _mm512_shuffle_i64x2(ad04, eh04, odd));
    _mm512_store_si512(m_Lines + 8 * (first + 6), _mm512_shuffle_i64x2(ad26, eh26, odd));
  }

  alignas(64) std::uint64_t m_Lines[64];
};

/** Adds `count` runs, from the first-th on, to their lines. */
template <typename TRuns>
HWY_INLINE int
AddToLines(const TRuns &         runs,
           int                   count,
           const std::uint32_t * labels,
           int                   first,
           const RowsOfSlice &   rows,
           SumLine * const *     blocks)
{
  static_assert(sizeof(SumLine) == 64);
  for (int i = first; i < count; i += 8)
  {
    const LinesToAdd lines(EightRuns(runs, i), rows);
    for (int k = 0; k < 8 && i + k < count; ++k)
    {
      const std::size_t label = labels[i + k];
      if (label == 0)
      {
        continue;
      }
      SumLine * const block = blocks[(label - 1) / SumLinesPerBlock];
      if (block == nullptr)
      {
        return i + k;
      }
      lines.AddTo(block[(label - 1) % SumLinesPerBlock], k);
    }
  }
  return count;
}

int
AddJoinedRunsOf(const JoinedRuns & joined, int first, const RowsOfSlice & rows, SumLine * const * blocks)
{
  return AddToLines(joined, joined.count, joined.labels, first, rows, blocks);
}

bool
AreWorthJoiningOf(const std::uint32_t * labels, int count)
{
  int equal = 0;
  for (int i = 0; i < count; i += 16)
  {
    const unsigned isEqual =
      _mm512_cmpeq_epi32_mask(_mm512_loadu_si512(labels + i), _mm512_loadu_si512(labels + i + 1));
    equal += __builtin_popcount(isEqual & (0xffffu >> (16 - std::min(16, count - i))));
  }
  // Joining a run takes half as long as adding one.
  return equal * 2 >= count;
}

int
AddRunsOf(const RunPlaces &     runs,
          const std::uint32_t * labels,
          int                   first,
          const RowsOfSlice &   rows,
          SumLine * const *     blocks)
{
  return AddToLines(runs, runs.count, labels, first, rows, blocks);
}

#else

bool
JoinsRunsOf()
{
  return false;
}

void
JoinRunsOf(const RunPlaces &, const std::uint32_t *, JoinedRuns &)
{}

int
AddJoinedRunsOf(const JoinedRuns &, int first, const RowsOfSlice &, SumLine * const *)
{
  return first;
}

bool
AreWorthJoiningOf(const std::uint32_t *, int)
{
  return false;
}

int
AddRunsOf(const RunPlaces &, const std::uint32_t *, int first, const RowsOfSlice &, SumLine * const *)
{
  return first;
}

#endif

} // namespace HWY_NAMESPACE
} // namespace brickccl::simd

HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace brickccl::simd
{

HWY_EXPORT(JoinsRunsOf);
HWY_EXPORT(JoinRunsOf);
HWY_EXPORT(AddJoinedRunsOf);
HWY_EXPORT(AreWorthJoiningOf);
HWY_EXPORT(AddRunsOf);

bool
JoinsRuns()
{
  return HWY_DYNAMIC_DISPATCH(JoinsRunsOf)();
}

void
JoinRuns(const RunPlaces & runs, const std::uint32_t * labels, JoinedRuns & joined)
{
  HWY_DYNAMIC_DISPATCH(JoinRunsOf)(runs, labels, joined);
}

int
AddJoinedRuns(const JoinedRuns & joined, int first, const RowsOfSlice & rows, SumLine * const * blocks)
{
  return HWY_DYNAMIC_DISPATCH(AddJoinedRunsOf)(joined, first, rows, blocks);
}

bool
AreWorthJoining(const std::uint32_t * labels, int count)
{
  return HWY_DYNAMIC_DISPATCH(AreWorthJoiningOf)(labels, count);
}

int
AddRuns(const RunPlaces &     runs,
        const std::uint32_t * labels,
        int                   first,
        const RowsOfSlice &   rows,
        SumLine * const *     blocks)
{
  return HWY_DYNAMIC_DISPATCH(AddRunsOf)(runs, labels, first, rows, blocks);
}

} // namespace brickccl::simd

#endif
