// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Splitting/Morph.h"

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Forest/Forest.h"
#include "BrickCCL/Geometry/DistanceTransform.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace brickccl
{

namespace
{

using Labels = Buffer<std::uint32_t>;
using Mask = Buffer<std::uint8_t>;

/** Calls `work(first voxel, end)` for parts of an image. */
template <typename TWork>
void
ForVoxels(const Extent & extent, const HostContext & context, const TWork & work)
{
  const Chunks chunks(extent.VoxelCount(), context.grain, 256);
  ParallelFor(chunks.count, context, [&](std::int64_t chunk) { work(chunks.Begin(chunk), chunks.End(chunk)); });
}

/** The largest square in a unit that is within a radius. */
double
LimitOf(const DistanceUnit & unit, double radius)
{
  const double units = radius / unit.length * (1 + 1e-9);
  return unit.isWhole ? std::floor(units * units) : units * units;
}

/** Sets `mask` to 1 where the nearest voxel of another label is within a radius of a labeled voxel, to 0 elsewhere. */
template <typename TLabel>
void
FindNearOthers(const Buffer<TLabel> & labels,
               const Extent &         extent,
               const DistanceUnit &   unit,
               double                 radius,
               const HostContext &    context,
               Mask &                 mask)
{
  const SquaredDistances found(ImageView(labels.Data(), extent), unit, context.Part(0, 0.9));
  const double           limit = LimitOf(unit, radius);
  mask.Resize(labels.Size());
  std::visit(
    [&](const auto & squares) {
      using T = std::decay_t<decltype(squares[0])>;
      ForVoxels(extent, context.Part(0.9, 1), [&](std::int64_t begin, std::int64_t end) {
        for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i)
        {
          const T square = squares[i];
          mask[i] = square != 0 && square != UnknownSquare<T> && static_cast<double>(square) <= limit ? 1 : 0;
        }
      });
    },
    found.squares);
}

/** Gives background voxels the label of the nearest labeled voxel. Each voxel has the square of the way to it and its
 *  label; of equal squares the smaller label counts. Axis by axis, each voxel takes the smallest of what the voxels of
 *  its line have after the way from them. */
template <typename T>
class LabelGrowth
{
public:
  LabelGrowth(const Extent & extent, const DistanceUnit & unit, double radius, Labels & labels)
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
    ForVoxels(m_Extent, context.Silent(), [&](std::int64_t begin, std::int64_t end) {
      for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i)
      {
        m_Squares[i] = m_Labels[i] != 0 ? 0 : Far;
      }
    });
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
  /** So many lines side by side are spread at once. */
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

  const Extent   m_Extent;
  Labels &       m_Labels;
  Buffer<T>      m_Squares;
  T              m_Limit;
  std::vector<T> m_Costs[MaximumDimension];
};

/** The smallest box that holds a label: its first voxel along each axis, and the one behind its last. */
struct LabelBox
{
  std::array<std::int64_t, MaximumDimension> begin;
  std::array<std::int64_t, MaximumDimension> end;
};

/** One call of Morph. */
class MorphWork
{
public:
  MorphWork(const ImageView & labels, const MorphOptions & options)
    : m_Image(labels)
    , m_Extent(labels.extent)
    , m_Options(options)
    , m_Axes(options.sliceAxis < 0 ? ~0u : ~(1u << static_cast<unsigned>(options.sliceAxis)))
    , m_Context{ options.threads, Progress(options.progress) }
  {
    if (labels.channels != 1)
    {
      throw InvalidArgument("labels of " + std::to_string(labels.channels) + " channels were given; there must be 1");
    }
    if (!(options.radius >= 0) || !std::isfinite(options.radius))
    {
      throw InvalidArgument("the radius is " + std::to_string(options.radius) + " mm; it must be finite and at least 0");
    }
    if (options.sliceAxis < -1 || options.sliceAxis >= m_Extent.dimension)
    {
      throw InvalidArgument("the image has no axis " + std::to_string(options.sliceAxis));
    }
    m_Labels.Resize(static_cast<std::size_t>(m_Extent.VoxelCount()));
    VisitScalarType(labels.type, [&](auto tag) { ReadLabels<typename decltype(tag)::Type>(); });
  }

