#ifndef BRICKCCL_RUNS_NUMBERROOTS_H
#define BRICKCCL_RUNS_NUMBERROOTS_H

#include "BrickCCL/Forest/Forest.h"
#include "BrickCCL/Host/Parallel.h"
#include "BrickCCL/Runs/Marks.h"

#include <algorithm>
#include <cstdint>

namespace brickccl
{

/** Replaces each node's parent by the consecutive number, from 1, of its root among all roots.
 *  \return their number. */
template <typename TIndex>
std::uint64_t
NumberRoots(std::uint64_t nodes, const HostContext & context, Workspace & workspace, TIndex * parent)
{
  Marks<TIndex> roots(workspace, 4, nodes, context);
  ParallelFor(roots.PartCount(), context.Part(0, 0.6), [&](std::int64_t part) {
    const std::uint64_t end = roots.FirstOf(part + 1);
    for (std::uint64_t first = roots.FirstOf(part); first < end; first += BitsPerWord)
    {
      Word bits = 0;
      for (std::uint64_t node = first; node < std::min(end, first + BitsPerWord); ++node)
      {
        const bool isRoot = FlattenShared(parent, static_cast<TIndex>(node)) == node;
        bits |= Word{ isRoot ? 1u : 0u } << (node - first);
      }
      roots.SetWord(static_cast<std::int64_t>(first / BitsPerWord), bits);
    }
  });
  const std::uint64_t count = roots.Count();
  ParallelFor(roots.PartCount(), context.Part(0.6, 1), [&](std::int64_t part) {
    for (std::uint64_t node = roots.FirstOf(part); node < roots.FirstOf(part + 1); ++node)
    {
      parent[node] = roots.RankOf(parent[node]);
    }
  });
  return count;
}

} // namespace brickccl

#endif
