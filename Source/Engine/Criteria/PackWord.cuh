// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_CRITERIA_PACKWORD_CUH
#define BRICKCCL_CRITERIA_PACKWORD_CUH

#include "BrickCCL/Core/Extent.h"
#include "BrickCCL/Criteria/PixelRules.h"

#include <cuda_runtime.h>

#include <cstdint>
#include <type_traits>

/** Foreground and links of voxels on the device, 32 voxels of a row at a time. */
namespace brickccl::cuda
{

/** 32 voxels of a row as bits. */
using DeviceWord = unsigned int;

inline constexpr int BitsPerDeviceWord = 32;

/** The bits 0..bit. */
__device__ inline DeviceWord
BitsUpToLane(int bit)
{
  return 0xFFFFFFFFu >> (BitsPerDeviceWord - 1 - bit);
}

/** A quarter of a word's bits. Threads have one each where there are few words, and many runs in each of them (noise).
 */
struct PartOfWord
{
  static constexpr int perWord = 4;

  std::int64_t word;
  DeviceWord   bits;

  /** \param number  of the part in all words */
  __device__ explicit PartOfWord(std::int64_t number)
    : word(number / perWord)
    , bits(0xFFu << (number % perWord * (BitsPerDeviceWord / perWord)))
  {}
  __device__ bool
  IsFirst() const
  {
    return (bits & 1u) != 0;
  }
};

/** Loads 32 bytes from any address. The aligned words that hold them must be readable. */
__device__ inline void
LoadBytes(const unsigned char * place, unsigned (&words)[8])
{
  const auto offset = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(place));
  if (offset % 16 == 0)
  {
    const uint4 low = reinterpret_cast<const uint4 *>(place)[0];
    const uint4 high = reinterpret_cast<const uint4 *>(place)[1];
    words[0] = low.x, words[1] = low.y, words[2] = low.z, words[3] = low.w;
    words[4] = high.x, words[5] = high.y, words[6] = high.z, words[7] = high.w;
    return;
  }
  const auto * aligned = reinterpret_cast<const unsigned *>(place - offset % 4);
#pragma unroll
  for (int i = 0; i < 8; ++i)
  {
    words[i] = aligned[i];
  }
  if (offset % 4 != 0)
  {
    const unsigned last = aligned[8];
#pragma unroll
    for (int i = 0; i < 8; ++i)
    {
      words[i] = words[i] >> (8 * (offset % 4)) | (i < 7 ? words[i + 1] : last) << (32 - 8 * (offset % 4));
    }
  }
}

/** The highest bits of eight bytes side by side, moved by 7 bits to the left: byte i gives 128 times bit i. */
__device__ inline unsigned
HighestOfBytes(unsigned first, unsigned second)
{
  constexpr unsigned highest = 0x80808080u;
  return __dp4a(second & highest, 0x80402010u, __dp4a(first & highest, 0x08040201u, 0u));
}

/** The foreground bits of 32 voxels of one byte each, four at a time. Bytes are compared within a word: the words are
 *  subtracted without the bytes' highest bits, which then hold the answers (Warren, Hacker's Delight, chapter 2). */
template <typename T>
__device__ inline DeviceWord
PackBytes(const unsigned (&words)[8], const ForegroundRule<T> & rule)
{
  constexpr unsigned highest = 0x80808080u;
  constexpr unsigned flip = std::is_signed_v<T> ? highest : 0u;
  const auto         spread = [](T value) { return (static_cast<unsigned char>(value) * 0x01010101u) ^ flip; };
  const unsigned     low = spread(rule.low);
  const unsigned     high = spread(rule.high);
  const bool         isNonZero = rule.outside && rule.low == 0 && rule.high == 0;
  // At each highest bit, whether the byte of a is at least the byte of b.
  const auto atLeast = [](unsigned a, unsigned b) { return (a & ~b) | (~(a ^ b) & ((a | highest) - (b & ~highest))); };
  const auto pack = [&](const auto & answersOf) {
    unsigned eight[4];
#pragma unroll
    for (int i = 0; i < 4; ++i)
    {
      eight[i] = HighestOfBytes(answersOf(words[2 * i]), answersOf(words[2 * i + 1]));
    }
    return eight[0] >> 7 | eight[1] << 1 | eight[2] << 9 | eight[3] << 17;
  };
  if (isNonZero)
  {
    return pack([](unsigned four) { return ((four & ~highest) + ~highest) | four; });
  }
  return pack([&](unsigned four) {
    const unsigned value = four ^ flip;
    const unsigned answers = atLeast(value, low) & atLeast(high, value);
    return rule.outside ? ~answers : answers;
  });
}

