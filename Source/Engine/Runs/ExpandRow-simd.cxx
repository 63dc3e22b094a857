// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Runs/ExpandRow.h"

#include <type_traits>

// Highway compiles the rest of this file once for every instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "BrickCCL/Runs/ExpandRow-simd.cxx"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include <hwy/cache_control.h>

#ifndef BRICKCCL_SIMD_EXPANDROW_ONCE
#  define BRICKCCL_SIMD_EXPANDROW_ONCE

namespace brickccl::simd
{

/** For every byte of starts, how many runs start at or before each of its 8 voxels. */
struct StartCounts
{
  alignas(64) std::uint8_t of[256][8];

  constexpr StartCounts()
    : of()
  {
    for (int starts = 0; starts < 256; ++starts)
    {
      int count = 0;
      for (int x = 0; x < 8; ++x)
      {
        count += (starts >> x) & 1;
        of[starts][x] = static_cast<std::uint8_t>(count);
      }
    }
  }
};

inline constexpr StartCounts startCounts;

/** The 64 bits of a row from bit x on; 0 past its last word. */
inline Word
BitsFrom(const Word * row, std::int64_t words, std::int64_t x)
{
  const std::int64_t w = x / BitsPerWord;
  const int          shift = static_cast<int>(x % BitsPerWord);
  const Word         low = w < words ? row[w] >> shift : 0;
  return shift == 0 || w + 1 >= words ? low : low | row[w + 1] << (BitsPerWord - shift);
}

/** The starts of runs among `bits`, the bits of a row from x on. Each stretch of foreground is one run. */
inline Word
StartsAmong(const Word * row, Word bits, std::int64_t x)
{
  const Word before = x > 0 ? row[(x - 1) / BitsPerWord] >> ((x - 1) % BitsPerWord) & 1u : 0;
  return bits & ~(bits << 1 | before);
}

} // namespace brickccl::simd

#endif

// So many labels are written together. It is 16 where bits are counted in all lanes of a vector at once.
#undef BRICKCCL_EXPANDED_LANES
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3_DL
#  define BRICKCCL_EXPANDED_LANES 16
#else
#  define BRICKCCL_EXPANDED_LANES 8
#endif

HWY_BEFORE_NAMESPACE();

