#include "BrickCCL/Simd/PackRow.h"

#ifdef BRICKCCL_USE_HIGHWAY
#  include <cstring>
#  include <type_traits>

// Highway compiles the rest of this file once for every instruction set.
#  undef HWY_TARGET_INCLUDE
#  define HWY_TARGET_INCLUDE "BrickCCL/Simd/PackRow.cxx"
#  include <hwy/foreach_target.h>
#  include <hwy/highway.h>

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
  // Read back in the size that is written, which processors forward.
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

/** As many values as fit, of those that a word has bits for. */
template <typename T>
using ValueTag = hn::CappedTag<T, BitsPerWord>;

/** The bits of values that differ by at most `most`; `VIsEqual` tells that this is 0. */
template <bool VIsEqual, typename T>
HWY_INLINE Word
BitsOfNear(ValueTag<T>                                tag,
           hn::Vec<ValueTag<T>>                       a,
           hn::Vec<ValueTag<T>>                       b,
           hn::Vec<ValueTag<std::make_unsigned_t<T>>> most)
{
  if constexpr (VIsEqual)
  {
    (void)most;
    return BitsOf(tag, hn::Eq(a, b));
  }
  else
  {
    // The unsigned type of the same size holds every difference.
    const ValueTag<std::make_unsigned_t<T>> unsignedTag;
    const auto difference = hn::BitCast(unsignedTag, hn::Sub(hn::Max(a, b), hn::Min(a, b)));
    return BitsOf(unsignedTag, hn::Not(hn::Lt(most, difference)));
  }
}

template <bool VIsEqual, typename T>
HWY_INLINE void
PackNearWith(const T *               a,
             const T *               b,
             std::int64_t            words,
             std::make_unsigned_t<T> limit,
             const Word *            candidates,
             Word *                  bits)
{
  const ValueTag<T>     tag;
  constexpr std::size_t lanes = hn::MaxLanes(tag);
  const auto            most = hn::Set(ValueTag<std::make_unsigned_t<T>>(), limit);
  for (std::int64_t w = 0; w < words; ++w)
  {
    Word word = 0;
    if (candidates[w] != 0)
    {
      for (std::size_t i = 0; i < BitsPerWord; i += lanes)
      {
        const auto valueA = hn::LoadU(tag, a + w * BitsPerWord + i);
        const auto valueB = hn::LoadU(tag, b + w * BitsPerWord + i);
        word |= BitsOfNear<VIsEqual, T>(tag, valueA, valueB, most) << i;
      }
    }
    bits[w] = word & candidates[w];
  }
}

template <typename T>
HWY_INLINE void
PackNearOf(const T *               a,
           const T *               b,
           std::int64_t            words,
           std::make_unsigned_t<T> limit,
           const Word *            candidates,
           Word *                  bits)
{
  limit == 0 ? PackNearWith<true>(a, b, words, limit, candidates, bits)
             : PackNearWith<false>(a, b, words, limit, candidates, bits);
}

constexpr std::uintptr_t CacheLine = 64;
constexpr std::uintptr_t LinesPerPage = 4096 / CacheLine;

/** Asks for a line of pixels for each that is read, at `bytes`: what is done with a row's bits before the next row is
 * packed would otherwise keep the memory waiting. The line is of the next block of 8192 pixels, whose pages are taken
 * in turns: what the processor fetches ahead of a stream ends with its page, and it follows several streams at once. */
template <typename T>
HWY_INLINE void
AskAhead(const void * bytes)
{
  constexpr std::uintptr_t pages = 2 * sizeof(T);
  const auto               line = reinterpret_cast<std::uintptr_t>(bytes) / CacheLine;
  const auto               page = (line / (LinesPerPage * pages) + 1) * pages + line % pages;
  const auto               ahead = page * LinesPerPage + line / pages % LinesPerPage;
  __builtin_prefetch(reinterpret_cast<const void *>(ahead * CacheLine));
}

template <bool VOutside, typename T>
HWY_INLINE void
PackWordsWith(const T * values, std::int64_t words, T low, T high, Word * bits)
{
  const ValueTag<T>     tag;
  constexpr std::size_t lanes = hn::MaxLanes(tag);
  const auto            lowest = hn::Set(tag, low);
  const auto            highest = hn::Set(tag, high);
  for (std::int64_t w = 0; w < words; ++w)
  {
    const auto * const bytes = reinterpret_cast<const std::uint8_t *>(values + w * BitsPerWord);
    for (std::size_t i = 0; i < BitsPerWord * sizeof(T); i += CacheLine)
    {
      AskAhead<T>(bytes + i);
    }
    Word word = 0;
    for (std::size_t i = 0; i < BitsPerWord; i += lanes)
    {
      const auto value = hn::LoadU(tag, values + w * BitsPerWord + i);
      auto       is = hn::Or(hn::Lt(value, lowest), hn::Lt(highest, value));
      if constexpr (!VOutside)
      {
        is = hn::Not(is);
        if constexpr (std::is_floating_point_v<T>)
        {
          is = hn::And(is, hn::Eq(value, value));
        }
      }
      word |= BitsOf(tag, is) << i;
    }
    bits[w] = word;
  }
}

