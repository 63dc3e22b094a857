// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Measuring/Groups/GroupTable.h"
#include "BrickCCL/Measuring/IntensitySums.h"
#include "BrickCCL/Measuring/Measuring.h"
#include "BrickCCL/Runs/AccumulateRuns.h"
#include "BrickCCL/Runs/FindRuns.h"
#include "BrickCCL/Tables/ColumnFormulas.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

/** How the intensities under the component are distributed. */
namespace brickccl
{

namespace
{

using namespace columns;

/** Sums of powers of the differences from a known mean, and sums of indices weighted by intensities. */
struct CentralSums
{
  static constexpr bool IsExact = false;

  long double cubes = 0;
  long double fourths = 0;
  long double weight = 0;
  long double weighted[MaximumDimension] = {};

  /** Moves voxels of a weight that were added by whole images. */
  void
  AddShift(long double moved, const Unwrapping::Shift & images, const Extent & extent)
  {
    for (int axis = 0; axis < extent.dimension; ++axis)
    {
      const std::int64_t steps = images[static_cast<std::size_t>(axis)] * extent.size[axis];
      weighted[axis] += steps == 0 ? 0 : moved * static_cast<long double>(steps);
    }
  }

  void
  Merge(const CentralSums & other)
  {
    cubes += other.cubes;
    fourths += other.fourths;
    weight += other.weight;
    for (int axis = 0; axis < MaximumDimension; ++axis)
    {
      weighted[axis] += other.weighted[axis];
    }
  }
};

/** Brings the intensities of each component together. Component c has those from offsets[c] on, in any order. */
template <typename T>
std::vector<T>
GatherIntensities(const RunVolume &                  volume,
                  const T *                          intensities,
                  const HostContext &                context,
                  const std::vector<std::uint64_t> & offsets)
{
  std::vector<T>             gathered(static_cast<std::size_t>(offsets.back()));
  std::vector<std::uint64_t> next(offsets.begin(), offsets.end() - 1);
  const Chunks               chunks = RowChunks(volume.GetExtent(), context);
  ParallelFor(chunks.count, context, [&](std::int64_t chunk) {
    for (std::int64_t row = chunks.Begin(chunk); row < chunks.End(chunk); ++row)
    {
      const T * const values = intensities + row * volume.GetExtent().RowLength();
      volume.ForEachRun(row, [&](std::int64_t begin, std::int64_t end, std::uint64_t run) {
        const std::uint64_t label = volume.Label(run);
        if (label != 0)
        {
          const std::uint64_t at = __atomic_fetch_add(&next[static_cast<std::size_t>(label - 1)],
                                                      static_cast<std::uint64_t>(end - begin),
                                                      __ATOMIC_RELAXED);
          std::copy(values + begin, values + end, gathered.begin() + static_cast<std::ptrdiff_t>(at));
        }
      });
    }
  });
  return gathered;
}

/** The percentile of `count` values. It puts the values in another order. */
template <typename T>
double
PercentileOf(T * values, std::uint64_t count, int percentage)
{
  const std::uint64_t scaled = (count - 1) * static_cast<std::uint64_t>(percentage);
  const std::uint64_t rank = scaled / 100;
  const double        share = static_cast<double>(scaled % 100) / 100;
  std::nth_element(values, values + rank, values + count);
  const auto low = static_cast<double>(values[rank]);
  if (share == 0)
  {
    return low;
  }
  const auto   high = static_cast<double>(*std::min_element(values + rank + 1, values + count));
  const double difference = high - low;
  // Two numbers may be further apart than the largest double.
  const bool isTooFar = !std::isfinite(difference) && std::isfinite(low) && std::isfinite(high);
  return isTooFar ? low * (1 - share) + high * share : low + share * difference;
}

/** Measures the distributions of intensities; the table has their means and deviations. */
template <typename T>
void
MeasureTypedDistributions(const RunVolume &   volume,
                          const T *           intensities,
                          bool                ignoresNaN,
                          const HostContext & context,
                          ComponentTable &    table)
{
  const Extent &           extent = volume.GetExtent();
  const Unwrapping * const unwrapping = volume.GetUnwrapping();
  const std::uint64_t      components = table.components.size();
  // A double is not enough: with values of a large offset, its rounding is as large as their differences.
  const auto                            intensitySums = table.measures.Of<IntensitySums>();
  std::vector<IntensitySums::SplitMean> means(static_cast<std::size_t>(components));
  ForComponents(components, context, [&](std::size_t c) {
    means[c] = intensitySums[c].MeanOf(table.components.VoxelCount(c));
  });
  const auto                 sums = AccumulateRows<CentralSums>(volume, components, context, [&] {
    return [&](auto & accumulators, std::int64_t row) {
      const RowPosition position(extent, row);
      const T * const   values = intensities + row * extent.RowLength();
      volume.ForEachRun(row, [&](std::int64_t begin, std::int64_t end, std::uint64_t run) {
        const std::uint64_t label = volume.Label(run);
        if (label == 0)
        {
          return;
        }
        const auto    place = static_cast<std::size_t>(label - 1);
        CentralSums & component = accumulators[place];
        const auto    mean = means[place];
        long double   weight = 0;
        for (std::int64_t x = begin; x < end; ++x)
        {
          const auto value = static_cast<long double>(values[x]);
          if (ignoresNaN && std::isnan(value))
          {
            continue;
          }
          const long double difference = (value - mean.main) - mean.rest;
          component.cubes += difference * difference * difference;
          component.fourths += difference * difference * difference * difference;
          component.weighted[0] += value * static_cast<long double>(x);
          weight += value;
        }
        component.weight += weight;
        for (int axis = 1; axis < MaximumDimension; ++axis)
        {
          component.weighted[axis] += weight * static_cast<long double>(position.at[axis - 1]);
        }
        if (unwrapping != nullptr)
        {
          component.AddShift(weight, unwrapping->ShiftOf(run), extent);
        }
      });
    };
  });
  std::vector<std::uint64_t> offsets{ 0 };
  for (const ComponentMeasures & component : table.components)
  {
    offsets.push_back(offsets.back() + component.voxelCount);
  }
  std::vector<T>                    gathered = GatherIntensities(volume, intensities, context, offsets);
  std::vector<DistributionMeasures> distributions(sums.size());
  const Chunks                      parts(static_cast<std::int64_t>(components), 1, 64);
  ParallelFor(parts.count, context, [&](std::int64_t part) {
    for (auto c = static_cast<std::size_t>(parts.Begin(part)); c < static_cast<std::size_t>(parts.End(part)); ++c)
    {
      const ComponentMeasures & component = table.components[c];
      DistributionMeasures &    measures = distributions[c];
      const long double         deviation = component.intensity.standardDeviation;
      T * const                 values = gathered.data() + offsets[c];
      const auto                isNumber = [](T value) { return !std::isnan(static_cast<double>(value)); };
      T * const                 end =
        ignoresNaN ? std::partition(values, values + component.voxelCount, isNumber) : values + component.voxelCount;
      const auto voxels = static_cast<std::uint64_t>(end - values);
      const auto count = static_cast<long double>(voxels);
      // The sum of numbers may be NaN: it is infinite in either direction.
      const bool areNumbers =
        voxels > 0 && (!std::isnan(component.intensity.sum) || std::all_of(values, end, isNumber));
      const double none = std::numeric_limits<double>::quiet_NaN();
      if (!areNumbers || !std::isfinite(deviation))
      {
        measures.skewness = measures.kurtosis = none;
      }
      else if (deviation != 0)
      {
        measures.skewness = static_cast<double>(sums[c].cubes / count / (deviation * deviation * deviation));
        measures.kurtosis =
          static_cast<double>(sums[c].fourths / count / (deviation * deviation * deviation * deviation) - 3);
      }
      for (std::size_t i = 0; i < 5; ++i)
      {
        measures.percentiles[i] = areNumbers ? PercentileOf(values, voxels, Percentages[i]) : none;
      }
      for (int axis = 0; axis < extent.dimension; ++axis)
      {
        measures.weightedCentroid[axis] =
          sums[c].weight == 0 || std::isnan(component.centroid[axis])
            ? none
            : static_cast<double>(static_cast<long double>(table.geometry.startIndex[axis]) +
                                  sums[c].weighted[axis] / sums[c].weight);
      }
    }
  });
  table.measures.Set(std::move(distributions));
}

void
MeasureDistributions(const GroupInput & input, ComponentTable & table)
{
  const ImageView & intensity = *input.options.intensity;
  VisitScalarType(intensity.type, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    const auto * const values = static_cast<const T *>(intensity.data);
    MeasureTypedDistributions(input.volume, values, input.options.ignoresNaN, input.context, table);
  });
}

void
AddDistributionColumns(ColumnList & columns)
{
  columns.Add("intensity_skewness",
              "third central moment over the cube of the sample's standard deviation; 0 for equal intensities",
              "Skewness",
              "",
              MergeRule::SecondLook,
              &DistributionMeasures::skewness);
  columns.Add("intensity_kurtosis",
              "fourth central moment over the fourth power of the deviation, less 3; 0 for equal intensities",
              "Kurtosis",
              "",
              MergeRule::SecondLook,
              &DistributionMeasures::kurtosis);
  for (std::size_t i = 0; i < 5; ++i)
  {
    const std::string name = Percentages[i] == 50 ? "median" : "p" + std::to_string(Percentages[i]);
    columns.Add(
      "intensity_" + name,
      "exact percentile, linear between two ranks as in numpy.percentile",
      name == "median" ? "Median (of a histogram)" : "",
      name == "median" ? "intensity_median" : "",
      MergeRule::SecondLook,
      [i](Table t, Component c) { return t.measures.Of<DistributionMeasures>()[c.place].percentiles[i]; },
      "intensity");
  }
  columns.AddAxes("weighted_centroid_",
                  "",
                  "mean index weighted by intensities; may be far from the component if intensities have both signs",
                  "",
                  "centroid_weighted",
                  MergeRule::SecondLook,
                  &DistributionMeasures::weightedCentroid,
                  "index");
  columns.AddAxes("weighted_centroid_",
                  "_mm",
                  "weighted centroid in LPS",
                  "CenterOfGravity",
                  "centroid_weighted (with spacing)",
                  MergeRule::SecondLook,
                  [](Table t, Component c, int axis) {
                    return PhysicalPoint(t, t.measures.Of<DistributionMeasures>()[c.place].weightedCentroid, axis);
                  });
}

} // namespace

constexpr ColumnGroup groups::Distribution = [] {
  ColumnGroup group;
  group.name = "intensity";
  group.allowsPeriodic = true;
  group.needsIntensity = true;
  group.addColumns = AddDistributionColumns;
  group.measure = MeasureDistributions;
  return group;
}();

} // namespace brickccl
