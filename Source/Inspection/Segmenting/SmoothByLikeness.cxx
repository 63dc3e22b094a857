// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Segmenting/Smoothing.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

namespace brickccl
{

namespace
{

using Counts = std::array<std::int64_t, 3>;

/** Smooths a copy whose border continues by a margin, so that a step is the same distance in memory everywhere. */
template <typename TReal>
class LikenessFilter
{
public:
  static constexpr std::int64_t RowsAtOnce = 16;

  LikenessFilter(TReal * values, const Counts & size, const Geometry & geometry, const SmoothingMethod & method)
    : m_Values(values)
    , m_Size(size)
    , m_Method(method)
    , m_ComparesPatches(method.kind == SmoothingMethod::Kind::NonLocalMeans)
  {
    for (std::size_t axis = 0; axis < 3; ++axis)
    {
      m_Deviation[axis] = method.deviation / geometry.spacing[axis];
      m_Patch[axis] = size[axis] > 1 && m_ComparesPatches ? 1 : 0;
      const auto reach = m_ComparesPatches ? 3 : static_cast<std::int64_t>(std::ceil(2 * m_Deviation[axis]));
      m_Reach[axis] = size[axis] > 1 ? reach : 0;
      m_Margin[axis] = m_Reach[axis] + m_Patch[axis];
      m_Stride[axis] = axis == 0 ? 1 : m_Stride[axis - 1] * (size[axis - 1] + 2 * m_Margin[axis - 1]);
    }
    const auto inside = [&](std::int64_t at, std::size_t axis) {
      return std::clamp<std::int64_t>(at - m_Margin[axis], 0, size[axis] - 1);
    };
    // Steps to the side also lead beyond the first and the last row.
    m_Input.resize(static_cast<std::size_t>(m_Stride[2] * (size[2] + 2 * m_Margin[2]) + 2 * m_Margin[0]));
    for (std::size_t i = 0; i < m_Input.size(); ++i)
    {
      const auto         place = static_cast<std::int64_t>(i) - m_Margin[0];
      const std::int64_t z = inside(place / m_Stride[2], 2);
      const std::int64_t y = inside(place % m_Stride[2] / m_Stride[1], 1);
      m_Input[i] = values[(z * size[1] + y) * size[0] + inside(place % m_Stride[1], 0)];
    }
  }

  void
  SmoothRows(std::int64_t z, std::int64_t beginY, std::int64_t endY) const
  {
    const std::int64_t begin = (z + m_Margin[2]) * m_Stride[2] + (beginY + m_Margin[1]) * m_Stride[1] + m_Margin[0];
    const auto         count = static_cast<std::size_t>((endY - beginY) * m_Stride[1]);
    std::vector<TReal> sums(count);
    std::vector<TReal> weights(count);
    std::vector<TReal> squares;
    for (std::int64_t dz = -m_Reach[2]; dz <= m_Reach[2]; ++dz)
    {
      for (std::int64_t dy = -m_Reach[1]; dy <= m_Reach[1]; ++dy)
      {
        for (std::int64_t dx = -m_Reach[0]; dx <= m_Reach[0]; ++dx)
        {
          const TReal * const other = m_Input.data() + begin + dz * m_Stride[2] + dy * m_Stride[1] + dx;
          Compare(m_Input.data() + begin, other, count, squares);
          const double distance = std::hypot(static_cast<double>(dx) / m_Deviation[0],
                                             static_cast<double>(dy) / m_Deviation[1],
                                             static_cast<double>(dz) / m_Deviation[2]);
          AddValues(other, squares, m_ComparesPatches ? 1 : std::exp(-distance * distance / 2), sums, weights);
        }
      }
    }
    for (std::int64_t y = beginY; y < endY; ++y)
    {
      const std::int64_t from = (y - beginY) * m_Stride[1] + m_Margin[0];
      std::transform(sums.begin() + from,
                     sums.begin() + from + m_Size[0],
                     weights.begin() + from,
                     m_Values + (z * m_Size[1] + y) * m_Size[0],
                     [](TReal sum, TReal weight) { return sum / weight; });
    }
  }

private:
  /** Sets the squared differences of voxels, summed over the patches around them. */
  void
  Compare(const TReal * own, const TReal * other, std::size_t count, std::vector<TReal> & squares) const
  {
    const std::int64_t before = m_Patch[0] + m_Patch[1] * m_Stride[1];
    squares.assign(count + 2 * static_cast<std::size_t>(before), 0);
    for (std::int64_t z = -m_Patch[2]; z <= m_Patch[2]; ++z)
    {
      const TReal * const a = own + z * m_Stride[2] - before;
      const TReal * const b = other + z * m_Stride[2] - before;
      for (std::size_t i = 0; i < squares.size(); ++i)
      {
        squares[i] += (a[i] - b[i]) * (a[i] - b[i]);
      }
    }
    for (std::size_t axis = 0; axis < 2; ++axis)
    {
      const auto step = static_cast<std::size_t>(m_Stride[axis]);
      for (std::size_t i = 0; i + 2 * step < squares.size() && m_Patch[axis] > 0; ++i)
      {
        squares[i] += squares[i + step] + squares[i + 2 * step];
      }
    }
  }

