#ifndef BRICKCCL_RUNS_NUMBERROOTS_H
#define BRICKCCL_RUNS_NUMBERROOTS_H

#include "BrickCCL/Host/Parallel.h"
#include "BrickCCL/Runs/RunVolume.h"
#include "BrickCCL/Runs/ExpandRow.h"
#include "BrickCCL/Runs/FinalNumbers.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <type_traits>
#include <utility>
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

/** Turns the numbers that parts of the nodes give to their own roots, from 1 in each part, into numbers among all.
 * Until then a node that hangs on one of a part before has a number from the other end. */
template <typename TIndex>
class PartNumbers
{
public:
  /** Nodes of parts before that those of one part hang on, each in the list of it once or a few times. */
  class Hanging
  {
  public:
    /** The number, for the time being, of a node that hangs on `up`. */
    TIndex
    HangOn(TIndex up)
    {
      std::size_t & known = m_Known[up % KnownNodes];
      if (known >= m_Nodes.size() || m_Nodes[known] != up)
      {
        known = m_Nodes.size();
        m_Nodes.push_back(up);
      }
      return Final::last - static_cast<TIndex>(known);
    }

  private:
    friend class PartNumbers;

    /** Nodes beside a part's border hang on few others. */
    static constexpr std::size_t KnownNodes = 64;

    /** Later the numbers, among all, of what these nodes belong to. */
    std::vector<TIndex>                 m_Nodes;
    std::array<std::size_t, KnownNodes> m_Known = {};
  };

  /** \param firsts the first node of each part, then the number of all nodes */
  explicit PartNumbers(std::vector<std::uint64_t> firsts)
    : m_Firsts(std::move(firsts))
    , m_Before(m_Firsts.size(), 0)
    , m_Hanging(m_Firsts.size() - 1)
  {}
  /** What a part has counted and what hangs on others there. */
  void
  Set(std::int64_t part, TIndex own, Hanging hanging)
  {
    m_Before[static_cast<std::size_t>(part) + 1] = own;
    m_Hanging[static_cast<std::size_t>(part)] = std::move(hanging.m_Nodes);
  }
  /** When all parts have counted. `numberOf(node)` is what a node has got. \return how many roots there are. */
  template <typename TNumberOf>
  TIndex
  Join(TNumberOf numberOf)
  {
    std::partial_sum(m_Before.begin(), m_Before.end(), m_Before.begin());
    for (std::size_t part = 1; part < m_Hanging.size(); ++part)
    {
      for (TIndex & node : m_Hanging[part])
      {
        const auto end = m_Firsts.begin() + static_cast<std::ptrdiff_t>(part);
        const auto other = std::upper_bound(m_Firsts.begin(), end, std::uint64_t{ node }) - m_Firsts.begin() - 1;
        node = Of(other)(numberOf(node));
      }
    }
    return m_Before.back();
  }
  /** When the parts are joined: makes the numbers [firstOf(part), firstOf(part + 1)) of all parts final. */
  template <typename TFirstOf>
  void
  Finish(const HostContext & context, TFirstOf firstOf, TIndex * numbers) const
  {
    // Those of the first part are.
    ParallelFor(static_cast<std::int64_t>(m_Hanging.size()) - 1, context, [&](std::int64_t before) {
      const Final         final = Of(before + 1);
      const std::uint64_t begin = firstOf(before + 1);
      const std::uint64_t end = firstOf(before + 2);
      if constexpr (std::is_same_v<TIndex, std::uint32_t>)
      {
        if (m_Hanging[static_cast<std::size_t>(before) + 1].size() <= MaximumForVectors)
        {
          simd::FinishNumbers(final, static_cast<std::int64_t>(end - begin), numbers + begin);
          return;
        }
      }
      for (std::uint64_t i = begin; i < end; ++i)
      {
        numbers[i] = final(numbers[i]);
      }
    });
  }

private:
  using Final = simd::FinalNumbers<TIndex>;

  /** Vector code finds so many that others hang on. */
  static constexpr std::size_t MaximumForVectors = std::numeric_limits<std::int32_t>::max();

  Final
  Of(std::int64_t part) const
  {
    const auto                  at = static_cast<std::size_t>(part);
    const std::vector<TIndex> & hanging = m_Hanging[at];
    return { m_Before[at + 1] - m_Before[at], m_Before[at], hanging.empty() ? &m_Before[at] : hanging.data() };
  }

  std::vector<std::uint64_t>       m_Firsts;
  std::vector<TIndex>              m_Before;
  std::vector<std::vector<TIndex>> m_Hanging;
};

/** Replaces each node's parent by the consecutive number, from 1, of its root among all roots.
 *  \param firsts where the nodes are cut into parts for threads: the first node of each, then the number of all. Fast
 *  where few nodes have parents in other parts.
 *  \return the number of roots. */
template <typename TIndex>
std::uint64_t
NumberRoots(const std::vector<std::uint64_t> & firsts, const HostContext & context, TIndex * parent)
{
  const auto parts = static_cast<std::int64_t>(firsts.size()) - 1;
  const auto begin = [&](std::int64_t part) { return firsts[static_cast<std::size_t>(part)]; };
  if (EffectiveThreadCount(context.threads) == 1)
  {
    TIndex count = 0;
    for (std::int64_t part = 0; part < parts; ++part)
    {
      // All parts are one: nothing lies before it.
      count = NumberNodes(parent, begin(part), begin(part + 1), count, [parent](TIndex up) { return parent[up]; });
      context.progress.Update(static_cast<double>(part + 1) / static_cast<double>(parts));
    }
    return count;
  }

  PartNumbers<TIndex> numbers(firsts);
  ParallelFor(parts, context.Part(0, 0.7), [&](std::int64_t part) {
    typename PartNumbers<TIndex>::Hanging hanging;
    const TIndex own = NumberNodes(parent, begin(part), begin(part + 1), TIndex{ 0 }, [&hanging](TIndex up) {
      return hanging.HangOn(up);
    });
    numbers.Set(part, own, std::move(hanging));
  });
  const TIndex count = numbers.Join([parent](TIndex node) { return parent[node]; });
  numbers.Finish(context.Part(0.7, 1), begin, parent);
  return count;
}

} // namespace brickccl

#endif
