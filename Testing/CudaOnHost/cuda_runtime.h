// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_TESTING_CUDAONHOST_CUDA_RUNTIME_H
#define BRICKCCL_TESTING_CUDAONHOST_CUDA_RUNTIME_H

/** As much of CUDA as the kernels of Source/ need, for the host compiler, so that their logic is tested, under
 *  sanitizers too, where there is no GPU. Threads run one after the other (RunThreads), or as fibers that take turns at
 *  barriers (RunBlocks); there is one block at a time, so that shared memory can be the process's. It finds errors of
 * logic and of memory, not races: those are found on a device. */

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>

#define BRICKCCL_CUDA_ON_HOST 1
#define __host__
#define __device__
#define __global__
#define __grid_constant__
#define __forceinline__ inline
#define __launch_bounds__(...)
#define __shared__ static

struct dim3
{
  unsigned x, y, z;
  constexpr explicit dim3(unsigned sizeX = 1, unsigned sizeY = 1, unsigned sizeZ = 1)
    : x(sizeX)
    , y(sizeY)
    , z(sizeZ)
  {}
};

struct alignas(8) uint2
{
  unsigned x, y;
};

struct alignas(16) uint4
{
  unsigned x, y, z, w;
};

inline uint2
make_uint2(unsigned x, unsigned y)
{
  return { x, y };
}

inline uint4
make_uint4(unsigned x, unsigned y, unsigned z, unsigned w)
{
  return { x, y, z, w };
}

inline dim3 threadIdx(0, 0, 0);
inline dim3 blockIdx(0, 0, 0);
inline dim3 blockDim;
inline dim3 gridDim;

template <typename T>
T
__ldca(const T * place)
{
  return *place;
}

template <typename T>
T
__ldg(const T * place)
{
  return *place;
}

template <typename T>
void
__stcs(T * place, T value)
{
  *place = value;
}

