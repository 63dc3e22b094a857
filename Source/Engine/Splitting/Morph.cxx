// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Splitting/Morph.h"

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Forest/Forest.h"
#include "BrickCCL/Measuring/Measuring.h"
#include "BrickCCL/Splitting/LabelGrowth.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace brickccl
{

namespace
{

using Labels = Buffer<std::uint32_t>;
using Mask = Buffer<std::uint8_t>;

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
      ForEachVoxel(extent, context.Part(0.9, 1), [&](std::size_t i) {
        const T square = squares[i];
        mask[i] = square != 0 && square != UnknownSquare<T> && static_cast<double>(square) <= limit ? 1 : 0;
      });
    },
    found.squares);
}

/** One call of Morph, or a slab of it. */
class MorphWork
{
public:
  MorphWork(const ImageView & labels, const MorphOptions & options, const HostContext & context)
    : m_Image(labels)
    , m_Options(options)
    , m_Context(context)
  {
    ThrowIf<InvalidArgument>(labels.channels != 1,
                             "labels of " + std::to_string(labels.channels) + " channels were given; there must be 1");
    ThrowIf<InvalidArgument>(!(options.radius >= 0) || !std::isfinite(options.radius),
                             "the radius is " + std::to_string(options.radius) +
                               " mm; it must be finite and at least 0");
    m_Labels.Resize(static_cast<std::size_t>(m_Extent.VoxelCount()));
    VisitScalarType(labels.type, [&](auto tag) { ReadLabels<typename decltype(tag)::Type>(); });
  }

  /** Writes `count` voxels from the voxel `begin` on. */
  MorphReport
  Run(void * result, std::int64_t begin, std::int64_t count)
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
    return VisitScalarType(m_Image.type, [&](auto tag) {
      return Write(static_cast<typename decltype(tag)::Type *>(result), begin, count);
    });
  }

