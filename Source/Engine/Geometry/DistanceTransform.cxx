// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Geometry/DistanceTransform.h"

#include "BrickCCL/Geometry/DistancesOfRows.h"
#include "BrickCCL/Geometry/SpreadSquares.h"

#include <algorithm>
#include <atomic>
#include <cstring>
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
  /** \param image  the labels; null if labels share no faces across axes other than x */
  DistanceTransform(const RowsOfLabels<TLabel> & rows,
                    const TLabel *               image,
                    const Extent &               extent,
                    const DistanceUnit &         unit,
                    const HostContext &          context,
                    T *                          squares)
    : m_Rows(rows)
    , m_Labels(image)
    , m_Extent(extent)
    , m_Unit(unit)
    , m_Context(context)
    , m_Squares(squares)
  {}

  /** \return whether the type is large enough. */
  bool
  Run(bool & areSeveral)
  {
    std::atomic<bool>    several{ false };
    std::atomic<bool>    unknown{ false };
    std::atomic<TLabel>  first{ 0 };
    const std::vector<T> costs = CostsOf<T>(m_Unit, 0, m_Extent.RowLength());
    ForRows(m_Context.Part(0, 0.2), [&](std::int64_t begin, std::int64_t end) {
      std::vector<TLabel> room(static_cast<std::size_t>(m_Extent.RowLength()));
      TLabel              label = 0;
      bool                differ = false;
      for (std::int64_t row = begin; row < end; ++row)
      {
        SetRow(m_Rows(row, room.data()), costs, m_Squares + row * m_Extent.RowLength(), label, differ);
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
      SpreadAlong(axis, areSeveral && m_Labels != nullptr, m_Context.Part(0.1 + 0.2 * axis, 0.3 + 0.2 * axis));
    }
    double limit = 0;
    for (int axis = 0; axis < m_Extent.dimension; ++axis)
    {
      const double units = UnitsIn(m_Unit.to, m_Extent.size[axis]);
      limit += units * units * m_Unit.weights[axis];
    }
    // Squares that the image has no room for are infinite.
    if (std::is_same_v<T, double> || limit < static_cast<double>(UnknownSquare<T>))
    {
      return true;
    }
    ForRows(m_Context.Silent(), [&](std::int64_t begin, std::int64_t end) {
      const std::int64_t length = m_Extent.RowLength();
      if (*std::max_element(m_Squares + begin * length, m_Squares + end * length) >= UnknownSquare<T>)
      {
        unknown = true;
      }
    });
    return !unknown;
  }

private:
  static constexpr auto Lines = static_cast<std::int64_t>(simd::LinesOfBundle<T>);

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
  SetRow(const TLabel * labels, const std::vector<T> & costs, T * squares, TLabel & label, bool & differ) const
  {
    const std::int64_t length = m_Extent.RowLength();
    const auto         isLikeFirst = [&](TLabel other) { return other == labels[0]; };
    const bool         isRing = m_Unit.periodic.Has(0) && !std::all_of(labels, labels + length, isLikeFirst);
    const bool         endsElsewhere = m_Unit.to == DistanceTo::Boxes || isRing;
    // The voxels at both ends that have one label, which a periodic end joins.
    std::int64_t head = 0;
    std::int64_t tail = 0;
    for (; isRing && labels[length - 1] == labels[0] && labels[head] == labels[0]; ++head)
    {}
    for (; head > 0 && labels[length - 1 - tail] == labels[0]; ++tail)
    {}
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
      const bool         hasLeft = m_Unit.weights[0] != 0 && (begin > 0 || endsElsewhere);
      const bool         hasRight = m_Unit.weights[0] != 0 && (end < length || endsElsewhere);
      const std::int64_t left = begin - (begin == 0 ? tail : 0) - 1;
      const std::int64_t right = end + (end == length ? head : 0);
      for (std::int64_t x = begin; x < end; ++x)
      {
        squares[x] = std::min(hasLeft ? costs[static_cast<std::size_t>(x - left)] : UnknownSquare<T>,
                              hasRight ? costs[static_cast<std::size_t>(right - x)] : UnknownSquare<T>);
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
    // Beyond a periodic end, half of the line follows once more: no voxel is farther away.
    const std::int64_t   own = m_Extent.size[axis];
    const std::int64_t   around = m_Unit.periodic.Has(axis) ? own / 2 : 0;
    const std::int64_t   length = own + 2 * around;
    const std::vector<T> costs = CostsOf<T>(m_Unit, axis, length);
    std::int64_t         stride = 1;
    for (int earlier = 0; earlier < axis; ++earlier)
    {
      stride *= m_Extent.size[earlier];
    }
    std::vector<std::int64_t> places;
    for (std::int64_t i = 0; i < length; ++i)
    {
      places.push_back((i + own - around) % own * stride);
    }
    // Bundles are read together, in longer pieces of memory, as far as a cache holds them.
    const std::int64_t together = Lines * std::clamp<std::int64_t>(2048 / length, 1, 8);
    const std::int64_t tasks = (stride + together - 1) / together;
    const Chunks       chunks(m_Extent.VoxelCount() / (stride * own) * tasks,
                        context.grain / (together * length),
                        std::int64_t{ 64 } * EffectiveThreadCount(context.threads));
    ParallelFor(chunks.count, context, [&](std::int64_t chunk) {
      // Lines are copied to where their voxels are close together: the caches hold few that are a power of two apart.
      std::vector<T> from(static_cast<std::size_t>(length * together));
      auto           to = MakeUnset<T>(static_cast<std::size_t>(length * Lines));
      auto           blocks = MakeUnset<T>(static_cast<std::size_t>((length / simd::SpreadBlock + 1) * Lines));
      for (std::int64_t task = chunks.Begin(chunk); task < chunks.End(chunk); ++task)
      {
        const std::int64_t first = task % tasks * together;
        const std::int64_t at = task / tasks * stride * own + first;
        const std::int64_t count = std::min(together, stride - first);
        const bool         touch = CopyLines(at, places, count, areSeveral, from.data());
        for (std::int64_t k = 0; k < count; k += Lines)
        {
          const T * const bundle = from.data() + k * length;
          if (std::all_of(bundle, bundle + length * Lines, [](T square) { return square == 0; }))
          {
            continue;
          }
          BoundByBorder(bundle, length, costs, to.data());
          for (std::int64_t line = k; line < std::min(k + Lines, count) && touch; ++line)
          {
            BoundByLabels(m_Labels + at + line, places, costs, to.data() + line - k);
          }
          simd::SpreadSquares({ bundle, to.data(), length, costs.data(), blocks.data() });
          for (std::int64_t i = around; i < around + own; ++i)
          {
            std::copy_n(to.data() + i * Lines,
                        std::min(Lines, count - k),
                        m_Squares + at + k + places[static_cast<std::size_t>(i)]);
          }
        }
      }
    });
  }

  /** Copies the squares of lines, bundle by bundle. \param places  the steps from `first` along the lines
   *  \return whether voxels of different labels touch along them. */
  bool
  CopyLines(std::int64_t                      first,
            const std::vector<std::int64_t> & places,
            std::int64_t                      count,
            bool                              areSeveral,
            T *                               bundles) const
  {
    const auto   length = static_cast<std::int64_t>(places.size());
    unsigned     touch = 0;
    std::int64_t last = first + places[0];
    for (std::int64_t i = 0; i < length; ++i)
    {
      const std::int64_t at = first + places[static_cast<std::size_t>(i)];
      for (std::int64_t k = 0; k < count; k += Lines)
      {
        std::copy_n(m_Squares + at + k, std::min(Lines, count - k), bundles + k * length + i * Lines);
      }
      for (std::int64_t k = 0; k < count && areSeveral; ++k)
      {
        const TLabel label = m_Labels[at + k];
        const TLabel before = m_Labels[last + k];
        touch |= unsigned{ label != before } & unsigned{ label != 0 } & unsigned{ before != 0 };
      }
      last = at;
    }
    return touch != 0;
  }

  /** Copies the squares of a bundle and lowers them to the squares of the ways to the image's border, if it counts. */
  void
  BoundByBorder(const T * bundle, std::int64_t length, const std::vector<T> & costs, T * bounded) const
  {
    for (std::int64_t i = 0; i < length; ++i, bundle += Lines, bounded += Lines)
    {
      const auto steps = static_cast<std::size_t>(std::min(i + 1, length - i));
      const T    cost = m_Unit.to == DistanceTo::Boxes ? costs[steps] : UnknownSquare<T>;
      std::transform(bundle, bundle + Lines, bounded, [cost](T square) { return std::min(square, cost); });
    }
  }

  /** Lowers squares on a line to the square of the way to the nearest voxel of another label on it. Sums with that
   *  voxel's square and with farther ones are then too large to matter. */
  void
  BoundByLabels(const TLabel *                    labels,
                const std::vector<std::int64_t> & places,
                const std::vector<T> &            costs,
                T *                               line) const
  {
    const auto         length = static_cast<std::int64_t>(places.size());
    const std::int64_t unknown = length + 1;
    const auto         labelAt = [&](std::int64_t i) { return labels[places[static_cast<std::size_t>(i)]]; };
    for (const std::int64_t direction : { 1, -1 })
    {
      std::int64_t steps = m_Unit.to == DistanceTo::Boxes ? 0 : unknown;
      for (std::int64_t i = direction > 0 ? 0 : length - 1, left = length; left > 0; i += direction, --left)
      {
        const bool differs = left < length && labelAt(i) != labelAt(i - direction);
        steps = differs ? 1 : std::min(steps + 1, unknown);
        line[i * Lines] = std::min(line[i * Lines], costs[static_cast<std::size_t>(steps)]);
      }
    }
  }

  const RowsOfLabels<TLabel> & m_Rows;
  const TLabel *               m_Labels;
  const Extent                 m_Extent;
  const DistanceUnit &         m_Unit;
  const HostContext            m_Context;
  T *                          m_Squares;
};

/** Calls attempt(T(), context) with larger types T of squares until one is large enough. */
template <typename TAttempt>
void
WithType(const DistanceUnit & unit, const HostContext & context, const TAttempt & attempt)
{
  // 16 bits are tried only if they hold the squares of a few steps.
  constexpr double steps = 8;
  const double     units = 2 * steps * std::sqrt(*std::max_element(unit.weights, unit.weights + MaximumDimension));
  const bool       maySuffice = units * units < static_cast<double>(UnknownSquare<std::uint16_t>);
  if (!unit.isWhole || (!(maySuffice && attempt(std::uint16_t(), context.Part(0, 0.6))) &&
                        !attempt(std::uint32_t(), context.Part(maySuffice ? 0.6 : 0, 0.9))))
  {
    attempt(double(), context.Part(unit.isWhole ? 0.9 : 0, 1));
  }
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
    ThrowIf<InvalidArgument>(!(spacing > 0) || !std::isfinite(spacing),
                             "the spacing along " + std::string(1, AxisNames[axis]) + " is " + std::to_string(spacing) +
                               " mm; distances need one above 0");
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
  WithType(unit, context, [&](auto type, const HostContext & part) {
    auto & found = squares.emplace<Buffer<decltype(type)>>();
    found.Resize(static_cast<std::size_t>(labels.extent.VoxelCount()));
    return VisitLabels(labels, [&](auto tag) {
      using Label = typename decltype(tag)::Type;
      const auto * const        all = static_cast<const Label *>(labels.data);
      const std::int64_t        length = labels.extent.RowLength();
      const RowsOfLabels<Label> rows = [&](std::int64_t row, Label *) { return all + row * length; };
      return DistanceTransform(rows, all, labels.extent, unit, part, found.Data()).Run(areSeveral);
    });
  });
}

UninitializedVector<float>
SquaredDistancesToOthers(const Extent &                             extent,
                         const Geometry &                           geometry,
                         const UninitializedVector<std::uint32_t> & labels,
                         const HostContext &                        context)
{
  const auto rows = [&](std::int64_t row, std::uint32_t *) { return labels.data() + row * extent.RowLength(); };
  return SquaredDistancesOfRows(extent, geometry, rows, context, labels.data());
}

UninitializedVector<float>
SquaredDistancesOfRows(const Extent &                      extent,
                       const Geometry &                    geometry,
                       const RowsOfLabels<std::uint32_t> & rows,
                       const HostContext &                 context,
                       const std::uint32_t *               image)
{
  const DistanceUnit unit(DistanceTo::Boxes, extent, geometry, ~0u);
  auto               result = MakeUnset<float>(static_cast<std::size_t>(extent.VoxelCount()));
  WithType(unit, context, [&](auto type, const HostContext & part) {
    using T = decltype(type);
    // Squares as wide as the result are in its memory.
    constexpr bool isInside = sizeof(T) == sizeof(float);
    Buffer<T>      own;
    own.Resize(isInside ? 0 : result.size());
    auto * const squares = isInside ? reinterpret_cast<T *>(result.data()) : own.Data();
    bool         areSeveral = false;
    if (!DistanceTransform(rows, image, extent, unit, part, squares).Run(areSeveral))
    {
      return false;
    }
    const Chunks chunks(extent.VoxelCount(), context.grain, 64);
    ParallelFor(chunks.count, context.Quiet(), [&](std::int64_t chunk) {
      for (std::int64_t i = chunks.Begin(chunk); i < chunks.End(chunk); ++i)
      {
        T square;
        std::memcpy(&square, squares + i, sizeof(T));
        result[static_cast<std::size_t>(i)] =
          static_cast<float>(static_cast<double>(square) * (unit.length * unit.length));
      }
    });
    return true;
  });
  return result;
}

} // namespace brickccl
