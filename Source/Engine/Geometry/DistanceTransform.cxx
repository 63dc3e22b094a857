// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Geometry/DistanceTransform.h"

#include "BrickCCL/Geometry/SpreadSquares.h"

#include <algorithm>
#include <atomic>
#include <string>
#include <vector>

namespace brickccl
{

namespace
{

/** The number of units, for boxes of halves of units, in steps along an axis. */
double
UnitsIn(DistanceTo to, std::int64_t steps)
{
  return static_cast<double>(to == DistanceTo::Centers ? steps : std::max<std::int64_t>(0, 2 * steps - 1));
}

/** The squares of 0, 1, ... `length` steps along an axis, and the unknown one of a voxel without a border. */
template <typename T>
std::vector<T>
CostsOf(const DistanceUnit & unit, int axis, std::int64_t length)
{
  std::vector<T> costs(static_cast<std::size_t>(length) + 2, UnknownSquare<T>);
  for (std::int64_t steps = 0; steps <= length; ++steps)
  {
    const double units = UnitsIn(unit.to, steps);
    const double square = units * units * unit.weights[axis];
    costs[static_cast<std::size_t>(steps)] =
      square < static_cast<double>(UnknownSquare<T>) ? static_cast<T>(square) : UnknownSquare<T>;
  }
  return costs;
}

/** Computes the squares of an image's labels as numbers of type T. */
template <typename TLabel, typename T>
class DistanceTransform
{
public:
  DistanceTransform(const ImageView & labels, const DistanceUnit & unit, const HostContext & context, T * squares)
    : m_Labels(static_cast<const TLabel *>(labels.data))
    , m_Extent(labels.extent)
    , m_Unit(unit)
    , m_Context(context)
    , m_Squares(squares)
  {}

  /** \return whether no square is unknown. */
  bool
  Run(bool & areSeveral)
  {
    std::atomic<bool>    several{ false };
    std::atomic<bool>    unknown{ false };
    std::atomic<TLabel>  first{ 0 };
    const std::vector<T> costs = CostsOf<T>(m_Unit, 0, m_Extent.RowLength());
    ForRows(m_Context.Part(0, 0.2), [&](std::int64_t begin, std::int64_t end) {
      TLabel label = 0;
      bool   differ = false;
      for (std::int64_t row = begin; row < end; ++row)
      {
        SetRow(row * m_Extent.RowLength(), costs, label, differ);
      }
      TLabel known = 0;
      if (differ || (label != 0 && !first.compare_exchange_strong(known, label) && known != label))
      {
        several = true;
      }
    });
    areSeveral = several;
    for (int axis = 1; axis < m_Extent.dimension; ++axis)
    {
      SpreadAlong(axis, areSeveral, m_Context.Part(0.1 + 0.2 * axis, 0.3 + 0.2 * axis));
    }
    ForRows(m_Context.Silent(), [&](std::int64_t begin, std::int64_t end) {
      T largest = 0;
      for (std::int64_t i = begin * m_Extent.RowLength(); i < end * m_Extent.RowLength(); ++i)
      {
        largest = std::max(largest, m_Squares[i]);
      }
      if (largest >= UnknownSquare<T>)
      {
        unknown = true;
      }
    });
    return !unknown;
  }

private:
  /** Calls `work` with the first row and the end of each part of the rows. */
  template <typename TWork>
  void
  ForRows(const HostContext & context, const TWork & work) const
  {
    const Chunks chunks(m_Extent.RowCount(),
                        context.grain / m_Extent.RowLength(),
                        std::int64_t{ 64 } * EffectiveThreadCount(context.threads));
    ParallelFor(chunks.count, context, [&](std::int64_t chunk) { work(chunks.Begin(chunk), chunks.End(chunk)); });
  }

  /** Sets the squares along x. \param label, differ  the last label, and whether another one was before */
  void
  SetRow(std::int64_t row, const std::vector<T> & costs, TLabel & label, bool & differ)
  {
    const std::int64_t   length = m_Extent.RowLength();
    const TLabel * const labels = m_Labels + row;
    T * const            squares = m_Squares + row;
    const bool           endsAtBorder = m_Unit.to == DistanceTo::Boxes;
    for (std::int64_t begin = 0, end = 0; begin < length; begin = end)
    {
      for (end = begin + 1; end < length && labels[end] == labels[begin]; ++end)
      {}
      if (labels[begin] == 0)
      {
        std::fill(squares + begin, squares + end, T(0));
        continue;
      }
      differ = differ || (label != 0 && labels[begin] != label);
      label = labels[begin];
      const bool hasLeft = m_Unit.weights[0] != 0 && (begin > 0 || endsAtBorder);
      const bool hasRight = m_Unit.weights[0] != 0 && (end < length || endsAtBorder);
      for (std::int64_t x = begin; x < end; ++x)
      {
        squares[x] = std::min(hasLeft ? costs[static_cast<std::size_t>(x - begin + 1)] : UnknownSquare<T>,
                              hasRight ? costs[static_cast<std::size_t>(end - x)] : UnknownSquare<T>);
      }
    }
  }