private:
  template <typename T>
  void
  ReadLabels()
  {
    const T * const voxels = static_cast<const T *>(m_Image.data);
    ForEachVoxel(m_Extent, m_Context.Silent(), [&](std::size_t i) {
      const auto number = static_cast<double>(voxels[i]);
      if (!(number >= 0 && number < 4294967296.0) || std::floor(number) != number)
      {
        throw InvalidArgument("a label is " + Shortest(number) +
                              "; labels must be whole numbers from 0 (background) to 4294967295");
      }
      m_Labels[i] = static_cast<std::uint32_t>(number);
    });
  }

  void
  Dilate(const DistanceUnit & unit)
  {
    const std::uint32_t label = *std::max_element(m_Labels.Data(), m_Labels.Data() + m_Labels.Size());
    const auto          isOther = [label](std::uint32_t other) { return other != 0 && other != label; };
    if (std::none_of(m_Labels.Data(), m_Labels.Data() + m_Labels.Size(), isOther))
    {
      Mask mask;
      mask.Resize(m_Labels.Size());
      ForEachVoxel(m_Extent, m_Context.Silent(), [&](std::size_t i) { mask[i] = m_Labels[i] == 0 ? 1 : 0; });
      Mask near;
      FindNearOthers(mask, m_Extent, unit, m_Options.radius, m_Context, near);
      ForEachVoxel(m_Extent, m_Context.Silent(), [&](std::size_t i) {
        m_Labels[i] = near[i] != 0 ? label : m_Labels[i];
      });
      return;
    }
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
      ForEachVoxel(m_Extent, m_Context.Silent(), [&](std::size_t i) {
        eroded[i] = mask[i] != 0 || m_Labels[i] == 0 ? 1 : 0;
      });
      FindNearOthers(eroded, m_Extent, unit, m_Options.radius, m_Context.Part(0.5, 1), mask);
      ForEachVoxel(m_Extent, m_Context.Silent(), [&](std::size_t i) {
        m_Labels[i] = eroded[i] == 0 || mask[i] != 0 ? m_Labels[i] : 0;
      });
      return;
    }
    ForEachVoxel(m_Extent, m_Context.Silent(), [&](std::size_t i) { m_Labels[i] = mask[i] == 0 ? m_Labels[i] : 0; });
  }

  void
  Close()
  {
    double longest = 0;
    for (int axis = 0; axis < m_Extent.dimension; ++axis)
    {
      longest = std::max(longest, static_cast<double>(m_Extent.size[axis]) * m_Options.geometry.spacing[axis]);
    }
    ThrowIf<InvalidArgument>(m_Options.radius > longest,
                             "the radius of closing is larger than the image, which is " + Shortest(longest) +
                               " mm long; give a smaller one");
    const ComponentTable boxes =
      MeasureLabelImage(ImageView(m_Labels.Data(), m_Extent), {}, {}, m_Context.threads, ProgressHooks());
    const std::size_t count = boxes.components.size();
    Labels            closed;
    closed.Resize(m_Labels.Size());
    ForEachVoxel(m_Extent, m_Context.Silent(), [&](std::size_t i) { closed[i] = m_Labels[i]; });
    // Few labels share the threads; many are closed one by a thread.
    const bool isMany = static_cast<std::int64_t>(count) >= std::int64_t{ 4 } * EffectiveThreadCount(m_Context.threads);
    const auto close = [&](std::size_t i, const HostContext & context) {
      CloseLabel(boxes.components[i], context, closed);
    };
    if (isMany)
    {
      ParallelFor(static_cast<std::int64_t>(count), m_Context, [&](std::int64_t i) {
        close(static_cast<std::size_t>(i), { 1, {}, m_Context.grain });
      });
    }
    for (std::size_t i = 0; i < count && !isMany; ++i)
    {
      const auto share = [count](std::size_t done) { return static_cast<double>(done) / static_cast<double>(count); };
      close(i, m_Context.Part(share(i), share(i + 1)));
    }
    std::swap(m_Labels, closed);
  }

  /** Closes one label, in its box with room for a ball on all sides. */
  void
  CloseLabel(const ComponentMeasures & box, const HostContext & context, Labels & closed) const
  {
    const auto   label = static_cast<std::uint32_t>(box.label);
    Extent       extent = m_Extent;
    std::int64_t room[MaximumDimension] = {};
    for (int axis = 0; axis < m_Extent.dimension; ++axis)
    {
      if ((m_Axes >> static_cast<unsigned>(axis) & 1u) != 0 && m_Extent.size[axis] > 1)
      {
        room[axis] = static_cast<std::int64_t>(m_Options.radius / m_Options.geometry.spacing[axis] * (1 + 1e-9)) + 1;
      }
      extent.size[axis] = box.boxMaximum[axis] + 1 - box.boxMinimum[axis] + 2 * room[axis];
    }
    const DistanceUnit unit(DistanceTo::Centers, extent, m_Options.geometry, m_Axes);
    Mask               mask;
    Mask               near;
    mask.Resize(static_cast<std::size_t>(extent.VoxelCount()));
    // 1 outside of the label.
    ForEachInBox(extent, box, room, context, [&](std::size_t i, std::int64_t place) {
      mask[i] = place >= 0 && m_Labels[static_cast<std::size_t>(place)] == label ? 0 : 1;
    });
    FindNearOthers(mask, extent, unit, m_Options.radius, context.Part(0, 0.5), near);
    // 1 in the dilated label.
    ForEachVoxel(extent, context.Silent(), [&](std::size_t i) { mask[i] = mask[i] == 0 || near[i] != 0 ? 1 : 0; });
    FindNearOthers(mask, extent, unit, m_Options.radius, context.Part(0.5, 1), near);
    ForEachInBox(extent, box, room, context, [&](std::size_t i, std::int64_t place) {
      if (place < 0 || mask[i] == 0 || near[i] != 0 || m_Labels[static_cast<std::size_t>(place)] != 0)
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

  /** Calls `work` with each voxel of a box with room and its place in the image, -1 for one outside of it. */
  template <typename TWork>
  void
  ForEachInBox(const Extent &            extent,
               const ComponentMeasures & box,
               const std::int64_t *      room,
               const HostContext &       context,
               const TWork &             work) const
  {
    const std::int64_t length = extent.RowLength();
    const std::int64_t begin = room[0] - box.boxMinimum[0];
    ParallelFor(extent.RowCount(), context.Silent(), [&](std::int64_t row) {
      const RowPosition position(extent, row);
      std::int64_t      place = -begin;
      std::int64_t      stride = m_Extent.RowLength();
      bool              isInside = true;
      for (int axis = 1; axis < std::min(m_Extent.dimension, MaximumDimension); ++axis)
      {
        const std::int64_t at = position.at[axis - 1] + box.boxMinimum[axis] - room[axis];
        isInside = isInside && at >= 0 && at < m_Extent.size[axis];
        place += at * stride;
        stride *= m_Extent.size[axis];
      }
      for (std::int64_t x = 0; x < length; ++x)
      {
        const bool isInRow = isInside && x >= begin && x < begin + m_Extent.RowLength();
        work(static_cast<std::size_t>(row * length + x), isInRow ? place + x : -1);
      }
    });
  }

  template <typename T>
  MorphReport
  Write(T * result, std::int64_t begin, std::int64_t count) const
  {
    const T * const            voxels = static_cast<const T *>(m_Image.data) + begin;
    std::atomic<std::uint64_t> added{ 0 };
    std::atomic<std::uint64_t> removed{ 0 };
    const Chunks               chunks(count, m_Context.grain, 256);
    ParallelFor(chunks.count, m_Context.Silent(), [&](std::int64_t chunk) {
      std::uint64_t more = 0;
      std::uint64_t fewer = 0;
      for (std::int64_t i = chunks.Begin(chunk); i < chunks.End(chunk); ++i)
      {
        const std::uint32_t label = m_Labels[static_cast<std::size_t>(begin + i)];
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
  const Extent         m_Extent = m_Image.extent;
  const MorphOptions & m_Options;
  const unsigned       m_Axes = AxesAcross(m_Extent, m_Options.sliceAxis);
  const HostContext    m_Context;
  Labels               m_Labels;
};

} // namespace

MorphReport
Morph(const ImageView & labels, void * result, const MorphOptions & options)
{
  // A voxel depends on voxels up to two radii away: slabs with these take less memory than the whole image.
  const int          axis = labels.extent.dimension - 1;
  const std::int64_t size = labels.extent.size[axis];
  const double       reach = std::ceil(2 * options.radius / options.geometry.spacing[axis]) + 1;
  const bool         isNear = options.sliceAxis != axis && reach < static_cast<double>(size);
  const std::int64_t halo = isNear ? static_cast<std::int64_t>(reach) : size;
  const std::int64_t thickness = std::max<std::int64_t>(64, 8 * halo);
  const std::int64_t slice = labels.extent.VoxelCount() / size;
  const auto         bytes = static_cast<std::int64_t>(SizeOf(labels.type)) * slice;
  const HostContext  context{ options.threads, Progress(options.progress) };
  const auto         share = [size](std::int64_t at) { return static_cast<double>(at) / static_cast<double>(size); };
  MorphReport        report;
  for (std::int64_t begin = 0, end = 0; begin < size; begin = end)
  {
    end = std::min(size, begin + thickness);
    const std::int64_t first = std::max<std::int64_t>(0, begin - halo);
    ImageView          slab = labels;
    slab.data = static_cast<const char *>(labels.data) + first * bytes;
    slab.extent.size[axis] = std::min(size, end + halo) - first;
    const MorphReport own =
      MorphWork(slab, options, context.Part(share(begin), share(end)))
        .Run(static_cast<char *>(result) + begin * bytes, (begin - first) * slice, (end - begin) * slice);
    report.added += own.added;
    report.removed += own.removed;
  }
  return report;
}

} // namespace brickccl
