// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Core/VolumeView.h"
#include "BrickCCL/Geometry/DistanceTransform.h"
#include "BrickCCL/Host/Buffer.h"
#include "BrickCCL/Host/Parallel.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

namespace brickccl
{

/** "z" for axis 2; the number of an axis that no image has. */
inline std::string
NameOfAxis(int axis)
{
  return axis >= 0 && axis < MaximumDimension ? std::string(1, AxisNames[axis]) : std::to_string(axis);
}

/** \throws InvalidArgument for a label, or another number as `name` says, that is negative or not whole. */
inline void
CheckLabels(const ImageView & labels, const HostContext & context, const std::string & name = "label")
{
  VisitScalarType(labels.type, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    const T * const voxels = static_cast<const T *>(labels.data);
    const Chunks    chunks(std::is_unsigned_v<T> ? 0 : labels.extent.VoxelCount(), context.grain, 256);
    ParallelFor(chunks.count, context.Silent(), [&](std::int64_t chunk) {
      for (std::int64_t i = chunks.Begin(chunk); i < chunks.End(chunk); ++i)
      {
        bool isGood = voxels[i] >= 0;
        if constexpr (std::is_floating_point_v<T>)
        {
          isGood = isGood && voxels[i] < T(18446744073709551615.0) && std::floor(voxels[i]) == voxels[i];
        }
        if (!isGood)
        {
          throw InvalidArgument("a " + name + " is " + Shortest(static_cast<double>(voxels[i])) + "; " + name +
                                "s must be whole numbers, 0 (background) or above");
        }
      }
    });
  });
}

/** A bit per axis except the one orthogonal to slices (-1: none). \throws InvalidArgument for a missing axis. */
inline unsigned
AxesAcross(const Extent & extent, int sliceAxis)
{
  if (sliceAxis < -1 || sliceAxis >= extent.dimension)
  {
    throw InvalidArgument("the image has no axis " + NameOfAxis(sliceAxis));
  }
  return sliceAxis < 0 ? ~0u : ~(1u << static_cast<unsigned>(sliceAxis));
}

/** Calls `work` with the place of each voxel. */
template <typename TWork>
void
ForEachVoxel(const Extent & extent, const HostContext & context, const TWork & work)
{
  const Chunks chunks(extent.VoxelCount(), context.grain, 256);
  ParallelFor(chunks.count, context, [&](std::int64_t chunk) {
    for (std::int64_t i = chunks.Begin(chunk); i < chunks.End(chunk); ++i)
    {
      work(static_cast<std::size_t>(i));
    }
  });
}

/** The largest square in a unit that is within a radius. Files may have spacings in single precision. */
inline double
LimitOf(const DistanceUnit & unit, double radius)
{
  const double units = radius / unit.length * (1 + 1e-7);
  return unit.isWhole ? std::floor(units * units) : units * units;
}

/** Gives background voxels the label of the nearest labeled voxel, the smallest of several. Each voxel has a square and
 *  a label; axis by axis it takes the smallest of what the voxels of its line have after the way from them. */
template <typename T>
class LabelGrowth
{
public:
  LabelGrowth(const Extent & extent, const DistanceUnit & unit, double radius, Buffer<std::uint32_t> & labels)
    : m_Extent(extent)
    , m_Labels(labels)
  {
    const double limit = std::min(LimitOf(unit, radius), static_cast<double>(Far) / 4);
    m_Limit = static_cast<T>(limit);
    m_Squares.Resize(labels.Size());
    for (int axis = 0; axis < extent.dimension; ++axis)
    {
      std::vector<T> & costs = m_Costs[static_cast<std::size_t>(axis)];
      for (std::int64_t steps = 0; steps < (unit.weights[axis] > 0 ? extent.size[axis] : 1); ++steps)
      {
        const double square = static_cast<double>(steps * steps) * unit.weights[axis];
        if (square > limit)
        {
          break;
        }
        costs.push_back(static_cast<T>(square));
      }
    }
  }

  void
  Run(const HostContext & context)
  {
    ForEachVoxel(m_Extent, context.Silent(), [&](std::size_t i) { m_Squares[i] = m_Labels[i] != 0 ? 0 : Far; });
    SpreadAlongX(context.Part(0, 1.0 / m_Extent.dimension));
    std::int64_t stride = m_Extent.size[0];
    for (int axis = 1; axis < m_Extent.dimension; ++axis)
    {
      Spread(axis, stride, context.Part(axis / double(m_Extent.dimension), (axis + 1) / double(m_Extent.dimension)));
      stride *= m_Extent.size[axis];
    }
  }

private:
  /** A square that is larger than every limit, also with a cost added. */
  static constexpr T Far = std::is_floating_point_v<T> ? std::numeric_limits<T>::max() / 4
                                                       : static_cast<T>(std::numeric_limits<std::int32_t>::max());
  /** The number of lines side by side that are spread together. */
  static constexpr std::int64_t Lines = 64;

  struct Bundle
  {
    std::vector<T>             squares;
    std::vector<std::uint32_t> labels;
  };

