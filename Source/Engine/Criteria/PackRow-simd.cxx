// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Criteria/PackRow.h"

#include <cstring>
#include <type_traits>

// Highway compiles the rest of this file once for every instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "BrickCCL/Criteria/PackRow-simd.cxx"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();

namespace brickccl::simd
{
namespace HWY_NAMESPACE
{

namespace hn = hwy::HWY_NAMESPACE;

template <typename TTag, typename TMask>
HWY_INLINE Word
BitsOf(TTag tag, TMask mask)
{
  constexpr std::size_t lanes = hn::MaxLanes(tag);
  // Processors forward a store to a load of the same size.
  using Part = std::conditional_t<
    lanes == 64,
    std::uint64_t,
    std::conditional_t<lanes == 32, std::uint32_t, std::conditional_t<lanes == 16, std::uint16_t, std::uint8_t>>>;
  std::uint8_t bytes[8];
  Part         part;
  hn::StoreMaskBits(tag, mask, bytes);
  std::memcpy(&part, bytes, sizeof(part));
  return part;
}

/** A vector of at most as many values as a word has bits. */
template <typename T>
using ValueTag = hn::CappedTag<T, BitsPerWord>;

/** The type that differences of values are compared in: double for float. */
template <typename T>
using LimitTag =
  hn::CappedTag<typename LimitOf<T>::Type,
                std::is_same_v<T, float> ? hn::MaxLanes(ValueTag<T>()) / 2 : hn::MaxLanes(ValueTag<T>())>;

/** The bits of the values that differ by at most `maximum`. `VIsEqual` says that `maximum` is 0. */
template <bool VIsEqual, typename T>
HWY_INLINE Word
BitsOfNear(ValueTag<T> tag, hn::Vec<ValueTag<T>> a, hn::Vec<ValueTag<T>> b, hn::Vec<LimitTag<T>> maximum)
{
  if constexpr (VIsEqual)
  {
    (void)maximum;
    return BitsOf(tag, hn::Eq(a, b));
  }
  else if constexpr (std::is_same_v<T, float>)
  {
    using Wide = LimitTag<float>;
    using Half = hn::Rebind<float, Wide>;
    const auto lower =
      hn::Sub(hn::PromoteTo(Wide(), hn::LowerHalf(Half(), a)), hn::PromoteTo(Wide(), hn::LowerHalf(Half(), b)));
    const auto upper =
      hn::Sub(hn::PromoteTo(Wide(), hn::UpperHalf(Half(), a)), hn::PromoteTo(Wide(), hn::UpperHalf(Half(), b)));
    // Equal values may be infinite, so that their difference is not a number.
    return BitsOf(Wide(), hn::Le(hn::Abs(lower), maximum)) |
           BitsOf(Wide(), hn::Le(hn::Abs(upper), maximum)) << hn::MaxLanes(Wide()) | BitsOf(tag, hn::Eq(a, b));
  }
  else if constexpr (std::is_same_v<T, double>)
  {
    return BitsOf(tag, hn::Or(hn::Le(hn::Abs(hn::Sub(a, b)), maximum), hn::Eq(a, b)));
  }
  else
  {
    // The unsigned type of the same size holds every difference.
    const ValueTag<std::make_unsigned_t<T>> unsignedTag;
    const auto difference = hn::BitCast(unsignedTag, hn::Sub(hn::Max(a, b), hn::Min(a, b)));
    return BitsOf(unsignedTag, hn::Not(hn::Lt(maximum, difference)));
  }
}

template <bool VIsEqual, typename T>
HWY_INLINE void
PackNearWith(const T *                 a,
             const T *                 b,
             std::int64_t              words,
             typename LimitOf<T>::Type limit,
             const Word *              candidates,
             Word *                    bits)
{
  const ValueTag<T>     tag;
  constexpr std::size_t lanes = hn::MaxLanes(tag);
  const auto            maximum = hn::Set(LimitTag<T>(), limit);
  for (std::int64_t w = 0; w < words; ++w)
  {
    Word word = 0;
    if (candidates[w] != 0)
    {
      for (std::size_t i = 0; i < BitsPerWord; i += lanes)
      {
        const auto valueA = hn::LoadU(tag, a + w * BitsPerWord + i);
        const auto valueB = hn::LoadU(tag, b + w * BitsPerWord + i);
        word |= BitsOfNear<VIsEqual, T>(tag, valueA, valueB, maximum) << i;
      }
    }
    bits[w] = word & candidates[w];
  }
}

template <typename T>
HWY_INLINE void
PackNearOf(const T *                 a,
           const T *                 b,
           std::int64_t              words,
           typename LimitOf<T>::Type limit,
           const Word *              candidates,
           Word *                    bits)
{
  limit == 0 ? PackNearWith<true>(a, b, words, limit, candidates, bits)
             : PackNearWith<false>(a, b, words, limit, candidates, bits);
}

constexpr std::size_t CacheLine = 64;
/** How many bytes ahead pixels are prefetched into the second-level cache. Without it the memory would idle while the
 *  bits of a row are worked on. The second-level cache waits for more lines at a time than the first-level one. */
constexpr std::size_t PrefetchDistance = 64 * CacheLine;
constexpr int         SecondLevel = 2;
/** How many bytes ahead pixels are prefetched into the first-level cache, where rows are compared. */
constexpr std::size_t NearPrefetchDistance = 8 * CacheLine;
constexpr int         FirstLevel = 3;

/** Prefetches as many pixels as word w of a row has, `bytesAhead` after it, into a level of the cache. */
template <int VLevel, typename T>
HWY_INLINE void
PrefetchWord(const T * row, std::int64_t w, std::size_t bytesAhead)
{
  constexpr auto bytes = static_cast<std::int64_t>(BitsPerWord * sizeof(T));
  const auto     ahead = reinterpret_cast<std::uintptr_t>(row) + static_cast<std::uintptr_t>(w * bytes) + bytesAhead;
  for (std::uintptr_t line = 0; line < bytes; line += CacheLine)
  {
    // It may be beyond the row, where a pointer must not be moved to. NOLINTNEXTLINE(performance-no-int-to-ptr)
    __builtin_prefetch(reinterpret_cast<const void *>(ahead + line), 0, VLevel);
  }
}

/** The second operand of a range test: the highest value, for integers less the lowest, so that one comparison does. */
template <typename T>
HWY_INLINE hn::Vec<ValueTag<T>>
           ReachOf(T low, T high)
{
  if constexpr (std::is_integral_v<T>)
  {
    using Unsigned = std::make_unsigned_t<T>;
    return hn::Set(ValueTag<T>(), static_cast<T>(static_cast<Unsigned>(high) - static_cast<Unsigned>(low)));
  }
  else
  {
    return hn::Set(ValueTag<T>(), high);
  }
}

/** The bits of the values below or above a range. */
template <typename T>
HWY_INLINE Word
BitsOutside(ValueTag<T> tag, hn::Vec<ValueTag<T>> value, hn::Vec<ValueTag<T>> lowest, hn::Vec<ValueTag<T>> reach)
{
  if constexpr (std::is_integral_v<T>)
  {
    const ValueTag<std::make_unsigned_t<T>> unsignedTag;
    return BitsOf(unsignedTag,
                  hn::Lt(hn::BitCast(unsignedTag, reach), hn::BitCast(unsignedTag, hn::Sub(value, lowest))));
  }
  else
  {
    return BitsOf(tag, hn::Or(hn::Lt(value, lowest), hn::Lt(reach, value)));
  }
}

template <typename T>
HWY_INLINE void
PackWordsOf(const T * values, std::int64_t words, T low, T high, bool outside, Word * bits)
{
  const ValueTag<T>     tag;
  constexpr std::size_t lanes = hn::MaxLanes(tag);
  const auto            lowest = hn::Set(tag, low);
  const auto            reach = ReachOf(low, high);
  const Word            inside = outside ? 0 : ~Word{ 0 };
  for (std::int64_t w = 0; w < words; ++w)
  {
    PrefetchWord<SecondLevel>(values, w, PrefetchDistance);
    Word out = 0;
    Word numbers = std::is_floating_point_v<T> ? 0 : ~Word{ 0 };
    for (std::size_t i = 0; i < BitsPerWord; i += lanes)
    {
      const auto value = hn::LoadU(tag, values + w * BitsPerWord + i);
      out |= BitsOutside<T>(tag, value, lowest, reach) << i;
      if constexpr (std::is_floating_point_v<T>)
      {
        numbers |= BitsOf(tag, hn::Eq(value, value)) << i;
      }
    }
    bits[w] = (out ^ inside) & numbers;
  }
}

template <typename T>
HWY_INLINE void
PackSeparatedOf(const T * values, std::int64_t words, T low, T high, Word * below, Word * above)
{
  const ValueTag<T>     tag;
  constexpr std::size_t lanes = hn::MaxLanes(tag);
  const auto            highestBelow = hn::Set(tag, low);
  const auto            lowestAbove = hn::Set(tag, high);
  for (std::int64_t w = 0; w < words; ++w)
  {
    Word isHigher = 0;
    Word isLower = 0;
    for (std::size_t i = 0; i < BitsPerWord; i += lanes)
    {
      const auto value = hn::LoadU(tag, values + w * BitsPerWord + i);
      isHigher |= BitsOf(tag, hn::Lt(highestBelow, value)) << i;
      isLower |= BitsOf(tag, hn::Lt(value, lowestAbove)) << i;
    }
    below[w] = ~isHigher;
    above[w] = ~isLower;
  }
}

template <typename T>
struct RuleVectors
{
  hn::Vec<ValueTag<T>> lowest;
  hn::Vec<ValueTag<T>> reach;
  hn::Vec<LimitTag<T>> maximum;
  Word                 inside;
};

template <typename T>
HWY_INLINE RuleVectors<T>
           ToVectors(const RowRule<T> & rule)
{
  return { hn::Set(ValueTag<T>(), rule.low),
           ReachOf(rule.low, rule.high),
           hn::Set(LimitTag<T>(), rule.limit),
           rule.outside ? 0 : ~Word{ 0 } };
}

/** The bits of one word of a row. All comparisons of a vector are made together, so that none waits for another one. */
template <bool VIsEqual, int VRows, typename T>
struct LinkedWord
{
  Word out = 0;
  Word numbers = std::is_floating_point_v<T> ? 0 : ~Word{ 0 };
  Word before = 0;
  // One more than needed, since C++ has no arrays of length 0.
  Word near[VRows + 1] = {};

