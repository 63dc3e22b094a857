// SPDX-License-Identifier: Apache-2.0
// Highway compiles this file once for every instruction set, as part of each file that includes it.
#if defined(BRICKCCL_RUNS_ROWWORDS_INL_H) == defined(HWY_TARGET_TOGGLE)
#  ifdef BRICKCCL_RUNS_ROWWORDS_INL_H
#    undef BRICKCCL_RUNS_ROWWORDS_INL_H
#  else
#    define BRICKCCL_RUNS_ROWWORDS_INL_H
#  endif

#  include "BrickCCL/Core/BitRow.h"
#  include "BrickCCL/Runs/WordList.h"

#  include <hwy/highway.h>

#  include <cstddef>
#  include <cstdint>

HWY_BEFORE_NAMESPACE();

namespace brickccl::simd
{
namespace HWY_NAMESPACE
{

namespace hn = hwy::HWY_NAMESPACE;

/** The largest number of words that a vector holds. One word before them and as many after them must be readable. */
inline constexpr std::size_t RowWordsAtOnce = 8;

using WordTag = hn::CappedTag<Word, RowWordsAtOnce>;
using WordVector = hn::Vec<WordTag>;

/** Knows which of the words around a vector of words are the row's own. Words past its ends belong to other rows. */
template <typename TTag>
class RowEndsOf
{
public:
  using Vector = hn::Vec<TTag>;

  HWY_INLINE
  RowEndsOf(std::int64_t w, std::int64_t words)
    : m_Before(hn::Set(TTag(), ~Word{ 0 }))
    , m_Next(m_Before)
    , m_Own(m_Before)
  {
    const TTag tag;
    if (w == 0)
    {
      m_Before = hn::AndNot(hn::VecFromMask(tag, hn::FirstN(tag, 1)), m_Before);
    }
    if (words - w <= static_cast<std::int64_t>(hn::Lanes(tag)))
    {
      m_Next = hn::VecFromMask(tag, hn::FirstN(tag, static_cast<std::size_t>(words - w - 1)));
      m_Own = hn::VecFromMask(tag, hn::FirstN(tag, static_cast<std::size_t>(words - w)));
    }
  }

  /** At each bit, the bit one voxel before (BitsBefore) or behind it (BitsBehind). `here` is loaded from `words`. */
  HWY_INLINE Vector
  BitsBefore(Vector here, const Word * words) const
  {
    return BitsBefore(here, hn::LoadU(TTag(), words - 1));
  }
  HWY_INLINE Vector
  BitsBehind(Vector here, const Word * words) const
  {
    return BitsBehind(here, hn::LoadU(TTag(), words + 1));
  }
  /** The same, where the vector of the words one before, or one after, is loaded already. */
  HWY_INLINE Vector
  BitsBefore(Vector here, Vector before) const
  {
    return hn::Or(hn::ShiftLeft<1>(here), hn::ShiftRight<BitsPerWord - 1>(hn::And(m_Before, before)));
  }
  HWY_INLINE Vector
  BitsBehind(Vector here, Vector next) const
  {
    return hn::Or(hn::ShiftRight<1>(here), hn::ShiftLeft<BitsPerWord - 1>(hn::And(m_Next, next)));
  }

