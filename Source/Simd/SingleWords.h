#ifndef BRICKCCL_SIMD_SINGLEWORDS_H
#define BRICKCCL_SIMD_SINGLEWORDS_H

#include "BrickCCL/Core/BitRow.h"
#include "BrickCCL/Simd/SetWords.h"

#include <cstddef>
#include <cstdint>

/** Stands in for RowWords-inl.h and Highway where that is not there: vectors of a single word, so that what is written
 * for vectors is written once. It has what files that include it ask for, under Highway's names. */
#define HWY_NAMESPACE N_SINGLE_WORDS
#define HWY_BEFORE_NAMESPACE() static_assert(true)
#define HWY_AFTER_NAMESPACE() static_assert(true)
#define HWY_INLINE inline
#define HWY_ONCE 1
#define HWY_EXPORT(function) static_assert(true)
#define HWY_DYNAMIC_DISPATCH(function) HWY_NAMESPACE::function

namespace brickccl::simd
{
namespace HWY_NAMESPACE
{

inline constexpr std::size_t RowWordsAtOnce = 1;

struct WordTag
{};
using WordVector = Word;

namespace hn
{

constexpr std::size_t
Lanes(WordTag)
{
  return RowWordsAtOnce;
}
inline WordVector
LoadU(WordTag, const Word * place)
{
  return *place;
}
inline void
StoreU(WordVector vector, WordTag, Word * place)
{
  *place = vector;
}
inline WordVector
Set(WordTag, Word word)
{
  return word;
}
inline WordVector
Zero(WordTag)
{
  return 0;
}
inline WordVector
And(WordVector p, WordVector q)
{
  return p & q;
}
/** Not p, and q. */
inline WordVector
AndNot(WordVector p, WordVector q)
{
  return ~p & q;
}
inline WordVector
Or(WordVector p, WordVector q)
{
  return p | q;
}
inline WordVector
OrAnd(WordVector p, WordVector q, WordVector r)
{
  return p | (q & r);
}
inline WordVector
Add(WordVector p, WordVector q)
{
  return p + q;
}
template <int VBits>
WordVector
ShiftLeft(WordVector vector)
{
  return vector << VBits;
}
inline bool
Eq(WordVector p, WordVector q)
{
  return p == q;
}
inline bool
AllTrue(WordTag, bool mask)
{
  return mask;
}

} // namespace hn

/** Whether a row has words beside one of its words. */
class RowEnds
{
public:
  RowEnds(std::int64_t w, std::int64_t words)
    : m_HasBefore(w > 0)
    , m_HasNext(w + 1 < words)
  {}

  WordVector
  BitsBefore(WordVector here, const Word * word) const
  {
    return FromLeft(here, m_HasBefore ? word[-1] : 0);
  }
  WordVector
  BitsBehind(WordVector here, const Word * word) const
  {
    return FromRight(here, m_HasNext ? word[1] : 0);
  }
  WordVector
  Own(WordVector here) const
  {
    return here;
  }

private:
  bool m_HasBefore;
  bool m_HasNext;
};

inline void
AddSetWords(WordVector found, std::int64_t w, int kind, SetWords & list)
{
  AddSetWord(found, w, kind, list);
}

} // namespace HWY_NAMESPACE
} // namespace brickccl::simd

#endif
