#ifndef BRICKCCL_FOREST_FORESTDEVICE_CUH
#define BRICKCCL_FOREST_FORESTDEVICE_CUH

#include <cuda_runtime.h>

/** The forest of Forest.h on the device: the same invariant (parent <= child) and the same argument about races. A root stops
 *  being one only by atomicCAS. Results are read after the kernel ends, or after a barrier of the block. */
namespace brickccl::cuda
{

template <typename TIndex>
__device__ inline TIndex
Load(const TIndex * place)
{
  return __nv_atomic_load_n(const_cast<TIndex *>(place), __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
}

template <typename TIndex>
__device__ inline void
Store(TIndex * place, TIndex value)
{
  __nv_atomic_store_n(place, value, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
}

template <typename TIndex>
__device__ inline TIndex
FindRoot(TIndex * parent, TIndex node)
{
  TIndex up = Load(parent + node);
  while (up != node)
  {
    const TIndex upper = Load(parent + up);
    if (upper != up)
    {
      Store(parent + node, upper);
    }
    node = up;
    up = upper;
  }
  return node;
}

/** As FindRoot, without writing: for flattening, where a path halved by one thread could put an older ancestor over
 *  the root that another has stored. */
template <typename TIndex>
__device__ inline TIndex
PeekRoot(const TIndex * parent, TIndex node)
{
  for (TIndex up = Load(parent + node); up != node; up = Load(parent + node))
  {
    node = up;
  }
  return node;
}

template <typename TIndex>
__device__ inline void
Unite(TIndex * parent, TIndex a, TIndex b)
{
  for (;;)
  {
    a = FindRoot(parent, a);
    b = FindRoot(parent, b);
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
    if (atomicCAS(parent + a, a, b) == a)
    {
      return;
    }
  }
}

} // namespace brickccl::cuda

#endif
