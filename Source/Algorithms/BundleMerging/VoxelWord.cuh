#ifndef BRICKCCL_ALGORITHMS_BUNDLEMERGING_VOXELWORD_CUH
#define BRICKCCL_ALGORITHMS_BUNDLEMERGING_VOXELWORD_CUH

#include "BrickCCL/Algorithms/BundleMerging/BundleBricks.cuh"

/** Small voxels compared several at a time. */
namespace brickccl::cuda
{

/** 32 voxels of one or two bytes that lie side by side, in a lane's registers, in an order of unsigned numbers: those
 * of signed types with their highest bit flipped. */
template <typename T>
class VoxelWord
{
public:
  static_assert(std::is_integral_v<T> && sizeof(T) <= 2);
  static constexpr int perRegister = 4 / sizeof(T);
  static constexpr int registers = BitsPerDeviceWord / perRegister;
  static constexpr int bitsPerVoxel = 8 * sizeof(T);

  /** The same value for all voxels of a register. */
  __device__ static unsigned
  Spread(std::make_unsigned_t<T> value)
  {
    return value * (sizeof(T) == 1 ? 0x01010101u : 0x00010001u);
  }

  /** Reads the voxels from `place` on; zeros from the volume's `end` on. */
  __device__
  VoxelWord(const T * place, const T * end)
  {
    const auto         address = reinterpret_cast<std::uintptr_t>(place);
    const auto         offset = static_cast<unsigned>(address % 4);
    const auto         left = end - place;
    const auto * const aligned = reinterpret_cast<const unsigned *>(address - offset);
    if (left >= BitsPerDeviceWord && address % 16 == 0)
    {
#pragma unroll
      for (int i = 0; i < registers; i += 4)
      {
        const uint4 four = reinterpret_cast<const uint4 *>(place)[i / 4];
        m_Of[i] = four.x, m_Of[i + 1] = four.y, m_Of[i + 2] = four.z, m_Of[i + 3] = four.w;
      }
    }
    else
    {
      const auto bytes =
        static_cast<int>(left < 2 * BitsPerDeviceWord ? left : 2 * BitsPerDeviceWord) * static_cast<int>(sizeof(T)) +
        static_cast<int>(offset);
      const int whole = bytes / 4;
      unsigned  last = 0;
      for (int i = 0; i < bytes % 4; ++i)
      {
        last |= unsigned{ reinterpret_cast<const unsigned char *>(aligned + whole)[i] } << (8 * i);
      }
      const auto word = [&](int i) { return i < whole ? aligned[i] : i == whole ? last : 0u; };
#pragma unroll
      for (int i = 0; i < registers; ++i)
      {
        m_Of[i] = word(i);
      }
      const unsigned next = offset != 0 ? word(registers) : 0u;
#pragma unroll
      for (int i = 0; i < registers; ++i)
      {
        m_Of[i] = __funnelshift_r(m_Of[i], i + 1 < registers ? m_Of[i + 1] : next, 8 * offset);
      }
    }
    if constexpr (std::is_signed_v<T>)
    {
#pragma unroll
      for (unsigned & one : m_Of)
      {
        one ^= highest;
      }
    }
  }

  /** Which voxels lie inside a range. */
  __device__ DeviceWord
  Inside(T low, T high) const
  {
    const unsigned lows = Spread(Ordered(low));
    const unsigned highs = Spread(Ordered(high));
    const auto     isOutside = [&](int i) { return NonZero(Clamp(m_Of[i], lows, highs) ^ m_Of[i]); };
    return low <= high ? ~Collect(isOutside) : 0u;
  }

