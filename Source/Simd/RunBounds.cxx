#include "BrickCCL/Simd/RunBounds.h"

#ifndef BRICKCCL_USE_HIGHWAY

namespace brickccl::simd
{

void
FindRunBounds(const Word *, const Word *, std::int64_t, std::int64_t, int, RunBounds &)
{}

} // namespace brickccl::simd

#else

// Highway compiles the rest of this file once for every instruction set.
#  undef HWY_TARGET_INCLUDE
#  define HWY_TARGET_INCLUDE "BrickCCL/Simd/RunBounds.cxx"
#  include <hwy/foreach_target.h>
#  include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();

namespace brickccl::simd
{
namespace HWY_NAMESPACE
{

// How many bits a word has is hard to foresee, so that a branch for each would cost more than what it saves.
#  if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3_DL

/** Which of the BoundWords words from `words` on hold anything, as bits. */
HWY_INLINE unsigned
NonZeroOf(const Word * words)
{
  const __m512i all = _mm512_loadu_si512(words);
  return _mm512_test_epi64_mask(all, all);
}

/** Writes base + x for every bit x of a word, ascending. \return their number. */
HWY_INLINE int
PutBits(Word word, int base, std::int32_t * places)
{
  alignas(64) static constexpr std::uint8_t numbers[64] = { 0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12,
                                                            13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25,
                                                            26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38,
                                                            39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51,
                                                            52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63 };
  const __m512i                             bits = _mm512_maskz_compress_epi8(word, _mm512_load_si512(numbers));
  const __m512i                             from = _mm512_set1_epi32(base);
  const auto                                put = [&](int part, __m128i bytes) HWY_ATTR {
    _mm512_storeu_si512(places + 16 * part, _mm512_add_epi32(_mm512_cvtepu8_epi32(bytes), from));
  };
  const int count = CountBits(word);
  put(0, _mm512_castsi512_si128(bits));
  if (count > 16)
  {
    put(1, _mm512_extracti32x4_epi32(bits, 1));
    // Bits at which runs begin, and those at which they end, may be next to each other where values part.
    put(2, _mm512_extracti32x4_epi32(bits, 2));
    put(3, _mm512_extracti32x4_epi32(bits, 3));
  }
  return count;
}

#  else

HWY_INLINE unsigned
NonZeroOf(const Word * words)
{
  unsigned nonZero = 0;
  for (int i = 0; i < BoundWords; ++i)
  {
    nonZero |= (words[i] != 0 ? 1u : 0u) << i;
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

#  endif

/** `VHasStarts` tells whether `starts` is given. */
template <bool VHasStarts>
HWY_INLINE void
FindBounds(const Word * foreground,
           const Word * starts,
           std::int64_t words,
           std::int64_t first,
           int          count,
           RunBounds &  bounds)
{
  int beginCount = 0;
  int endCount = 0;
  for (unsigned rest = NonZeroOf(foreground + first) & ((1u << count) - 1); rest != 0; rest &= rest - 1)
  {
    const int          i = LowestBit(rest);
    const std::int64_t w = first + i;
    const Word         bits = foreground[w];
    const Word         before = w > 0 ? foreground[w - 1] : 0;
    const Word         next = w + 1 < words ? foreground[w + 1] : 0;
    Word               begins = 0;
    Word               ends = 0;
    if constexpr (VHasStarts)
    {
      const Word nextBegins = w + 1 < words ? starts[w + 1] : 0;
      begins = starts[w];
      ends = bits & ~FromRight(bits & ~begins, next & ~nextBegins);
    }
    else
    {
      begins = bits & ~FromLeft(bits, before);
      ends = bits & ~FromRight(bits, next);
    }
    beginCount += PutBits(begins, i * BitsPerWord, bounds.begins + beginCount);
    endCount += PutBits(ends, i * BitsPerWord + 1, bounds.ends + endCount);
  }
  bounds.beginCount = beginCount;
  bounds.endCount = endCount;
}

void
FindRunBoundsOf(const Word * foreground,
                const Word * starts,
                std::int64_t words,
                std::int64_t first,
                int          count,
                RunBounds &  bounds)
{
  starts == nullptr ? FindBounds<false>(foreground, starts, words, first, count, bounds)
                    : FindBounds<true>(foreground, starts, words, first, count, bounds);
}

} // namespace HWY_NAMESPACE
} // namespace brickccl::simd

HWY_AFTER_NAMESPACE();

#  if HWY_ONCE

namespace brickccl::simd
{

HWY_EXPORT(FindRunBoundsOf);

void
FindRunBounds(const Word * foreground,
              const Word * starts,
              std::int64_t words,
              std::int64_t first,
              int          count,
              RunBounds &  bounds)
{
  HWY_DYNAMIC_DISPATCH(FindRunBoundsOf)(foreground, starts, words, first, count, bounds);
}

} // namespace brickccl::simd

#  endif
#endif