/** The foreground bits of up to 32 voxels of a row, from `x` on. */
template <typename T>
__device__ inline DeviceWord
PackWord(const T * voxels, const VoxelRule<T> & rule, const Extent & extent, std::int64_t row, std::int64_t x)
{
  const std::int64_t left = extent.RowLength() - x;
  if (left <= 0)
  {
    return 0;
  }
  const DeviceWord inRow = BitsUpToLane(left < BitsPerDeviceWord ? static_cast<int>(left) - 1 : BitsPerDeviceWord - 1);
  const std::int64_t first = row * extent.RowLength() + x;
  const T *          place = voxels + first * rule.channels;
  DeviceWord         bits = 0;
  // Voxels past the row's end are read if they are in the volume, and are masked out.
  if (rule.channels == 1 && first + BitsPerDeviceWord + 3 < extent.VoxelCount())
  {
    if constexpr (sizeof(T) == 1)
    {
      unsigned words[8];
      LoadBytes(reinterpret_cast<const unsigned char *>(place), words);
      return PackBytes(words, rule.foreground) & inRow;
    }
    else
    {
      constexpr int perVector = 16 / sizeof(T);
      union Vector
      {
        uint4 whole;
        T     values[perVector];
      };
      const bool isAligned = reinterpret_cast<std::uintptr_t>(place) % 16 == 0;
#pragma unroll
      for (int v = 0; v < BitsPerDeviceWord / perVector; ++v)
      {
        Vector vector;
        if (isAligned)
        {
          vector.whole = reinterpret_cast<const uint4 *>(place)[v];
        }
        else
        {
#pragma unroll
          for (int i = 0; i < perVector; ++i)
          {
            vector.values[i] = place[v * perVector + i];
          }
        }
#pragma unroll
        for (int i = 0; i < perVector; ++i)
        {
          bits |= static_cast<DeviceWord>(rule.foreground(vector.values[i])) << (v * perVector + i);
        }
      }
      return bits & inRow;
    }
  }
#pragma unroll 1
  for (int i = 0; i < BitsPerDeviceWord && i < left; ++i)
  {
    bits |= static_cast<DeviceWord>(rule.IsForeground(place + i * rule.channels)) << i;
  }
  return bits;
}

/** The bits of `candidates` whose voxel is joined to the voxel `distance` further on. */
template <typename T>
__device__ inline DeviceWord
LinksOf(const T * voxels, const VoxelRule<T> & rule, std::int64_t voxel, std::int64_t distance, DeviceWord candidates)
{
  if (rule.followsForeground)
  {
    return candidates;
  }
  DeviceWord links = 0;
  for (DeviceWord rest = candidates; rest != 0; rest &= rest - 1)
  {
    const T * place = voxels + (voxel + __ffs(static_cast<int>(rest)) - 1) * rule.channels;
    if (rule.AreJoined(place, place + distance * rule.channels))
    {
      links |= rest & (0u - rest);
    }
  }
  return links;
}

/** The bits of `candidates` whose voxel is joined to the one before it in the row. All voxels of a word are compared at
 *  once. */
template <typename T>
__device__ inline DeviceWord
LinksToLeft(const T *            voxels,
            const VoxelRule<T> & rule,
            const Extent &       extent,
            std::int64_t         voxel,
            DeviceWord           candidates)
{
  const T * place = voxels + voxel;
  // Few candidates are compared one by one, and so are voxels that vectors cannot load.
  if (rule.followsForeground || rule.channels != 1 || __popc(candidates) < 4 ||
      voxel + BitsPerDeviceWord > extent.VoxelCount() || reinterpret_cast<std::uintptr_t>(place) % 16 != 0)
  {
    return LinksOf(voxels, rule, voxel, -1, candidates);
  }
  constexpr int perVector = 16 / sizeof(T);
  union Vector
  {
    uint4 whole;
    T     values[perVector];
  };
  DeviceWord links = 0;
  T          last = (candidates & 1u) != 0 ? place[-1] : place[0];
#pragma unroll
  for (int v = 0; v < BitsPerDeviceWord / perVector; ++v)
  {
    Vector vector;
    vector.whole = reinterpret_cast<const uint4 *>(place)[v];
#pragma unroll
    for (int i = 0; i < perVector; ++i)
    {
      links |= static_cast<DeviceWord>(rule.difference(vector.values[i], last)) << (v * perVector + i);
      last = vector.values[i];
    }
  }
  return links & candidates;
}

} // namespace brickccl::cuda

#endif