template <typename T>
HWY_INLINE void
PackWordsOf(const T * values, std::int64_t words, T low, T high, bool outside, Word * bits)
{
  if (outside)
  {
    PackWordsWith<true>(values, words, low, high, bits);
  }
  else
  {
    PackWordsWith<false>(values, words, low, high, bits);
  }
}

template <bool VIsEqual, typename T>
HWY_INLINE void
PackLinkedWith(const T *          values,
               std::int64_t       length,
               const RowRule<T> & rule,
               Word *             foreground,
               Word *             starts,
               const NearRow<T> * rows,
               int                rowCount)
{
  const ValueTag<T>     tag;
  constexpr std::size_t lanes = hn::MaxLanes(tag);
  const auto            lowest = hn::Set(tag, rule.low);
  const auto            highest = hn::Set(tag, rule.high);
  const auto            most = hn::Set(ValueTag<std::make_unsigned_t<T>>(), rule.limit);
  const Word            inside = rule.outside ? 0 : ~Word{ 0 };
  Word                  previous = 0;
  for (std::int64_t begin = 0, w = 0; begin < length; begin += BitsPerWord, ++w)
  {
    const T * const      own = values + begin;
    hn::Vec<ValueTag<T>> value[BitsPerWord / lanes];
    Word                 out = 0;
    Word                 before = 0;
    for (std::size_t i = 0; i < BitsPerWord; i += lanes)
    {
      if (i % (CacheLine / sizeof(T)) == 0)
      {
        AskAhead<T>(own + i);
      }
      value[i / lanes] = hn::LoadU(tag, own + i);
      out |= BitsOf(tag, hn::Or(hn::Lt(value[i / lanes], lowest), hn::Lt(highest, value[i / lanes]))) << i;
      before |= BitsOfNear<VIsEqual, T>(tag, value[i / lanes], hn::LoadU(tag, own + i - 1), most) << i;
    }
    const Word bits =
      (out ^ inside) & (length - begin < BitsPerWord ? BitsUpTo(static_cast<int>(length - begin) - 1) : ~Word{ 0 });
    foreground[w] = bits;
    starts[w] = bits & ~(before & FromLeft(bits, previous));
    previous = bits;
    for (int row = 0; row < rowCount; ++row)
    {
      const Word candidates = bits & rows[row].foreground[w];
      Word       near = 0;
      if (candidates != 0)
      {
        for (std::size_t i = 0; i < BitsPerWord; i += lanes)
        {
          const auto there = hn::LoadU(tag, rows[row].values + begin + i);
          near |= BitsOfNear<VIsEqual, T>(tag, value[i / lanes], there, most) << i;
        }
      }
      rows[row].links[w] = candidates & near;
    }
  }
}

#  define BRICKCCL_PACK_INTEGERS(DO)                                                                                   \
    DO(std::uint8_t, U8)                                                                                               \
    DO(std::int8_t, I8)                                                                                                \
    DO(std::uint16_t, U16)                                                                                             \
    DO(std::int16_t, I16) DO(std::uint32_t, U32) DO(std::int32_t, I32) DO(std::uint64_t, U64) DO(std::int64_t, I64)
#  define BRICKCCL_PACK_TYPES(DO) BRICKCCL_PACK_INTEGERS(DO) DO(float, F32) DO(double, F64)

// Highway exports functions by name, one for each type.
#  define BRICKCCL_PACK_FUNCTION(T, NAME)                                                                              \
    void Pack##NAME(const T * values, std::int64_t words, T low, T high, bool outside, Word * bits)                    \
    {                                                                                                                  \
      PackWordsOf(values, words, low, high, outside, bits);                                                            \
    }
BRICKCCL_PACK_TYPES(BRICKCCL_PACK_FUNCTION)
#  undef BRICKCCL_PACK_FUNCTION
#  define BRICKCCL_NEAR_FUNCTION(T, NAME)                                                                              \
    void Near##NAME(const T *               a,                                                                         \
                    const T *               b,                                                                         \
                    std::int64_t            words,                                                                     \
                    std::make_unsigned_t<T> limit,                                                                     \
                    const Word *            candidates,                                                                \
                    Word *                  bits)                                                                      \
    {                                                                                                                  \
      PackNearOf(a, b, words, limit, candidates, bits);                                                                \
    }
