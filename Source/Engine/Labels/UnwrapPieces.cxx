// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Labels/UnwrapPieces.h"

#include "BrickCCL/Core/Error.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>

namespace brickccl
{

bool
EndLink::operator<(const EndLink & other) const
{
  return std::tie(from, to, through) < std::tie(other.from, other.to, other.through);
}

bool
EndLink::operator==(const EndLink & other) const
{
  return from == other.from && to == other.to && through == other.through;
}

void
EndLinks::Add(const EndLinks & others)
{
  m_Links.insert(m_Links.end(), others.m_Links.begin(), others.m_Links.end());
}

std::vector<EndLink>
EndLinks::Take()
{
  Unite();
  return std::move(m_Links);
}

void
EndLinks::Unite()
{
  std::sort(m_Links.begin(), m_Links.end());
  m_Links.erase(std::unique(m_Links.begin(), m_Links.end()), m_Links.end());
  m_Limit = std::max(m_Limit, 2 * m_Links.size());
}

namespace
{

using Shift = Unwrapping::Shift;

/** A disjoint-set forest, roots smallest, whose nodes know by how many images they are moved against their parents. */
class ShiftedForest
{
public:
  explicit ShiftedForest(std::size_t nodes)
    : m_Parent(nodes)
    , m_Shift(nodes, Shift{})
    , m_Wraps(nodes, 0)
  {
    std::iota(m_Parent.begin(), m_Parent.end(), std::size_t{ 0 });
  }

  /** Makes the root the parent of a node. \return the root */
  std::size_t
  Flatten(std::size_t node)
  {
    m_Walk.clear();
    for (; m_Parent[node] != node; node = m_Parent[node])
    {
      m_Walk.push_back(node);
    }
    // From the root on, so that each parent's shift is one against the root.
    for (std::size_t i = m_Walk.size(); i-- > 0;)
    {
      const std::size_t own = m_Walk[i];
      if (m_Parent[own] != node)
      {
        const Shift & up = m_Shift[m_Parent[own]];
        std::transform(up.begin(), up.end(), m_Shift[own].begin(), m_Shift[own].begin(), std::plus<>());
        m_Parent[own] = node;
      }
    }
    return node;
  }

  /** Joins two nodes, the second of which is `through` images further on than the first. */
  void
  Join(std::size_t from, std::size_t to, const std::array<signed char, MaximumDimension> & through)
  {
    const std::size_t rootFrom = Flatten(from);
    const std::size_t rootTo = Flatten(to);
    // The offset of the second node's root against the first one's, in images.
    Shift apart;
    for (std::size_t axis = 0; axis < apart.size(); ++axis)
    {
      apart[axis] = m_Shift[from][axis] + through[axis] - m_Shift[to][axis];
    }
    if (rootFrom == rootTo)
    {
      for (std::size_t axis = 0; axis < apart.size(); ++axis)
      {
        m_Wraps[rootTo] |= static_cast<unsigned char>(apart[axis] != 0 ? 1u << axis : 0u);
      }
      return;
    }
    const std::size_t root = std::min(rootFrom, rootTo);
    const std::size_t below = std::max(rootFrom, rootTo);
    for (std::int64_t & along : apart)
    {
      along = below == rootTo ? along : -along;
    }
    m_Parent[below] = root;
    m_Shift[below] = apart;
    m_Wraps[root] |= m_Wraps[below];
  }

  /** Writes the shifts and wraps of all nodes. No node of a set is moved back, and at least one is not moved at all.
   * Along axes along which a set wraps none is. */
  void
  Unwrap(Unwrapping & unwrapping)
  {
    const std::size_t  nodes = m_Parent.size();
    std::vector<Shift> least(nodes, Shift{});
    for (std::size_t node = 0; node < nodes; ++node)
    {
      Shift & leastOfSet = least[Flatten(node)];
      for (std::size_t axis = 0; axis < leastOfSet.size(); ++axis)
      {
        leastOfSet[axis] = std::min(leastOfSet[axis], m_Shift[node][axis]);
      }
    }
    unwrapping.shifts.resize(nodes);
    unwrapping.wraps.resize(nodes);
    for (std::size_t node = 0; node < nodes; ++node)
    {
      const std::size_t root = m_Parent[node];
      unwrapping.wraps[node] = m_Wraps[root];
      for (std::size_t axis = 0; axis < least[root].size(); ++axis)
      {
        const bool wraps = ((m_Wraps[root] >> axis) & 1u) != 0;
        unwrapping.shifts[node][axis] = wraps ? 0 : m_Shift[node][axis] - least[root][axis];
      }
    }
  }

private:
  std::vector<std::size_t> m_Parent;
  /** Against the parent. */
  std::vector<Shift>         m_Shift;
  std::vector<unsigned char> m_Wraps;
  std::vector<std::size_t>   m_Walk;
};

} // namespace

JoinedPieces
JoinPieces(std::uint64_t pieces, const std::vector<EndLink> & links)
{
  std::vector<std::uint64_t> linked;
  for (const EndLink & link : links)
  {
    linked.insert(linked.end(), { link.from, link.to });
  }
  std::sort(linked.begin(), linked.end());
  linked.erase(std::unique(linked.begin(), linked.end()), linked.end());
  ThrowIf<Unsupported>(linked.size() >= std::numeric_limits<std::uint32_t>::max(),
                       std::to_string(linked.size()) +
                         " parts of components continue across periodic ends; the limit is 2^32 - 2");
  JoinedPieces joined;
  joined.places.resize(static_cast<std::size_t>(pieces) + 1, 0);
  for (std::size_t i = 0; i < linked.size(); ++i)
  {
    joined.places[static_cast<std::size_t>(linked[i])] = static_cast<std::uint32_t>(i + 1);
  }
  const auto placeOf = [&](std::uint64_t piece) { return joined.places[static_cast<std::size_t>(piece)]; };

  // Node 0 is not a piece.
  ShiftedForest forest(linked.size() + 1);
  for (const EndLink & link : links)
  {
    forest.Join(placeOf(link.from), placeOf(link.to), link.through);
  }
  joined.components.resize(joined.places.size(), 0);
  for (std::uint64_t piece = 1; piece <= pieces; ++piece)
  {
    const std::size_t place = placeOf(piece);
    const std::size_t root = forest.Flatten(place);
    joined.components[static_cast<std::size_t>(piece)] =
      root == place ? ++joined.count : joined.components[static_cast<std::size_t>(linked[root - 1])];
  }
  forest.Unwrap(joined.unwrapping);
  return joined;
}

} // namespace brickccl
