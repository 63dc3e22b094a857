#include "BrickCCL/Simd/JoinRuns.h"

#ifndef BRICKCCL_USE_HIGHWAY

namespace brickccl::simd
{

bool
JoinsRuns()
{
  return false;
}

void
JoinRuns(const RunPlaces &, const std::uint32_t *, JoinedRuns &)
{}

} // namespace brickccl::simd

#else

// Highway compiles the rest of this file once for every instruction set.
#  undef HWY_TARGET_INCLUDE
#  define HWY_TARGET_INCLUDE "BrickCCL/Simd/JoinRuns.cxx"
#  include <hwy/foreach_target.h>
#  include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();

namespace brickccl::simd
{
namespace HWY_NAMESPACE
{

#  if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3

bool
JoinsRunsOf()
{
  return true;
}

/** Adds the lanes `VLanes` below to each lane. */
template <int VLanes>
HWY_INLINE __m512i
AddLanesBelow(__m512i lanes)
{
  return _mm512_add_epi32(lanes, _mm512_alignr_epi32(lanes, _mm512_setzero_si512(), 16 - VLanes));
}

/** The sum of each lane and all below it, and of `before`. */
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

/** The bounds of 16 runs from the i-th on. */
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

/** Of numbers up to `count` what is between each and the next one. */
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
  // Whether the next run is the first one of another stretch.
  unsigned isNew = 1;
  int      begun = 0;
  joined.count = 0;
  // Before the end of each stretch, modulo 2^32, until all are known.
  joined.voxels[0] = 0;
  joined.sums[0] = 0;
  for (int i = 0; i < runs.count; i += 16)
  {
    const BoundsOfRuns bounds(runs, i);
    const __m512i      lengths = _mm512_sub_epi32(bounds.ends, bounds.begins);
    const __m512i      x = _mm512_and_si512(bounds.begins, inRow);
    // The first x and the last one, together.
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

#  else

bool
JoinsRunsOf()
{
  return false;
}

void
JoinRunsOf(const RunPlaces &, const std::uint32_t *, JoinedRuns &)
{}

#  endif

} // namespace HWY_NAMESPACE
} // namespace brickccl::simd

HWY_AFTER_NAMESPACE();

#  if HWY_ONCE

namespace brickccl::simd
{

HWY_EXPORT(JoinsRunsOf);
HWY_EXPORT(JoinRunsOf);

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

} // namespace brickccl::simd

#  endif
#endif