  /** Compares the values from `place` on with the rule and with the values before them. */
  HWY_INLINE void
  Compare(const RuleVectors<T> & rule, hn::Vec<ValueTag<T>> value, const T * place, std::size_t i)
  {
    const ValueTag<T> tag;
    out |= BitsOutside<T>(tag, value, rule.lowest, rule.reach) << i;
    if constexpr (std::is_floating_point_v<T>)
    {
      numbers |= BitsOf(tag, hn::Eq(value, value)) << i;
    }
    before |= BitsOfNear<VIsEqual, T>(tag, value, hn::LoadU(tag, place - 1), rule.maximum) << i;
  }
  HWY_INLINE void
  CompareWith(int                    row,
              const RuleVectors<T> & rule,
              hn::Vec<ValueTag<T>>   value,
              hn::Vec<ValueTag<T>>   other,
              std::size_t            i)
  {
    near[row] |= BitsOfNear<VIsEqual, T>(ValueTag<T>(), value, other, rule.maximum) << i;
  }
  /** Stores word w of a row with `left` values from this word on; `previous` is the foreground of the word before. */
  HWY_INLINE void
  Store(const LinkedRow<T> & row, std::int64_t w, std::int64_t left, Word inside, Word & previous) const
  {
    const Word inRow = left < BitsPerWord ? BitsUpTo(static_cast<int>(left) - 1) : ~Word{ 0 };
    const Word bits = (out ^ inside) & numbers & inRow;
    row.foreground[w] = bits;
    row.starts[w] = bits & ~(before & FromLeft(bits, previous));
    previous = bits;
    for (int i = 0; i < VRows; ++i)
    {
      row.rows[i].links[w] = bits & row.rows[i].foreground[w] & near[i];
    }
  }
};

template <bool VIsEqual, int VRows, typename T>
HWY_INLINE void
PackLinkedWith(const LinkedRow<T> & row, std::int64_t length, const RowRule<T> & rule)
{
  const ValueTag<T> tag;
  const auto        vectors = ToVectors(rule);
  Word              previous = 0;
  for (std::int64_t begin = 0, w = 0; begin < length; begin += BitsPerWord, ++w)
  {
    LinkedWord<VIsEqual, VRows, T> word;
    PrefetchWord<SecondLevel>(row.values, w, PrefetchDistance);
    PrefetchWord<FirstLevel>(row.values, w, NearPrefetchDistance);
    for (std::size_t i = 0; i < BitsPerWord; i += hn::MaxLanes(tag))
    {
      const auto value = hn::LoadU(tag, row.values + begin + i);
      word.Compare(vectors, value, row.values + begin + i, i);
      for (int near = 0; near < VRows; ++near)
      {
        word.CompareWith(near, vectors, value, hn::LoadU(tag, row.rows[near].values + begin + i), i);
      }
    }
    word.Store(row, w, length - begin, vectors.inside, previous);
  }
}

template <bool VIsEqual, typename T>
HWY_INLINE void
PackLinkedOf(const LinkedRow<T> & row, std::int64_t length, const RowRule<T> & rule)
{
  // This copy cannot change when words are stored, so that it stays in registers.
  const NearRow<T> near[2] = { row.rowCount > 0 ? row.rows[0] : NearRow<T>{},
                               row.rowCount > 1 ? row.rows[1] : NearRow<T>{} };
  const LinkedRow<T> own{ row.values, row.foreground, row.starts, near, row.rowCount };
  switch (row.rowCount)
  {
  case 0:
    return PackLinkedWith<VIsEqual, 0>(own, length, rule);
  case 1:
    return PackLinkedWith<VIsEqual, 1>(own, length, rule);
  default:
    return PackLinkedWith<VIsEqual, 2>(own, length, rule);
  }
}

template <bool VIsEqual, typename T>
HWY_INLINE void
PackPairOf(const LinkedRow<T> & firstRow, const LinkedRow<T> & secondRow, std::int64_t length, const RowRule<T> & rule)
{
  const ValueTag<T>  tag;
  const NearRow<T>   nearFirst[2] = { firstRow.rows[0], firstRow.rows[1] };
  const NearRow<T>   nearSecond[2] = { secondRow.rows[0], secondRow.rows[1] };
  const LinkedRow<T> first{ firstRow.values, firstRow.foreground, firstRow.starts, nearFirst, 2 };
  const LinkedRow<T> second{ secondRow.values, secondRow.foreground, secondRow.starts, nearSecond, 2 };
  const auto         vectors = ToVectors(rule);
  Word               previousOfFirst = 0;
  Word               previousOfSecond = 0;
  for (std::int64_t begin = 0, w = 0; begin < length; begin += BitsPerWord, ++w)
  {
    LinkedWord<VIsEqual, 2, T> ofFirst;
    LinkedWord<VIsEqual, 2, T> ofSecond;
    for (const T * values : { first.values, second.values })
    {
      PrefetchWord<SecondLevel>(values, w, PrefetchDistance);
      PrefetchWord<FirstLevel>(values, w, NearPrefetchDistance);
    }
    for (std::size_t i = 0; i < BitsPerWord; i += hn::MaxLanes(tag))
    {
      const auto valueOf = [&](const T * values) { return hn::LoadU(tag, values + begin + i); };
      const auto a = valueOf(first.values);
      const auto b = valueOf(second.values);
      ofFirst.Compare(vectors, a, first.values + begin + i, i);
      ofFirst.CompareWith(0, vectors, a, valueOf(nearFirst[0].values), i);
      ofFirst.CompareWith(1, vectors, a, valueOf(nearFirst[1].values), i);
      ofSecond.Compare(vectors, b, second.values + begin + i, i);
      ofSecond.CompareWith(0, vectors, b, valueOf(nearSecond[0].values), i);
      ofSecond.CompareWith(1, vectors, b, a, i);
    }
    ofFirst.Store(first, w, length - begin, vectors.inside, previousOfFirst);
    ofSecond.Store(second, w, length - begin, vectors.inside, previousOfSecond);
  }
}

#define BRICKCCL_PACK_TYPES(DO)                                                                                        \
  DO(std::uint8_t, U8)                                                                                                 \
  DO(std::int8_t, I8)                                                                                                  \
  DO(std::uint16_t, U16)                                                                                               \
  DO(std::int16_t, I16)                                                                                                \
  DO(std::uint32_t, U32)                                                                                               \
  DO(std::int32_t, I32)                                                                                                \
  DO(std::uint64_t, U64) DO(std::int64_t, I64) DO(float, F32) DO(double, F64)

// Highway exports functions by name, so that each type needs a name of its own.
#define BRICKCCL_PACK_FUNCTION(T, NAME)                                                                                \
  void Pack##NAME(const T * values, std::int64_t words, T low, T high, bool outside, Word * bits)                      \
  {                                                                                                                    \
    PackWordsOf(values, words, low, high, outside, bits);                                                              \
  }
BRICKCCL_PACK_TYPES(BRICKCCL_PACK_FUNCTION)
#undef BRICKCCL_PACK_FUNCTION
#define BRICKCCL_SEPARATED_FUNCTION(T, NAME)                                                                           \
  void Separated##NAME(const T * values, std::int64_t words, T low, T high, Word * below, Word * above)                \
  {                                                                                                                    \
    PackSeparatedOf(values, words, low, high, below, above);                                                           \
  }
BRICKCCL_PACK_TYPES(BRICKCCL_SEPARATED_FUNCTION)
#undef BRICKCCL_SEPARATED_FUNCTION
#define BRICKCCL_NEAR_FUNCTION(T, NAME)                                                                                \
  void Near##NAME(const T *        a,                                                                                  \
                  const T *        b,                                                                                  \
                  std::int64_t     words,                                                                              \
                  LimitOf<T>::Type limit,                                                                              \
                  const Word *     candidates,                                                                         \
                  Word *           bits)                                                                               \
  {                                                                                                                    \
    PackNearOf(a, b, words, limit, candidates, bits);                                                                  \
  }
BRICKCCL_PACK_TYPES(BRICKCCL_NEAR_FUNCTION)
#undef BRICKCCL_NEAR_FUNCTION
#define BRICKCCL_LINKED_FUNCTION(T, NAME)                                                                              \
  void Linked##NAME(const LinkedRow<T> & row, std::int64_t length, const RowRule<T> & rule)                            \
  {                                                                                                                    \
    rule.limit == 0 ? PackLinkedOf<true>(row, length, rule) : PackLinkedOf<false>(row, length, rule);                  \
  }                                                                                                                    \
  void LinkedPair##NAME(const LinkedRow<T> & first,                                                                    \
                        const LinkedRow<T> & second,                                                                   \
                        std::int64_t         length,                                                                   \
                        const RowRule<T> &   rule)                                                                     \
  {                                                                                                                    \
    rule.limit == 0 ? PackPairOf<true>(first, second, length, rule) : PackPairOf<false>(first, second, length, rule);  \
  }
