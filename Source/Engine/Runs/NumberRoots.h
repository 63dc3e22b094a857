// SPDX-License-Identifier: Apache-2.0
#pragma once

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

/** The numbers of the first runs of chunks of rows, then the number of all runs. */
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

/** Gives the nodes [begin, end) the numbers of their roots. `count` roots come before these nodes. A node's parent
 *  comes before it: it has its number already, or is a root before `begin`, whose number is `numberOf(root)`.
 *  \return the number of roots up to `end` */
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

/** Converts the numbers that parts of the nodes give to their own roots, from 1 in each part, to numbers in all
 *  parts. Until then a node whose root is in an earlier part has a foreign number (FinalNumbers.h). */
template <typename TIndex>
class PartNumbers
{
public:
  /** The nodes of earlier parts that are parents in one part. Each is in its list once or a few times. */
  class ForeignNodes
  {
  public:
    /** The foreign number of a node whose parent `up` is in an earlier part. */
    TIndex
    NumberOf(TIndex up)
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

    /** Nodes at a part's border share few parents in earlier parts. */
    static constexpr std::size_t KnownNodes = 64;

    /** Join replaces these nodes by their numbers among all parts. */
    std::vector<TIndex>                 m_Nodes;
    std::array<std::size_t, KnownNodes> m_Known = {};
  };

  /** \param firsts  the first node of each part, then the number of all nodes */
  explicit PartNumbers(std::vector<std::uint64_t> firsts)
    : m_Firsts(std::move(firsts))
    , m_Before(m_Firsts.size(), 0)
    , m_Foreign(m_Firsts.size() - 1)
  {}
  /** Takes the number of roots of a part and its foreign nodes. */
  void
  Set(std::int64_t part, TIndex own, ForeignNodes foreign)
  {
    m_Before[static_cast<std::size_t>(part) + 1] = own;
    m_Foreign[static_cast<std::size_t>(part)] = std::move(foreign.m_Nodes);
  }
  /** Joins the parts once all are set. `numberOf(node)` is a node's number in its part. \return the number of roots */
  template <typename TNumberOf>
  TIndex
  Join(TNumberOf numberOf)
  {
    std::partial_sum(m_Before.begin(), m_Before.end(), m_Before.begin());
    for (std::size_t part = 1; part < m_Foreign.size(); ++part)
    {
      for (TIndex & node : m_Foreign[part])
      {
        const auto end = m_Firsts.begin() + static_cast<std::ptrdiff_t>(part);
        const auto other = std::upper_bound(m_Firsts.begin(), end, std::uint64_t{ node }) - m_Firsts.begin() - 1;
        node = Of(other)(numberOf(node));
      }
    }
    return m_Before.back();
  }
  /** Makes the numbers [firstOf(part), firstOf(part + 1)) of all parts final, when the parts are joined. */
  template <typename TFirstOf>
  void
  Finish(const HostContext & context, TFirstOf firstOf, TIndex * numbers) const
  {
    // The numbers of the first part are final already.
    ParallelFor(static_cast<std::int64_t>(m_Foreign.size()) - 1, context, [&](std::int64_t before) {
      const Final         final = Of(before + 1);
      const std::uint64_t begin = firstOf(before + 1);
      const std::uint64_t end = firstOf(before + 2);
      if constexpr (std::is_same_v<TIndex, std::uint32_t>)
      {
        if (m_Foreign[static_cast<std::size_t>(before) + 1].size() <= MaximumForVectors)
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

  /** Vector code can look up this many foreign nodes. */
  static constexpr std::size_t MaximumForVectors = std::numeric_limits<std::int32_t>::max();

  Final
  Of(std::int64_t part) const
  {
    const auto                  at = static_cast<std::size_t>(part);
    const std::vector<TIndex> & foreign = m_Foreign[at];
    return { m_Before[at + 1] - m_Before[at], m_Before[at], foreign.empty() ? &m_Before[at] : foreign.data() };
  }

  std::vector<std::uint64_t>       m_Firsts;
  std::vector<TIndex>              m_Before;
  std::vector<std::vector<TIndex>> m_Foreign;
};

/** Replaces each node's parent by its root's number, from 1; fast where few nodes have parents in other parts.
 *  \param firsts  the first node of each thread's part, then the number of all nodes \return the number of roots */
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
      // All parts are one: nothing is before it.
      count = NumberNodes(parent, begin(part), begin(part + 1), count, [parent](TIndex up) { return parent[up]; });
      context.progress.Update(static_cast<double>(part + 1) / static_cast<double>(parts));
    }
    return count;
  }

  PartNumbers<TIndex> numbers(firsts);
  ParallelFor(parts, context.Part(0, 0.7), [&](std::int64_t part) {
    typename PartNumbers<TIndex>::ForeignNodes foreign;
    const TIndex own = NumberNodes(parent, begin(part), begin(part + 1), TIndex{ 0 }, [&foreign](TIndex up) {
      return foreign.NumberOf(up);
    });
    numbers.Set(part, own, std::move(foreign));
  });
  const TIndex count = numbers.Join([parent](TIndex node) { return parent[node]; });
  numbers.Finish(context.Part(0.7, 1), begin, parent);
  return count;
}

} // namespace brickccl