  void
  AddValues(const TReal *              other,
            const std::vector<TReal> & squares,
            double                     nearness,
            std::vector<TReal> &       sums,
            std::vector<TReal> &       weights) const
  {
    const auto   patch = static_cast<double>((2 * m_Patch[0] + 1) * (2 * m_Patch[1] + 1) * (2 * m_Patch[2] + 1));
    const double range = patch * m_Method.range * m_Method.range;
    const auto   near = static_cast<TReal>(nearness);
    const auto   noise = static_cast<TReal>(m_ComparesPatches ? 2 * range : 0);
    const auto   scale = static_cast<TReal>(1 / (16 * range * (m_ComparesPatches ? 0.36 : 2)));
    for (std::size_t i = 0; i < sums.size(); ++i)
    {
      TReal weight = std::max(TReal(0), 1 - std::max(TReal(0), squares[i] - noise) * scale);
      weight *= weight;
      weight *= weight;
      weight *= weight;
      weight *= near * weight;
      sums[i] += weight * other[i];
      weights[i] += weight;
    }
  }

  TReal *                 m_Values;
  Counts                  m_Size;
  const SmoothingMethod & m_Method;
  bool                    m_ComparesPatches;
  std::array<double, 3>   m_Deviation{};
  Counts                  m_Patch{};
  Counts                  m_Reach{};
  Counts                  m_Margin{};
  Counts                  m_Stride{};
  std::vector<TReal>      m_Input;
};

} // namespace

template <typename TReal>
void
SmoothByLikeness(TReal *                 values,
                 const Extent &          extent,
                 const Geometry &        geometry,
                 const SmoothingMethod & method,
                 const HostContext &     context)
{
  const Counts       size = { extent.size[0], extent.size[1], extent.size[2] };
  const std::int64_t voxels = size[0] * size[1] * size[2];
  for (std::int64_t begin = 0; begin < extent.VoxelCount(); begin += voxels)
  {
    const LikenessFilter<TReal> filter(values + begin, size, geometry, method);
    const std::int64_t          pieces = (size[1] - 1) / filter.RowsAtOnce + 1;
    ParallelFor(pieces * size[2], context, [&](std::int64_t i) {
      const std::int64_t y = i % pieces * filter.RowsAtOnce;
      filter.SmoothRows(i / pieces, y, std::min(size[1], y + filter.RowsAtOnce));
    });
  }
}

template void SmoothByLikeness(float *, const Extent &, const Geometry &, const SmoothingMethod &, const HostContext &);
template void
SmoothByLikeness(double *, const Extent &, const Geometry &, const SmoothingMethod &, const HostContext &);

} // namespace brickccl