  /** Which voxels are joined to those of another word. */
  template <typename TDifference>
  __device__ DeviceWord
  JoinedTo(const VoxelWord & other, const TDifference & difference) const
  {
    return ~Collect([&](int i) { return difference(m_Of[i], other.m_Of[i]); });
  }
  /** Which voxels are joined to those before them in another word, of which `before` is the voxel before the first. */
  template <typename TDifference>
  __device__ DeviceWord
  JoinedToLeft(const VoxelWord & other, T before, const TDifference & difference) const
  {
    const unsigned first = unsigned{ Ordered(before) } << (32 - bitsPerVoxel);
    return ~Collect([&](int i) {
      return difference(m_Of[i],
                        __funnelshift_l(i > 0 ? other.m_Of[i > 0 ? i - 1 : 0] : first, other.m_Of[i], bitsPerVoxel));
    });
  }
  /** Which voxels are joined to those behind them in another word, of which `after` is the voxel behind the last. */
  template <typename TDifference>
  __device__ DeviceWord
  JoinedToRight(const VoxelWord & other, T after, const TDifference & difference) const
  {
    const unsigned last = Ordered(after);
    return ~Collect([&](int i) {
      return difference(m_Of[i],
                        __funnelshift_r(other.m_Of[i],
                                        i + 1 < registers ? other.m_Of[i + 1 < registers ? i + 1 : i] : last,
                                        bitsPerVoxel));
    });
  }

  /** Highest bits of voxels that are not zero; other bits are arbitrary. */
  __device__ static unsigned
  NonZero(unsigned voxels)
  {
    return ((voxels & ~highest) + ~highest) | voxels;
  }

  static constexpr unsigned highest = sizeof(T) == 1 ? 0x80808080u : 0x80008000u;

private:
  __device__ static std::make_unsigned_t<T>
  Ordered(T value)
  {
    return static_cast<std::make_unsigned_t<T>>(static_cast<unsigned>(value) ^ (std::is_signed_v<T> ? highest : 0u));
  }
  __device__ static unsigned
  Clamp(unsigned voxels, unsigned low, unsigned high)
  {
    if constexpr (sizeof(T) == 1)
    {
      return __vminu4(__vmaxu4(voxels, low), high);
    }
    else
    {
      return __vminu2(__vmaxu2(voxels, low), high);
    }
  }
  /** The highest bits of all voxels, side by side. */
  template <typename TFlags>
  __device__ static DeviceWord
  Collect(const TFlags & flags)
  {
    // A product brings a register's bits to the top, each to its own place.
    constexpr unsigned product = sizeof(T) == 1 ? 0x00204081u : 0x00008001u;
    DeviceWord         word = 0;
#pragma unroll
    for (int i = registers - 1; i >= 0; --i)
    {
      word = __funnelshift_l((flags(i) & highest) * product, word, perRegister);
    }
    return word;
  }

  unsigned m_Of[registers];
};

/** Which voxels of a register are not joined, at their highest bits. */
template <typename T, bool VTransitive>
class RegisterDifference
{
public:
  __device__ explicit RegisterDifference(const DifferenceRule<T> & rule)
    : m_IsWide(rule.limit >> (bits - 1) != 0)
    , m_Reach(VoxelWord<T>::Spread(static_cast<Unsigned>(half - (rule.limit & half))))
  {}

  __device__ unsigned
  operator()(unsigned a, unsigned b) const
  {
    if constexpr (VTransitive)
    {
      return VoxelWord<T>::NonZero(a ^ b);
    }
    else
    {
      // More than the limit: more in the lower bits than the limit has there (a carry into the highest bit tells), and
      // the highest bit too if the limit has it; or else the highest bit alone.
      const unsigned apart = Apart(a, b);
      const unsigned beyond = (apart & ~VoxelWord<T>::highest) + m_Reach;
      return m_IsWide ? apart & beyond : apart | beyond;
    }
  }

private:
  using Unsigned = std::make_unsigned_t<T>;
  static constexpr int      bits = 8 * sizeof(T);
  static constexpr unsigned half = (1u << (bits - 1)) - 1;

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

  bool     m_IsWide;
  unsigned m_Reach;
};

} // namespace brickccl::cuda

#endif