  /** Clears the words that are past the row's end. */
  HWY_INLINE Vector
  Own(Vector here) const
  {
    return hn::And(m_Own, here);
  }

private:
  Vector m_Before;
  Vector m_Next;
  Vector m_Own;
};

using RowEnds = RowEndsOf<WordTag>;

#  if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3_DL

/** The numbers of the bits that are set in a word, ascending, as bytes. */
HWY_INLINE __m512i
PlacesOfBits(Word bits)
{
  alignas(64) static constexpr std::uint8_t numbers[64] = { 0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12,
                                                            13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25,
                                                            26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38,
                                                            39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51,
                                                            52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63 };
  return _mm512_maskz_compress_epi8(bits, _mm512_load_si512(numbers));
}

#  endif

#  if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3

/** Appends the words that have bits; the first is word w of the row. No branch: no processor would predict it. */
HWY_INLINE void
AppendWords(WordVector found, std::int64_t w, int kind, WordList & list)
{
  const __m512i  words = _mm512_slli_epi64(_mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0), KindBits);
  const __m512i  places = _mm512_add_epi64(words, _mm512_set1_epi64((w << KindBits) + kind));
  const __mmask8 some = _mm512_test_epi64_mask(found.raw, found.raw);
  _mm512_storeu_si512(list.bits + list.count, _mm512_maskz_compress_epi64(some, found.raw));
  _mm512_storeu_si512(list.places + list.count, _mm512_maskz_compress_epi64(some, places));
  list.count += CountBits(some);
}

#  elif HWY_TARGET == HWY_AVX2

/** The same. A table for each set of words says where their halves go. */
HWY_INLINE void
AppendWords(WordVector found, std::int64_t w, int kind, WordList & list)
{
  alignas(32) static constexpr std::uint32_t halves[16][8] = {
    { 0, 1, 2, 3, 4, 5, 6, 7 }, { 0, 1, 2, 3, 4, 5, 6, 7 }, { 2, 3, 0, 1, 4, 5, 6, 7 }, { 0, 1, 2, 3, 4, 5, 6, 7 },
    { 4, 5, 0, 1, 2, 3, 6, 7 }, { 0, 1, 4, 5, 2, 3, 6, 7 }, { 2, 3, 4, 5, 0, 1, 6, 7 }, { 0, 1, 2, 3, 4, 5, 6, 7 },
    { 6, 7, 0, 1, 2, 3, 4, 5 }, { 0, 1, 6, 7, 2, 3, 4, 5 }, { 2, 3, 6, 7, 0, 1, 4, 5 }, { 0, 1, 2, 3, 6, 7, 4, 5 },
    { 4, 5, 6, 7, 0, 1, 2, 3 }, { 0, 1, 4, 5, 6, 7, 2, 3 }, { 2, 3, 4, 5, 6, 7, 0, 1 }, { 0, 1, 2, 3, 4, 5, 6, 7 }
  };
  const __m256i words = _mm256_slli_epi64(_mm256_set_epi64x(3, 2, 1, 0), KindBits);
  const __m256i places = _mm256_add_epi64(words, _mm256_set1_epi64x((w << KindBits) + kind));
  const __m256i none = _mm256_cmpeq_epi64(found.raw, _mm256_setzero_si256());
  const auto    some = static_cast<unsigned>(_mm256_movemask_pd(_mm256_castsi256_pd(none))) ^ 15u;
  const __m256i order = _mm256_load_si256(reinterpret_cast<const __m256i *>(halves[some]));
  _mm256_storeu_si256(reinterpret_cast<__m256i *>(list.bits + list.count),
                      _mm256_permutevar8x32_epi32(found.raw, order));
  _mm256_storeu_si256(reinterpret_cast<__m256i *>(list.places + list.count),
                      _mm256_permutevar8x32_epi32(places, order));
  list.count += CountBits(some);
}

#  else

HWY_INLINE void
AppendWords(WordVector found, std::int64_t w, int kind, WordList & list)
{
  const WordTag tag;
  std::uint8_t  some = 0;
  hn::StoreMaskBits(tag, hn::Ne(found, hn::Zero(tag)), &some);
  if (some == 0)
  {
    return;
  }
  alignas(64) Word words[RowWordsAtOnce];
  hn::Store(found, tag, words);
  for (Word rest = some; rest != 0; rest &= rest - 1)
  {
    const int i = LowestBit(rest);
    AppendWord(words[i], w + i, kind, list);
  }
}

#  endif

} // namespace HWY_NAMESPACE
} // namespace brickccl::simd

HWY_AFTER_NAMESPACE();

#endif
