#include "BrickCCL/Components/AccumulateRuns.h"
#include "BrickCCL/Components/ComponentTable.h"
#include "BrickCCL/Components/Crofton.h"
#include "BrickCCL/Components/Eigen.h"
#include "BrickCCL/Core/WideInteger.h"
#include "BrickCCL/Criteria/RowLinks.h"
#include "BrickCCL/Runs/FindRuns.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace brickccl
{

namespace
{

/** Sums over the voxels of a component; exact, so any order of merging gives the same. */
struct ShapeSums
{
  std::uint64_t voxels = 0;
  std::uint64_t indexSum[MaximumDimension] = {};
  std::int64_t  minimum[MaximumDimension];
  std::int64_t  maximum[MaximumDimension];

  ShapeSums()
  {
    std::fill_n(minimum, MaximumDimension, std::numeric_limits<std::int64_t>::max());
    std::fill_n(maximum, MaximumDimension, std::numeric_limits<std::int64_t>::min());
  }

  void
  AddRun(const RowPosition & position, std::int64_t begin, std::int64_t end)
  {
    const auto count = static_cast<std::uint64_t>(end - begin);
    voxels += count;
    // Of begin + (end - 1) and count, one is even.
    const auto ends = static_cast<std::uint64_t>(begin + end - 1);
    indexSum[0] += ends % 2 == 0 ? ends / 2 * count : count / 2 * ends;
    minimum[0] = std::min(minimum[0], begin);
    maximum[0] = std::max(maximum[0], end - 1);
    for (int axis = 1; axis < MaximumDimension; ++axis)
    {
      const std::int64_t at = position.at[axis - 1];
      indexSum[axis] += static_cast<std::uint64_t>(at) * count;
      minimum[axis] = std::min(minimum[axis], at);
      maximum[axis] = std::max(maximum[axis], at);
    }
  }

  void
  Merge(const ShapeSums & other)
  {
    voxels += other.voxels;
    for (int axis = 0; axis < MaximumDimension; ++axis)
    {
      indexSum[axis] += other.indexSum[axis];
      minimum[axis] = std::min(minimum[axis], other.minimum[axis]);
      maximum[axis] = std::max(maximum[axis], other.maximum[axis]);
    }
  }
};

/** Sums of products of two indices over the voxels of a component; exact: below 2^32 * 2^32 * 2^63. */
struct ProductSums
{
  /** Of axes i <= j at j (j + 1) / 2 + i. */
  UInt128 products[MaximumDimension * (MaximumDimension + 1) / 2] = {};

  void
  AddRun(const RowPosition & position, std::int64_t begin, std::int64_t end)
  {
    const auto count = static_cast<std::uint64_t>(end - begin);
    // Sum of x, and of x^2 as a difference of sums from 0 on.
    const UInt128 sum = static_cast<UInt128>(begin + end - 1) * count / 2;
    products[0] += SquaresBelow(end) - SquaresBelow(begin);
    for (int j = 1; j < MaximumDimension; ++j)
    {
      const auto at = static_cast<UInt128>(position.at[j - 1]);
      products[j * (j + 1) / 2] += at * sum;
      for (int i = 1; i <= j; ++i)
      {
        products[j * (j + 1) / 2 + i] += at * static_cast<UInt128>(position.at[i - 1]) * count;
      }
    }
  }

  void
  Merge(const ProductSums & other)
  {
    for (int i = 0; i < MaximumDimension * (MaximumDimension + 1) / 2; ++i)
    {
      products[i] += other.products[i];
    }
  }

  /** Covariances of the indices. With the whole part of each mean taken off in integers, what is rounded afterwards is
   *  no larger than the answer. */
  void
  Covariance(int dimension, const ShapeSums & shape, double (&covariance)[MaximumDimension][MaximumDimension]) const
  {
    const auto count = static_cast<Int128>(shape.voxels);
    for (int j = 0; j < dimension; ++j)
    {
      for (int i = 0; i <= j; ++i)
      {
        const auto   sumI = static_cast<Int128>(shape.indexSum[i]);
        const auto   sumJ = static_cast<Int128>(shape.indexSum[j]);
        const Int128 meanI = sumI / count;
        const Int128 meanJ = sumJ / count;
        const Int128 around =
          static_cast<Int128>(products[j * (j + 1) / 2 + i]) - meanI * sumJ - meanJ * sumI + meanI * meanJ * count;
        const auto restI = static_cast<long double>(sumI - meanI * count);
        const auto restJ = static_cast<long double>(sumJ - meanJ * count);
        const auto n = static_cast<long double>(count);
        covariance[i][j] = covariance[j][i] =
          static_cast<double>((static_cast<long double>(around) - restI / n * restJ) / n);
      }
    }
  }

private:
  /** The sum of x^2 over 0 <= x < end. */
  static UInt128
  SquaresBelow(std::int64_t end)
  {
    const auto n = static_cast<UInt128>(end);
    return n == 0 ? 0 : (n - 1) * n * (2 * n - 1) / 6;
  }
};

/** No products. */
struct NoProducts
{
  void
  AddRun(const RowPosition &, std::int64_t, std::int64_t)
  {}
  void
  Merge(const NoProducts &)
  {}
};

/** Sums of integers of at most 32 bits, exact: |sum| < 2^31 * 2^62, sum of squares < 2^64 * 2^62. */
template <typename T>
struct ExactSums
{
  static constexpr bool IsExact = true;

  Int128  sum = 0;
  UInt128 squares = 0;

  void
  AddRun(const T * values, std::int64_t count)
  {
    constexpr std::int64_t block = 1 << 20;
    for (std::int64_t begin = 0; begin < count; begin += block)
    {
      std::int64_t  blockSum = 0;
      std::uint64_t narrowSquares = 0;
      for (std::int64_t i = begin; i < std::min(count, begin + block); ++i)
      {
        const auto value = static_cast<std::int64_t>(values[i]);
        blockSum += value;
        if constexpr (sizeof(T) <= 2)
        {
          narrowSquares += static_cast<std::uint64_t>(value * value);
        }
        else
        {
          squares +=
            static_cast<std::uint64_t>(value < 0 ? -value : value) * static_cast<UInt128>(value < 0 ? -value : value);
        }
      }
      sum += blockSum;
      squares += narrowSquares;
    }
  }

  void
  Merge(std::uint64_t, const ExactSums & other, std::uint64_t)
  {
    sum += other.sum;
    squares += other.squares;
  }

  void
  Finish(std::uint64_t voxels, IntensityMeasures & measures) const
  {
    const auto   count = static_cast<Int128>(voxels);
    const Int128 floorMean = sum / count;
    const Int128 rest = sum - floorMean * count;
    const Int128 aroundFloor = static_cast<Int128>(squares) - 2 * floorMean * sum + count * floorMean * floorMean;
    const auto   longCount = static_cast<long double>(voxels);
    const auto   longRest = static_cast<long double>(rest);
    const auto   deviation = static_cast<long double>(aroundFloor) - longRest * longRest / longCount;
    measures.sum = static_cast<double>(sum);
    measures.mean = static_cast<double>(static_cast<long double>(floorMean) + longRest / longCount);
    measures.standardDeviation =
      voxels > 1 ? static_cast<double>(std::sqrt(std::max(0.0L, deviation) / (longCount - 1))) : 0;
  }
};

/** Sums of floating-point values and wide integers: mean and squared deviation, combined pairwise as Chan, Golub and
 *  LeVeque do (1979), so that large means do not swallow small deviations. */
template <typename T>
struct FloatingSums
{
  static constexpr bool IsExact = false;

  double sum = 0;
  double mean = 0;
  double deviation = 0;
  double count = 0;

  void
  AddRun(const T * values, std::int64_t length)
  {
    FloatingSums run;
    run.count = static_cast<double>(length);
    for (std::int64_t i = 0; i < length; ++i)
    {
      run.sum += static_cast<double>(values[i]);
    }
    run.mean = run.sum / run.count;
    for (std::int64_t i = 0; i < length; ++i)
    {
      const double difference = static_cast<double>(values[i]) - run.mean;
      run.deviation += difference * difference;
    }
    Merge(0, run, 0);
  }

  void
  Merge(std::uint64_t, const FloatingSums & other, std::uint64_t)
  {
    if (other.count == 0)
    {
      return;
    }
    const double total = count + other.count;
    const double difference = other.mean - mean;
    sum += other.sum;
    deviation += other.deviation + difference * difference * count / total * other.count;
    mean += difference * other.count / total;
    count = total;
  }

  void
  Finish(std::uint64_t, IntensityMeasures & measures) const
  {
    measures.sum = sum;
    measures.mean = sum / count;
    measures.standardDeviation = count > 1 ? std::sqrt(deviation / (count - 1)) : 0;
  }
};

/** No intensity image. */
struct NoSums
{
  static constexpr bool IsExact = true;

  void
  Merge(std::uint64_t, const NoSums &, std::uint64_t)
  {}
  void
  Finish(std::uint64_t, IntensityMeasures &) const
  {}
};

template <typename T>
struct SumsOf
{
  using Type = std::conditional_t<std::is_integral_v<T> && sizeof(T) <= 4, ExactSums<T>, FloatingSums<T>>;
};

template <>
struct SumsOf<void>
{
  using Type = NoSums;
};

/** All that is collected of one component. */
template <typename TSums, typename TProducts>
struct ComponentSums
{
  static constexpr bool IsExact = TSums::IsExact;

  ShapeSums shape;
  TProducts products;
  double    lowest = std::numeric_limits<double>::infinity();
  double    highest = -std::numeric_limits<double>::infinity();
  TSums     intensity;

  void
  Merge(const ComponentSums & other)
  {
    intensity.Merge(shape.voxels, other.intensity, other.shape.voxels);
    shape.Merge(other.shape);
    products.Merge(other.products);
    lowest = std::min(lowest, other.lowest);
    highest = std::max(highest, other.highest);
  }
};

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

/** How many voxels of a component have a neighbour in it, for each of HalfNeighbours. */
struct NeighbourSums
{
  static constexpr bool IsExact = true;

  std::uint64_t pairs[13] = {};

  void
  Merge(const NeighbourSums & other)
  {
    for (std::size_t i = 0; i < 13; ++i)
    {
      pairs[i] += other.pairs[i];
    }
  }
};

/** A run with its component. */
struct LabeledRun
{
  std::int64_t  begin;
  std::int64_t  end;
  std::uint64_t label;
};

/** Counts the pairs of neighbours that two rows of runs hold, `step` along x apart. */
template <typename TAdd>
void
CountPairs(const std::vector<LabeledRun> & a, const std::vector<LabeledRun> & b, int step, TAdd add)
{
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();)
  {
    const std::int64_t begin = std::max(a[i].begin + step, b[j].begin);
    const std::int64_t end = std::min(a[i].end + step, b[j].end);
    if (begin < end && a[i].label == b[j].label)
    {
      add(a[i].label, static_cast<std::uint64_t>(end - begin));
    }
    (a[i].end + step < b[j].end ? i : j) += 1;
  }
}

/** Surfaces from the chords of every component along the directions to its voxels' neighbours. */
template <typename TLabelOfRun>
void
MeasureSurfaces(const RunVolume &   volume,
                std::uint64_t       components,
                const HostContext & context,
                TLabelOfRun         labelOfRun,
                ComponentTable &    table)
{
  const Extent &               extent = volume.GetExtent();
  const std::vector<VoxelStep> steps = HalfNeighbours(extent.dimension);
  const auto                   runsOf = [&](std::int64_t row, std::vector<LabeledRun> & runs) {
    runs.clear();
    volume.ForEachRun(row, [&](std::int64_t begin, std::int64_t end, std::uint64_t run) {
      const std::uint64_t label = labelOfRun(run);
      if (label != 0)
      {
        runs.push_back({ begin, end, label });
      }
    });
  };
  const auto sums = AccumulateRows<NeighbourSums>(
    volume,
    components,
    context,
    [&](std::vector<NeighbourSums> & accumulators, std::int64_t row) {
      std::vector<LabeledRun> own;
      std::vector<LabeledRun> other;
      runsOf(row, own);
      for (std::size_t i = 0; i < own.size(); ++i)
      {
        // Runs of one component can lie side by side without a link between them.
        const bool goesOn = i + 1 < own.size() && own[i + 1].begin == own[i].end && own[i + 1].label == own[i].label;
        accumulators[static_cast<std::size_t>(own[i].label - 1)].pairs[0] +=
          static_cast<std::uint64_t>(own[i].end - own[i].begin - (goesOn ? 0 : 1));
      }
      const RowPosition position(extent, row);
      for (std::size_t direction = 1; direction < steps.size(); ++direction)
      {
        const auto & step = steps[direction].step;
        const auto   y = position.at[0] + step[1];
        const auto   z = position.at[1] + step[2];
        if (y < 0 || y >= extent.size[1] || z >= extent.size[2])
        {
          continue;
        }
        if (step[0] == -1)
        {
          runsOf(row + step[2] * extent.size[1] + step[1], other);
        }
        CountPairs(own, other, step[0], [&](std::uint64_t label, std::uint64_t count) {
          accumulators[static_cast<std::size_t>(label - 1)].pairs[direction] += count;
        });
      }
    });
  const std::vector<double> weights = CroftonWeights(extent.dimension, table.geometry);
  const double              voxel = table.geometry.VoxelVolume(extent.dimension);
  for (std::size_t c = 0; c < sums.size(); ++c)
  {
    ComponentMeasures & measures = table.components[c];
    for (std::size_t direction = 0; direction < steps.size(); ++direction)
    {
      const auto & step = steps[direction].step;
      const auto   chords = static_cast<double>(measures.voxelCount - sums[c].pairs[direction]);
      measures.surface += weights[direction] * chords;
      for (int axis = 0; axis < extent.dimension; ++axis)
      {
        const bool isAxis = step[axis] == 1 && std::abs(step[0]) + std::abs(step[1]) + std::abs(step[2]) == 1;
        measures.faceSurface += isAxis ? 2 * chords * voxel / table.geometry.spacing[axis] : 0;
      }
    }
  }
}

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
template <typename T, typename TLabelOfRun>
std::vector<T>
GatherIntensities(const RunVolume &                  volume,
                  const T *                          intensities,
                  const HostContext &                context,
                  TLabelOfRun                        labelOfRun,
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
        const std::uint64_t label = labelOfRun(run);
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
template <typename T, typename TLabelOfRun>
void
MeasureDistributions(const RunVolume &   volume,
                     std::uint64_t       components,
                     const T *           intensities,
                     const HostContext & context,
                     TLabelOfRun         labelOfRun,
                     ComponentTable &    table)
{
  const Extent & extent = volume.GetExtent();
  const auto     sums = AccumulateRows<CentralSums>(
    volume,
    components,
    context,
    [&](std::vector<CentralSums> & accumulators, std::int64_t row) {
      const RowPosition position(extent, row);
      const T * const   values = intensities + row * extent.RowLength();
      volume.ForEachRun(row, [&](std::int64_t begin, std::int64_t end, std::uint64_t run) {
        const std::uint64_t label = labelOfRun(run);
        if (label == 0)
        {
          return;
        }
        CentralSums &     component = accumulators[static_cast<std::size_t>(label - 1)];
        const long double mean = table.components[static_cast<std::size_t>(label - 1)].intensity.mean;
        long double       weight = 0;
        for (std::int64_t x = begin; x < end; ++x)
        {
          const auto        value = static_cast<long double>(values[x]);
          const long double difference = value - mean;
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
    });
  std::vector<std::uint64_t> offsets{ 0 };
  for (const ComponentMeasures & component : table.components)
  {
    offsets.push_back(offsets.back() + component.voxelCount);
  }
  std::vector<T> gathered = GatherIntensities(volume, intensities, context, labelOfRun, offsets);
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
