// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_ALGORITHMS_BUNDLEMERGING_VOXELGROUP_CUH
#define BRICKCCL_ALGORITHMS_BUNDLEMERGING_VOXELGROUP_CUH

#include "BrickCCL/Algorithms/BundleMerging/BundleBricks.cuh"

#include <cstdint>
#include <limits>
#include <type_traits>

/** Small voxels that are compared several at a time. */
namespace brickccl::cuda
{

/** Voxels of one or two bytes that lie side by side: as many as four registers of a lane hold. They are ordered as
 * unsigned numbers, so voxels of signed types have their highest bit flipped. A register of answers has one answer for
 *  each of its voxels. For voxels of one byte it is the highest bit of the byte; its other bits do not count. For
 *  voxels of two bytes it is 1 or 0. Answers are appended below the bits of a word, one bit for each voxel. So groups
 *  are asked from the highest x to the lowest. */
template <typename T>
class VoxelGroup
{
public:
  static_assert(std::is_integral_v<T> && sizeof(T) <= 2);
  static constexpr int      perRegister = 4 / sizeof(T);
  static constexpr int      count = 4 * perRegister;
  static constexpr int      bitsPerVoxel = 8 * sizeof(T);
  static constexpr unsigned highest = sizeof(T) == 1 ? 0x80808080u : 0x80008000u;
  static constexpr unsigned ones = sizeof(T) == 1 ? 0x01010101u : 0x00010001u;

  /** A value in the order of unsigned numbers. */
  __device__ static std::make_unsigned_t<T>
  Ordered(T value)
  {
    return static_cast<std::make_unsigned_t<T>>(static_cast<unsigned>(value) ^ (std::is_signed_v<T> ? highest : 0u));
  }
  /** A register with the same value for all voxels. */
  __device__ static unsigned
  Spread(std::make_unsigned_t<T> value)
  {
    return value * ones;
  }
  /** Answers which voxels are not zero. */
  __device__ static unsigned
  NonZero(unsigned voxels)
  {
    if constexpr (sizeof(T) == 1)
    {
      return ((voxels & ~highest) + ~highest) | voxels;
    }
    else
    {
      return __vminu2(voxels, ones);
    }
  }

  /** Reads the voxels from `place` on. Voxels from the volume's `end` on are zero. */
  __device__ static uint4
  Read(const T * place, const T * end)
  {
    const auto         address = reinterpret_cast<std::uintptr_t>(place);
    const std::int64_t left = end - place;
    if (left >= count && address % 16 == 0)
    {
      return *reinterpret_cast<const uint4 *>(place);
    }
    // The words of memory that hold the voxels. If the volume ends in the last word, that is read byte by byte.
    const auto         offset = static_cast<int>(address % 4);
    const auto * const aligned = reinterpret_cast<const unsigned *>(address - static_cast<unsigned>(offset));
    const int          voxels = left < 0 ? 0 : left < 2 * count ? static_cast<int>(left) : 2 * count;
    const int          bytes = voxels * static_cast<int>(sizeof(T)) + (voxels > 0 ? offset : 0);
    const int          whole = bytes / 4;
    unsigned           last = 0;
    for (int i = 0; whole <= 4 && i < bytes % 4; ++i)
    {
      last |= unsigned{ reinterpret_cast<const unsigned char *>(aligned + whole)[i] } << (8 * i);
    }
    const auto word = [&](int i) { return i < whole ? aligned[i] : i == whole ? last : 0u; };
    unsigned   next = offset != 0 ? word(4) : 0u;
    unsigned   four[4];
#pragma unroll
    for (int i = 3; i >= 0; --i)
    {
      const unsigned own = word(i);
      four[i] = __funnelshift_r(own, next, static_cast<unsigned>(8 * offset));
      next = own;
    }
    return make_uint4(four[0], four[1], four[2], four[3]);
  }

  __device__ explicit VoxelGroup(const uint4 & four)
    : m_Of{ four.x, four.y, four.z, four.w }
  {
    if constexpr (std::is_signed_v<T>)
    {
#pragma unroll
      for (unsigned & one : m_Of)
      {
        one ^= highest;
      }
    }
  }
  __device__
  VoxelGroup(const T * place, const T * end)
    : VoxelGroup(Read(place, end))
  {}

