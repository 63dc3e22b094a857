// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Measuring/CountPairs.h"

#include <algorithm>
#include <cstring>

// Highway compiles the rest of this file once for every instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "BrickCCL/Measuring/CountPairs-simd.cxx"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();

namespace brickccl::simd
{
namespace HWY_NAMESPACE
{

/** The number of voxels per step. With one more on both sides, their bits are within 8 bytes, wherever they begin in
 * the first of these. */
constexpr std::int64_t VoxelsOfPart = BitsPerWord - 9;

/** The bits of neighboring voxels, for a neighbor at x - 1, x and x + 1. Before and after the row there are no
 *  neighbors. */
struct PartMasks
{
  HWY_INLINE
  PartMasks(std::int64_t begin, std::int64_t count, std::int64_t length)
    : here(BitsUpTo(static_cast<int>(count) - 1))
    , before(begin == 0 ? here & ~Word{ 1 } : here)
    , behind(begin + count == length ? here >> 1 : here)
  {}

  Word here;
  Word before;
  Word behind;
};

/** The address of the bits from the voxel before a voxel on. Machines with vectors store words from their lowest byte
 *  on. */
struct PlaceBefore
{
  HWY_INLINE explicit PlaceBefore(std::int64_t voxel)
    : byte((voxel + 7) / 8 - 1)
    , bit(static_cast<int>((voxel + 7) % 8))
  {}

  HWY_INLINE const void *
  In(const Word * row) const
  {
    return reinterpret_cast<const unsigned char *>(row) + byte;
  }
  HWY_INLINE Word
  BitsOf(const Word * row) const
  {
    Word bits;
    std::memcpy(&bits, In(row), sizeof(bits));
    return bits >> bit;
  }

  std::int64_t byte;
  int          bit;
};

HWY_INLINE void
CountPairsOfPart(const Word *         own,
                 const Word * const * others,
                 const PlaceBefore &  place,
                 const PartMasks &    masks,
                 std::uint64_t *      counts)
{
  counts[PairKinds::Own] += static_cast<std::uint64_t>(CountBits(place.BitsOf(own) & masks.before));
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3_DL
  // Loads the four rows side by side.
  const auto load = [&](int row)
                      HWY_ATTR { return _mm_loadl_epi64(static_cast<const __m128i *>(place.In(others[row]))); };
  const __m256i words = _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_unpacklo_epi64(load(0), load(1))),
                                                _mm_unpacklo_epi64(load(2), load(3)),
                                                1);
  const __m256i bits = _mm256_srl_epi64(words, _mm_cvtsi32_si128(place.bit));
  const auto    add = [&](int step, __m256i neighbors, Word mask) HWY_ATTR {
    auto * const  count = reinterpret_cast<__m256i *>(counts + PairKinds::Of(0, step));
    const __m256i under = _mm256_and_si256(neighbors, _mm256_set1_epi64x(static_cast<long long>(mask)));
    _mm256_storeu_si256(count, _mm256_add_epi64(_mm256_loadu_si256(count), _mm256_popcnt_epi64(under)));
  };
  add(-1, bits, masks.before);
  add(0, _mm256_srli_epi64(bits, 1), masks.here);
  add(1, _mm256_srli_epi64(bits, 2), masks.behind);
#else
  for (int row = 0; row < PairRows; ++row)
  {
    const Word bits = place.BitsOf(others[row]);
    counts[PairKinds::Of(row, -1)] += static_cast<std::uint64_t>(CountBits(bits & masks.before));
    counts[PairKinds::Of(row, 0)] += static_cast<std::uint64_t>(CountBits(bits >> 1 & masks.here));
    counts[PairKinds::Of(row, 1)] += static_cast<std::uint64_t>(CountBits(bits >> 2 & masks.behind));
  }
#endif
}

void
CountPairsOf(const Word *         own,
             const Word * const * others,
             std::int64_t         length,
             const CountedRun *   runs,
             std::size_t          runCount)
{
  for (const CountedRun * run = runs; run != runs + runCount; ++run)
  {
    for (std::int64_t begin = run->begin, count = 0; begin < run->end; begin += count)
    {
      count = std::min(VoxelsOfPart, run->end - begin);
      CountPairsOfPart(own, others, PlaceBefore(begin), PartMasks(begin, count, length), run->counts);
    }
  }
}

} // namespace HWY_NAMESPACE
} // namespace brickccl::simd

HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace brickccl::simd
{

HWY_EXPORT(CountPairsOf);

void
CountPairs(const Word *         own,
           const Word * const * others,
           std::int64_t         length,
           const CountedRun *   runs,
           std::size_t          runCount)
{
  HWY_DYNAMIC_DISPATCH(CountPairsOf)(own, others, length, runs, runCount);
}

} // namespace brickccl::simd

#endif
