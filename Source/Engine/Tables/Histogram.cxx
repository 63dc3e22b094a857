// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Tables/Histogram.h"

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/NearestName.h"
#include "BrickCCL/Core/RoundNumber.h"
#include "BrickCCL/Core/TextLists.h"
#include "BrickCCL/Tables/LengthUnits.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <variant>

namespace brickccl
{

/** About this many steps with round borders. */
constexpr int RoundSteps = 50;
/** The borders within a power of ten: the preferred numbers R10 of ISO 3. */
constexpr double Preferred[] = { 1, 1.25, 1.6, 2, 2.5, 3.15, 4, 5, 6.3, 8 };

/** The column of this name, in the unit that is asked for. */
static ComponentColumn
ColumnFor(const std::vector<ComponentColumn> & columns, const std::string & name, const std::string & lengthUnit)
{
  std::optional<ComponentColumn> found =
    ColumnInAnyUnit(columns, lengthUnit.empty() ? name : ColumnInMillimeters(name));
  ThrowIf<InvalidArgument>(!found,
                           "the table has no column '" + name + "' for a histogram" +
                             DidYouMean(name, NameList(columns)));
  if (!lengthUnit.empty())
  {
    ConvertLengths(*found, lengthUnit);
  }
  return *std::move(found);
}

static double
ValueOf(const ComponentColumn & column, const ComponentTable & table, const ComponentMeasures & component)
{
  return std::visit([](auto number) { return static_cast<double>(number); }, column.value(table, component));
}

/** The borders of `bins` steps that are equal, or have equal ratios. */
static std::vector<double>
EqualEdges(double low, double high, int bins, bool isLogarithmic)
{
  std::vector<double> edges;
  for (int i = 0; i <= bins; ++i)
  {
    const double share = static_cast<double>(i) / bins;
    edges.push_back(i == 0          ? low
                    : i == bins     ? high
                    : isLogarithmic ? low * std::pow(high / low, share)
                                    : low + (high - low) * i / bins);
  }
  return edges;
}

/** Round borders around [low, high]. Steps of whole numbers are at least 1, and end before a whole number. */
static std::vector<double>
RoundEdges(double low, double high, bool isWhole)
{
  // For numbers far from 0, steps that doubles hold exactly enough.
  const double least = 1e-12 * std::max(std::abs(low), std::abs(high));
  double       step = LargestRoundNumber(std::max((high - low) / RoundSteps, least));
  step = step * RoundSteps < high - low ? LargestRoundNumber(step * 2.5) : step;
  step = isWhole ? std::max(step, 1.0) : step;
  // So that a border is the double that its decimal text means, where steps are fractions.
  const double        perUnit = std::round(1 / step);
  const auto          edgeAt = [&](double place) { return step < 1 ? place / perUnit : place * step; };
  std::vector<double> edges;
  const double        first = std::floor(low / step + 1e-9);
  for (double place = first; edges.size() < 2 || edges.back() < high || (isWhole && edges.back() == high); ++place)
  {
    edges.push_back(edgeAt(place));
  }
  edges.front() = std::min(edges.front(), low);
  return edges;
}

/** Borders at preferred numbers around [low, high]; only at some of them if the range has many powers of ten. Steps of
 *  whole numbers are at least 1. */
static std::vector<double>
PreferredEdges(double low, double high, bool isWhole)
{
  const double        firstPower = std::floor(std::log10(low));
  const double        powers = std::ceil(std::log10(high)) - firstPower;
  const std::size_t   every = powers <= 10 ? 1 : powers <= 50 ? 5 : 10;
  std::vector<double> edges;
  for (double power = firstPower; edges.empty() || edges.back() < high; ++power)
  {
    for (std::size_t i = 0; i < std::size(Preferred) && (edges.empty() || edges.back() < high); i += every)
    {
      const double edge = power < 0 ? Preferred[i] / std::pow(10, -power) : Preferred[i] * std::pow(10, power);
      if (isWhole && !edges.empty() && edge > low && edge - edges.back() < 1)
      {
        continue;
      }
      if (!edges.empty() && edge <= low)
      {
        edges.back() = edge;
        continue;
      }
      edges.push_back(edge);
    }
  }
  edges.front() = std::min(edges.front(), low);
  return edges;
}

static std::vector<double>
EdgesFor(const std::vector<double> & values, bool isWhole, const HistogramOptions & options)
{
  if (values.empty())
  {
    return options.isLogarithmic ? std::vector<double>{ 1, 10 } : std::vector<double>{ 0, 1 };
  }
  double low = *std::min_element(values.begin(), values.end());
  double high = *std::max_element(values.begin(), values.end());
  if (low == high && (!isWhole || options.bins || options.isLogarithmic))
  {
    low = options.isLogarithmic ? low / 2 : low - 0.5;
    high = options.isLogarithmic ? high * 2 : high + 0.5;
  }
  return options.bins          ? EqualEdges(low, high, *options.bins, options.isLogarithmic)
       : options.isLogarithmic ? PreferredEdges(low, high, isWhole)
                               : RoundEdges(low, high, isWhole);
}

Histogram
HistogramOf(const ComponentTable & table, const HistogramOptions & options)
{
  ThrowIf<InvalidArgument>(options.bins.value_or(1) < 1,
                           "a histogram of " + std::to_string(options.bins.value_or(1)) +
                             " bins was asked for; there must be at least 1");
  const std::vector<ComponentColumn> columns = ColumnsOf(table);
  const ComponentColumn              column = ColumnFor(columns, options.column, options.lengthUnit);
  std::optional<ComponentColumn>     weight;
  if (!options.weights.empty())
  {
    weight = ColumnFor(columns, options.weights, options.lengthUnit);
  }
  Histogram histogram;
  histogram.column = column.name;
  histogram.unit = column.unit;
  histogram.isLogarithmic = options.isLogarithmic;
  std::vector<double> values, weights;
  for (const ComponentMeasures & component : table.components)
  {
    const double value = ValueOf(column, table, component);
    if (!std::isfinite(value))
    {
      ++histogram.notFinite;
      continue;
    }
    if (options.isLogarithmic && !(value > 0))
    {
      ++histogram.notPositive;
      continue;
    }
    values.push_back(value);
    weights.push_back(weight ? ValueOf(*weight, table, component) : 1);
    if (!(weights.back() >= 0 && std::isfinite(weights.back())))
    {
      throw InvalidArgument("'" + options.weights + "' of component " + std::to_string(component.label) + " is " +
                            std::to_string(weights.back()) + "; weights must be at least 0");
    }
  }
  const bool isWhole = !values.empty() && !std::holds_alternative<double>(column.value(table, table.components[0]));
  histogram.edges = EdgesFor(values, isWhole, options);
  histogram.counts.resize(histogram.edges.size() - 1);
  if (weight)
  {
    histogram.weightColumn = weight->name;
    histogram.weightUnit = weight->unit;
    histogram.weights.resize(histogram.counts.size());
  }
  for (std::size_t i = 0; i < values.size(); ++i)
  {
    const auto above = std::upper_bound(histogram.edges.begin(), histogram.edges.end(), values[i]);
    const auto place = std::max<std::ptrdiff_t>(0, above - histogram.edges.begin() - 1);
    const auto bin = std::min(histogram.counts.size() - 1, static_cast<std::size_t>(place));
    ++histogram.counts[bin];
    if (weight)
    {
      histogram.weights[bin] += weights[i];
    }
  }
  return histogram;
}

} // namespace brickccl
