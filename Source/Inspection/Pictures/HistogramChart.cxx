// SPDX-License-Identifier: Apache-2.0

#include "BrickCCL/Pictures/Chart.h"
#include "BrickCCL/Pictures/Ticks.h"

#include <algorithm>

namespace brickccl
{

constexpr Color       BarColor{ 60, 110, 160 };
constexpr Color       NoteColor{ 120, 120, 120 };
constexpr std::size_t MaximumBars = 400;

/** "volume [mm³]" for the column volume_mm3: the unit once. */
static std::string
AxisTitle(const std::string & column, const std::string & unit)
{
  return WithoutUnit(column, unit) + (unit.empty() ? "" : " [" + RaiseDigits(unit) + "]");
}

static std::string
LeftOut(const Histogram & histogram)
{
  std::string text;
  const auto  add = [&](std::uint64_t count, const char * what) {
    text += count > 0 ? (text.empty() ? "" : ", ") + std::to_string(count) + what : "";
  };
  add(histogram.notFinite, " values are not finite");
  add(histogram.notPositive, " values are not above 0");
  text += text.empty() ? "" : " and not shown";
  const bool isEmpty = std::all_of(histogram.counts.begin(), histogram.counts.end(), [](auto n) { return n == 0; });
  return !isEmpty ? text : text.empty() ? "there are no components" : "there is nothing to draw: " + text;
}

void
WriteHistogramChart(const std::string & path, const Histogram & histogram)
{
  const std::size_t         steps = histogram.counts.size();
  const std::size_t         together = (steps + MaximumBars - 1) / MaximumBars;
  const bool                isWeighted = !histogram.weightColumn.empty();
  const std::vector<double> heights =
    isWeighted ? histogram.weights : std::vector<double>(histogram.counts.begin(), histogram.counts.end());
  const double highest = *std::max_element(heights.begin(), heights.end());
  ChartAxis    across{ AxisTitle(histogram.column, histogram.unit),
                    histogram.edges.front(),
                    histogram.edges.back(),
                    histogram.isLogarithmic,
                    false };
  if (!(across.high > across.low))
  {
    // Doubles cannot hold steps as small as these, so there is one bar.
    across.high = across.low + std::max(1.0, std::abs(across.low));
  }
  const ChartAxis up{ isWeighted ? AxisTitle(histogram.weightColumn, histogram.weightUnit) : "components",
                      0,
                      1.05 * (highest > 0 ? highest : 1),
                      false,
                      !isWeighted };
  const auto       drawing = MakeDrawing(path, ChartFrame::Width, ChartFrame::Height);
  const ChartFrame frame(*drawing, "", across, up);
  for (std::size_t begin = 0; begin < steps; begin += together)
  {
    const std::size_t end = std::min(steps, begin + together);
    const double      height = *std::max_element(heights.begin() + static_cast<std::ptrdiff_t>(begin),
                                            heights.begin() + static_cast<std::ptrdiff_t>(end));
    if (height > 0)
    {
      // Narrow bars touch each other.
      const double left = frame.X(histogram.edges[begin]);
      const double width = frame.X(histogram.edges[end]) - left;
      // A small height next to large ones must be visible, too.
      const double top = std::min(frame.Y(height), frame.bottom - 1);
      drawing->FillRectangle(left, top, std::max(1.0, width > 4 ? width - 1 : width), frame.bottom - top, BarColor);
    }
  }
  if (const std::string text = LeftOut(histogram); !text.empty())
  {
    drawing->DrawText(frame.right, frame.top + 14, text, NoteColor, Anchor::End, false);
  }
  drawing->Write(path);
}

} // namespace brickccl
