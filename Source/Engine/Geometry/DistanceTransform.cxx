// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Geometry/DistanceTransform.h"

#include <algorithm>
#include <cstdint>

namespace brickccl
{

namespace
{

/** Computes distances along a line of voxels. */
class LineTransform
{
public:
  LineTransform(std::int64_t length, double spacing)
    : m_Square(spacing * spacing)
    , m_Vertices(MakeUnset<double>(static_cast<std::size_t>(length) + 2))
    , m_Heights(MakeUnset<double>(m_Vertices.size()))
    , m_From(MakeUnset<double>(m_Vertices.size()))
  {}

  /** Adds the distances along this line. `values` are the squared distances so far of one component's voxels begin ..
   *  end - 1; the voxels before and behind them do not belong to the component. */
  void
  Transform(double * values, std::int64_t begin, std::int64_t end)
  {
    // Parabolas are in units of the squared spacing. The voxels at begin - 1 and end have parabolas of height
    // 0.
    m_Count = 0;
    Push(begin - 1, 0);
    for (std::int64_t i = begin; i < end; ++i)
    {
      Push(i, values[i] / m_Square);
    }
    Push(end, 0);
    std::size_t at = 0;
    double      before = At(static_cast<double>(begin) - 0.5, at);
    for (std::int64_t i = begin; i < end; ++i)
    {
      const double after = At(static_cast<double>(i) + 0.5, at);
      values[i] = std::min(values[i], m_Square * std::min(before, after));
      before = after;
    }
  }

private:
  /** Adds a parabola with its vertex to the right of all others. */
  void
  Push(std::int64_t vertex, double height)
  {
    const auto place = static_cast<double>(vertex);
    double     from = -1e300;
    while (m_Count > 0)
    {
      // The place where it becomes lower than the last one.
      const double last = m_Vertices[m_Count - 1];
      from = ((height + place * place) - (m_Heights[m_Count - 1] + last * last)) / (2 * (place - last));
      if (m_Count == 1 || from > m_From[m_Count - 1])
      {
        break;
      }
      --m_Count;
    }
    m_Vertices[m_Count] = place;
    m_Heights[m_Count] = height;
    m_From[m_Count] = from;
    ++m_Count;
  }

  /** The value of the envelope at a place. Places must come in ascending order. */
  double
  At(double place, std::size_t & parabola) const
  {
    while (parabola + 1 < m_Count && m_From[parabola + 1] <= place)
    {
      ++parabola;
    }
    const double difference = place - m_Vertices[parabola];
    return m_Heights[parabola] + difference * difference;
  }

  double                      m_Square;
  std::size_t                 m_Count = 0;
  UninitializedVector<double> m_Vertices;
  UninitializedVector<double> m_Heights;
  UninitializedVector<double> m_From;
};

/** Number of neighboring lines that are transformed together, to read whole cache lines. */
constexpr std::int64_t LinesAtOnce = 16;

/** A bundle of lines along an axis. The parts that hold components are copied to where their voxels lie close
 *  together, since voxels whose distance is a power of two push each other out of the caches. */
class LineBundle
{
public:
  LineBundle(std::int64_t length, double spacing)
    : m_Length(length)
    , m_Transform(length, spacing)
    , m_Labels(MakeUnset<std::uint32_t>(static_cast<std::size_t>(length * LinesAtOnce)))
    , m_Squares(MakeUnset<float>(m_Labels.size()))
    , m_Line(MakeUnset<double>(static_cast<std::size_t>(length)))
  {}

