// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Pictures/Drawing.h"
#include "BrickCCL/Tables/Histogram.h"

#include <string>
#include <utility>
#include <vector>

namespace brickccl
{

/** An axis of a chart: [low, high] with low < high. Both are above 0 if the axis is logarithmic. */
struct ChartAxis
{
  std::string title;
  double      low = 0;
  double      high = 1;
  bool        isLogarithmic = false;
  /** Whether ticks stand only at whole numbers. */
  bool isWhole = false;
};

/** A chart's frame, axes, ticks and titles, drawn when made; what the chart shows is drawn afterwards. */
struct ChartFrame
{
  static constexpr int Width = 1000;
  static constexpr int Height = 600;

  ChartAxis across;
  ChartAxis up;
  double    left;
  double    right;
  /** Where the legend begins: beyond the axis at the right. */
  double legendLeft;
  double top;
  double bottom;

  /** \param room  that is left free at the right, for a legend
   *  \param second  a second axis up, drawn at the right side */
  ChartFrame(Drawing &           drawing,
             const std::string & title,
             const ChartAxis &   axisAcross,
             const ChartAxis &   axisUp,
             int                 room = 0,
             const ChartAxis *   second = nullptr);

  /** The position of a value; `Y` on the first axis up or on another one. */
  double X(double value) const;
  double Y(double value) const;
  double Y(const ChartAxis & axis, double value) const;
};

/** A line through points in the given order. */
struct ChartSeries
{
  std::string                            name;
  std::vector<std::pair<double, double>> points;
  /** Whether its values belong to the axis at the right. */
  bool isRight = false;
};

struct LineChart
{
  std::string              title;
  std::string              acrossTitle;
  std::string              upTitle;
  bool                     isLogarithmic = false;
  std::vector<ChartSeries> series;
  /** The title of the axis at the right, if series belong to it. */
  std::string rightTitle{};
};

/** Writes a chart of 1000 x 600 pixels, .svg or .png, all or nothing. It needs no display.
 *  \throws InvalidArgument for another extension, for no points, and for values that are not finite, or that are not
 *  above 0 on a logarithmic axis; Error if the file cannot be written. */
void WriteLineChart(const std::string & path, const LineChart & chart);

/** Writes a histogram as a bar chart of 1000 x 600 pixels, .svg or .png, all or nothing. If it has more steps than
 *  distinguishable bars, a bar shows the largest count of several steps. It needs no display.
 *  \throws InvalidArgument for another extension; Error if the file cannot be written. */
void WriteHistogramChart(const std::string & path, const Histogram & histogram);

} // namespace brickccl
