#include "BrickCCL/Components/AccumulateRuns.h"
#include "BrickCCL/Components/ComponentSums.h"
#include "BrickCCL/Components/ComponentTable.h"
#include "BrickCCL/Components/MeasureGroups.h"
#include "BrickCCL/Components/TouchingRuns.h"
#include "BrickCCL/Simd/ExpandRow.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
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

/** Measures the first pass's columns and finishes moments; `T` is the intensity type, or void without intensities. */
template <typename T, typename TProducts, typename TLabel>
void
MeasureTyped(const RunVolume &   volume,
             const TLabel *      labels,
             std::uint64_t       components,
             const T *           intensities,
             const HostContext & context,
             ComponentTable &    table)
{
  const Extent & extent = volume.GetExtent();
  constexpr bool hasIntensity = !std::is_void_v<T>;
  constexpr bool hasProducts = std::is_same_v<TProducts, ProductSums>;
  using Sums = ComponentSums<T, TProducts>;
  const auto sums = AccumulateRuns<Sums>(
    volume,
    components,
    context,
    [labels](std::uint64_t run) { return std::uint64_t{ labels[run] }; },
    [&extent, intensities](Sums &              component,
                           std::int64_t        row,
                           const RowPosition & position,
                           std::int64_t        begin,
                           std::int64_t        end) {
      const std::int64_t place = row * extent.RowLength() + begin;
      if constexpr (hasIntensity)
      {
        component.intensity.AddRun(component.shape.voxels, intensities + place, end - begin);
      }
      component.shape.AddRun(position, place, begin, end);
      component.products.AddRun(position, begin, end);
    });
  UnsetVector<ShapeSums>         shapes = MakeUnset<ShapeSums>(sums.size());
  std::vector<IntensityMeasures> measures(hasIntensity ? sums.size() : 0);
  table.intensitySums.resize(measures.size());
  table.shapes = MakeUnset<ShapeMeasures>(hasProducts ? sums.size() : 0);
  ForComponents(sums.size(), context, [&](std::size_t c) {
    shapes[c] = sums[c].shape;
    if constexpr (hasIntensity)
    {
      table.intensitySums[c] = sums[c].intensity.sums;
      measures[c] = sums[c].intensity.sums.Measures(sums[c].shape.voxels);
    }
    if constexpr (hasProducts)
    {
      table.shapes[c] = ShapeMeasures();
      table.shapes[c].products = sums[c].products;
    }
  });
  table.components = ComponentRows(extent, table.geometry, std::move(shapes));
  table.components.SetIntensities(std::move(measures));
  ForComponents(table.shapes.size(), context, [&table](std::size_t c) { FinishMoments(table, c); });
}

/** Compact sums of all components. */
template <typename TSums, typename TLabel>
UnsetVector<TSums>
AccumulateCompact(const RunVolume &   volume,
                  const TLabel *      labels,
                  std::uint64_t       components,
                  const HostContext & context)
{
  const Extent & extent = volume.GetExtent();
  return AccumulateRows<TSums>(volume, components, context, [&] {
    return [&](auto & accumulators, std::int64_t row) {
      const std::int64_t y = row % extent.size[1];
      const std::int64_t z = row / extent.size[1];
      const std::int64_t first = row * extent.RowLength();
      // By value, so that no sum that is written could be one of these.
      volume.ForEachRun(
        row,
        [&accumulators, labels, y, z, first](std::int64_t begin, std::int64_t end, std::uint64_t run) {
          if (labels[run] != 0)
          {
            accumulators[static_cast<std::size_t>(labels[run] - 1)].AddRun(y, z, first + begin, begin, end);
          }
        });
    };
  });
}

/** The default columns and moments alone, where they fit into compact sums. */
template <typename TLabel>
void
MeasureMomentsAlone(const RunVolume &   volume,
                    const TLabel *      labels,
                    std::uint64_t       components,
                    const HostContext & context,
                    ComponentTable &    table)
{
  const auto                    sums = AccumulateCompact<CompactMomentSums>(volume, labels, components, context);
  UnsetVector<CompactShapeSums> shapes = MakeUnset<CompactShapeSums>(sums.size());
  ForComponents(sums.size(), context, [&](std::size_t c) { shapes[c] = sums[c].shape; });
  table.components = ComponentRows(table.extent, table.geometry, std::move(shapes));
  table.shapes = MakeUnset<ShapeMeasures>(sums.size());
  ForComponents(sums.size(), context, [&](std::size_t c) {
    table.shapes[c] = ShapeMeasures();
    std::copy_n(sums[c].products, 6, table.shapes[c].products.products);
    FinishMoments(table, c);
  });
}

/** The default columns, intensities and sums of products, as far as they are asked for. */
template <typename TLabel>
void
MeasureFirstPass(const RunVolume &                volume,
                 const TLabel *                   labels,
                 std::uint64_t                    components,
                 const std::optional<ImageView> & intensity,
                 const HostContext &              context,
                 ComponentTable &                 table)
{
  const Extent & extent = volume.GetExtent();
  const bool     hasProducts = table.groups.shape || table.groups.feret;
  const bool     isCompact = extent.dimension <= 3 && *std::max_element(extent.size, extent.size + 3) < 0x7fffffff;
  if (!intensity && !hasProducts && isCompact)
  {
    // The most frequent case.
    table.components =
      ComponentRows(extent, table.geometry, AccumulateCompact<CompactShapeSums>(volume, labels, components, context));
    return;
  }
  if (!intensity && hasProducts && CompactMomentSums::Fit(extent))
  {
    MeasureMomentsAlone(volume, labels, components, context, table);
    return;
  }
  const auto measure = [&](auto products) {
    using Products = decltype(products);
    if (!intensity)
    {
      MeasureTyped<void, Products>(volume, labels, components, nullptr, context, table);
      return;
    }
    VisitScalarType(intensity->type, [&](auto tag) {
      using T = typename decltype(tag)::Type;
      MeasureTyped<T, Products>(volume, labels, components, static_cast<const T *>(intensity->data), context, table);
    });
  };
  hasProducts ? measure(ProductSums{}) : measure(NoProducts{});
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
  CheckMeasurable(volume.GetExtent(), options);
  ComponentTable table;
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
  add(groups.intensity, [&](Context own) { MeasureDistributions(volume, *options.intensity, own, table); });
  add(groups.feret, [&](Context own) { MeasureExtents(volume, own, table); });
  // Looked at when the runs are at hand; of no use without vector code.
  bool touchingAreJoined = false;
  add((groups.surface || groups.topology) && simd::HasVectors(),
      [&](Context own) { touchingAreJoined = TouchingRunsAreJoined(volume, own); });
  add(groups.surface, [&](Context own) { MeasureSurfaces(volume, touchingAreJoined, own, table); });
  add(groups.topology, [&](Context own) { MeasureTopology(volume, touchingAreJoined, own, table); });
  add(groups.inscribed || groups.thickness, [&](Context own) { MeasureThickness(volume, own, table); });
  add(groups.neighbours, [&](Context own) { MeasureNeighbours(volume, own, table); });
  add(options.part.has_value(), [&](Context own) { MeasurePartDistances(volume, *options.part, own, table); });

  const double share = 1.0 / static_cast<double>(steps.size() + 1);
  volume.VisitLabels([&](const auto * labels) {
    MeasureFirstPass(volume, labels, components, options.intensity, context.Part(0, share), table);
  });
  for (std::size_t i = 0; i < steps.size(); ++i)
  {
    const double done = share * static_cast<double>(i + 1);
    steps[i](context.Part(done, done));
  }
  return table;
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
