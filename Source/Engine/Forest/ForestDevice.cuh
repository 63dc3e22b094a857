// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_FOREST_FORESTDEVICE_CUH
#define BRICKCCL_FOREST_FORESTDEVICE_CUH

#include <cuda_runtime.h>

/** The forest of Forest.h on the device. The invariant is the same: a parent comes before its child, in the order of
 *  the numbers or in another order that never changes. So is the argument about races. A root stops being one only by
 *  atomicCAS. If that fails, its answer is fresh and comes before the root, so that every retry makes progress. Results
 *  are read after the kernel has ended, or after a barrier of the block. The structs below are the ways to read and
 *  write parents; they differ in speed. */
namespace brickccl::cuda
{

/** Global memory, as other multiprocessors see it. */
struct GlobalAccess
{
  /** Whether unions use path splitting. */
  static constexpr bool splitsPaths = true;

  template <typename TIndex>
  __device__ static TIndex
  Load(const TIndex * place)
  {
    return __nv_atomic_load_n(const_cast<TIndex *>(place), __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
  }
  template <typename TIndex>
  __device__ static void
  Store(TIndex * place, TIndex value)
  {
    __nv_atomic_store_n(place, value, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
  }
};

/** Global memory through the first-level cache, which other multiprocessors' stores do not reach. A stale parent is an
 *  older ancestor: walks still stay within the set, and two walks that meet prove that the sets are one. A stale root
 *  is found out by atomicCAS. */
struct CachedAccess : GlobalAccess
{
  template <typename TIndex>
  __device__ static TIndex
  Load(const TIndex * place)
  {
    return __ldca(place);
  }
};

/** Shared memory, where an aligned word is read and written as a whole. */
struct BlockAccess
{
  static constexpr bool splitsPaths = true;

  template <typename TIndex>
  __device__ static TIndex
  Load(const TIndex * place)
  {
    return *static_cast<const volatile TIndex *>(place);
  }
  template <typename TIndex>
  __device__ static void
  Store(TIndex * place, TIndex value)
  {
    *static_cast<volatile TIndex *>(place) = value;
  }
};

/** As BlockAccess, for paths that are short already. */
struct ShortPathsAccess : BlockAccess
{
  static constexpr bool splitsPaths = false;
};

/** Finds the root of a node without writing. It is for flattening, where path splitting by one thread could put an
 *  older ancestor over the root that another thread has stored. */
template <typename TAccess, typename TIndex>
__device__ inline TIndex
PeekRoot(const TIndex * parent, TIndex node)
{
  for (TIndex up = TAccess::Load(parent + node); up != node; up = TAccess::Load(parent + node))
  {
    node = up;
  }
  return node;
}

/** Unites the sets of two nodes. `comesFirst(rootA, rootB)` says which root stays one; it may be any order that never
 *  changes. Both walks go up side by side and stop where they meet, which most do soon. */
template <typename TAccess, typename TIndex, typename TOrder>
__device__ inline void
Unite(TIndex * parent, TIndex a, TIndex b, TOrder && comesFirst)
{
  TIndex upA = TAccess::Load(parent + a);
  TIndex upB = TAccess::Load(parent + b);
  while (upA != upB)
  {
    const TIndex upperA = TAccess::Load(parent + upA);
    const TIndex upperB = TAccess::Load(parent + upB);
    if (upperA == upA && upperB == upB)
    {
      const bool   keepA = comesFirst(upA, upB);
      const TIndex goes = keepA ? upB : upA;
      const TIndex stays = keepA ? upA : upB;
      const TIndex found = atomicCAS(parent + goes, goes, stays);
      if (found == goes)
      {
        return;
      }
      (keepA ? upB : upA) = found;
      continue;
    }
    if (TAccess::splitsPaths && upperA != upA)
    {
      TAccess::Store(parent + a, upperA);
    }
    if (TAccess::splitsPaths && upperB != upB)
    {
      TAccess::Store(parent + b, upperB);
    }
    a = upA;
    upA = upperA;
    b = upB;
    upB = upperB;
  }
}

template <typename TAccess, typename TIndex>
__device__ inline void
Unite(TIndex * parent, TIndex a, TIndex b)
{
  Unite<TAccess>(parent, a, b, [](TIndex i, TIndex j) { return i < j; });
}

} // namespace brickccl::cuda

#endif