  MorphReport
  Run(void * result)
  {
    const DistanceUnit unit(DistanceTo::Centers, m_Extent, m_Options.geometry, m_Axes);
    switch (m_Options.operation)
    {
    case MorphOperation::Dilate:
      Dilate(unit);
      break;
    case MorphOperation::Close:
      Close();
      break;
    default:
      Erode(unit, m_Options.operation == MorphOperation::Open);
    }
    return VisitScalarType(m_Image.type,
                           [&](auto tag) { return Write(static_cast<typename decltype(tag)::Type *>(result)); });
  }

private:
  template <typename T>
  void
  ReadLabels()
  {
    const T * const voxels = static_cast<const T *>(m_Image.data);
    ForVoxels(m_Extent, m_Context.Silent(), [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i)
      {
        const T    value = voxels[i];
        const auto number = static_cast<double>(value);
        if (!(number >= 0 && number < 4294967296.0) || std::floor(number) != number)
        {
          throw InvalidArgument("a label is " + std::to_string(value) +
                                "; labels must be whole numbers from 0 (background) to 4294967295");
        }
        m_Labels[static_cast<std::size_t>(i)] = static_cast<std::uint32_t>(value);
      }
    });
  }

  void
  Dilate(const DistanceUnit & unit)
  {
    const double limit = LimitOf(unit, m_Options.radius);
    double       largest = 0;
    for (int axis = 0; axis < m_Extent.dimension; ++axis)
    {
      const auto steps = static_cast<double>(m_Extent.size[axis]);
      largest += steps * steps * unit.weights[axis];
    }
    // Sums of squares below 2^29 and costs below it fit into 32 bits.
    unit.isWhole && std::min(limit, largest) < (1 << 29)
      ? LabelGrowth<std::uint32_t>(m_Extent, unit, m_Options.radius, m_Labels).Run(m_Context)
      : LabelGrowth<double>(m_Extent, unit, m_Options.radius, m_Labels).Run(m_Context);
  }

  /** \param opens  whether voxels within the radius of what is left come back */
  void
  Erode(const DistanceUnit & unit, bool opens)
  {
    Mask mask;
    FindNearOthers(m_Labels, m_Extent, unit, m_Options.radius, m_Context.Part(0, opens ? 0.5 : 1), mask);
    if (opens)
    {
      // A voxel within the radius of an eroded label has this label itself.
      Mask eroded;
      eroded.Resize(mask.Size());
      KeepOrSet([&](std::size_t i) { eroded[i] = mask[i] != 0 || m_Labels[i] == 0 ? 1 : 0; });
      FindNearOthers(eroded, m_Extent, unit, m_Options.radius, m_Context.Part(0.5, 1), mask);
      KeepOrSet([&](std::size_t i) { m_Labels[i] = eroded[i] == 0 || mask[i] != 0 ? m_Labels[i] : 0; });
      return;
    }
    KeepOrSet([&](std::size_t i) { m_Labels[i] = mask[i] == 0 ? m_Labels[i] : 0; });
  }

  /** Calls `work` with the place of each voxel. */
  template <typename TWork>
  void
  KeepOrSet(const TWork & work) const
  {
    ForVoxels(m_Extent, m_Context.Silent(), [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i)
      {
        work(static_cast<std::size_t>(i));
      }
    });
  }

  void
  Close()
  {
    std::vector<std::pair<std::uint32_t, LabelBox>> boxes = FindBoxes();
    Labels                                          closed;
    closed.Resize(m_Labels.Size());
    KeepOrSet([&](std::size_t i) { closed[i] = m_Labels[i]; });
    // Few labels share the threads; many are closed one by a thread.
    const bool isMany = static_cast<std::int64_t>(boxes.size()) >= 4 * EffectiveThreadCount(m_Context.threads);
    const auto close = [&](std::size_t i, const HostContext & context) {
      CloseLabel(boxes[i].first, boxes[i].second, context, closed);
    };
    if (isMany)
    {
      ParallelFor(static_cast<std::int64_t>(boxes.size()), m_Context, [&](std::int64_t i) {
        close(static_cast<std::size_t>(i), { 1, {}, m_Context.grain });
      });
    }
    for (std::size_t i = 0; i < boxes.size() && !isMany; ++i)
    {
      const auto count = static_cast<double>(boxes.size());
      close(i, m_Context.Part(static_cast<double>(i) / count, static_cast<double>(i + 1) / count));
    }
    std::swap(m_Labels, closed);
  }

  std::vector<std::pair<std::uint32_t, LabelBox>>
  FindBoxes() const
  {
    std::map<std::uint32_t, LabelBox> boxes;
    StopPoint                         stop(m_Context);
    const std::int64_t                length = m_Extent.RowLength();
    for (std::int64_t row = 0; row < m_Extent.RowCount(); ++row)
    {
      stop.AskAt(static_cast<std::uint64_t>(row));
      const RowPosition           position(m_Extent, row);
      const std::uint32_t * const labels = m_Labels.Data() + row * length;
      for (std::int64_t begin = 0, end = 0; begin < length; begin = end)
      {
        for (end = begin + 1; end < length && labels[end] == labels[begin]; ++end)
        {}
        if (labels[begin] == 0)
        {
          continue;
        }
        LabelBox run;
        run.begin[0] = begin;
        run.end[0] = end;
        for (std::size_t axis = 1; axis < MaximumDimension; ++axis)
        {
          run.begin[axis] = position.at[axis - 1];
          run.end[axis] = run.begin[axis] + 1;
        }
        LabelBox & box = boxes.try_emplace(labels[begin], run).first->second;
        for (std::size_t axis = 0; axis < MaximumDimension; ++axis)
        {
          box.begin[axis] = std::min(box.begin[axis], run.begin[axis]);
          box.end[axis] = std::max(box.end[axis], run.end[axis]);
        }
      }
    }
    return { boxes.begin(), boxes.end() };
  }

  /** Closes one label, in its box with room for a ball on all sides. */
  void
  CloseLabel(std::uint32_t label, const LabelBox & box, const HostContext & context, Labels & closed) const
  {
    Extent       extent = m_Extent;
    std::int64_t room[MaximumDimension] = {};
    for (int axis = 0; axis < m_Extent.dimension; ++axis)
    {
      const auto at = static_cast<std::size_t>(axis);
      if ((m_Axes >> static_cast<unsigned>(axis) & 1u) != 0 && m_Extent.size[axis] > 1)
      {
        room[axis] = static_cast<std::int64_t>(m_Options.radius / m_Options.geometry.spacing[axis] * (1 + 1e-9)) + 1;
      }
      extent.size[axis] = box.end[at] - box.begin[at] + 2 * room[axis];
    }
    const DistanceUnit unit(DistanceTo::Centers, extent, m_Options.geometry, m_Axes);
    Mask               mask;
    Mask               near;
    mask.Resize(static_cast<std::size_t>(extent.VoxelCount()));
    const auto forVoxels = [&](const auto & work) {
      ForVoxels(extent, context.Silent(), [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i)
        {
          work(i);
        }
      });
    };
    // 1 outside of the label.
    forVoxels([&](std::int64_t i) {
      const std::int64_t place = PlaceInImage(i, extent, box, room);
      mask[static_cast<std::size_t>(i)] = place >= 0 && m_Labels[static_cast<std::size_t>(place)] == label ? 0 : 1;
    });
    FindNearOthers(mask, extent, unit, m_Options.radius, context.Part(0, 0.5), near);
    // 1 in the dilated label.
    forVoxels([&](std::int64_t i) {
      const auto at = static_cast<std::size_t>(i);
      mask[at] = mask[at] == 0 || near[at] != 0 ? 1 : 0;
    });
    FindNearOthers(mask, extent, unit, m_Options.radius, context.Part(0.5, 1), near);
    forVoxels([&](std::int64_t i) {
      const std::int64_t place = PlaceInImage(i, extent, box, room);
      const auto         at = static_cast<std::size_t>(i);
      if (place < 0 || mask[at] == 0 || near[at] != 0 || m_Labels[static_cast<std::size_t>(place)] != 0)
      {
        return;
      }
      std::uint32_t * const voxel = closed.Data() + place;
      std::uint32_t         known = LoadShared(voxel);
      while ((known == 0 || label < known) &&
             !__atomic_compare_exchange_n(voxel, &known, label, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
      {}
    });
  }

  /** The place in the image of a voxel of a box with room, or -1 for one outside of the image. */
  std::int64_t
  PlaceInImage(std::int64_t voxel, const Extent & extent, const LabelBox & box, const std::int64_t * room) const
  {
    std::int64_t place = 0;
    std::int64_t stride = 1;
    for (int axis = 0; axis < m_Extent.dimension; ++axis)
    {
      const std::int64_t at =
        voxel % extent.size[axis] + box.begin[static_cast<std::size_t>(axis)] - room[axis];
      if (at < 0 || at >= m_Extent.size[axis])
      {
        return -1;
      }
      voxel /= extent.size[axis];
      place += at * stride;
      stride *= m_Extent.size[axis];
    }
    return place;
  }

  template <typename T>
  MorphReport
  Write(T * result) const
  {
    const T * const            voxels = static_cast<const T *>(m_Image.data);
    std::atomic<std::uint64_t> added{ 0 };
    std::atomic<std::uint64_t> removed{ 0 };
    ForVoxels(m_Extent, m_Context.Silent(), [&](std::int64_t begin, std::int64_t end) {
      std::uint64_t more = 0;
      std::uint64_t fewer = 0;
      for (std::int64_t i = begin; i < end; ++i)
      {
        const std::uint32_t label = m_Labels[static_cast<std::size_t>(i)];
        more += label != 0 && voxels[i] == 0 ? 1u : 0u;
        fewer += label == 0 && voxels[i] != 0 ? 1u : 0u;
        result[i] = static_cast<T>(label);
      }
      added += more;
      removed += fewer;
    });
    return { added, removed };
  }

  const ImageView      m_Image;
  const Extent         m_Extent;
  const MorphOptions & m_Options;
  const unsigned       m_Axes;
  const HostContext    m_Context;
  Labels               m_Labels;
};

} // namespace

MorphReport
Morph(const ImageView & labels, void * result, const MorphOptions & options)
{
  return MorphWork(labels, options).Run(result);
}

} // namespace brickccl
