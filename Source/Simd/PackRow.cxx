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

template <bool VOutside, typename T>
HWY_INLINE void
PackWordsWith(const T * values, std::int64_t words, T low, T high, Word * bits)
{
  const hn::CappedTag<T, BitsPerWord> tag;
  constexpr std::size_t               lanes = hn::MaxLanes(tag);
  const auto                          lowest = hn::Set(tag, low);
  const auto                          highest = hn::Set(tag, high);
  for (std::int64_t w = 0; w < words; ++w)
  {
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
      // Read back in the size that is written, which processors forward.
      std::conditional_t<
        lanes == 64,
        std::uint64_t,
        std::conditional_t<lanes == 32, std::uint32_t, std::conditional_t<lanes == 16, std::uint16_t, std::uint8_t>>>
                   part;
      std::uint8_t bytes[8];
      hn::StoreMaskBits(tag, is, bytes);
      std::memcpy(&part, bytes, sizeof(part));
      word |= Word{ part } << i;
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

#  define BRICKCCL_PACK_TYPES(DO)                                                                                      \
    DO(std::uint8_t, U8)                                                                                               \
    DO(std::int8_t, I8)                                                                                                \
    DO(std::uint16_t, U16) DO(std::int16_t, I16) DO(std::uint32_t, U32) DO(std::int32_t, I32) DO(std::uint64_t, U64)   \
      DO(std::int64_t, I64) DO(float, F32) DO(double, F64)

// Highway exports functions by name, one for each type.
#  define BRICKCCL_PACK_FUNCTION(T, NAME)                                                                              \
    void Pack##NAME(const T * values, std::int64_t words, T low, T high, bool outside, Word * bits)                    \
    {                                                                                                                  \
      PackWordsOf(values, words, low, high, outside, bits);                                                            \
    }
BRICKCCL_PACK_TYPES(BRICKCCL_PACK_FUNCTION)
#  undef BRICKCCL_PACK_FUNCTION

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

} // namespace brickccl::simd

#  endif
#else

namespace brickccl::simd
{

template <typename T>
void
PackWords(const T *, std::int64_t, T, T, bool, Word *)
{}

#  define BRICKCCL_PACK_NOTHING(T) template void PackWords(const T *, std::int64_t, T, T, bool, Word *);
BRICKCCL_PACK_NOTHING(std::uint8_t)
BRICKCCL_PACK_NOTHING(std::int8_t)
BRICKCCL_PACK_NOTHING(std::uint16_t)
BRICKCCL_PACK_NOTHING(std::int16_t)
BRICKCCL_PACK_NOTHING(std::uint32_t)
BRICKCCL_PACK_NOTHING(std::int32_t)
BRICKCCL_PACK_NOTHING(std::uint64_t)
BRICKCCL_PACK_NOTHING(std::int64_t)
BRICKCCL_PACK_NOTHING(float)
BRICKCCL_PACK_NOTHING(double)

} // namespace brickccl::simd

#endif
