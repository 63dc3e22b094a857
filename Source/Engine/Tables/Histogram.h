// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Tables/ComponentTable.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace brickccl
{

/** The column of a histogram, and the choice of its steps. */
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
  /** The borders of the steps, one more than `counts`: step i goes from edges[i] up to, but without, edges[i + 1]; the
   *  last step includes its upper edge. */
  std::vector<double>        edges;
  std::vector<std::uint64_t> counts;
  /** The number of values that are not finite; no step counts them. */
  std::uint64_t notFinite = 0;
  bool          isLogarithmic = false;
  /** With a logarithmic axis, the number of finite values that are not above 0; no step counts them. */
  std::uint64_t notPositive = 0;
  /** The column of the weights with its unit, and what each step's components have of it together; empty without one.
   */
  std::string         weightColumn = {};
  std::string         weightUnit = {};
  std::vector<double> weights = {};
};

/** The histogram of a column. If all values are equal, one step around them is wide enough to show it; if there are
 *  none, it has one step of nothing.
 *  \throws InvalidArgument for a column that the table does not have, weights that are negative or not finite, and less
 *  than one bin. */
Histogram HistogramOf(const ComponentTable & table, const HistogramOptions & options);

} // namespace brickccl
