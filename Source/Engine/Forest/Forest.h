// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

/** The disjoint-set forest. Node i has the parent parent[i] <= i; a root is its own parent.
 *
 *  So a root is the smallest node of its set, whatever the order of the unions. Labels that follow from roots are the
 *  same for every number of threads.
 *
 *  Why concurrent use is harmless. FindRootShared and UniteShared may run together; FlattenShared runs after a join,
 *  without other work. All accesses are atomic. 1. A root r stops being one only by the compare-and-swap in
 *  UniteShared, which writes a smaller root over the
 *     value r. Two threads that try it for the same r cannot both succeed, so no union is lost.
 *  2. Every other store writes to a node that was seen not to be a root, and hence never will be one again. It
 *     replaces the parent by an ancestor. Ancestors stay ancestors: whichever of two such stores comes last, the node
 *     keeps its set. It may keep the farther of the two ancestors, so paths must not be split while others flatten.
 *  3. Parents only ever get smaller. So each walk ends, and a failed compare-and-swap retries from smaller nodes. 4.
 *  The order of accesses to different nodes does not matter to 1 to 3, so relaxed atomics are enough. Threads that
 *     read the result start after a join with all threads that wrote it. */
namespace brickccl
{

template <typename TIndex>
TIndex
LoadShared(const TIndex * place)
{
  return __atomic_load_n(place, __ATOMIC_RELAXED);
}

template <typename TIndex>
void
StoreShared(TIndex * place, TIndex value)
{
  __atomic_store_n(place, value, __ATOMIC_RELAXED);
}

/** Unites the sets of two nodes that no other thread touches: Rem's algorithm with splicing. */
template <typename TIndex>
inline void
Unite(TIndex * parent, TIndex a, TIndex b)
{
  TIndex parentA = parent[a];
  TIndex parentB = parent[b];
  while (parentA != parentB)
  {
    if (parentA < parentB)
    {
      std::swap(a, b);
      std::swap(parentA, parentB);
    }
    parent[a] = parentB;
    if (a == parentA)
    {
      return;
    }
    a = parentA;
    parentA = parent[a];
  }
}

/** Finds a node's root while other threads unite. Path splitting: each node on the walk gets its grandparent as parent.
 *  \param parent  a pointer, or anything that gives a pointer to the parent of node i as `parent + i` */
template <typename TParents, typename TIndex>
inline TIndex
FindRootShared(TParents parent, TIndex node)
{
  TIndex up = LoadShared(parent + node);
  while (up != node)
  {
    const TIndex upper = LoadShared(parent + up);
    if (upper != up)
    {
      StoreShared(parent + node, upper);
    }
    node = up;
    up = upper;
  }
  return node;
}

/** Unites the sets of two nodes while other threads do the same. */
template <typename TParents, typename TIndex>
inline void
UniteShared(TParents parent, TIndex a, TIndex b)
{
  for (;;)
  {
    a = FindRootShared(parent, a);
    b = FindRootShared(parent, b);
    if (a == b)
    {
      return;
    }
    if (a < b)
    {
      std::swap(a, b);
    }
    TIndex expected = a;
    if (__atomic_compare_exchange_n(parent + a, &expected, b, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
    {
      return;
    }
  }
}

/** Points a node at its root while other threads do the same for other nodes; returns the root. The walk must not
 *  split paths: that could put an older ancestor over the root that another thread has stored (case 2). */
template <typename TParents, typename TIndex>
inline TIndex
FlattenShared(TParents parent, TIndex node)
{
  TIndex root = node;
  for (TIndex up = LoadShared(parent + root); up != root; up = LoadShared(parent + root))
  {
    root = up;
  }
  if (root != node)
  {
    StoreShared(parent + node, root);
  }
  return root;
}

} // namespace brickccl
