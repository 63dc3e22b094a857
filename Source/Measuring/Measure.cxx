#include "BrickCCL/Measuring/AccumulateRuns.h"
#include "BrickCCL/Tables/ComponentSums.h"
#include "BrickCCL/Tables/ComponentTable.h"
#include "BrickCCL/Measuring/MeasureGroups.h"
#include "BrickCCL/Measuring/TouchingRuns.h"
#include "BrickCCL/Runs/ExpandRow.h"
#include "BrickCCL/Measuring/JoinRuns.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <memory>
#include <type_traits>
#include <utility>

namespace brickccl
{

namespace
{

void
CheckSecondImage(const char * name, const ImageView & image, const Extent & extent)
{
  if (image.extent != extent)
  {
    throw InvalidArgument(std::string("the ") + name + " has the extent " + image.extent.ToString() +
                          " but the labeled image " + extent.ToString() + "; they must be the same");
  }
  if (image.channels != 1)
  {
    throw InvalidArgument(std::string("the ") + name + " has " + std::to_string(image.channels) +
                          " channels; it must have 1");
  }
}

void
CheckMeasurable(const Extent & extent, const MeasureOptions & options)
{
  std::int64_t longest = 1;
  for (const std::int64_t size : extent.size)
  {
    longest = std::max(longest, size);
  }
  if (extent.VoxelCount() > std::numeric_limits<std::int64_t>::max() / longest)
  {
    throw Unsupported("the extent " + extent.ToString() + " is too large to measure: index sums would pass 2^63");
  }
  options.groups.CheckDimension(extent.dimension);
  if (options.intensity)
  {
    CheckSecondImage("intensity image", *options.intensity, extent);
  }
  if (options.part)
  {
    CheckSecondImage("mask of the part", *options.part, extent);
  }
  if (options.groups.intensity && !options.intensity)
  {
    throw InvalidArgument("the columns 'intensity' need an intensity image");
  }
}

/** Moments from sums of ShapeSums or CompactShapeSums and of products. */
template <typename TShape, typename TSums>
void
TakeMoments(const UninitializedVector<TSums> & sums, const HostContext & context, ComponentRows & old, ComponentTable & table)
{
  UninitializedVector<TShape> shapes = MakeUnset(sums.size(), old.TakeSums<TShape>());
  table.shapes = MakeUnset<ShapeMeasures>(sums.size());
  ForComponents(sums.size(), context, [&](std::size_t c) {
    shapes[c] = sums[c].shape;
    table.shapes[c] = ShapeMeasures();
    sums[c].CopyProducts(table.shapes[c].products);
  });
  table.components = ComponentRows(table.extent, table.geometry, std::move(shapes));
  ForComponents(sums.size(), context, [&table](std::size_t c) { FinishMoments(table, c); });
}

/** Sums of all components. */
template <typename TSums>
UninitializedVector<TSums>
AccumulateSums(const RunVolume &   volume,
               std::uint64_t       components,
               const HostContext & context,
               UninitializedVector<TSums>  old = {})
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

/** Adds runs to the sums of their components. A sum in memory can be added to again only once it was written, so that
 *  vector code first adds up what runs side by side have in common, where much is; where components have few runs, that
 *  is not looked at. */
class RunAdder
{
public:
  RunAdder(const RunVolume & volume, std::uint64_t components)
    : m_MayJoin(volume.GetExtent().RowLength() <= simd::JoinedRuns::LongestRow &&
                volume.RunCount() / FewRunsOfComponent > components)
  {}

  /** `labels` are those of `runs`, which begin in row `rows.y`. */
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
    // Where it stops, a block is still to be opened.
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

