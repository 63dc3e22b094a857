#include "BrickCCL/Tables/Totals.h"

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/NearestName.h"

#include <algorithm>
#include <cmath>

namespace brickccl
{

Totals
TotalsOf(const ComponentTable & table)
{
  Totals       totals;
  const double voxel = table.geometry.VoxelVolume(table.extent.dimension);
  totals.sizeName = SizeName(table.extent.dimension);
  totals.components = table.components.size();
  for (const ComponentMeasures & component : table.components)
  {
    totals.voxels += component.voxelCount;
  }
  const std::uint64_t region =
    table.hasPart ? table.partTotals.voxels : static_cast<std::uint64_t>(table.extent.VoxelCount());
  const std::uint64_t within = table.hasPart ? table.partTotals.componentVoxels : totals.voxels;
  totals.size = static_cast<double>(totals.voxels) * voxel;
  totals.regionSize = static_cast<double>(region) * voxel;
  totals.fraction = region > 0 ? static_cast<double>(within) / static_cast<double>(region) : 0;
  return totals;
}

Histogram
HistogramOf(const ComponentTable & table, const std::string & column, int bins)
{
  if (bins < 1)
  {
    throw InvalidArgument("a histogram of " + std::to_string(bins) + " bins was asked for; there must be at least 1");
  }
  const std::vector<ComponentColumn> columns = ColumnsOf(table);
  const auto found = std::find_if(columns.begin(), columns.end(), [&](const auto & c) { return c.name == column; });
  if (found == columns.end())
  {
    std::vector<std::string> names;
    for (const ComponentColumn & known : columns)
    {
      names.push_back(known.name);
    }
    throw InvalidArgument("the table has no column '" + column + "' to make a histogram of" +
                          DidYouMean(column, names));
  }
  Histogram           histogram{ column, found->unit, {}, {}, 0 };
  std::vector<double> values;
  for (const ComponentMeasures & component : table.components)
  {
    const double value =
      std::visit([](auto number) { return static_cast<double>(number); }, found->value(table, component));
    if (std::isfinite(value))
    {
      values.push_back(value);
    }
  }
  histogram.notFinite = table.components.size() - values.size();
  double low = 0, high = 1;
  if (!values.empty())
  {
    low = *std::min_element(values.begin(), values.end());
    high = *std::max_element(values.begin(), values.end());
    const double half = low == high ? 0.5 : 0;
    low -= half;
    high += half;
  }
  for (int i = 0; i <= bins; ++i)
  {
    histogram.edges.push_back(i == bins ? high : low + (high - low) * i / bins);
  }
  histogram.counts.resize(static_cast<std::size_t>(bins));
  for (const double value : values)
  {
    const auto above = std::upper_bound(histogram.edges.begin(), histogram.edges.end(), value);
    const auto bin = std::max<std::ptrdiff_t>(0, above - histogram.edges.begin() - 1);
    ++histogram.counts[std::min(histogram.counts.size() - 1, static_cast<std::size_t>(bin))];
  }
  return histogram;
}

} // namespace brickccl