BRICKCCL_PACK_INTEGERS(BRICKCCL_NEAR_FUNCTION)
#  undef BRICKCCL_NEAR_FUNCTION
#  define BRICKCCL_LINKED_FUNCTION(T, NAME)                                                                            \
    void Linked##NAME(const T *          values,                                                                       \
                      std::int64_t       length,                                                                       \
                      const RowRule<T> & rule,                                                                         \
                      Word *             foreground,                                                                   \
                      Word *             starts,                                                                       \
                      const NearRow<T> * rows,                                                                         \
                      int                rowCount)                                                                     \
    {                                                                                                                  \
      rule.limit == 0 ? PackLinkedWith<true>(values, length, rule, foreground, starts, rows, rowCount)                 \
                      : PackLinkedWith<false>(values, length, rule, foreground, starts, rows, rowCount);               \
    }
BRICKCCL_PACK_INTEGERS(BRICKCCL_LINKED_FUNCTION)
#  undef BRICKCCL_LINKED_FUNCTION

} // namespace HWY_NAMESPACE
} // namespace brickccl::simd

HWY_AFTER_NAMESPACE();

#  if HWY_ONCE

namespace brickccl::simd
{

#    define BRICKCCL_PACK_EXPORT(T, NAME)                                                                              \
      HWY_EXPORT(Pack##NAME);                                                                                          \
      template <>                                                                                                      \
      void PackWords(const T * values, std::int64_t words, T low, T high, bool outside, Word * bits)                   \
      {                                                                                                                \
        HWY_DYNAMIC_DISPATCH(Pack##NAME)(values, words, low, high, outside, bits);                                     \
      }
BRICKCCL_PACK_TYPES(BRICKCCL_PACK_EXPORT)

#    define BRICKCCL_NEAR_EXPORT(T, NAME)                                                                              \
      HWY_EXPORT(Near##NAME);                                                                                          \
      template <>                                                                                                      \
      void PackNear(const T *               a,                                                                         \
                    const T *               b,                                                                         \
                    std::int64_t            words,                                                                     \
                    std::make_unsigned_t<T> limit,                                                                     \
                    const Word *            candidates,                                                                \
                    Word *                  bits)                                                                      \
      {                                                                                                                \
        HWY_DYNAMIC_DISPATCH(Near##NAME)(a, b, words, limit, candidates, bits);                                        \
      }
BRICKCCL_PACK_INTEGERS(BRICKCCL_NEAR_EXPORT)

#    define BRICKCCL_LINKED_EXPORT(T, NAME)                                                                            \
      HWY_EXPORT(Linked##NAME);                                                                                        \
      template <>                                                                                                      \
      void PackLinkedRow(const T *          values,                                                                    \
                         std::int64_t       length,                                                                    \
                         const RowRule<T> & rule,                                                                      \
                         Word *             foreground,                                                                \
                         Word *             starts,                                                                    \
                         const NearRow<T> * rows,                                                                      \
                         int                rowCount)                                                                  \
      {                                                                                                                \
        HWY_DYNAMIC_DISPATCH(Linked##NAME)(values, length, rule, foreground, starts, rows, rowCount);                  \
      }
BRICKCCL_PACK_INTEGERS(BRICKCCL_LINKED_EXPORT)

} // namespace brickccl::simd

#  endif
#else

namespace brickccl::simd
{

template <typename T>
void
PackWords(const T *, std::int64_t, T, T, bool, Word *)
{}

template <typename T>
void
PackNear(const T *, const T *, std::int64_t, std::make_unsigned_t<T>, const Word *, Word *)
{}

template <typename T>
void
PackLinkedRow(const T *, std::int64_t, const RowRule<T> &, Word *, Word *, const NearRow<T> *, int)
{}

#  define BRICKCCL_PACK_NOTHING(T)                                                                                     \
    template void PackLinkedRow(const T *, std::int64_t, const RowRule<T> &, Word *, Word *, const NearRow<T> *, int); \
    template void PackWords(const T *, std::int64_t, T, T, bool, Word *);                                              \
    template void PackNear(const T *, const T *, std::int64_t, std::make_unsigned_t<T>, const Word *, Word *);
BRICKCCL_PACK_NOTHING(std::uint8_t)
BRICKCCL_PACK_NOTHING(std::int8_t)
BRICKCCL_PACK_NOTHING(std::uint16_t)
BRICKCCL_PACK_NOTHING(std::int16_t)
BRICKCCL_PACK_NOTHING(std::uint32_t)
BRICKCCL_PACK_NOTHING(std::int32_t)
BRICKCCL_PACK_NOTHING(std::uint64_t)
BRICKCCL_PACK_NOTHING(std::int64_t)
template void PackWords(const float *, std::int64_t, float, float, bool, Word *);
template void PackWords(const double *, std::int64_t, double, double, bool, Word *);

} // namespace brickccl::simd

#endif