inline unsigned
__float_as_uint(float value)
{
  unsigned bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

inline int
__popc(unsigned bits)
{
  return __builtin_popcount(bits);
}

inline int
__clz(int bits)
{
  return bits == 0 ? 32 : __builtin_clz(static_cast<unsigned>(bits));
}

inline int
__ffs(int bits)
{
  return __builtin_ffs(bits);
}

inline unsigned
__brev(unsigned bits)
{
  unsigned reversed = 0;
  for (int i = 0; i < 32; ++i)
  {
    reversed |= (bits >> i & 1u) << (31 - i);
  }
  return reversed;
}

inline unsigned
__funnelshift_l(unsigned low, unsigned high, unsigned shift)
{
  return static_cast<unsigned>(((std::uint64_t{ high } << 32 | low) << (shift & 31u)) >> 32);
}

inline unsigned
__funnelshift_r(unsigned low, unsigned high, unsigned shift)
{
  return static_cast<unsigned>((std::uint64_t{ high } << 32 | low) >> (shift & 31u));
}

inline unsigned
__umulhi(unsigned a, unsigned b)
{
  return static_cast<unsigned>(std::uint64_t{ a } * b >> 32);
}

/** The bytes of two words that a third one names, a hexadecimal digit each. */
inline unsigned
__byte_perm(unsigned low, unsigned high, unsigned names)
{
  const std::uint64_t both = std::uint64_t{ high } << 32 | low;
  unsigned            bytes = 0;
  for (int place = 0; place < 4; ++place)
  {
    bytes |= static_cast<unsigned>(both >> (names >> 4 * place & 7u) * 8 & 0xFFu) << 8 * place;
  }
  return bytes;
}

/** The sum of the products of two words' bytes, and of a third word. */
inline unsigned
__dp4a(unsigned a, unsigned b, unsigned sum)
{
  for (int shift = 0; shift < 32; shift += 8)
  {
    sum += (a >> shift & 0xFFu) * (b >> shift & 0xFFu);
  }
  return sum;
}

/** The same of a word's halves and the two lower bytes of another one. */
inline unsigned
__dp2a_lo(unsigned a, unsigned b, unsigned sum)
{
  return sum + (a & 0xFFFFu) * (b & 0xFFu) + (a >> 16) * (b >> 8 & 0xFFu);
}

namespace brickccl::cuda::onhost
{

/** The result of an operation for each part of a word of this many bits. */
template <int VBits, typename TOperation>
unsigned
ForParts(unsigned a, unsigned b, const TOperation & operation)
{
  constexpr unsigned mask = (1u << VBits) - 1;
  unsigned           result = 0;
  for (int shift = 0; shift < 32; shift += VBits)
  {
    result |= operation(a >> shift & mask, b >> shift & mask) << shift;
  }
  return result;
}

inline unsigned
Lesser(unsigned a, unsigned b)
{
  return a < b ? a : b;
}

inline unsigned
Greater(unsigned a, unsigned b)
{
  return a < b ? b : a;
}

} // namespace brickccl::cuda::onhost

inline unsigned
__vminu2(unsigned a, unsigned b)
{
  return brickccl::cuda::onhost::ForParts<16>(a, b, brickccl::cuda::onhost::Lesser);
}

inline unsigned
__vmaxu2(unsigned a, unsigned b)
{
  return brickccl::cuda::onhost::ForParts<16>(a, b, brickccl::cuda::onhost::Greater);
}

inline unsigned
__viaddmin_u16x2(unsigned a, unsigned b, unsigned most)
{
  return __vminu2(brickccl::cuda::onhost::ForParts<16>(a, b, [](unsigned x, unsigned y) { return (x + y) & 0xFFFFu; }),
                  most);
}

inline unsigned
__vminu4(unsigned a, unsigned b)
{
  return brickccl::cuda::onhost::ForParts<8>(a, b, brickccl::cuda::onhost::Lesser);
}

inline unsigned
__vmaxu4(unsigned a, unsigned b)
{
  return brickccl::cuda::onhost::ForParts<8>(a, b, brickccl::cuda::onhost::Greater);
}

inline unsigned
__vabsdiffu4(unsigned a, unsigned b)
{
  return brickccl::cuda::onhost::ForParts<8>(a, b, [](unsigned one, unsigned other) {
    return one < other ? other - one : one - other;
  });
}

#define __NV_ATOMIC_RELAXED 0
#define __NV_THREAD_SCOPE_DEVICE 0

template <typename T>
T
__nv_atomic_load_n(const T * place, int, int)
{
  return *place;
}

template <typename T>
void
__nv_atomic_store_n(T * place, T value, int, int)
{
  *place = value;
}

template <typename T>
T
atomicAdd(T * place, T value)
{
  const T old = *place;
  *place = old + value;
  return old;
}

template <typename T>
T
atomicMin(T * place, T value)
{
  const T old = *place;
  *place = value < old ? value : old;
  return old;
}

template <typename T>
T
atomicMax(T * place, T value)
{
  const T old = *place;
  *place = value > old ? value : old;
  return old;
}

template <typename T>
T
atomicOr(T * place, T value)
{
  const T old = *place;
  *place = old | value;
  return old;
}

template <typename T>
T
atomicExch(T * place, T value)
{
  const T old = *place;
  *place = value;
  return old;
}

template <typename T>
T
atomicCAS(T * place, T expected, T desired)
{
  const T old = *place;
  *place = old == expected ? desired : old;
  return old;
}

namespace brickccl::cuda::onhost
{

void RunThreads(dim3 blocks, dim3 threads, const std::function<void()> & kernel);
void RunBlocks(dim3 blocks, dim3 threads, const std::function<void()> & kernel);
/** Waits for the block or for the warp. Ends the process with a message if the kernel was launched by RunThreads. */
void MeetAtBarrier(bool ofWarp);
/** A place where this warp's lanes leave values for each other: another one with every call. */
std::uint64_t * ExchangePlace();

} // namespace brickccl::cuda::onhost

inline void
__syncthreads()
{
  brickccl::cuda::onhost::MeetAtBarrier(false);
}

inline int
__syncthreads_count(int value)
{
  static int count;
  __syncthreads();
  count = 0;
  __syncthreads();
  count += value != 0 ? 1 : 0;
  __syncthreads();
  return count;
}

inline int
__syncthreads_or(int value)
{
  return __syncthreads_count(value) != 0 ? 1 : 0;
}

inline void
__syncwarp()
{
  brickccl::cuda::onhost::MeetAtBarrier(true);
}

template <typename T>
T
ExchangeInWarp(T value, unsigned from)
{
  static_assert(sizeof(T) <= sizeof(std::uint64_t));
  std::uint64_t * place = brickccl::cuda::onhost::ExchangePlace();
  std::memcpy(place + threadIdx.x % 32, &value, sizeof(T));
  __syncwarp();
  std::memcpy(&value, place + from, sizeof(T));
  return value;
}

/** All lanes of the warp must call it. */
template <typename T>
T
__shfl_sync(unsigned, T value, unsigned from)
{
  return ExchangeInWarp(value, from % 32);
}

template <typename T>
T
__shfl_up_sync(unsigned, T value, unsigned distance)
{
  const unsigned lane = threadIdx.x % 32;
  return ExchangeInWarp(value, lane >= distance ? lane - distance : lane);
}

template <typename T>
T
__shfl_down_sync(unsigned, T value, unsigned distance)
{
  const unsigned lane = threadIdx.x % 32;
  return ExchangeInWarp(value, lane + distance < 32 ? lane + distance : lane);
}

template <typename T>
T
__shfl_xor_sync(unsigned, T value, unsigned mask)
{
  return ExchangeInWarp(value, (threadIdx.x ^ mask) % 32);
}

inline unsigned
__ballot_sync(unsigned, int value)
{
  std::uint64_t * place = brickccl::cuda::onhost::ExchangePlace();
  place[threadIdx.x % 32] = value != 0;
  __syncwarp();
  unsigned votes = 0;
  for (unsigned lane = 0; lane < 32; ++lane)
  {
    votes |= static_cast<unsigned>(place[lane]) << lane;
  }
  return votes;
}

/** The lanes that have the same value. */
template <typename T>
unsigned
__match_any_sync(unsigned, T value)
{
  std::uint64_t * place = brickccl::cuda::onhost::ExchangePlace();
  place[threadIdx.x % 32] = value;
  __syncwarp();
  unsigned same = 0;
  for (unsigned lane = 0; lane < 32; ++lane)
  {
    same |= static_cast<unsigned>(place[lane] == value) << lane;
  }
  return same;
}

inline int
__any_sync(unsigned mask, int value)
{
  return __ballot_sync(mask, value) != 0;
}

#include "RuntimeFunctions.h"

#endif
