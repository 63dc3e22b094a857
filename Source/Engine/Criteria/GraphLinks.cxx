// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Criteria/GraphLinks.h"

#include "BrickCCL/Core/Counted.h"
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Criteria/Criterion.h"

#include <algorithm>
#include <string>
#include <vector>

namespace brickccl
{

namespace
{

template <typename TWord>
class TypedGraphLinks final : public GraphLinks
{
public:
  TypedGraphLinks(const ImageView &                graph,
                  const std::optional<ImageView> & mask,
                  const Connectivity &             connectivity,
                  const PeriodicAxes &             periodic)
    : GraphLinks(graph.data, sizeof(TWord))
    , m_Graph(static_cast<const TWord *>(graph.data))
    , m_Extent(graph.extent)
    , m_Periodic(periodic)
    , m_Steps(connectivity.Offsets())
  {
    if (mask)
    {
      m_Mask = MakeRowLinks(*mask, Criterion::Foreground(0));
    }
    for (const NeighborOffset & step : m_Steps)
    {
      m_Bits.push_back(static_cast<TWord>(TWord{ 1 } << VoxelGraphBit(step, m_Extent.dimension)));
    }
  }

  bool
  FollowForeground() const override
  {
    return false;
  }

  void
  PackForeground(std::int64_t row, Word * bits) const override
  {
    if (m_Mask)
    {
      m_Mask->PackForeground(row, bits);
      return;
    }
    const std::int64_t length = m_Extent.RowLength();
    const std::int64_t words = WordsForBits(length);
    std::fill(bits, bits + words, ~Word{ 0 });
    bits[words - 1] = BitsUpTo(static_cast<int>((length - 1) % BitsPerWord));
  }

  void
  PackLinks(std::int64_t row, std::int64_t neighborRow, int step, const Word * candidates, Word * bits) const override
  {
    const std::int64_t  length = m_Extent.RowLength();
    const TWord         wanted = BitsBetween(row, neighborRow, [step](int along) { return along == step; });
    const TWord * const graph = m_Graph + row * length;
    for (std::int64_t w = 0; w < WordsForBits(length); ++w)
    {
      Word found = 0;
      for (Word rest = candidates[w]; rest != 0; rest &= rest - 1)
      {
        const int b = LowestBit(rest);
        found |= Word{ (graph[w * BitsPerWord + b] & wanted) != 0 } << b;
      }
      bits[w] = found;
    }
  }

  bool
  AreJoined(std::int64_t a, std::int64_t b) const override
  {
    const std::int64_t length = m_Extent.RowLength();
    const std::int64_t difference = b % length - a % length;
    const TWord wanted = BitsBetween(a / length, b / length, [&](int along) { return LeadsTo(along, difference, 0); });
    return (m_Graph[a] & wanted) != 0;
  }

  void
  CheckSymmetry(std::int64_t begin, std::int64_t end) const override
  {
    RowPosition position(m_Extent, begin);
    for (std::int64_t row = begin; row < end; ++row, position.Advance(m_Extent))
    {
      // The other half of the steps is opposite.
      for (std::size_t i = 0; i < m_Steps.size() / 2; ++i)
      {
        const std::int64_t other = NeighborRow(position, m_Steps[i], m_Extent, m_Periodic);
        if (other >= 0)
        {
          CheckRows(row, other, i);
        }
      }
    }
  }

private:
  /** Whether a step along an axis leads from one position to another that differs by `difference`. */
  bool
  LeadsTo(int step, std::int64_t difference, int axis) const
  {
    const std::int64_t size = m_Extent.size[axis];
    return step == difference || (m_Periodic.Has(axis) && (step - difference) % size == 0);
  }

  /** The bits of all steps from one row to another whose step along x is wanted. */
  template <typename TWants>
  TWord
  BitsBetween(std::int64_t row, std::int64_t otherRow, const TWants & wants) const
  {
    const std::int64_t rows = m_Extent.size[1];
    const std::int64_t y = otherRow % rows - row % rows;
    const std::int64_t z = otherRow / rows - row / rows;
    TWord              bits = 0;
    for (std::size_t i = 0; i < m_Steps.size(); ++i)
    {
      const NeighborOffset & step = m_Steps[i];
      bits |= wants(step[0]) && LeadsTo(step[1], y, 1) && LeadsTo(step[2], z, 2) ? m_Bits[i] : TWord{ 0 };
    }
    return bits;
  }

