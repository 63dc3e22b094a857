#ifndef BRICKCCL_FOREST_FORESTDEVICE_CUH
#define BRICKCCL_FOREST_FORESTDEVICE_CUH

#include <cuda_runtime.h>

/** The forest of Forest.h on the device: the same invariant (a parent comes before its child, in the order of numbers
 *  or in another that never changes) and the same argument about races. A root
 *  stops being one only by atomicCAS, whose answer, if it fails, is fresh and comes before it, so every retry makes
 * progress. Results are read after the kernel ends, or after a barrier of the block. How parents are read and written
 * is a choice of speed: */
namespace brickccl::cuda
{

/** Global memory, as other multiprocessors see it. */
struct GlobalAccess
{
  /** Whether unions halve the paths that they walk. */
  static constexpr bool halvesPaths = true;

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
 *  older ancestor, so walks still stay within the set, and two walks that meet prove that the sets are one; a stale
 *  root is found out by atomicCAS. */
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
  static constexpr bool halvesPaths = true;

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

/** As BlockAccess, where paths are short already. */
struct ShortWaysAccess : BlockAccess
{
  static constexpr bool halvesPaths = false;
};

/** The root of a node, without writing: for flattening, where a path halved by one thread could put an older ancestor
 *  over the root that another has stored. */
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

/** Unites the sets of two nodes; `comesFirst` says which of two roots stays one. Any order does that never changes.
 * Both walk up side by side and stop where they meet, which most do soon; paths may be halved as they go. */
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
    if (TAccess::halvesPaths && upperA != upA)
    {
      TAccess::Store(parent + a, upperA);
    }
    if (TAccess::halvesPaths && upperB != upB)
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
