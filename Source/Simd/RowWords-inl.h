// Highway compiles this file once for every instruction set; files that it compiles so include it.
#if defined(BRICKCCL_SIMD_ROWWORDS_INL_H) == defined(HWY_TARGET_TOGGLE)
#  ifdef BRICKCCL_SIMD_ROWWORDS_INL_H
#    undef BRICKCCL_SIMD_ROWWORDS_INL_H
#  else
#    define BRICKCCL_SIMD_ROWWORDS_INL_H
#  endif

#  include "BrickCCL/Core/BitRow.h"

#  include <hwy/highway.h>

#  include <cstddef>
#  include <cstdint>

HWY_BEFORE_NAMESPACE();

namespace brickccl::simd
{
namespace HWY_NAMESPACE
{

namespace hn = hwy::HWY_NAMESPACE;

/** So many words of a row are taken at once at most: from one word before them to as many after them can be read. */
inline constexpr std::size_t RowWordsAtOnce = 8;

using WordTag = hn::CappedTag<Word, RowWordsAtOnce>;
using WordVector = hn::Vec<WordTag>;

/** Which words of a row lie around some of its words: those past its ends are another row's. */
class RowEnds
{
public:
  HWY_INLINE
  RowEnds(std::int64_t w, std::int64_t words)
    : m_Before(hn::Set(WordTag(), ~Word{ 0 }))
    , m_Next(m_Before)
    , m_Own(m_Before)
  {
    const WordTag tag;
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

  /** The bits before each of some words' bits, and those behind; `here` is what stands at `words`. */
  HWY_INLINE WordVector
  BitsBefore(WordVector here, const Word * words) const
  {
    return hn::Or(hn::ShiftLeft<1>(here), hn::ShiftRight<BitsPerWord - 1>(Before(words)));
  }
  HWY_INLINE WordVector
  BitsBehind(WordVector here, const Word * words) const
  {
    return hn::Or(hn::ShiftRight<1>(here), hn::ShiftLeft<BitsPerWord - 1>(Next(words)));
  }

  /** Those of some words that are the row's, and zero. */
  HWY_INLINE WordVector
  Own(WordVector here) const
  {
    return hn::And(m_Own, here);
  }

private:
  /** The words before those at `words`, and those after them, zero outside of the row. */
  HWY_INLINE WordVector
  Before(const Word * words) const
  {
    return hn::And(m_Before, hn::LoadU(WordTag(), words - 1));
  }
  HWY_INLINE WordVector
  Next(const Word * words) const
  {
    return hn::And(m_Next, hn::LoadU(WordTag(), words + 1));
  }

  WordVector m_Before;
  WordVector m_Next;
  WordVector m_Own;
};

} // namespace HWY_NAMESPACE
} // namespace brickccl::simd

HWY_AFTER_NAMESPACE();

#endif
