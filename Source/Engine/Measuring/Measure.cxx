// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Measuring/Measure.h"

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Measuring/Groups/GroupTable.h"
#include "BrickCCL/Measuring/Moments.h"
#include "BrickCCL/Runs/AccumulateRuns.h"
#include "BrickCCL/Tables/ComponentSums.h"
#include "BrickCCL/Tables/RowSums.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

namespace brickccl
{

static void
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

static void
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
    ThrowIf<InvalidArgument>(group->needsIntensity && !options.intensity,
                             std::string("the columns '") + group->name + "' need an intensity image");
  }
}

void
CheckIndexSums(const Extent & extent)
{
  const std::int64_t longest = *std::max_element(std::begin(extent.size), std::end(extent.size));
  ThrowIf<Unsupported>(extent.VoxelCount() >
                         std::numeric_limits<std::int64_t>::max() / std::max<std::int64_t>(1, longest),
                       "the extent " + extent.ToString() + " is too large to measure: index sums would exceed 2^63");
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

/** Takes the rows and the moments out of MomentSums (TShape is ShapeSums) or CompactMomentSums (CompactShapeSums). */
template <typename TShape, typename TSums>
static void
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

static ShapeSums &
ShapeOf(ShapeSums & sums)
{
  return sums;
}
static ShapeSums &
ShapeOf(MomentSums & sums)
{
  return sums.shape;
}

/** Adds up the sums of all components, which are unwrapped in an image with periodic axes. */
template <typename TSums>
static UninitializedVector<TSums>
AccumulateSums(const RunVolume &          volume,
               std::uint64_t              components,
               const HostContext &        context,
               UninitializedVector<TSums> old = {})
{
  const Unwrapping * const unwrapping = volume.GetUnwrapping();
  const Extent &           extent = volume.GetExtent();
  const auto               makeVisit = [&] {
    return [&](auto & accumulators, std::int64_t row) {
      const RowPosition position(extent, row);
      volume.ForEachRun(row, [&](std::int64_t begin, std::int64_t end, std::uint64_t run) {
        const std::uint64_t label = volume.Label(run);
        if (label == 0)
        {
          return;
        }
        const Unwrapping::Shift shift = unwrapping != nullptr ? unwrapping->ShiftOf(run) : Unwrapping::Shift{};
        RowPosition             moved = position;
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
  auto      sums = AccumulateRows<TSums>(volume, components, context, makeVisit, false, std::move(old));
  StopPoint stop(context);
  for (std::uint64_t run = 0; unwrapping != nullptr && run < volume.RunCount(); ++run)
  {
    stop.AskAt(run);
    const unsigned char wraps = unwrapping->wraps[unwrapping->pieceOfRun[static_cast<std::size_t>(run)]];
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

/** Whether at least half of the runs have the label of the run before. */
template <typename TLabel>
static bool
AreMostlyEqual(const TLabel * labels, int count)
{
  int equal = 0;
  for (int i = 1; i < count; ++i)
  {
    equal += labels[i] == labels[i - 1] ? 1 : 0;
  }
  return 2 * equal >= count;
}

/** Adds runs, which begin in row y of slice z, to the sums of their components. A sum in memory must be written before
 *  it can be added to again. So neighboring runs of one component are added together where most are such: elsewhere no
 *  processor would predict which are. It takes copies, so that the compiler knows that no sum overwrites them. */
template <typename TLabel, typename TSums>
static void
AddRuns(RunsOfRows                runs,
        const TLabel *            labels,
        std::int64_t              y,
        std::int64_t              z,
        std::int64_t              rowLength,
        SlabAccumulators<TSums> & to)
{
  const std::int32_t lastInRow = runs.LastInRow();
  const auto         rowOf = [&](int i) { return std::int64_t{ runs.Begin(i) >> runs.shift }; };
  const auto         voxelsOf = [&](int i) {
    const std::int64_t x = runs.Begin(i) & lastInRow;
    return RowVoxels::OfRun(x, x + runs.End(i) - runs.Begin(i));
  };
  const auto add = [&](std::uint64_t label, std::int64_t row, const RowVoxels & voxels) {
    if (label != 0)
    {
      to[static_cast<std::size_t>(label - 1)].Add(y + row, z, (runs.row + row) * rowLength, voxels);
    }
  };
  constexpr int few = 16;
  if (runs.count < few || !AreMostlyEqual(labels, runs.count))
  {
    for (int i = 0; i < runs.count; ++i)
    {
      add(labels[i], rowOf(i), voxelsOf(i));
    }
    return;
  }
  for (int i = 0; i < runs.count; ++i)
  {
    const int first = i;
    RowVoxels voxels = voxelsOf(i);
    for (; i + 1 < runs.count && labels[i + 1] == labels[first] && rowOf(i + 1) == rowOf(first); ++i)
    {
      voxels.Append(voxelsOf(i + 1));
    }
    add(labels[first], rowOf(first), voxels);
  }
}

/** Adds up the compact sums, which default columns mostly need: they are worth a loop for each type of labels. */
template <typename TSums>
static UninitializedVector<TSums>
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
              AddRuns(runs, labels + runs.run, runs.row - z * slice, z, extent.RowLength(), accumulators);
            });
          }
        }
      },
      std::move(old));
  });
}

