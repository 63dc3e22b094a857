// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Tables/ComponentTable.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace brickccl
{

struct HistogramOptions
{
  /** Lengths, areas and volumes may be named in mm, um or cm; also in the weights. */
  std::string column;
  /** So many equal steps from the lowest to the highest value, as numpy.histogram has them. If it is not given, about
   *  50 steps whose borders are round numbers; with a logarithmic axis, ten steps for each power of ten, or fewer if
   *  they are more than 100. Those of whole numbers are at least 1 wide. */
  std::optional<int> bins;
  /** Steps of equal ratios. Values that are not above 0 are left out. */
  bool isLogarithmic = false;
  /** A column whose values are summed in each step, if it is not empty. */
  std::string weights;
  /** The unit of lengths, areas and volumes: "mm", "um" or "cm". If it is empty, that in the columns' names. */
  std::string lengthUnit;
};

/** The numbers of components with values within steps. */
struct Histogram
{
  std::string column;
  std::string unit;
  /** The borders of the steps, one more than `counts`: step i is [edges[i], edges[i + 1]), the last with its end. */
  std::vector<double>        edges;
  std::vector<std::uint64_t> counts;
  /** The number of values that are not finite; no step counts them. */
  std::uint64_t notFinite = 0;
  bool          isLogarithmic = false;
  /** With a logarithmic axis, the number of finite values that are not above 0; no step counts them. */
  std::uint64_t notPositive = 0;
  /** The column of the weights with its unit, and the sum of it in each step; empty without one. */
  std::string         weightColumn = {};
  std::string         weightUnit = {};
  std::vector<double> weights = {};
};

/** The histogram of a column: one step wide enough to show it if all values are equal, one of nothing without values.
 *  \throws InvalidArgument for a missing column, negative or not finite weights, and less than one bin. */
Histogram HistogramOf(const ComponentTable & table, const HistogramOptions & options);

} // namespace brickccl