  /** Checks the bits of the i-th step from one row to another. */
  void
  CheckRows(std::int64_t row, std::int64_t other, std::size_t i) const
  {
    const std::int64_t  length = m_Extent.RowLength();
    const int           step = m_Steps[i][0];
    const TWord         bit = m_Bits[i];
    const TWord         opposite = m_Bits[m_Steps.size() - 1 - i];
    const TWord * const here = m_Graph + row * length;
    const TWord * const there = m_Graph + other * length;
    const auto          differs = [=](std::int64_t x, std::int64_t to) {
      return ((here[x] & bit) != 0) != ((there[to] & opposite) != 0);
    };
    const std::int64_t first = step < 0 ? 1 : 0;
    const std::int64_t last = step > 0 ? length - 1 : length;
    bool               hasFault = false;
    for (std::int64_t x = first; x < last; ++x)
    {
      hasFault |= differs(x, x + step);
    }
    const std::int64_t atEnd = step < 0 ? 0 : length - 1;
    if (step != 0 && m_Periodic.Has(0) && differs(atEnd, length - 1 - atEnd))
    {
      ThrowAsymmetry(row * length + atEnd, other * length + length - 1 - atEnd);
    }
    if (hasFault)
    {
      std::int64_t x = first;
      while (!differs(x, x + step))
      {
        ++x;
      }
      ThrowAsymmetry(row * length + x, other * length + x + step);
    }
  }

  [[noreturn]] static void
  ThrowAsymmetry(std::int64_t place, std::int64_t other)
  {
    throw InvalidArgument("of the voxels " + std::to_string(place) + " and " + std::to_string(other) +
                          ", places from 0 on, only one has the bit towards the other; a graph must have both or none");
  }

  const TWord *               m_Graph;
  Extent                      m_Extent;
  PeriodicAxes                m_Periodic;
  std::vector<NeighborOffset> m_Steps;
  std::vector<TWord>          m_Bits;
  std::unique_ptr<RowLinks>   m_Mask;
};

void
CheckGraph(const ImageView & graph)
{
  ThrowIf<InvalidArgument>((graph.type != ScalarType::UInt8 && graph.type != ScalarType::UInt32) || graph.channels != 1,
                           "a voxel graph must be an image of one channel of type uint8 or uint32");
  ThrowIf<InvalidArgument>(graph.extent.dimension > 3,
                           "a voxel graph has 1 to 3 dimensions, not " + std::to_string(graph.extent.dimension));
}

} // namespace

Connectivity
FullConnectivityOfGraph(const ImageView & graph)
{
  CheckGraph(graph);
  const int dimension = graph.extent.dimension;
  return dimension == 3 && graph.type == ScalarType::UInt8 ? Connectivity::Face(3) : Connectivity::Full(dimension);
}

std::unique_ptr<GraphLinks>
MakeGraphLinks(const ImageView &                graph,
               const std::optional<ImageView> & mask,
               const Connectivity &             connectivity,
               const PeriodicAxes &             periodic)
{
  CheckGraph(graph);
  if (mask && mask->extent != graph.extent)
  {
    throw InvalidArgument("the mask has the extent " + mask->extent.ToString() + " but the graph " +
                          graph.extent.ToString() + "; they must be the same");
  }
  ThrowIf<InvalidArgument>(connectivity.Dimension() != graph.extent.dimension,
                           "the connectivity is one of " + Counted(connectivity.Dimension(), "dimension") +
                             " but the graph has " + std::to_string(graph.extent.dimension));
  const bool isNarrow = graph.type == ScalarType::UInt8;
  for (const NeighborOffset & step : connectivity.Offsets())
  {
    ThrowIf<InvalidArgument>(isNarrow && VoxelGraphBit(step, graph.extent.dimension) >= 8,
                             "a graph of type uint8 has no bits for connectivity " + connectivity.ToString() +
                               "; use uint32");
  }
  for (int axis = 0; axis < graph.extent.dimension; ++axis)
  {
    ThrowIf<InvalidArgument>(periodic.Has(axis) && graph.extent.size[axis] < 3,
                             "a voxel graph that is periodic along " + periodic.ToString() + " has the extent " +
                               graph.extent.ToString() + "; it needs 3 voxels or more along these axes");
  }
  if (isNarrow)
  {
    return std::make_unique<TypedGraphLinks<std::uint8_t>>(graph, mask, connectivity, periodic);
  }
  return std::make_unique<TypedGraphLinks<std::uint32_t>>(graph, mask, connectivity, periodic);
}

std::int64_t
NeighborRow(const RowPosition &    position,
            const NeighborOffset & step,
            const Extent &         extent,
            const PeriodicAxes &   periodic)
{
  std::int64_t row = 0;
  for (int axis = MaximumDimension - 1; axis >= 1; --axis)
  {
    const std::int64_t size = extent.size[axis];
    const std::int64_t to = position.at[axis - 1] + step[static_cast<std::size_t>(axis)];
    if ((to < 0 || to >= size) && !periodic.Has(axis))
    {
      return -1;
    }
    row = row * size + (to + size) % size;
  }
  return row;
}

} // namespace brickccl