BRICKCCL_PACK_TYPES(BRICKCCL_LINKED_FUNCTION)
#undef BRICKCCL_LINKED_FUNCTION

} // namespace HWY_NAMESPACE
} // namespace brickccl::simd

HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace brickccl::simd
{

#  define BRICKCCL_PACK_EXPORT(T, NAME)                                                                                \
    HWY_EXPORT(Pack##NAME);                                                                                            \
    template <>                                                                                                        \
    void PackWords(const T * values, std::int64_t words, T low, T high, bool outside, Word * bits)                     \
    {                                                                                                                  \
      HWY_DYNAMIC_DISPATCH(Pack##NAME)(values, words, low, high, outside, bits);                                       \
    }
BRICKCCL_PACK_TYPES(BRICKCCL_PACK_EXPORT)

#  define BRICKCCL_SEPARATED_EXPORT(T, NAME)                                                                           \
    HWY_EXPORT(Separated##NAME);                                                                                       \
    template <>                                                                                                        \
    void PackSeparated(const T * values, std::int64_t words, T low, T high, Word * below, Word * above)                \
    {                                                                                                                  \
      HWY_DYNAMIC_DISPATCH(Separated##NAME)(values, words, low, high, below, above);                                   \
    }
BRICKCCL_PACK_TYPES(BRICKCCL_SEPARATED_EXPORT)

#  define BRICKCCL_NEAR_EXPORT(T, NAME)                                                                                \
    HWY_EXPORT(Near##NAME);                                                                                            \
    template <>                                                                                                        \
    void PackNear(const T *        a,                                                                                  \
                  const T *        b,                                                                                  \
                  std::int64_t     words,                                                                              \
                  LimitOf<T>::Type limit,                                                                              \
                  const Word *     candidates,                                                                         \
                  Word *           bits)                                                                               \
    {                                                                                                                  \
      HWY_DYNAMIC_DISPATCH(Near##NAME)(a, b, words, limit, candidates, bits);                                          \
    }
BRICKCCL_PACK_TYPES(BRICKCCL_NEAR_EXPORT)

#  define BRICKCCL_LINKED_EXPORT(T, NAME)                                                                              \
    HWY_EXPORT(Linked##NAME);                                                                                          \
    HWY_EXPORT(LinkedPair##NAME);                                                                                      \
    template <>                                                                                                        \
    void PackLinkedRow(const LinkedRow<T> & row, std::int64_t length, const RowRule<T> & rule)                         \
    {                                                                                                                  \
      HWY_DYNAMIC_DISPATCH(Linked##NAME)(row, length, rule);                                                           \
    }                                                                                                                  \
    template <>                                                                                                        \
    void PackLinkedPair(const LinkedRow<T> & first,                                                                    \
                        const LinkedRow<T> & second,                                                                   \
                        std::int64_t         length,                                                                   \
                        const RowRule<T> &   rule)                                                                     \
    {                                                                                                                  \
      HWY_DYNAMIC_DISPATCH(LinkedPair##NAME)(first, second, length, rule);                                             \
    }
BRICKCCL_PACK_TYPES(BRICKCCL_LINKED_EXPORT)

} // namespace brickccl::simd

#endif
