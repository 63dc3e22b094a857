// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Measuring/Groups/GroupTable.h"
#include "BrickCCL/Measuring/IntensitySums.h"
#include "BrickCCL/Runs/AccumulateRuns.h"
#include "BrickCCL/Tables/MergeTables.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

/** Lowest and highest intensity, sum, mean and deviation. The rows of the table have these measures. */
namespace brickccl
{

namespace
{

using namespace columns;

/** The lowest and the highest value under a component. NaN are left out. */
struct Extremes
{
  double minimum = std::numeric_limits<double>::infinity();
  double maximum = -std::numeric_limits<double>::infinity();

  template <typename T>
  void
  AddRun(const T * values, std::int64_t length)
  {
    using Limits = std::numeric_limits<T>;
    T low = Limits::has_infinity ? Limits::infinity() : Limits::max();
    T high = Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
    for (std::int64_t i = 0; i < length; ++i)
    {
      low = values[i] < low ? values[i] : low;
      high = values[i] > high ? values[i] : high;
    }
    Merge({ static_cast<double>(low), static_cast<double>(high) });
  }

  void
  Merge(const Extremes & other)
  {
    minimum = std::min(minimum, other.minimum);
    maximum = std::max(maximum, other.maximum);
  }
};

/** Sums of integers of at most 32 bits under a component. They and the sums of squares are exact. */
template <typename T>
struct NarrowIntensities
{
  static constexpr bool IsExact = true;

  std::uint64_t voxels = 0;
  Int128        sum = 0;
  UInt128       squares = 0;
  Extremes      extremes;

  void
  AddRun(const T * values, std::int64_t length)
  {
    voxels += static_cast<std::uint64_t>(length);
    extremes.AddRun(values, length);
    constexpr std::int64_t block = 1 << 20;
    for (std::int64_t begin = 0; begin < length; begin += block)
    {
      std::int64_t  blockSum = 0;
      std::uint64_t narrowSquares = 0;
      for (std::int64_t i = begin; i < std::min(length, begin + block); ++i)
      {
        // Unary plus: `signed char` is a number here, not a character.
        const auto value = static_cast<std::int64_t>(+values[i]);
        const auto magnitude = static_cast<std::uint64_t>(value < 0 ? -value : value);
        const auto square = magnitude * magnitude;
        blockSum += value;
        if constexpr (sizeof(T) <= 2)
        {
          narrowSquares += square;
        }
        else
        {
          squares += square;
        }
      }
      sum += blockSum;
      squares += narrowSquares;
    }
  }

  void
  Merge(const NarrowIntensities & other)
  {
    voxels += other.voxels;
    sum += other.sum;
    squares += other.squares;
    extremes.Merge(other.extremes);
  }

  IntensitySums
  Sums() const
  {
    IntensitySums sums;
    sums.isWhole = sums.hasSquares = true;
    sums.wholeSum = sum;
    sums.squares = squares;
    sums.minimum = extremes.minimum;
    sums.maximum = extremes.maximum;
    return sums;
  }
};

/** The difference of two values, rounded once. */
template <typename T>
double
Above(T value, T other)
{
  if constexpr (std::is_integral_v<T>)
  {
    const auto a = static_cast<std::uint64_t>(value);
    const auto b = static_cast<std::uint64_t>(other);
    return value < other ? -static_cast<double>(b - a) : static_cast<double>(a - b);
  }
  else
  {
    return static_cast<double>(value) - static_cast<double>(other);
  }
}

/** Sums of values of other types under a component. They are sums of differences from one of the values, so that a
 *  large offset takes no digits from the differences, and equal values deviate by exactly 0. */
template <typename T>
struct WideIntensities
{
  static constexpr bool IsExact = false;

  std::uint64_t voxels = 0;
  /** The first value, or 0 where differences from it could be infinite. */
  T first = 0;
  /** The sum of the differences from it, and what rounding lost when the sums of runs were added. */
  double above = 0;
  double lost = 0;
  /** Mean and squared deviation of the differences, combined pairwise as Chan, Golub and LeVeque do (1979). */
  double mean = 0;
  double deviation = 0;
  /** The sum of the values; for integers only. */
  Int128   sum = 0;
  Extremes extremes;

