#include "BrickCCL/Measuring/AccumulateRuns.h"
#include "BrickCCL/Measuring/MeasureGroups.h"
#include "BrickCCL/Runs/FindRuns.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace brickccl
{

namespace
{

/** Sums around a known mean, and of indices weighted by intensities. */
struct CentralSums
{
  static constexpr bool IsExact = false;

  long double cubes = 0;
  long double fourths = 0;
  long double weight = 0;
  long double weighted[MaximumDimension] = {};

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

/** The intensities of each component side by side: those of component c from offsets[c] on, in any order. */
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

/** The percentage's value among `count` values, which are put in another order. */
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
  const auto high = static_cast<double>(*std::min_element(values + rank + 1, values + count));
  return low + share * (high - low);
}

/** Distributions of intensities, whose means and deviations the table has. */
template <typename T>
void
MeasureTypedDistributions(const RunVolume &   volume,
                          const T *           intensities,
                          const HostContext & context,
                          ComponentTable &    table)
{
  const Extent &      extent = volume.GetExtent();
  const std::uint64_t components = table.components.size();
  // A double would not do: of values with a large offset it is as far from the mean as they are.
  std::vector<IntensitySums::SplitMean> means(static_cast<std::size_t>(components));
  ForComponents(components, context, [&](std::size_t c) {
    means[c] = table.intensitySums[c].MeanOf(table.components.VoxelCount(c));
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
          const auto        value = static_cast<long double>(values[x]);
          const long double difference = (value - mean.main) - mean.rest;
          component.cubes += difference * difference * difference;
          component.fourths += difference * difference * difference * difference;
          component.weighted[0] += value * static_cast<long double>(x);
          weight += value;
        }
        component.weight += weight;
        for (int axis = 1; axis < extent.dimension; ++axis)
        {
          component.weighted[axis] += weight * static_cast<long double>(position.at[axis - 1]);
        }
      });
    };
  });
  std::vector<std::uint64_t> offsets{ 0 };
  for (const ComponentMeasures & component : table.components)
  {
    offsets.push_back(offsets.back() + component.voxelCount);
  }
  std::vector<T> gathered = GatherIntensities(volume, intensities, context, offsets);
  table.distributions.resize(sums.size());
  const Chunks parts(static_cast<std::int64_t>(components), 1, 64);
  ParallelFor(parts.count, context, [&](std::int64_t part) {
    for (auto c = static_cast<std::size_t>(parts.Begin(part)); c < static_cast<std::size_t>(parts.End(part)); ++c)
    {
      const ComponentMeasures & component = table.components[c];
      DistributionMeasures &    measures = table.distributions[c];
      const auto                count = static_cast<long double>(component.voxelCount);
      const long double         deviation = component.intensity.standardDeviation;
      T * const                 values = gathered.data() + offsets[c];
      const bool                isNumber = !std::isnan(component.intensity.sum);
      const double              none = std::numeric_limits<double>::quiet_NaN();
      if (deviation != 0)
      {
        measures.skewness = static_cast<double>(sums[c].cubes / count / (deviation * deviation * deviation));
        measures.kurtosis =
          static_cast<double>(sums[c].fourths / count / (deviation * deviation * deviation * deviation) - 3);
      }
      for (std::size_t i = 0; i < 5; ++i)
      {
        measures.percentiles[i] = isNumber ? PercentileOf(values, component.voxelCount, Percentages[i]) : none;
      }
      for (int axis = 0; axis < extent.dimension; ++axis)
      {
        measures.weightedCentroid[axis] =
          sums[c].weight == 0 ? none
                              : static_cast<double>(static_cast<long double>(table.geometry.startIndex[axis]) +
                                                    sums[c].weighted[axis] / sums[c].weight);
      }
    }
  });
}

} // namespace

void
MeasureDistributions(const RunVolume &   volume,
                     const ImageView &   intensity,
                     const HostContext & context,
                     ComponentTable &    table)
{
  VisitScalarType(intensity.type, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    MeasureTypedDistributions(volume, static_cast<const T *>(intensity.data), context, table);
  });
}

} // namespace brickccl
