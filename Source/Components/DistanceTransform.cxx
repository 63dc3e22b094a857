#include "BrickCCL/Components/DistanceTransform.h"

#include <algorithm>
#include <cstdint>

namespace brickccl
{

namespace
{

/** Distances along a line of voxels. */
class LineTransform
{
public:
  LineTransform(std::int64_t length, double spacing)
    : m_Square(spacing * spacing)
    , m_Vertices(static_cast<std::size_t>(length) + 2)
    , m_Heights(static_cast<std::size_t>(length) + 2)
    , m_From(static_cast<std::size_t>(length) + 2)
  {}

  /** Where `values` are those of one component's voxels begin .. end - 1, squared distances so far: makes them those
   *  that also go along this line, on which the voxels before and after are others. */
  void
  Transform(double * values, std::int64_t begin, std::int64_t end)
  {
    // Parabolas in units of squared spacing, the others' at begin - 1 and end with height 0.
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
      // Where it gets lower than the last one.
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

  /** The envelope at a place; places come in ascending order. */
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

  double              m_Square;
  std::size_t         m_Count = 0;
  std::vector<double> m_Vertices;
  std::vector<double> m_Heights;
  std::vector<double> m_From;
};

/** Lines that lie side by side are copied and worked on together, so that whole cache lines are read. */
constexpr std::int64_t LinesAtOnce = 16;

/** Transforms the lines along an axis that go through the voxels first .. first + count - 1. */
void
TransformLines(std::int64_t          length,
               std::int64_t          stride,
               std::int64_t          count,
               const std::uint32_t * labels,
               float *               squares,
               LineTransform &       transform,
               std::vector<double> & line)
{
  line.resize(static_cast<std::size_t>(length * count));
  for (std::int64_t i = 0; i < length; ++i)
  {
    for (std::int64_t k = 0; k < count; ++k)
    {
      line[static_cast<std::size_t>(k * length + i)] = static_cast<double>(squares[i * stride + k]);
    }
  }
  for (std::int64_t k = 0; k < count; ++k)
  {
    for (std::int64_t begin = 0; begin < length;)
    {
      const std::uint32_t label = labels[begin * stride + k];
      std::int64_t        end = begin + 1;
      while (end < length && labels[end * stride + k] == label)
      {
        ++end;
      }
      if (label != 0)
      {
        transform.Transform(line.data() + k * length, begin, end);
      }
      begin = end;
    }
  }
  for (std::int64_t i = 0; i < length; ++i)
  {
    for (std::int64_t k = 0; k < count; ++k)
    {
      squares[i * stride + k] = static_cast<float>(line[static_cast<std::size_t>(k * length + i)]);
    }
  }
}

/** Along x a voxel's nearest others are at the ends of its run. */
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

std::vector<float>
SquaredDistancesToOthers(const Extent &                     extent,
                         const Geometry &                   geometry,
                         const std::vector<std::uint32_t> & labels,
                         const HostContext &                context)
{
  std::vector<float> squares(labels.size());
  const std::int64_t rowLength = extent.RowLength();
  ParallelFor(extent.RowCount(), context, [&](std::int64_t row) {
    TransformRow(rowLength, geometry.spacing[0], labels.data() + row * rowLength, squares.data() + row * rowLength);
  });
  std::int64_t stride = rowLength;
  for (int axis = 1; axis < extent.dimension; ++axis)
  {
    // The lines through the first voxels of each block of stride * length.
    const std::int64_t length = extent.size[axis];
    const std::int64_t bundles = (stride + LinesAtOnce - 1) / LinesAtOnce;
    ParallelFor(extent.VoxelCount() / (stride * length) * bundles, context, [&](std::int64_t task) {
      const std::int64_t  first = task % bundles * LinesAtOnce;
      const std::int64_t  at = task / bundles * stride * length + first;
      LineTransform       transform(length, geometry.spacing[axis]);
      std::vector<double> line;
      TransformLines(length,
                     stride,
                     std::min(LinesAtOnce, stride - first),
                     labels.data() + at,
                     squares.data() + at,
                     transform,
                     line);
    });
    stride *= length;
  }
  return squares;
}

} // namespace brickccl