  /** Along x, the nearest labeled voxels on both sides are all that matters. */
  void
  SpreadAlongX(const HostContext & context)
  {
    const std::int64_t length = m_Extent.RowLength();
    const Chunks       chunks(m_Extent.RowCount(), context.grain / length, 256);
    ParallelFor(chunks.count, context, [&](std::int64_t chunk) {
      std::vector<std::uint32_t> own(static_cast<std::size_t>(length));
      for (std::int64_t row = chunks.Begin(chunk); row < chunks.End(chunk); ++row)
      {
        std::copy_n(m_Labels.Data() + row * length, length, own.data());
        for (const std::int64_t direction : { 1, -1 })
        {
          SpreadFromOneSide(own, direction, m_Squares.Data() + row * length, m_Labels.Data() + row * length);
        }
      }
    });
  }

  void
  SpreadFromOneSide(const std::vector<std::uint32_t> & own, std::int64_t direction, T * squares, std::uint32_t * labels)
  {
    const auto    length = static_cast<std::int64_t>(own.size());
    const auto    reach = static_cast<std::int64_t>(m_Costs[0].size());
    std::uint32_t last = 0;
    std::int64_t  steps = reach;
    for (std::int64_t x = direction > 0 ? 0 : length - 1; x >= 0 && x < length; x += direction)
    {
      steps = own[static_cast<std::size_t>(x)] != 0 ? 0 : std::min(steps + 1, reach);
      last = steps == 0 ? own[static_cast<std::size_t>(x)] : last;
      if (steps > 0 && steps < reach)
      {
        const T    square = m_Costs[0][static_cast<std::size_t>(steps)];
        const bool isBetter = square < squares[x] || (square == squares[x] && last < labels[x]);
        squares[x] = isBetter ? square : squares[x];
        labels[x] = isBetter ? last : labels[x];
      }
    }
  }

  void
  Spread(int axis, std::int64_t stride, const HostContext & context)
  {
    const std::int64_t length = m_Extent.size[axis];
    const std::int64_t bundles = (stride + Lines - 1) / Lines;
    const Chunks       chunks(m_Extent.VoxelCount() / (stride * length) * bundles,
                        context.grain / (std::min(stride, Lines) * length),
                        std::int64_t{ 64 } * EffectiveThreadCount(context.threads));
    ParallelFor(chunks.count, context, [&](std::int64_t chunk) {
      Bundle from;
      for (std::int64_t task = chunks.Begin(chunk); task < chunks.End(chunk); ++task)
      {
        const std::int64_t first = task % bundles * Lines;
        SpreadBundle(axis, task / bundles * stride * length + first, stride, std::min(Lines, stride - first), from);
      }
    });
  }

  void
  SpreadBundle(int axis, std::int64_t at, std::int64_t stride, std::int64_t count, Bundle & from)
  {
    const std::int64_t     length = m_Extent.size[axis];
    const std::vector<T> & costs = m_Costs[static_cast<std::size_t>(axis)];
    from.squares.clear();
    from.labels.clear();
    for (std::int64_t i = 0; i < length; ++i)
    {
      const std::int64_t place = at + i * stride;
      from.squares.insert(from.squares.end(), m_Squares.Data() + place, m_Squares.Data() + place + count);
      from.labels.insert(from.labels.end(), m_Labels.Data() + place, m_Labels.Data() + place + count);
    }
    if (std::all_of(from.squares.begin(), from.squares.end(), [](T square) { return square == Far; }))
    {
      return;
    }
    for (std::int64_t i = 0; i < length; ++i)
    {
      T * const             squares = m_Squares.Data() + at + i * stride;
      std::uint32_t * const labels = m_Labels.Data() + at + i * stride;
      for (std::int64_t steps = 1; steps < static_cast<std::int64_t>(costs.size()); ++steps)
      {
        const T cost = costs[static_cast<std::size_t>(steps)];
        if (cost > *std::max_element(squares, squares + count))
        {
          break;
        }
        for (const std::int64_t other : { i - steps, i + steps })
        {
          if (other >= 0 && other < length)
          {
            Take(from, other * count, count, cost, squares, labels);
          }
        }
      }
      for (std::int64_t k = 0; k < count; ++k)
      {
        labels[k] = squares[k] > m_Limit ? 0 : labels[k];
        squares[k] = squares[k] > m_Limit ? Far : squares[k];
      }
    }
  }

  static void
  Take(const Bundle & from, std::int64_t at, std::int64_t count, T cost, T * squares, std::uint32_t * labels)
  {
    const T * const             others = from.squares.data() + at;
    const std::uint32_t * const theirs = from.labels.data() + at;
    for (std::int64_t k = 0; k < count; ++k)
    {
      const T    square = others[k] + cost;
      const bool isBetter = square < squares[k] || (square == squares[k] && theirs[k] < labels[k]);
      squares[k] = isBetter ? square : squares[k];
      labels[k] = isBetter ? theirs[k] : labels[k];
    }
  }

  const Extent            m_Extent;
  Buffer<std::uint32_t> & m_Labels;
  Buffer<T>               m_Squares;
  T                       m_Limit;
  std::vector<T>          m_Costs[MaximumDimension];
};

} // namespace brickccl