  /** Spreads the squares along an axis other than x. \param areSeveral  whether there are several labels */
  void
  SpreadAlong(int axis, bool areSeveral, const HostContext & context)
  {
    if (m_Unit.weights[axis] == 0)
    {
      return;
    }
    constexpr auto       lines = static_cast<std::int64_t>(simd::LinesOfBundle<T>);
    const std::int64_t   length = m_Extent.size[axis];
    const std::vector<T> costs = CostsOf<T>(m_Unit, axis, length);
    std::int64_t         stride = 1;
    for (int earlier = 0; earlier < axis; ++earlier)
    {
      stride *= m_Extent.size[earlier];
    }
    const std::int64_t bundles = (stride + lines - 1) / lines;
    const Chunks       chunks(m_Extent.VoxelCount() / (stride * length) * bundles,
                        context.grain / (lines * length),
                        std::int64_t{ 64 } * EffectiveThreadCount(context.threads));
    ParallelFor(chunks.count, context, [&](std::int64_t chunk) {
      // Lines side by side are copied to where their voxels are close together: the caches hold few voxels whose
      // distance is a power of two.
      auto from = MakeUnset<T>(static_cast<std::size_t>(length * lines));
      auto to = MakeUnset<T>(from.size());
      auto blocks = MakeUnset<T>(static_cast<std::size_t>((length / simd::SpreadBlock + 1) * lines));
      for (std::int64_t task = chunks.Begin(chunk); task < chunks.End(chunk); ++task)
      {
        const std::int64_t first = task % bundles * lines;
        const std::int64_t at = task / bundles * stride * length + first;
        const std::int64_t count = std::min(lines, stride - first);
        unsigned           isBounded = m_Unit.to == DistanceTo::Boxes ? 1 : 0;
        for (std::int64_t i = 0; i < length; ++i)
        {
          T * const            end = std::copy_n(m_Squares + at + i * stride, count, from.data() + i * lines);
          const TLabel * const labels = m_Labels + at + i * stride;
          std::fill_n(end, lines - count, T(0));
          for (std::int64_t k = 0; k < count && areSeveral && i > 0; ++k)
          {
            const TLabel before = labels[k - stride];
            isBounded |= unsigned{ labels[k] != before } & unsigned{ labels[k] != 0 } & unsigned{ before != 0 };
          }
        }
        to = from;
        for (std::int64_t k = 0; k < count && isBounded != 0; ++k)
        {
          BoundByLabels(m_Labels + at + k, stride, length, costs, to.data() + k);
        }
        simd::SpreadSquares({ from.data(), to.data(), length, costs.data(), blocks.data() });
        for (std::int64_t i = 0; i < length; ++i)
        {
          std::copy_n(to.data() + i * lines, count, m_Squares + at + i * stride);
        }
      }
    });
  }

  /** Lowers squares on a line to the square of the way to the nearest voxel of another label on it. Sums with that
   *  voxel's square and with farther ones are then too large to matter. */
  void
  BoundByLabels(const TLabel * labels, std::int64_t stride, std::int64_t length, const std::vector<T> & costs, T * line)
    const
  {
    constexpr auto     lines = static_cast<std::int64_t>(simd::LinesOfBundle<T>);
    const std::int64_t unknown = length + 1;
    for (const std::int64_t direction : { 1, -1 })
    {
      std::int64_t steps = m_Unit.to == DistanceTo::Boxes ? 0 : unknown;
      for (std::int64_t i = direction > 0 ? 0 : length - 1, left = length; left > 0; i += direction, --left)
      {
        const bool differs = left < length && labels[i * stride] != labels[(i - direction) * stride];
        steps = differs ? 1 : std::min(steps + 1, unknown);
        line[i * lines] = std::min(line[i * lines], costs[static_cast<std::size_t>(steps)]);
      }
    }
  }