  /** Appends which voxels are outside a range. */
  __device__ void
  AppendOutside(DeviceWord & word, T low, T high) const
  {
    if (low == std::numeric_limits<T>::lowest() && high == std::numeric_limits<T>::max())
    {
      word = 0; // as of all groups
      return;
    }
    const unsigned lows = Spread(Ordered(low));
    const unsigned highs = Spread(Ordered(high));
    if (low == high)
    {
      Append(word, [&](int i) { return NonZero(m_Of[i] ^ lows); });
      return;
    }
    Append(word, [&](int i) { return NonZero(Least(Greatest(m_Of[i], lows), highs) ^ m_Of[i]); });
  }
  /** Appends which voxels are not joined to another group's voxels. */
  template <typename TDifference>
  __device__ void
  AppendSeparated(DeviceWord & word, const VoxelGroup & other, const TDifference & difference) const
  {
    Append(word, [&](int i) { return difference(m_Of[i], other.m_Of[i]); });
  }
  /** Appends which voxels are not joined to those before them in another group. `before` is the voxel before its first
   *  one. */
  template <typename TDifference>
  __device__ void
  AppendSeparatedLeft(DeviceWord & word, const VoxelGroup & other, T before, const TDifference & difference) const
  {
    const unsigned first = unsigned{ Ordered(before) } << (32 - bitsPerVoxel);
    Append(word, [&](int i) {
      return difference(m_Of[i], __funnelshift_l(i > 0 ? other.m_Of[(i + 3) % 4] : first, other.m_Of[i], bitsPerVoxel));
    });
  }
  /** Appends which voxels are not joined to those behind them in another group. `after` is the voxel behind its last
   *  one. */
  template <typename TDifference>
  __device__ void
  AppendSeparatedRight(DeviceWord & word, const VoxelGroup & other, T after, const TDifference & difference) const
  {
    const unsigned last = Ordered(after);
    Append(word, [&](int i) {
      return difference(m_Of[i], __funnelshift_r(other.m_Of[i], i < 3 ? other.m_Of[(i + 1) % 4] : last, bitsPerVoxel));
    });
  }

private:
  __device__ static unsigned
  Greatest(unsigned a, unsigned b)
  {
    if constexpr (sizeof(T) == 1)
    {
      return __vmaxu4(a, b);
    }
    else
    {
      return __vmaxu2(a, b);
    }
  }
  __device__ static unsigned
  Least(unsigned a, unsigned b)
  {
    if constexpr (sizeof(T) == 1)
    {
      return __vminu4(a, b);
    }
    else
    {
      return __vminu2(a, b);
    }
  }
  /** Appends the answers of a register, by its number: each answer times the bit that is its own. */
  template <typename TAnswers>
  __device__ static void
  Append(DeviceWord & word, const TAnswers & answers)
  {
    if constexpr (sizeof(T) == 1)
    {
      const auto eight = [&](int i) { return HighestOfBytes(answers(i), answers(i + 1)); };
      word = (word << 16) + (eight(2) << 1) + (eight(0) >> 7);
    }
    else
    {
      word <<= 8;
#pragma unroll
      for (unsigned i = 0; i < 4; ++i)
      {
        word = __dp2a_lo(answers(static_cast<int>(i)), 0x0201u << 2 * i, word);
      }
    }
  }

  unsigned m_Of[4];
};

/** Returns which voxels of a register are above a value, in the order of VoxelGroup. */
template <typename T>
class AboveValue
{
public:
  using Value = std::make_unsigned_t<T>;

  __device__ explicit AboveValue(Value value)
    : m_Value(VoxelGroup<T>::Spread(value))
    , m_Complement(VoxelGroup<T>::Spread(static_cast<Value>(sizeof(T) == 1 ? ~value : -value)))
  {}

  __device__ unsigned
  operator()(unsigned voxels) const
  {
    if constexpr (sizeof(T) == 1)
    {
      // The lower bits are greater if a carry runs into the highest bit. That decides where the highest bits are alike.
      constexpr unsigned lower = ~VoxelGroup<T>::highest;
      const unsigned     greater = (voxels & lower) + (m_Complement & lower);
      return (voxels & greater) | ((voxels | greater) & m_Complement);
    }
    else
    {
      return __viaddmin_u16x2(__vmaxu2(voxels, m_Value), m_Complement, VoxelGroup<T>::ones);
    }
  }

private:
  unsigned m_Value;
  /** The number to add. For voxels of two bytes it is that which turns the value into 0. */
  unsigned m_Complement;
};

/** Answers which voxels of two registers are not joined. */
template <typename T, bool VTransitive>
class RegisterDifference
{
public:
  __device__ explicit RegisterDifference(const DifferenceRule<T> & rule)
    : m_AboveLimit(rule.limit)
  {}

  __device__ unsigned
  operator()(unsigned a, unsigned b) const
  {
    if constexpr (VTransitive)
    {
      return VoxelGroup<T>::NonZero(a ^ b);
    }
    else
    {
      return m_AboveLimit(Apart(a, b));
    }
  }

private:
  __device__ static unsigned
  Apart(unsigned a, unsigned b)
  {
    if constexpr (sizeof(T) == 1)
    {
      return __vabsdiffu4(a, b);
    }
    else
    {
      return __vmaxu2(a, b) - __vminu2(a, b);
    }
  }

  AboveValue<T> m_AboveLimit;
};

} // namespace brickccl::cuda

#endif