/** Makes the table's rows, and the moments if a group needs them. The memory of `old` is used again. */
static void
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
  const bool isPeriodic = volume.GetUnwrapping() != nullptr;
  if (needsMoments && !isPeriodic && CompactMomentSums::Fit(extent))
  {
    TakeMoments<CompactShapeSums>(AccumulateCompact<CompactMomentSums>(volume, components, context),
                                  context,
                                  old,
                                  table);
  }
  else if (needsMoments)
  {
    TakeMoments<ShapeSums>(AccumulateSums<MomentSums>(volume, components, context), context, old, table);
  }
  else if (!isPeriodic && extent.dimension <= 3 && *std::max_element(extent.size, extent.size + 3) < 0x7fffffff)
  {
    take(AccumulateCompact(volume, components, context, TakeSums<CompactShapeSums>(old)));
  }
  else
  {
    take(AccumulateSums(volume, components, context, TakeSums<ShapeSums>(old)));
  }
}

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
  const std::pair<const std::optional<ImageView> &, const ColumnGroup &> ofImages[] = {
    { options.classes, groups::Classes }, { options.parents, groups::Parents },
    { options.parts, groups::Parts },     { options.zones, groups::Zones },
    { options.part, groups::Part },       { options.intensity, groups::Intensities }
  };
  for (const auto & [image, group] : ofImages)
  {
    if (image)
    {
      InsertGroup(group, table.groups);
    }
  }
  if (const Unwrapping * const unwrapping = volume.GetUnwrapping())
  {
    CheckPeriodicGroups(unwrapping->periodic, table.groups);
    table.periodic = unwrapping->periodic;
  }

  // Steps of a group may begin again where an earlier one has been.
  double              reported = 0;
  const auto          report = [&](double done) { context.progress.Update(reported = std::max(reported, done)); };
  const ProgressHooks rising{ report, [&] { return context.progress.IsCanceled(); } };
  const HostContext   steps{ context.threads, Progress(rising), context.grain };
  // Groups are slow compared with the rows, so each of them advances the progress.
  const double share = 1.0 / static_cast<double>(table.groups.size() + 1);
  MeasureShapes(volume, components, steps.Part(0, share), std::move(old), table);
  std::optional<bool> touchingAreJoined;
  // Thickness needs the most memory, so it comes first, when the table is still small.
  std::vector<const ColumnGroup *> inTurn = table.groups;
  std::stable_partition(inTurn.begin(), inTurn.end(), [](const ColumnGroup * group) {
    return group == &groups::Inscribed || group == &groups::Thickness;
  });
  for (std::size_t i = 0; i < inTurn.size(); ++i)
  {
    const double done = share * static_cast<double>(i + 1);
    if (inTurn[i]->measure != nullptr)
    {
      inTurn[i]->measure({ volume, options, steps.Part(done, done + share), touchingAreJoined }, table);
    }
  }
}

} // namespace brickccl
