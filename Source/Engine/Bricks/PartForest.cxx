// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Bricks/PartForest.h"

#include "BrickCCL/Forest/Forest.h"
#include "BrickCCL/Labels/Relabel.h"

#include <algorithm>
#include <utility>

namespace brickccl
{

/** Nodes are handled in groups of at least this many. */
constexpr std::int64_t LeastNodes = 1 << 14;
constexpr std::int64_t MaximumChunks = 64;

/** Calls `work(first, last)` for ranges of 0 .. count - 1, on the context's threads. */
template <typename TWork>
static void
ForRanges(std::uint64_t count, const HostContext & context, TWork work)
{
  const Chunks chunks(static_cast<std::int64_t>(count), LeastNodes, MaximumChunks);
  ParallelFor(chunks.count, context, [&](std::int64_t chunk) {
    work(static_cast<std::uint64_t>(chunks.Begin(chunk)), static_cast<std::uint64_t>(chunks.End(chunk)));
  });
}

/** Writes the lesser of both numbers, while other threads do the same. */
static void
LowerShared(std::uint64_t & place, std::uint64_t value)
{
  std::uint64_t before = LoadShared(&place);
  while (value < before &&
         !__atomic_compare_exchange_n(&place, &before, value, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
  {}
}

/** Merges neighboring lists, each of which is in order, until one is left. List i begins at begins[i]. */
template <typename TLess>
static void
MergeLists(std::vector<std::uint64_t> & numbers,
           std::vector<std::size_t>     begins,
           const HostContext &          context,
           TLess                        less)
{
  std::vector<std::uint64_t> merged(numbers.size());
  while (begins.size() > 1)
  {
    begins.push_back(numbers.size());
    const std::size_t        pairs = begins.size() / 2;
    std::vector<std::size_t> next(pairs);
    ParallelFor(static_cast<std::int64_t>(pairs), context, [&](std::int64_t pair) {
      const auto at = [&](std::size_t list) {
        return static_cast<std::ptrdiff_t>(begins[std::min(list, begins.size() - 1)]);
      };
      const std::size_t first = 2 * static_cast<std::size_t>(pair);
      next[static_cast<std::size_t>(pair)] = begins[first];
      std::merge(numbers.begin() + at(first),
                 numbers.begin() + at(first + 1),
                 numbers.begin() + at(first + 1),
                 numbers.begin() + at(first + 2),
                 merged.begin() + at(first),
                 less);
    });
    numbers.swap(merged);
    begins = std::move(next);
  }
}

/** The parents as an array, for the functions of the forest. */
struct PartForest::Parents
{
  BlockArray<Node> * nodes;

  std::uint64_t *
  operator+(std::uint64_t node) const
  {
    return &(*nodes)[node].parent;
  }
};

void
PartForest::Join(std::uint64_t a, std::uint64_t b)
{
  UniteShared(Parents{ &m_Nodes }, a, b);
}

void
PartForest::Flatten(const HostContext & context)
{
  ForRanges(Size(), context, [&](std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t node = first; node < last; ++node)
    {
      FlattenShared(Parents{ &m_Nodes }, node);
    }
  });
}

/** Gives roots the first voxels and the sizes of their sets. Nodes are flat. */
void
PartForest::SumUp(const HostContext & context)
{
  ForRanges(Size(), context, [&](std::uint64_t first, std::uint64_t last) {
    // Neighboring nodes often have the same root.
    Node       sum{ first < last ? m_Nodes[first].parent : 0, ~std::uint64_t{ 0 }, 0 };
    const auto write = [&] {
      if (sum.voxels > 0)
      {
        LowerShared(m_Nodes[sum.parent].firstVoxel, sum.firstVoxel);
        __atomic_fetch_add(&m_Nodes[sum.parent].voxels, sum.voxels, __ATOMIC_RELAXED);
      }
    };
    for (std::uint64_t at = first; at < last; ++at)
    {
      const Node & node = m_Nodes[at];
      if (node.parent == at)
      {
        continue;
      }
      if (node.parent != sum.parent)
      {
        write();
        sum = { node.parent, ~std::uint64_t{ 0 }, 0 };
      }
      sum.firstVoxel = std::min(sum.firstVoxel, node.firstVoxel);
      sum.voxels += node.voxels;
    }
    write();
  });
}

std::vector<std::uint64_t>
PartForest::ListRoots(const HostContext & context) const
{
  const auto isEarlier = [this](std::uint64_t a, std::uint64_t b) {
    return m_Nodes[a].firstVoxel < m_Nodes[b].firstVoxel;
  };
  const Chunks                            chunks(static_cast<std::int64_t>(Size()), LeastNodes, MaximumChunks);
  std::vector<std::vector<std::uint64_t>> lists(static_cast<std::size_t>(chunks.count));
  ParallelFor(chunks.count, context, [&](std::int64_t chunk) {
    std::vector<std::uint64_t> & list = lists[static_cast<std::size_t>(chunk)];
    for (auto node = static_cast<std::uint64_t>(chunks.Begin(chunk));
         node < static_cast<std::uint64_t>(chunks.End(chunk));
         ++node)
    {
      if (m_Nodes[node].parent == node)
      {
        list.push_back(node);
      }
    }
    std::sort(list.begin(), list.end(), isEarlier);
  });
  std::vector<std::uint64_t> roots;
  std::vector<std::size_t>   begins;
  std::size_t                count = 0;
  for (const auto & list : lists)
  {
    count += list.size();
  }
  roots.reserve(count);
  for (auto & list : lists)
  {
    begins.push_back(roots.size());
    roots.insert(roots.end(), list.begin(), list.end());
    list = {};
  }
  MergeLists(roots, begins, context, isEarlier);
  return roots;
}

/** Joins roots through ends of periodic axes. Without these a component consists of pieces. */
void
PartForest::Unwrap(const HostContext & context, std::vector<std::uint64_t> & roots)
{
  const std::size_t          pieces = roots.size();
  std::vector<std::uint64_t> firstVoxels(pieces);
  for (std::size_t piece = 0; piece < pieces; ++piece)
  {
    firstVoxels[piece] = std::exchange(m_Nodes[roots[piece]].firstVoxel, piece + 1);
  }
  const auto pieceOf = [this](std::uint64_t node) { return m_Nodes[m_Nodes[node].parent].firstVoxel; };

  std::vector<EndLink> links = m_EndLinks.Take();
  for (EndLink & link : links)
  {
    link.from = pieceOf(link.from);
    link.to = pieceOf(link.to);
  }
  JoinedPieces joined = JoinPieces(pieces, links);
  m_Places.resize(static_cast<std::size_t>(Size()));
  ForRanges(Size(), context, [&](std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t node = first; node < last; ++node)
    {
      m_Places[static_cast<std::size_t>(node)] = joined.places[static_cast<std::size_t>(pieceOf(node))];
    }
  });
  m_Unwrapping = std::move(joined.unwrapping);

  std::vector<std::uint64_t> heads;
  for (std::size_t piece = 0; piece < pieces; ++piece)
  {
    // The first piece of a component comes first.
    const auto component = static_cast<std::size_t>(joined.components[piece + 1] - 1);
    Node &     node = m_Nodes[roots[piece]];
    if (component == heads.size())
    {
      heads.push_back(roots[piece]);
      node.firstVoxel = firstVoxels[piece];
      continue;
    }
    node.parent = heads[component];
    m_Nodes[heads[component]].voxels += node.voxels;
  }
  roots = std::move(heads);
  for (std::uint64_t node = 0; node < Size(); ++node)
  {
    m_Nodes[node].parent = m_Nodes[m_Nodes[node].parent].parent;
  }
}

std::uint64_t
PartForest::Number(const Extent &         volume,
                   const PeriodicAxes &   periodic,
                   const RelabelOptions & limits,
                   const HostContext &    context,
                   RelabelReport &        report)
{
  Flatten(context);
  SumUp(context);
  std::vector<std::uint64_t> roots = ListRoots(context);
  if (periodic.HasAny())
  {
    Unwrap(context, roots);
  }
  const auto sizeOf = [&](std::size_t component) { return m_Nodes[roots[component]].voxels; };
  const int  axis = limits.largestAcross.value_or(0);
  const auto sliceOf = [&](std::size_t component) {
    auto place = static_cast<std::int64_t>(m_Nodes[roots[component]].firstVoxel);
    for (int before = 0; before < axis; ++before)
    {
      place /= volume.size[before];
    }
    return limits.largestAcross ? place % volume.size[axis] : std::int64_t{ 0 };
  };
  const auto [numberOf, kept] = NumberComponents<std::uint64_t>(roots.size(), sizeOf, limits, sliceOf);
  report.found = roots.size() + report.tooSmall + report.tooLarge;
  report.keptVoxels = 0;
  for (std::size_t component = 0; component < roots.size(); ++component)
  {
    const std::uint64_t number = numberOf[component + 1];
    const std::uint64_t voxels = sizeOf(component);
    m_Nodes[roots[component]].firstVoxel = number;
    if (number != 0)
    {
      *report.keptVoxels += voxels;
      continue;
    }
    ++(voxels < limits.minimumSize   ? report.tooSmall
       : voxels > limits.maximumSize ? report.tooLarge
                                     : report.beyondLargest);
  }
  ForRanges(Size(), context, [&](std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t node = first; node < last; ++node)
    {
      if (m_Nodes[node].parent != node)
      {
        m_Nodes[node].firstVoxel = m_Nodes[m_Nodes[node].parent].firstVoxel;
      }
    }
  });
  return kept;
}

UnwrappedRow
PartForest::UnwrappedOf(std::uint64_t node) const
{
  const std::uint32_t place = m_Places[static_cast<std::size_t>(node)];
  UnwrappedRow        row;
  std::copy_n(m_Unwrapping.shifts[place].begin(), MaximumDimension, row.images);
  row.wraps = m_Unwrapping.wraps[place];
  return row;
}

} // namespace brickccl
