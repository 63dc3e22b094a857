#include "BrickCCL/Components/AccumulateRuns.h"
#include "BrickCCL/Components/ComponentSums.h"
#include "BrickCCL/Components/ComponentTable.h"
#include "BrickCCL/Components/Eigen.h"
#include "BrickCCL/Components/MeasureDistributions.h"
#include "BrickCCL/Components/MeasureSurfaces.h"
#include "BrickCCL/Criteria/RowLinks.h"
#include "BrickCCL/Runs/FindRuns.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace brickccl
{

namespace
{

void
FinishShape(const ShapeSums & sums, const Extent & extent, const ComponentTable & table, ComponentMeasures & measures)
{
  measures.voxelCount = sums.voxels;
  for (int axis = 0; axis < extent.dimension; ++axis)
  {
    const std::int64_t start = table.geometry.startIndex[axis];
    measures.boxMinimum[axis] = start + sums.minimum[axis];
    measures.boxMaximum[axis] = start + sums.maximum[axis];
    measures.centroid[axis] =
      static_cast<double>(start) + static_cast<double>(sums.indexSum[axis]) / static_cast<double>(sums.voxels);
    if (extent.size[axis] > 1 && table.sliceAxis != axis)
    {
      const unsigned lowerSide = 1u << (2 * axis);
      if (sums.minimum[axis] == 0)
      {
        measures.sidesTouched |= lowerSide;
      }
      if (sums.maximum[axis] == extent.size[axis] - 1)
      {
        measures.sidesTouched |= lowerSide << 1;
      }
    }
  }
  measures.touchesBorder = measures.sidesTouched != 0;
}

/** Index covariances in physical space, and their axes. */
ShapeMeasures
FinishMoments(const ProductSums & products, const ShapeSums & sums, int dimension, const Geometry & geometry)
{
  double indices[MaximumDimension][MaximumDimension] = {};
  products.Covariance(dimension, sums, indices);
  ShapeMeasures measures;
  for (int row = 0; row < dimension; ++row)
  {
    for (int column = 0; column < dimension; ++column)
    {
      for (int i = 0; i < dimension; ++i)
      {
        for (int j = 0; j < dimension; ++j)
        {
          measures.covariance[row][column] += geometry.direction[row][i] * geometry.spacing[i] * indices[i][j] *
                                              geometry.spacing[j] * geometry.direction[column][j];
        }
      }
    }
  }
  const EigenSystem system(dimension, measures.covariance);
  // Rounding, and nothing that a component has: one voxel across has no extent there.
  const double least = 1e-12 * system.values[dimension - 1];
  for (int axis = 0; axis < dimension; ++axis)
  {
    measures.principalMoments[axis] = system.values[axis] > least ? system.values[axis] : 0;
    std::copy_n(system.vectors[axis], MaximumDimension, measures.principalAxes[axis]);
  }
  return measures;
}

void
CheckMeasurable(const Extent & extent, const std::optional<ImageView> & intensity)
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
  if (intensity && intensity->extent != extent)
  {
    throw InvalidArgument("the intensity image has the extent " + intensity->extent.ToString() +
                          " but the labeled image " + extent.ToString() + "; they must be the same");
  }
  if (intensity && intensity->channels != 1)
  {
    throw InvalidArgument("the intensity image has " + std::to_string(intensity->channels) +
                          " channels; it must have 1");
  }
}

/** Measures the components that `labelOfRun` names; `T` is the intensity type, or void without intensities. */
template <typename T, typename TProducts, typename TLabelOfRun>
void
MeasureTyped(const RunVolume &   volume,
             std::uint64_t       components,
             const T *           intensities,
             const HostContext & context,
             TLabelOfRun         labelOfRun,
             ComponentTable &    table)
{
  const Extent & extent = volume.GetExtent();
  constexpr bool hasIntensity = !std::is_void_v<T>;
  using Sums = ComponentSums<typename SumsOf<T>::Type, TProducts>;
  const auto sums = AccumulateRuns<Sums>(volume,
                                         components,
                                         context,
                                         labelOfRun,
                                         [&extent, intensities](Sums &                        component,
                                                                [[maybe_unused]] std::int64_t row,
                                                                const RowPosition &           position,
                                                                std::int64_t                  begin,
                                                                std::int64_t                  end) {
                                           component.shape.AddRun(position, begin, end);
                                           component.products.AddRun(position, begin, end);
                                           if constexpr (hasIntensity)
                                           {
                                             const T * values = intensities + row * extent.RowLength() + begin;
                                             component.intensity.AddRun(values, end - begin);
                                             for (std::int64_t i = 0; i < end - begin; ++i)
                                             {
                                               const auto value = static_cast<double>(values[i]);
                                               component.lowest = value < component.lowest ? value : component.lowest;
                                               component.highest =
                                                 value > component.highest ? value : component.highest;
                                             }
                                           }
                                         });
  table.components.resize(sums.size());
  for (std::size_t c = 0; c < sums.size(); ++c)
  {
    ComponentMeasures & measures = table.components[c];
    measures.label = c + 1;
    measures.place = c;
    FinishShape(sums[c].shape, extent, table, measures);
    if constexpr (std::is_same_v<TProducts, ProductSums>)
    {
      table.shapes.push_back(FinishMoments(sums[c].products, sums[c].shape, extent.dimension, table.geometry));
    }
    if constexpr (hasIntensity)
    {
      sums[c].intensity.Finish(sums[c].shape.voxels, measures.intensity);
      measures.intensity.minimum = sums[c].lowest;
      measures.intensity.maximum = sums[c].highest;
    }
  }
}

/** The first voxel of a component: runs come in raster order. */
struct FirstVoxel
{
  static constexpr bool IsExact = true;

  std::int64_t at[MaximumDimension] = { -1 };

  void
  Merge(const FirstVoxel & later)
  {
    *this = at[0] < 0 ? later : *this;
  }
};

template <typename TLabelOfRun>
void
FindFirstVoxels(const RunVolume &   volume,
                std::uint64_t       components,
                const HostContext & context,
                TLabelOfRun         labelOfRun,
                ComponentTable &    table)
{
  const auto firsts = AccumulateRuns<FirstVoxel>(
    volume,
    components,
    context,
    labelOfRun,
    [](FirstVoxel & first, std::int64_t, const RowPosition & position, std::int64_t begin, std::int64_t) {
      if (first.at[0] < 0)
      {
        first.at[0] = begin;
        std::copy_n(position.at, MaximumDimension - 1, first.at + 1);
      }
    });
  for (std::size_t c = 0; c < firsts.size(); ++c)
  {
    for (int axis = 0; axis < table.dimension; ++axis)
    {
      table.components[c].firstVoxel[axis] = table.geometry.startIndex[axis] + firsts[c].at[axis];
    }
  }
}

template <typename TLabelOfRun>
ComponentTable
Measure(const RunVolume &                volume,
        std::uint64_t                    components,
        const Geometry &                 geometry,
        const std::optional<ImageView> & intensity,
        const std::optional<int> &       sliceAxis,
        const HostContext &              context,
        const ColumnGroups &             groups,
        TLabelOfRun                      labelOfRun)
{
  CheckMeasurable(volume.GetExtent(), intensity);
  if (groups.intensity && !intensity)
  {
    throw InvalidArgument("the columns 'intensity' need an intensity image");
  }
  ComponentTable table;
  table.dimension = volume.GetExtent().dimension;
  table.geometry = geometry;
  table.sliceAxis = sliceAxis;
  table.hasIntensity = intensity.has_value();
  table.groups = groups;
  const auto measure = [&](auto products) {
    using Products = decltype(products);
    if (!intensity)
    {
      MeasureTyped<void, Products>(volume, components, static_cast<const void *>(nullptr), context, labelOfRun, table);
    }
    else
    {
      VisitScalarType(intensity->type, [&](auto tag) {
        using T = typename decltype(tag)::Type;
        MeasureTyped<T, Products>(volume,
                                  components,
                                  static_cast<const T *>(intensity->data),
                                  context,
                                  labelOfRun,
                                  table);
      });
    }
  };
  groups.shape ? measure(ProductSums{}) : measure(NoProducts{});
  if (groups.intensity)
  {
    VisitScalarType(intensity->type, [&](auto tag) {
      using T = typename decltype(tag)::Type;
      MeasureDistributions(volume,
                           components,
                           static_cast<const T *>(intensity->data),
                           context.Silent(),
                           labelOfRun,
                           table);
    });
  }
  if (groups.place)
  {
    FindFirstVoxels(volume, components, context.Silent(), labelOfRun, table);
  }
  if (groups.surface)
  {
    MeasureSurfaces(volume, components, context.Silent(), labelOfRun, table);
  }
  return table;
}

/** The label that a voxel of a label image holds. */
template <typename T>
std::uint64_t
ToLabel(T value)
{
  bool whole = value >= T(0);
  if constexpr (std::is_floating_point_v<T>)
  {
    whole = whole && std::floor(value) == value && value < T(18446744073709551615.0);
  }
  if (!whole)
  {
    throw InvalidArgument("the label image holds the value " + std::to_string(value) +
                          "; labels must be whole numbers, 0 (background) or above");
  }
  return static_cast<std::uint64_t>(value);
}

} // namespace