namespace brickccl::simd
{
namespace HWY_NAMESPACE
{

namespace hn = hwy::HWY_NAMESPACE;

/** Stores a vector. It goes past the caches if that is wanted and possible, which takes 16 bytes. */
template <bool VPastCaches, typename TTag, typename TVector>
HWY_INLINE void
StoreVector(TTag tag, TVector values, hn::TFromD<TTag> * place)
{
  if constexpr (VPastCaches && hn::MaxLanes(tag) * sizeof(hn::TFromD<TTag>) >= 16)
  {
    hn::Stream(values, tag, place);
  }
  else
  {
    hn::StoreU(values, tag, place);
  }
}

/** Stores labels as numbers of type T. */
template <bool VPastCaches, typename TTag, typename TVector, typename T>
HWY_INLINE void
Put(TTag, TVector labels, T * place)
{
  const hn::Rebind<T, TTag> outTag;
  if constexpr (std::is_same_v<T, std::uint32_t>)
  {
    StoreVector<VPastCaches>(outTag, labels, place);
  }
  else if constexpr (sizeof(T) == 8)
  {
    const hn::Half<TTag>                half;
    const hn::Rebind<T, decltype(half)> wide;
    StoreVector<VPastCaches>(wide, hn::PromoteTo(wide, hn::LowerHalf(half, labels)), place);
    StoreVector<VPastCaches>(wide, hn::PromoteTo(wide, hn::UpperHalf(half, labels)), place + hn::MaxLanes(half));
  }
  else
  {
    const auto numbers = hn::BitCast(hn::Rebind<std::int32_t, TTag>(), labels);
    if constexpr (std::is_floating_point_v<T>)
    {
      StoreVector<VPastCaches>(outTag, hn::ConvertTo(outTag, numbers), place);
    }
    else
    {
      StoreVector<VPastCaches>(outTag, hn::DemoteTo(outTag, numbers), place);
    }
  }
}

/** For each voxel of a vector, how many runs start at or before it. */
template <typename TTag>
HWY_INLINE hn::Vec<TTag>
           CountStarts(TTag tag, Word starts)
{
#if BRICKCCL_EXPANDED_LANES == 16
  if constexpr (hn::MaxLanes(tag) == 16)
  {
    const auto upTo = hn::Sub(hn::Shl(hn::Set(tag, 2), hn::Iota(tag, 0)), hn::Set(tag, 1));
    return hn::PopulationCount(hn::And(hn::Set(tag, static_cast<std::uint32_t>(starts)), upTo));
  }
  else
#endif
  {
    const hn::Rebind<std::uint8_t, TTag> byteTag;
    return hn::PromoteTo(tag, hn::LoadU(byteTag, startCounts.of[starts]));
  }
}

/** Writes the labels of as many voxels as the tag has lanes. `bits` and `starts` describe them from bit 0 on. */
template <bool VPastCaches, typename TTag, typename T>
HWY_INLINE void
PutLabels(TTag tag, Word bits, Word starts, const std::uint32_t *& run, T * place)
{
  constexpr Word mask = (Word{ 1 } << hn::MaxLanes(tag)) - 1;
  // If a run starts at every voxel, the last voxel needs one label more than there are lanes, but the first voxel does
  // not need the label of an earlier run.
  const bool         all = (starts & mask) == mask;
  const auto         counts = hn::Sub(CountStarts(tag, starts & mask), hn::Set(tag, static_cast<std::uint32_t>(all)));
  const auto         values = hn::TableLookupLanes(hn::LoadU(tag, run + all), hn::IndicesFromVec(tag, counts));
  const std::uint8_t here[2] = { static_cast<std::uint8_t>(bits & mask),
                                 static_cast<std::uint8_t>((bits & mask) >> 8) };
  Put<VPastCaches>(tag, hn::IfThenElseZero(hn::LoadMaskBits(tag, here), values), place);
  run += CountBits(starts & mask);
}

template <bool VPastCaches, bool VFollow, typename T>
HWY_INLINE void
ExpandRowWith(const LabeledRow & row, T * out)
{
  const Word * const                                          foreground = row.foreground;
  const Word * const                                          starts = row.starts;
  const std::int64_t                                          length = row.length;
  const hn::CappedTag<std::uint32_t, 4>                       quadTag;
  const hn::CappedTag<std::uint32_t, BRICKCCL_EXPANDED_LANES> tag;
  constexpr std::size_t                                       quad = hn::MaxLanes(quadTag);
  constexpr std::size_t                                       lanes = hn::MaxLanes(tag);
  const std::int64_t                                          words = WordsForBits(length);
  const auto                                                  startsFrom = [&](Word bits, std::int64_t from) HWY_ATTR {
    return VFollow ? StartsAmong(foreground, bits, from) : BitsFrom(starts, words, from);
  };
  // The last run that has started. At the row's begin it is one before the first run.
  const std::uint32_t * run = row.labels - 1;
  std::int64_t          x = 0;
  const auto            putQuad = [&] {
    const Word bits = BitsFrom(foreground, words, x);
    PutLabels<VPastCaches>(quadTag, bits, startsFrom(bits, x), run, out + x);
    x += quad;
  };
  // Stores past the caches must be aligned, and no store to the same line may go through the caches.
  while (VPastCaches && x + static_cast<std::int64_t>(quad) <= length &&
         reinterpret_cast<std::uintptr_t>(out + x) % (lanes * sizeof(T)) != 0)
  {
    putQuad();
  }
  for (; x + BitsPerWord <= length; x += BitsPerWord)
  {
    Word bits = BitsFrom(foreground, words, x);
    Word first = startsFrom(bits, x);
    if (bits == 0 || (first == 0 && bits == ~Word{ 0 }))
    {
      const auto all = bits == 0 ? hn::Zero(tag) : hn::Set(tag, *run);
      for (std::size_t i = 0; i < BitsPerWord; i += lanes)
      {
        Put<VPastCaches>(tag, all, out + x + i);
      }
      continue;
    }
    for (std::size_t i = 0; i < BitsPerWord; i += lanes)
    {
      PutLabels<VPastCaches>(tag, bits, first, run, out + x + i);
      bits >>= lanes;
      first >>= lanes;
    }
  }
  for (; x + static_cast<std::int64_t>(lanes) <= length; x += lanes)
  {
    const Word bits = BitsFrom(foreground, words, x);
    PutLabels<VPastCaches>(tag, bits, startsFrom(bits, x), run, out + x);
  }
  // putQuad moves x on. NOLINTNEXTLINE(bugprone-infinite-loop)
  while (x + static_cast<std::int64_t>(quad) <= length)
  {
    putQuad();
  }
  for (; x < length; ++x)
  {
    const Word bits = BitsFrom(foreground, words, x);
    run += startsFrom(bits, x) & 1u;
    out[x] = static_cast<T>((bits & 1u) != 0 ? *run : 0u);
  }
}

template <typename T>
HWY_INLINE void
ExpandRowTo(const LabeledRow & row, T * out, bool pastCaches)
{
  // A row goes past the caches as a whole or not at all, in pieces of 16 bytes or more.
  constexpr std::size_t quad = hn::MaxLanes(hn::CappedTag<std::uint32_t, 4>());
  constexpr std::size_t lanes = hn::MaxLanes(hn::CappedTag<std::uint32_t, BRICKCCL_EXPANDED_LANES>());
  constexpr std::size_t unit = quad * sizeof(T) >= 16 ? quad : lanes;
  const bool fits = unit * sizeof(T) >= 16 && reinterpret_cast<std::uintptr_t>(out) % (unit * sizeof(T)) == 0 &&
                    row.length % static_cast<std::int64_t>(unit) == 0;
  const bool follow = row.starts == nullptr;
  if (pastCaches && fits)
  {
    follow ? ExpandRowWith<true, true>(row, out) : ExpandRowWith<true, false>(row, out);
  }
  else
  {
    follow ? ExpandRowWith<false, true>(row, out) : ExpandRowWith<false, false>(row, out);
  }
}

#define BRICKCCL_EXPAND_TYPES(DO)                                                                                      \
  DO(std::uint8_t *, U8) DO(std::uint16_t *, U16) DO(std::uint32_t *, U32) DO(std::uint64_t *, U64) DO(float *, F32)

// Highway exports functions by name, so that each type needs a name of its own.
#define BRICKCCL_EXPAND_FUNCTION(TLabels, NAME)                                                                        \
  void ExpandRow##NAME(const LabeledRow & row, TLabels out, bool pastCaches)                                           \
  {                                                                                                                    \
    ExpandRowTo(row, out, pastCaches);                                                                                 \
  }
BRICKCCL_EXPAND_TYPES(BRICKCCL_EXPAND_FUNCTION)
#undef BRICKCCL_EXPAND_FUNCTION

void
FlushStores()
{
  hwy::FlushStream();
}

} // namespace HWY_NAMESPACE
} // namespace brickccl::simd

HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace brickccl::simd
{

#  define BRICKCCL_EXPAND_EXPORT(TLabels, NAME)                                                                        \
    HWY_EXPORT(ExpandRow##NAME);                                                                                       \
    void ExpandRow(const LabeledRow & row, TLabels out, bool pastCaches)                                               \
    {                                                                                                                  \
      HWY_DYNAMIC_DISPATCH(ExpandRow##NAME)(row, out, pastCaches);                                                     \
    }
BRICKCCL_EXPAND_TYPES(BRICKCCL_EXPAND_EXPORT)
HWY_EXPORT(FlushStores);

void
FlushStores()
{
  HWY_DYNAMIC_DISPATCH(FlushStores)();
}

} // namespace brickccl::simd

#endif
