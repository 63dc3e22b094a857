#ifndef BRICKCCL_RUNS_NUMBERROOTS_H
#define BRICKCCL_RUNS_NUMBERROOTS_H

#include "BrickCCL/Forest/Forest.h"
#include "BrickCCL/Host/Parallel.h"
#include "BrickCCL/Runs/Marks.h"
#include "BrickCCL/Runs/RunVolume.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace brickccl
{

/** The numbers of the first runs of chunks of rows, and that of all runs. */
inline std::vector<std::uint64_t>
FirstRunsOf(const RunVolume & volume, const Chunks & rows)
{
  std::vector<std::uint64_t> firsts;
  for (std::int64_t chunk = 0; chunk < rows.count; ++chunk)
  {
    firsts.push_back(volume.FirstRun(rows.Begin(chunk)));
  }
  firsts.push_back(volume.RunCount());
  return firsts;
}

/** Numbers the roots among the nodes [begin, end), of which `count` come before, and gives all of these their roots'
 *  numbers: a node's parent comes before it and has its number already, or is a root before `begin`, which
 *  `numberOf(root)` knows. \return how many roots there are up to `end`. */
template <typename TIndex, typename TNumberOf>
TIndex
NumberNodes(TIndex * parent, std::uint64_t begin, std::uint64_t end, TIndex count, TNumberOf numberOf)
{
  for (std::uint64_t node = begin; node < end; ++node)
  {
    const TIndex up = parent[node];
    if (up < begin)
    {
      parent[node] = numberOf(up);
      continue;
    }
    const TIndex number = parent[up];
    const bool   isRoot = up == static_cast<TIndex>(node);
    count += isRoot ? 1 : 0;
    parent[node] = isRoot ? count : number;
  }
  return count;
}

/** Replaces each node's parent by the consecutive number, from 1, of its root among all roots.
 *  \param firsts where the nodes are cut into parts for threads: the first node of each, then the number of all. Fast
 *  where few nodes have parents in other parts.
 *  \return the number of roots. */
template <typename TIndex>
std::uint64_t
NumberRoots(const std::vector<std::uint64_t> & firsts,
            const HostContext &                context,
            Workspace &                        workspace,
            TIndex *                           parent)
{
  const std::uint64_t nodes = firsts.back();
  const auto          parts = static_cast<std::int64_t>(firsts.size()) - 1;
  if (EffectiveThreadCount(context.threads) == 1)
  {
    TIndex count = 0;
    for (std::size_t part = 1; part < firsts.size(); ++part)
    {
      // All parts are one: nothing lies before it.
      count = NumberNodes(parent, firsts[part - 1], firsts[part], count, [parent](TIndex up) { return parent[up]; });
      context.progress.Update(static_cast<double>(part) / static_cast<double>(parts));
    }
    return count;
  }

  if (nodes == 0)
  {
    return 0;
  }
  Marks<TIndex> roots(workspace, 4, nodes, context);
  for (const std::uint64_t first : firsts)
  {
    // Words that parts share.
    roots.ClearWordOf(std::min(first, nodes - 1));
  }
  ParallelFor(parts, context.Part(0, 0.4), [&](std::int64_t part) {
    const std::uint64_t begin = firsts[static_cast<std::size_t>(part)];
    const std::uint64_t end = firsts[static_cast<std::size_t>(part) + 1];
    for (std::uint64_t word = begin / BitsPerWord; word * BitsPerWord < end; ++word)
    {
      const std::uint64_t first = word * BitsPerWord;
      const std::uint64_t from = std::max(begin, first);
      const std::uint64_t to = std::min(end, first + BitsPerWord);
      Word                bits = 0;
      bool                reachesBack = false;
      for (std::uint64_t node = from; node < to; ++node)
      {
        const TIndex up = LoadShared(parent + node);
        bits |= Word{ up == node ? 1u : 0u } << (node - first);
        reachesBack |= up < begin;
      }
      for (std::uint64_t node = from; node < to && reachesBack; ++node)
      {
        if (LoadShared(parent + node) < begin)
        {
          FlattenShared(parent, static_cast<TIndex>(node));
        }
      }
      if (to - from == BitsPerWord)
      {
        roots.SetWord(static_cast<std::int64_t>(word), bits);
      }
      else
      {
        roots.AddToWord(static_cast<std::int64_t>(word), bits);
      }
    }
  });
  const std::uint64_t count = roots.Count();
  ParallelFor(parts, context.Part(0.4, 1), [&](std::int64_t part) {
    const std::uint64_t begin = firsts[static_cast<std::size_t>(part)];
    NumberNodes(parent,
                begin,
                firsts[static_cast<std::size_t>(part) + 1],
                begin == 0 ? TIndex{ 0 } : roots.RankOf(begin - 1),
                [&roots](TIndex root) { return roots.RankOf(root); });
  });
  return count;
}

} // namespace brickccl

#endif
