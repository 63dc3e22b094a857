#ifndef BRICKCCL_FOREST_FORESTDEVICE_CUH
#define BRICKCCL_FOREST_FORESTDEVICE_CUH

#include <cuda_runtime.h>

/** The forest of Forest.h on the device: the same invariant (parent <= child) and the same argument about races. A root
 *  stops being one only by atomicCAS, whose answer is fresh and smaller if it fails, so every retry makes progress.
 *  Results are read after the kernel ends, or after a barrier of the block. How parents are read and written is a
 *  choice of speed: */
namespace brickccl::cuda
{

/** Global memory, as other multiprocessors see it. */
struct GlobalAccess
{
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

/** The root of a node while others unite; halves the path it walks. */
template <typename TAccess, typename TIndex>
__device__ inline TIndex
FindRoot(TIndex * parent, TIndex node)
{
  TIndex up = TAccess::Load(parent + node);
  while (up != node)
  {
    const TIndex upper = TAccess::Load(parent + up);
    if (upper != up)
    {
      TAccess::Store(parent + node, upper);
    }
    node = up;
    up = upper;
  }
  return node;
}

/** As FindRoot, without writing: for flattening, where a path halved by one thread could put an older ancestor over
 *  the root that another has stored. */
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

template <typename TAccess, typename TIndex>
__device__ inline void
Unite(TIndex * parent, TIndex a, TIndex b)
{
  for (;;)
  {
    a = FindRoot<TAccess>(parent, a);
    b = FindRoot<TAccess>(parent, b);
    if (a == b)
    {
      return;
    }
    if (a < b)
    {
      const TIndex swapped = a;
      a = b;
      b = swapped;
    }
    const TIndex found = atomicCAS(parent + a, a, b);
    if (found == a)
    {
      return;
    }
    a = found;
  }
}

} // namespace brickccl::cuda

#endif