  const TLabel *       m_Labels;
  const Extent         m_Extent;
  const DistanceUnit & m_Unit;
  const HostContext    m_Context;
  T *                  m_Squares;
};

/** Sets the squares as numbers of type T. \return whether the type is large enough. */
template <typename T>
bool
TrySquares(const ImageView & labels, const DistanceUnit & unit, const HostContext & context, SquaredDistances & found)
{
  auto & squares = found.squares.emplace<Buffer<T>>();
  squares.Resize(static_cast<std::size_t>(labels.extent.VoxelCount()));
  const bool areKnown = VisitLabels(labels, [&](auto tag) {
    return DistanceTransform<typename decltype(tag)::Type, T>(labels, unit, context, squares.Data())
      .Run(found.areSeveral);
  });
  // Squares that the image has no room for are infinite.
  double largest = 0;
  for (int axis = 0; axis < labels.extent.dimension; ++axis)
  {
    const double units = UnitsIn(unit.to, labels.extent.size[axis]);
    largest += units * units * unit.weights[axis];
  }
  return areKnown || std::is_same_v<T, double> || largest < static_cast<double>(UnknownSquare<T>);
}

} // namespace

DistanceUnit::DistanceUnit(DistanceTo distanceTo, const Extent & extent, const Geometry & geometry, unsigned axes)
  : to(distanceTo)
  , smallest(std::numeric_limits<double>::infinity())
{
  const double half = to == DistanceTo::Boxes ? 0.5 : 1;
  const auto   isUsed = [&](int axis) {
    return (axes >> axis & 1u) != 0 && (extent.size[axis] > 1 || to == DistanceTo::Boxes);
  };
  for (int axis = 0; axis < extent.dimension; ++axis)
  {
    const double spacing = geometry.spacing[axis];
    if (!(spacing > 0) || !std::isfinite(spacing))
    {
      throw InvalidArgument("the spacing along " + std::string(1, AxisNames[axis]) + " is " + std::to_string(spacing) +
                            " mm; distances need one above 0");
    }
    smallest = isUsed(axis) ? std::min(smallest, spacing) : smallest;
    weights[axis] = isUsed(axis) ? spacing * half * (spacing * half) : 0;
  }
  smallest = std::isfinite(smallest) ? smallest : geometry.spacing[0];
  constexpr int largest = 1024;
  for (int multiple = 1; multiple <= largest; ++multiple)
  {
    double squares[MaximumDimension] = {};
    isWhole = true;
    for (int axis = 0; axis < extent.dimension; ++axis)
    {
      const double ratio = geometry.spacing[axis] / smallest * multiple;
      const double whole = std::round(ratio);
      // Spacings are written in decimal digits, so that their ratios are rounded.
      isWhole = isWhole && (!isUsed(axis) || (std::fabs(ratio - whole) <= 1e-12 * ratio && whole <= largest));
      squares[axis] = isUsed(axis) ? whole * whole : 0;
    }
    if (isWhole)
    {
      std::copy_n(squares, MaximumDimension, weights);
      length = smallest / multiple * half;
      smallest = multiple / half;
      break;
    }
  }
}

SquaredDistances::SquaredDistances(const ImageView & labels, const DistanceUnit & unit, const HostContext & context)
{
  if (!unit.isWhole || (!TrySquares<std::uint16_t>(labels, unit, context.Part(0, 0.6), *this) &&
                        !TrySquares<std::uint32_t>(labels, unit, context.Part(0.6, 0.9), *this)))
  {
    TrySquares<double>(labels, unit, context.Part(unit.isWhole ? 0.9 : 0, 1), *this);
  }
}

UninitializedVector<float>
SquaredDistancesToOthers(const Extent &                             extent,
                         const Geometry &                           geometry,
                         const UninitializedVector<std::uint32_t> & labels,
                         const HostContext &                        context)
{
  const DistanceUnit     unit(DistanceTo::Boxes, extent, geometry, ~0u);
  const SquaredDistances found({ labels.data(), extent }, unit, context.Part(0, 0.9));
  auto                   result = MakeUnset<float>(labels.size());
  const Chunks           chunks(extent.VoxelCount(), context.grain, 64);
  std::visit(
    [&](const auto & squares) {
      ParallelFor(chunks.count, context.Part(0.9, 1), [&](std::int64_t chunk) {
        for (auto i = static_cast<std::size_t>(chunks.Begin(chunk)); i < static_cast<std::size_t>(chunks.End(chunk));
             ++i)
        {
          result[i] = static_cast<float>(static_cast<double>(squares[i]) * (unit.length * unit.length));
        }
      });
    },
    found.squares);
  return result;
}

} // namespace brickccl