  void
  AddRun(const T * values, std::int64_t length)
  {
    if (voxels == 0)
    {
      SetFirst(values[0]);
    }
    extremes.AddRun(values, length);
    if (length == 1)
    {
      AddToSum(values[0]);
      const double difference = Above(values[0], first);
      AddDifferences(1, difference, difference, 0);
      return;
    }
    if constexpr (std::is_integral_v<T>)
    {
      // Differences that fit a signed number of 64 bits become doubles at once.
      constexpr double narrow = 4.6e18;
      const auto       top = static_cast<double>(first);
      if (extremes.minimum > -narrow && extremes.maximum < narrow && top > -narrow && top < narrow)
      {
        AddValues(values, length, [this](T value) {
          return static_cast<double>(static_cast<std::int64_t>(value) - static_cast<std::int64_t>(first));
        });
        return;
      }
    }
    AddValues(values, length, [this](T value) { return Above(value, first); });
  }

  void
  Merge(const WideIntensities & other)
  {
    if (other.voxels == 0)
    {
      return;
    }
    if (voxels == 0)
    {
      *this = other;
      return;
    }
    const double apart = Above(other.first, first);
    sum += other.sum;
    extremes.Merge(other.extremes);
    AddDifferences(other.voxels,
                   other.SumAboveFirst() + apart * static_cast<double>(other.voxels),
                   other.mean + apart,
                   other.deviation);
  }

  IntensitySums
  Sums() const
  {
    IntensitySums sums;
    sums.isWhole = std::is_integral_v<T>;
    sums.wholeSum = sum;
    sums.mean = Exactly(first);
    sums.mean += mean;
    if constexpr (!std::is_integral_v<T>)
    {
      sums.sum = DoubleDouble::ProductOf(static_cast<double>(first), static_cast<double>(voxels));
      sums.sum += above;
      sums.sum += Lost();
    }
    sums.deviation = deviation;
    sums.minimum = extremes.minimum;
    sums.maximum = extremes.maximum;
    return sums;
  }

private:
  /** The rounding error; 0 if the sum is not finite. */
  double
  Lost() const
  {
    return std::isfinite(above) ? lost : 0;
  }

  double
  SumAboveFirst() const
  {
    return above + Lost();
  }

  static DoubleDouble
  Exactly(T value)
  {
    using Wide = std::conditional_t<std::is_integral_v<T>, T, double>;
    return DoubleDouble::Exactly(static_cast<Wide>(value));
  }

  void
  SetFirst(T value)
  {
    if constexpr (std::is_integral_v<T>)
    {
      first = value;
    }
    else
    {
      first = std::abs(static_cast<double>(value)) < 1e300 ? value : T(0);
    }
  }

  void
  AddToSum([[maybe_unused]] T value)
  {
    if constexpr (std::is_integral_v<T>)
    {
      sum += value;
    }
  }

  template <typename TAboveFirst>
  void
  AddValues(const T * values, std::int64_t length, TAboveFirst aboveFirst)
  {
    double aboveOfRun = 0;
    for (std::int64_t i = 0; i < length; ++i)
    {
      AddToSum(values[i]);
      aboveOfRun += aboveFirst(values[i]);
    }
    const double meanOfRun = aboveOfRun / static_cast<double>(length);
    double       deviationOfRun = 0;
    for (std::int64_t i = 0; i < length; ++i)
    {
      const double difference = aboveFirst(values[i]) - meanOfRun;
      deviationOfRun += difference * difference;
    }
    AddDifferences(static_cast<std::uint64_t>(length), aboveOfRun, meanOfRun, deviationOfRun);
  }

