// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Measuring/Measure.h"

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Measuring/Groups/GroupTable.h"
#include "BrickCCL/Measuring/JoinRuns.h"
#include "BrickCCL/Measuring/Moments.h"
#include "BrickCCL/Runs/AccumulateRuns.h"
#include "BrickCCL/Tables/ComponentSums.h"
#include "BrickCCL/Tables/RowSums.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace brickccl
{

namespace
{

void
CheckSecondImage(const char * name, const std::optional<ImageView> & image, const Extent & extent)
{
  if (image && image->extent != extent)
  {
    throw InvalidArgument(std::string("the ") + name + " has the extent " + image->extent.ToString() +
                          " but the labeled image " + extent.ToString() + "; they must be the same");
  }
  if (image && image->channels != 1)
  {
    throw InvalidArgument(std::string("the ") + name + " has " + std::to_string(image->channels) +
                          " channels; it must have 1");
  }
}

void
CheckMeasurable(const Extent & extent, const MeasureOptions & options)
{
  CheckIndexSums(extent);
  options.groups.CheckDimension(extent.dimension);
  CheckSecondImage("intensity image", options.intensity, extent);
  CheckSecondImage("mask of the part", options.part, extent);
  CheckSecondImage("image of classes", options.classes, extent);
  CheckSecondImage("image of parts", options.parts, extent);
  CheckSecondImage("image of zones", options.zones, extent);
  CheckSecondImage("image of parents", options.parents, extent);
  for (const ColumnGroup * const group : options.groups.List())
  {
    if (group->needsIntensity && !options.intensity)
    {
      throw InvalidArgument(std::string("the columns '") + group->name + "' need an intensity image");
    }
  }
}

} // namespace

void
CheckIndexSums(const Extent & extent)
{
  const std::int64_t longest = *std::max_element(std::begin(extent.size), std::end(extent.size));
  if (extent.VoxelCount() > std::numeric_limits<std::int64_t>::max() / std::max<std::int64_t>(1, longest))
  {
    throw Unsupported("the extent " + extent.ToString() + " is too large to measure: index sums would exceed 2^63");
  }
}

void
CheckPeriodicGroups(const PeriodicAxes & periodic, const std::vector<const ColumnGroup *> & groups)
{
  for (const ColumnGroup * const group : groups)
  {
    if (periodic.HasAny() && !group->allowsPeriodic)
    {
      const std::string what = group->presence == ColumnGroup::Presence::WithPart
                               ? "distances to the surface of a part"
                               : "the columns '" + std::string(group->name) + "'";
      throw Unsupported(what + " cannot be measured in an image that is periodic along " + periodic.ToString() +
                        ", because components continue across its ends");
    }
  }
}

namespace
{

/** Takes the rows and the moments out of MomentSums (TShape is ShapeSums) or CompactMomentSums (CompactShapeSums). */
template <typename TShape, typename TSums>
void
TakeMoments(const UninitializedVector<TSums> & sums,
            const HostContext &                context,
            ComponentRows &                    old,
            ComponentTable &                   table)
{
  UninitializedVector<TShape>        rows = MakeUnset(sums.size(), TakeSums<TShape>(old));
  UninitializedVector<ProductSums>   products = MakeUnset<ProductSums>(sums.size());
  UninitializedVector<ShapeMeasures> shapes = MakeUnset<ShapeMeasures>(sums.size());
  ForComponents(sums.size(), context, [&](std::size_t c) {
    rows[c] = sums[c].shape;
    products[c] = ProductSums();
    sums[c].CopyProducts(products[c]);
  });
  table.components = MakeRows(table.extent, table.geometry, std::move(rows));
  ForComponents(sums.size(), context, [&](std::size_t c) {
    shapes[c] = ShapeMeasures();
    FinishMoments(table, c, products[c], shapes[c]);
  });
  table.measures.Set(std::move(products));
  table.measures.Set(std::move(shapes));
}

/** Adds up the sums of all components. */
template <typename TSums>
UninitializedVector<TSums>
AccumulateSums(const RunVolume &          volume,
               std::uint64_t              components,
               const HostContext &        context,
               UninitializedVector<TSums> old = {})
{
  return AccumulateRuns<TSums>(
    volume,
    components,
    context,
    [length = volume.GetExtent().RowLength()](TSums &             sums,
                                              std::int64_t        row,
                                              const RowPosition & position,
                                              std::int64_t        begin,
                                              std::int64_t        end) {
      sums.AddRun(position, row * length + begin, begin, end);
    },
    std::move(old));
}

ShapeSums &
ShapeOf(ShapeSums & sums)
{
  return sums;
}
ShapeSums &
ShapeOf(MomentSums & sums)
{
  return sums.shape;
}

/** The sums of the unwrapped components of an image with periodic axes. */
template <typename TSums>
UninitializedVector<TSums>
AccumulateUnwrapped(const RunVolume & volume, std::uint64_t components, const HostContext & context)
{
  const Unwrapping & unwrapping = *volume.GetUnwrapping();
  const Extent &     extent = volume.GetExtent();
  const auto         makeVisit = [&] {
    return [&](auto & accumulators, std::int64_t row) {
      const RowPosition position(extent, row);
      volume.ForEachRun(row, [&](std::int64_t begin, std::int64_t end, std::uint64_t run) {
        const std::uint64_t label = volume.Label(run);
        if (label == 0)
        {
          return;
        }
        const Unwrapping::Shift & shift = unwrapping.ShiftOf(run);
        RowPosition               moved = position;
        for (int axis = 1; axis < MaximumDimension; ++axis)
        {
          moved.at[axis - 1] += shift[static_cast<std::size_t>(axis)] * extent.size[axis];
        }
        const std::int64_t along = shift[0] * extent.size[0];
        accumulators[static_cast<std::size_t>(label - 1)].AddRun(moved,
                                                                 row * extent.RowLength() + begin,
                                                                 begin + along,
                                                                 end + along);
      });
    };
  };
  auto      sums = AccumulateRows<TSums>(volume, components, context, makeVisit);
  StopPoint stop(context);
  for (std::uint64_t run = 0; run < volume.RunCount(); ++run)
  {
    stop.AskAt(run);
    const unsigned char wraps = unwrapping.wraps[unwrapping.pieceOfRun[static_cast<std::size_t>(run)]];
    const std::uint64_t label = wraps != 0 ? volume.Label(run) : 0;
    for (int axis = 0; axis < extent.dimension && label != 0; ++axis)
    {
      if (((wraps >> axis) & 1u) != 0)
      {
        ShapeOf(sums[static_cast<std::size_t>(label - 1)]).SetWraps(axis, extent.size[axis]);
      }
    }
  }
  return sums;
}

/** Adds runs to the sums of their components. A sum in memory must be written before it can be added to again. So
 * vector code first joins neighboring runs of one component, if there are many of these; where components have few
 * runs, it does not look. */
class RunAdder
{
public:
  RunAdder(const RunVolume & volume, std::uint64_t components)
    : m_MayJoin(volume.GetExtent().RowLength() <= simd::JoinedRuns::LongestRow &&
                volume.RunCount() / FewRunsOfComponent > components)
  {}

  /** Adds runs that begin in row `rows.y`. \param labels  the labels of the runs. */
  template <typename TLabel, typename TSums>
  void
  Add(const RunsOfRows & runs, const TLabel * labels, const simd::RowsOfSlice & rows, SlabAccumulators<TSums> & to)
  {
    if constexpr (std::is_same_v<TSums, CompactShapeSums> && std::is_same_v<TLabel, std::uint32_t>)
    {
      constexpr int fewRuns = 8;
      if (m_JoinsRuns && runs.count > fewRuns)
      {
        AddByVectors(runs, labels, rows, to);
        return;
      }
    }
    AddOneByOne(runs, labels, rows, to);
  }

private:
  static constexpr std::uint64_t FewRunsOfComponent = 4;

  void
  AddByVectors(const RunsOfRows &                   runs,
               const std::uint32_t *                labels,
               const simd::RowsOfSlice &            rows,
               SlabAccumulators<CompactShapeSums> & to)
  {
    // It stops at a run whose block must be opened first.
    if (!m_MayJoin || !simd::AreWorthJoining(labels, runs.count))
    {
      for (int i = 0; (i = simd::AddRuns(runs, labels, i, rows, to.Blocks())) < runs.count;)
      {
        to[labels[i] - 1];
      }
      return;
    }
    simd::JoinRuns(runs, labels, m_Joined);
    for (int i = 0; (i = simd::AddJoinedRuns(m_Joined, i, rows, to.Blocks())) < m_Joined.count;)
    {
      to[m_Joined.labels[i] - 1];
    }
  }

  /** Takes copies, so that the compiler knows that no sum overwrites them. */
  template <typename TLabel, typename TSums>
  static void
  AddOneByOne(RunsOfRows runs, const TLabel * labels, simd::RowsOfSlice rows, SlabAccumulators<TSums> & to)
  {
    const std::int32_t lastInRow = runs.LastInRow();
    for (int i = 0; i < runs.count; ++i)
    {
      const std::uint64_t label = labels[i];
      if (label != 0)
      {
        const std::int64_t row = runs.Begin(i) >> runs.shift;
        const std::int64_t x = runs.Begin(i) & lastInRow;
        to[static_cast<std::size_t>(label - 1)].Add(rows.y + row,
                                                    rows.z,
                                                    rows.place + row * rows.length,
                                                    RowVoxels::OfRun(x, x + runs.End(i) - runs.Begin(i)));
      }
    }
  }

  const bool       m_JoinsRuns = simd::JoinsRuns();
  const bool       m_MayJoin;
  simd::JoinedRuns m_Joined;
};

/** Adds up the compact sums of all components. Default columns mostly need these; they are worth a loop for each type
 * of labels. */
template <typename TSums>
UninitializedVector<TSums>
AccumulateCompact(const RunVolume &          volume,
                  std::uint64_t              components,
                  const HostContext &        context,
                  UninitializedVector<TSums> old = {})
{
  const Extent & extent = volume.GetExtent();
  return volume.VisitLabels([&](const auto * labels) {
    return AccumulateSlabs<TSums>(
      volume,
      components,
      context,
      [&](auto & accumulators, std::int64_t begin, std::int64_t end, StopPoint & stop) {
        const auto         adder = std::make_unique<RunAdder>(volume, components);
        const std::int64_t slice = extent.size[1];
        const std::int64_t rowsAtOnce = 1 + 16 * StopPoint::Steps / extent.RowLength();
        // Goes slice by slice, and asks several times in a large one.
        for (std::int64_t next = 0; begin < end; begin = next)
        {
          const std::int64_t z = begin / slice;
          stop.Ask();
          next = std::min({ end, (z + 1) * slice, begin + rowsAtOnce });
          if (volume.FirstRun(begin) != volume.FirstRun(next))
          {
            volume.ForRunsAtOnce(begin, next, [&](const RunsOfRows & runs) {
              adder->Add(runs,
                         labels + runs.run,
                         { runs.row - z * slice, z, runs.row * extent.RowLength(), extent.RowLength() },
                         accumulators);
            });
          }
        }
      },
      std::move(old));
  });
}

/** Makes the table's rows, and the moments if a group needs them. The memory of `old` is used again. */
void
MeasureShapes(const RunVolume &   volume,
              std::uint64_t       components,
              const HostContext & context,
              ComponentRows       old,
              ComponentTable &    table)
{
  const Extent & extent = volume.GetExtent();
  const auto take = [&table](auto sums) { table.components = MakeRows(table.extent, table.geometry, std::move(sums)); };
  const bool needsMoments = std::any_of(table.groups.begin(), table.groups.end(), [](const ColumnGroup * group) {
    return group->needsMoments;
  });
  if (volume.GetUnwrapping() != nullptr && needsMoments)
  {
    TakeMoments<ShapeSums>(AccumulateUnwrapped<MomentSums>(volume, components, context), context, old, table);
  }
  else if (volume.GetUnwrapping() != nullptr)
  {
    take(AccumulateUnwrapped<ShapeSums>(volume, components, context));
  }
  else if (needsMoments)
  {
    if (CompactMomentSums::Fit(extent))
    {
      TakeMoments<CompactShapeSums>(AccumulateCompact<CompactMomentSums>(volume, components, context),
                                    context,
                                    old,
                                    table);
    }
    else
    {
      TakeMoments<ShapeSums>(AccumulateSums<MomentSums>(volume, components, context), context, old, table);
    }
  }
  else if (extent.dimension <= 3 && *std::max_element(extent.size, extent.size + 3) < 0x7fffffff)
  {
    take(AccumulateCompact(volume, components, context, TakeSums<CompactShapeSums>(old)));
  }
  else
  {
    take(AccumulateSums(volume, components, context, TakeSums<ShapeSums>(old)));
  }
}

static_assert(SlabAccumulators<CompactShapeSums>::BlockSize == simd::SumLinesPerBlock, "vector code fills the blocks");

} // namespace

ComponentTable
MeasureComponents(const RunVolume &          volume,
                  std::uint64_t              components,
                  const Geometry &           geometry,
                  const MeasureOptions &     options,
                  const std::optional<int> & sliceAxis,
                  const HostContext &        context)
{
  ComponentTable table;
  MeasureComponents(volume, components, geometry, options, sliceAxis, context, table);
  return table;
}

void
MeasureComponents(const RunVolume &          volume,
                  std::uint64_t              components,
                  const Geometry &           geometry,
                  const MeasureOptions &     options,
                  const std::optional<int> & sliceAxis,
                  const HostContext &        context,
                  ComponentTable &           table)
{
  CheckMeasurable(volume.GetExtent(), options);
  ComponentRows old = std::move(table.components);
  table = ComponentTable();
  table.extent = volume.GetExtent();
  table.geometry = geometry;
  // Voxels of a line that are components each have its length; there is nothing like an area across it.
  table.sliceAxis = table.extent.dimension > 1 ? sliceAxis : std::nullopt;
  table.hasIntensity = options.intensity.has_value();
  table.hasPart = options.part.has_value();
  table.regionVoxels = volume.RegionVoxels();
  table.groups = options.groups.List();
  if (options.classes)
  {
    InsertGroup(groups::Classes, table.groups);
  }
  if (options.parents)
  {
    InsertGroup(groups::Parents, table.groups);
  }
  if (options.parts)
  {
    InsertGroup(groups::Parts, table.groups);
  }
  if (options.zones)
  {
    InsertGroup(groups::Zones, table.groups);
  }
  if (options.part)
  {
    InsertGroup(groups::Part, table.groups);
  }
  if (options.intensity)
  {
    InsertGroup(groups::Intensities, table.groups);
  }
  if (const Unwrapping * const unwrapping = volume.GetUnwrapping())
  {
    CheckPeriodicGroups(unwrapping->periodic, table.groups);
    table.periodic = unwrapping->periodic;
  }

  // Groups are slow compared with the rows, so each of them advances the progress.
  const double share = 1.0 / static_cast<double>(table.groups.size() + 1);
  MeasureShapes(volume, components, context.Part(0, share), std::move(old), table);
  std::optional<bool> touchingAreJoined;
  for (std::size_t i = 0; i < table.groups.size(); ++i)
  {
    const double done = share * static_cast<double>(i + 1);
    if (table.groups[i]->measure != nullptr)
    {
      table.groups[i]->measure({ volume, options, context.Part(done, done), touchingAreJoined }, table);
    }
  }
}

} // namespace brickccl
