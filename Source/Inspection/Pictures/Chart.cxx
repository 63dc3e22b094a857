// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Pictures/Chart.h"

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/TextLists.h"
#include "BrickCCL/Pictures/Font.h"
#include "BrickCCL/Pictures/Ticks.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace brickccl
{

constexpr Color ChartTextColor{ 30, 30, 30 };
constexpr Color ChartFrameColor{ 120, 120, 120 };
constexpr Color GridColor{ 226, 226, 226 };

/** Colors that are distinguishable with color vision deficiency (Okabe and Ito). */
constexpr Color SeriesColors[] = { { 0, 114, 178 }, { 213, 94, 0 },   { 0, 158, 115 }, { 204, 121, 167 },
                                   { 230, 159, 0 }, { 86, 180, 233 }, { 0, 0, 0 },     { 150, 150, 150 } };

constexpr int ChartGap = 8;
constexpr int MaximumTicksAcross = 10;
constexpr int MaximumTicksUp = 8;

static Ticks
TicksOf(const ChartAxis & axis, int maximum)
{
  return axis.isLogarithmic ? LogarithmicTicks(axis.low, axis.high)
                            : LinearTicks(axis.low, axis.high, maximum, axis.isWhole);
}

/** The position of a value along an axis, from 0 to 1. */
static double
ShareAlong(const ChartAxis & axis, double value)
{
  return axis.isLogarithmic ? std::log(value / axis.low) / std::log(axis.high / axis.low)
                            : (value - axis.low) / (axis.high - axis.low);
}

static ChartAxis
AxisAround(const std::string & title, const std::vector<double> & values, bool isLogarithmic)
{
  for (const double value : values)
  {
    ThrowIf<InvalidArgument>(!std::isfinite(value) || (isLogarithmic && value <= 0),
                             "a chart cannot show " + ShortNumber(value) + " on " +
                               (isLogarithmic ? "a logarithmic axis" : "an axis") + "; values must be finite" +
                               (isLogarithmic ? " above 0" : ""));
  }
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  ChartAxis axis{ title, *low, *high, isLogarithmic, false };
  if (isLogarithmic)
  {
    const double beyond = std::pow(std::max(axis.high / axis.low, 4.0), 0.04);
    axis.low /= beyond;
    axis.high *= beyond;
  }
  else
  {
    // The axis begins at 0 if that costs little room.
    const double length = axis.high - axis.low;
    axis.low -= axis.low >= 0 && axis.low <= axis.high / 2 ? axis.low : 0.04 * length;
    axis.high += length > 0 ? 0.04 * length : std::max(1.0, std::abs(axis.high) / 10);
  }
  return axis;
}

static int
WidestOf(const std::vector<std::string> & texts)
{
  int widest = 0;
  for (const std::string & text : texts)
  {
    widest = std::max(widest, TextWidth(text));
  }
  return widest;
}

ChartFrame::ChartFrame(Drawing &           drawing,
                       const std::string & title,
                       const ChartAxis &   axisAcross,
                       const ChartAxis &   axisUp,
                       int                 room,
                       const ChartAxis *   second)
  : across(axisAcross)
  , up(axisUp)
  , top(title.empty() ? 20 : 50)
  , bottom(Height - 60)
{
  const Ticks acrossTicks = TicksOf(across, MaximumTicksAcross);
  const Ticks upTicks = TicksOf(up, MaximumTicksUp);
  const Ticks rightTicks = second != nullptr ? TicksOf(*second, MaximumTicksUp) : Ticks();
  const int   rightTexts = second != nullptr ? 2 * ChartGap + FontLineHeight + WidestOf(rightTicks.texts) : 0;
  left = 3 * ChartGap + FontLineHeight + WidestOf(upTicks.texts);
  right = Width - 30 - room - rightTexts;
  legendLeft = right + rightTexts + 2 * ChartGap;
  const double middle = (left + right) / 2;
  drawing.DrawText(middle, 30, title, ChartTextColor, Anchor::Middle, false);
  for (std::size_t i = 0; i < acrossTicks.places.size(); ++i)
  {
    const double x = X(acrossTicks.places[i]);
    drawing.DrawLine(x, top, x, bottom, 1, GridColor);
    drawing.DrawText(x, bottom + FontLineHeight, acrossTicks.texts[i], ChartTextColor, Anchor::Middle, false);
  }
  for (std::size_t i = 0; i < upTicks.places.size(); ++i)
  {
    const double y = Y(upTicks.places[i]);
    drawing.DrawLine(left, y, right, y, 1, GridColor);
    drawing
      .DrawText(left - ChartGap, y + FontCapitalHeight / 2.0, upTicks.texts[i], ChartTextColor, Anchor::End, false);
  }
  for (std::size_t i = 0; i < rightTicks.places.size(); ++i)
  {
    const double y = Y(*second, rightTicks.places[i]);
    drawing.DrawLine(right, y, right + ChartGap / 2.0, y, 1, ChartFrameColor);
    drawing.DrawText(right + ChartGap,
                     y + FontCapitalHeight / 2.0,
                     rightTicks.texts[i],
                     ChartTextColor,
                     Anchor::Begin,
                     false);
  }
  if (second != nullptr)
  {
    drawing.DrawLine(right, top, right, bottom, 1, ChartFrameColor);
    drawing.DrawText(right + rightTexts, (top + bottom) / 2, second->title, ChartTextColor, Anchor::Middle, true);
  }
  drawing.DrawLine(left, top, left, bottom, 1, ChartFrameColor);
  drawing.DrawLine(left, bottom, right, bottom, 1, ChartFrameColor);
  drawing.DrawText(middle, Height - 12, across.title, ChartTextColor, Anchor::Middle, false);
  drawing.DrawText(ChartGap + FontCapitalHeight, (top + bottom) / 2, up.title, ChartTextColor, Anchor::Middle, true);
}

double
ChartFrame::X(double value) const
{
  return left + ShareAlong(across, value) * (right - left);
}

double
ChartFrame::Y(double value) const
{
  return Y(up, value);
}

double
ChartFrame::Y(const ChartAxis & axis, double value) const
{
  return bottom - ShareAlong(axis, value) * (bottom - top);
}

void
WriteLineChart(const std::string & path, const LineChart & chart)
{
  std::vector<double>      xs;
  std::vector<double>      ys;
  std::vector<double>      rightYs;
  std::vector<std::string> names;
  for (const ChartSeries & series : chart.series)
  {
    for (const auto & [x, y] : series.points)
    {
      xs.push_back(x);
      (series.isRight ? rightYs : ys).push_back(y);
    }
    names.push_back(series.name);
  }
  ThrowIf<InvalidArgument>(xs.empty(), "the chart '" + chart.title + "' has no points; there must be at least one");
  constexpr int    sample = 24;
  const auto       drawing = MakeDrawing(path, ChartFrame::Width, ChartFrame::Height);
  const ChartAxis  up = AxisAround(chart.upTitle, ys, chart.isLogarithmic);
  const ChartAxis  second = rightYs.empty() ? up : AxisAround(chart.rightTitle, rightYs, chart.isLogarithmic);
  const ChartFrame frame(*drawing,
                         chart.title,
                         AxisAround(chart.acrossTitle, xs, chart.isLogarithmic),
                         up,
                         WidestOf(names) + sample + 2 * ChartGap,
                         rightYs.empty() ? nullptr : &second);
  double           legend = frame.top + FontLineHeight;
  std::size_t      number = 0;
  for (const ChartSeries & series : chart.series)
  {
    const Color & color = SeriesColors[number++ % std::size(SeriesColors)];
    const auto    draw = [&](const std::vector<std::pair<double, double>> & points) {
      for (std::size_t i = 0; i < points.size(); ++i)
      {
        if (i > 0)
        {
          drawing->DrawLine(points[i - 1].first, points[i - 1].second, points[i].first, points[i].second, 2, color);
        }
        drawing->DrawLine(points[i].first, points[i].second, points[i].first, points[i].second, 6, color);
      }
    };
    draw(Mapped(series.points, [&](const auto & point) {
      return std::pair<double, double>(frame.X(point.first), frame.Y(series.isRight ? second : up, point.second));
    }));
    const double left = frame.legendLeft;
    draw(
      { { left, legend - FontCapitalHeight / 2.0 }, { left + sample - ChartGap, legend - FontCapitalHeight / 2.0 } });
    drawing->DrawText(left + sample, legend, series.name, ChartTextColor, Anchor::Begin, false);
    legend += FontLineHeight;
  }
  drawing->Write(path);
}

} // namespace brickccl