ComponentTable
MeasureComponents(const RunVolume &                volume,
                  std::uint64_t                    components,
                  const Geometry &                 geometry,
                  const std::optional<ImageView> & intensity,
                  const std::optional<int> &       sliceAxis,
                  const HostContext &              context,
                  const ColumnGroups &             groups)
{
  return volume.VisitLabels([&](const auto * labels) {
    return Measure(volume, components, geometry, intensity, sliceAxis, context, groups, [labels](std::uint64_t run) {
      return std::uint64_t{ labels[run] };
    });
  });
}

ComponentTable
MeasureLabelImage(const ImageView &                labels,
                  const Geometry &                 geometry,
                  const std::optional<ImageView> & intensity,
                  const HostContext &              context,
                  const ColumnGroups &             groups)
{
  if (labels.channels != 1)
  {
    throw InvalidArgument("the label image has " + std::to_string(labels.channels) + " channels; it must have 1");
  }
  RunVolume volume;
  FindRuns(*MakeRowLinks(labels, Criterion::EqualValue(0)), labels.extent, true, context.Part(0, 0.4), volume);

  std::vector<std::uint64_t> labelOfRun(static_cast<std::size_t>(volume.RunCount()));
  VisitScalarType(labels.type, [&](auto tag) {
    const auto * voxels = static_cast<const typename decltype(tag)::Type *>(labels.data);
    const Chunks chunks = RowChunks(labels.extent, context);
    ParallelFor(chunks.count, context.Silent(), [&](std::int64_t chunk) {
      for (std::int64_t row = chunks.Begin(chunk); row < chunks.End(chunk); ++row)
      {
        volume.ForEachRun(row, [&](std::int64_t begin, std::int64_t, std::uint64_t run) {
          labelOfRun[run] = ToLabel(voxels[row * labels.extent.RowLength() + begin]);
        });
      }
    });
  });
  std::vector<std::uint64_t> values = labelOfRun;
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());

  ComponentTable table = Measure(volume,
                                 values.size(),
                                 geometry,
                                 intensity,
                                 std::nullopt,
                                 context.Part(0.5, 1),
                                 groups,
                                 [&](std::uint64_t run) {
                                   const auto place = std::lower_bound(values.begin(), values.end(), labelOfRun[run]);
                                   return static_cast<std::uint64_t>(place - values.begin()) + 1;
                                 });
  for (std::size_t c = 0; c < values.size(); ++c)
  {
    table.components[c].label = values[c];
  }
  return table;
}

} // namespace brickccl