  /** Takes copies, so that no sum that is written could be one of these. */
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

/** Compact sums of all components, which default columns mostly take: worth a loop for each type of labels. */
template <typename TSums>
UninitializedVector<TSums>
AccumulateCompact(const RunVolume &   volume,
                  std::uint64_t       components,
                  const HostContext & context,
                  UninitializedVector<TSums>  old = {})
{
  const Extent & extent = volume.GetExtent();
  return volume.VisitLabels([&](const auto * labels) {
    return AccumulateSlabs<TSums>(
      volume,
      components,
      context,
      [&](auto & accumulators, std::int64_t begin, std::int64_t end) {
        const auto         adder = std::make_unique<RunAdder>(volume, components);
        const std::int64_t slice = extent.size[1];
        std::int64_t       z = begin / slice;
        // Rows of one slice at a time.
        for (std::int64_t next = 0; begin < end; begin = next, ++z)
        {
          next = std::min(end, (z + 1) * slice);
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

/** The default columns and moments, as far as they are asked for, in the memory of rows that are no longer needed. */
void
MeasureShapes(const RunVolume &   volume,
              std::uint64_t       components,
              const HostContext & context,
              ComponentRows       old,
              ComponentTable &    table)
{
  const Extent & extent = volume.GetExtent();
  const auto     take = [&table](auto sums) {
    table.components = ComponentRows(table.extent, table.geometry, std::move(sums));
  };
  if (table.groups.shape || table.groups.feret)
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
    take(AccumulateCompact(volume, components, context, old.TakeSums<CompactShapeSums>()));
  }
  else
  {
    take(AccumulateSums(volume, components, context, old.TakeSums<ShapeSums>()));
  }
}

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
  table.sliceAxis = sliceAxis;
  table.hasIntensity = options.intensity.has_value();
  table.hasPart = options.part.has_value();
  table.groups = options.groups;

  // What is asked for beside the default columns: costly, so that each step moves the progress on.
  using Context = const HostContext &;
  const ColumnGroups &                      groups = options.groups;
  std::vector<std::function<void(Context)>> steps;
  const auto                                add = [&](bool isWanted, auto measure) {
    if (isWanted)
    {
      steps.emplace_back(measure);
    }
  };
  add(options.intensity.has_value(), [&](Context own) { MeasureIntensities(volume, *options.intensity, own, table); });
  add(groups.intensity, [&](Context own) { MeasureDistributions(volume, *options.intensity, own, table); });
  add(groups.feret, [&](Context own) { MeasureExtents(volume, own, table); });
  // Looked at when the runs are at hand.
  bool touchingAreJoined = false;
  add(groups.surface || groups.topology,
      [&](Context own) { touchingAreJoined = TouchingRunsAreJoined(volume, own); });
  add(groups.surface, [&](Context own) { MeasureSurfaces(volume, touchingAreJoined, own, table); });
  add(groups.topology, [&](Context own) { MeasureTopology(volume, touchingAreJoined, own, table); });
  add(groups.inscribed || groups.thickness, [&](Context own) { MeasureThickness(volume, own, table); });
  add(groups.neighbours, [&](Context own) { MeasureNeighbours(volume, own, table); });
  add(options.part.has_value(), [&](Context own) { MeasurePartDistances(volume, *options.part, own, table); });

  const double share = 1.0 / static_cast<double>(steps.size() + 1);
  MeasureShapes(volume, components, context.Part(0, share), std::move(old), table);
  for (std::size_t i = 0; i < steps.size(); ++i)
  {
    const double done = share * static_cast<double>(i + 1);
    steps[i](context.Part(done, done));
  }
}

void
SetLabels(ComponentTable & table, const std::vector<std::uint64_t> & labels)
{
  const auto replace = [&labels](std::uint64_t & label) {
    label = label == 0 ? 0 : labels[static_cast<std::size_t>(label - 1)];
  };
  table.components.SetLabels(labels);
  for (NeighbourMeasures & neighbour : table.neighbours)
  {
    replace(neighbour.nearest);
  }
  for (Contact & contact : table.contacts)
  {
    replace(contact.first);
    replace(contact.second);
  }
}

} // namespace brickccl