  /** Transforms the lines through the voxels first .. first + count - 1. */
  void
  Transform(std::int64_t stride, std::int64_t count, const std::uint32_t * labels, float * squares)
  {
    for (std::int64_t first = 0, last = 0; first < m_Length; first = last + 1)
    {
      // Reads on to the first voxel at which no line holds a component.
      for (last = first; last < m_Length && CopyLabels(labels + last * stride, count, last); ++last)
      {
        std::copy_n(squares + last * stride, count, m_Squares.data() + last * LinesAtOnce);
      }
      for (std::int64_t k = 0; k < count; ++k)
      {
        TransformLine(k, first, last);
      }
      for (std::int64_t i = first; i < last; ++i)
      {
        std::copy_n(m_Squares.data() + i * LinesAtOnce, count, squares + i * stride);
      }
    }
  }

private:
  /** Says whether any of the values is not 0. */
  bool
  CopyLabels(const std::uint32_t * labels, std::int64_t count, std::int64_t i)
  {
    std::uint32_t * const own = m_Labels.data() + i * LinesAtOnce;
    std::uint32_t         any = 0;
    for (std::int64_t k = 0; k < count; ++k)
    {
      own[k] = labels[k];
      any |= labels[k];
    }
    return any != 0;
  }

  /** Transforms the voxels first .. last - 1 of the k-th line. The voxels before and behind them belong to no
   *  component. */
  void
  TransformLine(std::int64_t k, std::int64_t first, std::int64_t last)
  {
    const std::uint32_t * const labels = m_Labels.data() + k;
    float * const               squares = m_Squares.data() + k;
    for (std::int64_t begin = first, end = first; begin < last; begin = end)
    {
      const std::uint32_t label = labels[begin * LinesAtOnce];
      for (end = begin + 1; end < last && labels[end * LinesAtOnce] == label; ++end)
      {}
      if (label == 0)
      {
        continue;
      }
      for (std::int64_t i = begin; i < end; ++i)
      {
        m_Line[static_cast<std::size_t>(i)] = static_cast<double>(squares[i * LinesAtOnce]);
      }
      m_Transform.Transform(m_Line.data(), begin, end);
      for (std::int64_t i = begin; i < end; ++i)
      {
        squares[i * LinesAtOnce] = static_cast<float>(m_Line[static_cast<std::size_t>(i)]);
      }
    }
  }

  std::int64_t                       m_Length;
  LineTransform                      m_Transform;
  UninitializedVector<std::uint32_t> m_Labels;
  UninitializedVector<float>         m_Squares;
  UninitializedVector<double>        m_Line;
};

/** Sets the squared distances along x: the nearest voxels outside are at the ends of the voxel's run. */
void
TransformRow(std::int64_t length, double spacing, const std::uint32_t * labels, float * squares)
{
  for (std::int64_t begin = 0; begin < length;)
  {
    std::int64_t end = begin + 1;
    while (end < length && labels[end] == labels[begin])
    {
      ++end;
    }
    for (std::int64_t x = begin; x < end; ++x)
    {
      const double distance = (static_cast<double>(std::min(x - begin, end - 1 - x)) + 0.5) * spacing;
      squares[x] = labels[begin] == 0 ? 0.0f : static_cast<float>(distance * distance);
    }
    begin = end;
  }
}

} // namespace

UninitializedVector<float>
SquaredDistancesToOthers(const Extent &                             extent,
                         const Geometry &                           geometry,
                         const UninitializedVector<std::uint32_t> & labels,
                         const HostContext &                        context)
{
  UninitializedVector<float> squares = MakeUnset<float>(labels.size());
  const std::int64_t         rowLength = extent.RowLength();
  ParallelFor(extent.RowCount(), context, [&](std::int64_t row) {
    TransformRow(rowLength, geometry.spacing[0], labels.data() + row * rowLength, squares.data() + row * rowLength);
  });
  std::int64_t stride = rowLength;
  for (int axis = 1; axis < extent.dimension; ++axis)
  {
    // The lines start at the first voxels of each block of stride * length voxels.
    const std::int64_t length = extent.size[axis];
    const std::int64_t bundles = (stride + LinesAtOnce - 1) / LinesAtOnce;
    ParallelFor(extent.VoxelCount() / (stride * length) * bundles, context, [&](std::int64_t task) {
      const std::int64_t first = task % bundles * LinesAtOnce;
      const std::int64_t at = task / bundles * stride * length + first;
      LineBundle(length, geometry.spacing[axis])
        .Transform(stride, std::min(LinesAtOnce, stride - first), labels.data() + at, squares.data() + at);
    });
    stride *= length;
  }
  return squares;
}

} // namespace brickccl