  void
  AddDifferences(std::uint64_t otherVoxels, double otherAbove, double otherMean, double otherDeviation)
  {
    const auto own = static_cast<double>(voxels);
    voxels += otherVoxels;
    const double share = static_cast<double>(otherVoxels) / static_cast<double>(voxels);
    const double difference = otherMean - mean;
    deviation += otherDeviation + difference * difference * share * own;
    mean += difference * share;
    const double total = above + otherAbove;
    const double added = total - above;
    lost += (above - (total - added)) + (otherAbove - added);
    above = total;
  }
};

template <typename T>
using IntensitiesOf = std::conditional_t<IntensitySums::HasSquares<T>, NarrowIntensities<T>, WideIntensities<T>>;

void
MeasureIntensities(const GroupInput & input, ComponentTable & table)
{
  VisitScalarType(input.options.intensity->type, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    const auto addRun = [intensities = static_cast<const T *>(input.options.intensity->data),
                         ignoresNaN = input.options.ignoresNaN,
                         length = input.volume.GetExtent().RowLength()](IntensitiesOf<T> & component,
                                                                        std::int64_t       row,
                                                                        const RowPosition &,
                                                                        std::int64_t begin,
                                                                        std::int64_t end) {
      const T * const values = intensities + row * length;
      ForValues(values, begin, end, ignoresNaN, [&](std::int64_t first, std::int64_t last) {
        component.AddRun(values + first, last - first);
      });
    };
    const auto sums = AccumulateRuns<IntensitiesOf<T>>(input.volume, table.components.size(), input.context, addRun);
    std::vector<IntensityMeasures> measures(sums.size());
    std::vector<IntensitySums>     typeless(sums.size());
    ForComponents(sums.size(), input.context, [&](std::size_t c) {
      typeless[c] = sums[c].Sums();
      measures[c] = typeless[c].Measures(sums[c].voxels);
    });
    table.measures.Set(std::move(typeless));
    table.components.SetIntensities(std::move(measures));
  });
}

void
MergeIntensities(const MergeInput & input, ComponentTable & table)
{
  const IntensitySums * first = nullptr;
  for (const PartRow & row : input.parts)
  {
    const auto            lists = row.table->measures.Of<IntensitySums>();
    const IntensitySums & own = lists[row.place];
    first = first == nullptr ? &own : first;
    ThrowIf<InvalidArgument>(first->isWhole != own.isWhole || first->hasSquares != own.hasSquares,
                             "the tables' intensities have different types");
  }
  std::vector<IntensitySums>     sums(table.components.size());
  std::vector<IntensityMeasures> measures(table.components.size());
  input.ForComponents([&](std::size_t c) {
    std::uint64_t voxels = 0;
    input.ForParts(c, [&](const PartRow & row) {
      const auto            lists = row.table->measures.Of<IntensitySums>();
      const IntensitySums & own = lists[row.place];
      const std::uint64_t   ownVoxels = row.table->components.VoxelCount(row.place);
      if (voxels == 0)
      {
        sums[c] = own;
      }
      else
      {
        sums[c].Merge(voxels, own, ownVoxels);
      }
      voxels += ownVoxels;
    });
    measures[c] = sums[c].Measures(voxels);
  });
  table.measures.Set(std::move(sums));
  table.components.SetIntensities(std::move(measures));
}

void
AddIntensityColumns(ColumnList & columns)
{
  const auto add = [&](auto name, auto description, auto itkName, auto scikitImageName, MergeRule merge, auto measure) {
    columns.Add(
      name,
      description,
      itkName,
      scikitImageName,
      merge,
      [measure](Table, Component c) { return c.intensity.*measure; },
      "intensity");
  };
  add("intensity_min", "lowest intensity", "Minimum", "intensity_min", MergeRule::Minimum, &IntensityMeasures::minimum);
  add("intensity_max",
      "highest intensity",
      "Maximum",
      "intensity_max",
      MergeRule::Maximum,
      &IntensityMeasures::maximum);
  add("intensity_mean", "mean intensity", "Mean", "intensity_mean", MergeRule::Recomputed, &IntensityMeasures::mean);
  add("intensity_std",
      "standard deviation of the sample (n - 1); 0 for one voxel",
      "StandardDeviation",
      "intensity_std (divides by n)",
      MergeRule::Recomputed,
      &IntensityMeasures::standardDeviation);
  add("intensity_sum", "sum of the intensities", "Sum", "", MergeRule::Sum, &IntensityMeasures::sum);
  columns.Add(
    "intensity_variance",
    "square of the standard deviation",
    "Variance",
    "",
    MergeRule::Recomputed,
    [](Table, Component c) { return c.intensity.standardDeviation * c.intensity.standardDeviation; },
    "intensity^2");
}

} // namespace

constexpr ColumnGroup groups::Intensities = [] {
  ColumnGroup group;
  group.presence = ColumnGroup::Presence::WithIntensity;
  group.allowsPeriodic = true;
  group.needsIntensity = true;
  group.addColumns = AddIntensityColumns;
  group.measure = MeasureIntensities;
  group.merge = MergeIntensities;
  return group;
}();

} // namespace brickccl
