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
class ChartFrame
{
public:
  static constexpr int Width = 1000;
  static constexpr int Height = 600;

  /** \param right   the room that is left free at the right, for a legend
   *  \param second  a second axis up, drawn at the right side */
  ChartFrame(Drawing &           drawing,
             const std::string & title,
             const ChartAxis &   across,
             const ChartAxis &   up,
             int                 right = 0,
             const ChartAxis *   second = nullptr);

  /** The position of a value; `Y` on the first axis up or on another one. */
  double X(double value) const;
  double Y(double value) const;
  double Y(const ChartAxis & up, double value) const;
  double
  Left() const
  {
    return m_Left;
  }
  double
  Right() const
  {
    return m_Right;
  }
  double
  Top() const
  {
    return m_Top;
  }
  double
  Bottom() const
  {
    return m_Bottom;
  }
  /** Where the legend begins: beyond the axis at the right. */
  double
  LegendLeft() const
  {
    return m_LegendLeft;
  }

private:
  ChartAxis m_Across;
  ChartAxis m_Up;
  double    m_Left;
  double    m_Right;
  double    m_LegendLeft;
  double    m_Top;
  double    m_Bottom;
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
