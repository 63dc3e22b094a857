#include "BrickCCL/Pictures/HistogramChart.h"

#include "BrickCCL/Pictures/Chart.h"

#include <algorithm>

namespace brickccl
{

namespace
{

constexpr Colour      BarColour{ 60, 110, 160 };
constexpr Colour      NoteColour{ 120, 120, 120 };
constexpr std::size_t MostBars = 400;

/** A unit with raised digits: "mm³" for "mm^3". */
std::string
RaiseDigits(std::string unit)
{
  for (const auto & [plain, raised] : { std::pair("^2", "²"), std::pair("^3", "³") })
  {
    const auto at = unit.find(plain);
    unit = at == std::string::npos ? unit : unit.replace(at, 2, raised);
  }
  return unit;
}

} // namespace

void
WriteHistogramChart(const std::string & path, const Histogram & histogram)
{
  const std::size_t steps = histogram.counts.size();
  const std::size_t together = (steps + MostBars - 1) / MostBars;
  const auto        most = *std::max_element(histogram.counts.begin(), histogram.counts.end());
  const std::string title = histogram.column + (histogram.unit.empty() ? "" : " [" + RaiseDigits(histogram.unit) + "]");
  ChartAxis         across{ title, histogram.edges.front(), histogram.edges.back(), false, false };
  if (!(across.high > across.low))
  {
    // Doubles cannot hold steps as small as these, so there is one bar.
    across.high = across.low + std::max(1.0, std::abs(across.low));
  }
  const ChartAxis  up{ "components", 0, 1.05 * static_cast<double>(std::max<std::uint64_t>(1, most)), false, true };
  const auto       drawing = MakeDrawing(path, ChartFrame::Width, ChartFrame::Height);
  const ChartFrame frame(*drawing, "", across, up);
  for (std::size_t begin = 0; begin < steps; begin += together)
  {
    const std::size_t end = std::min(steps, begin + together);
    const auto        count = *std::max_element(histogram.counts.begin() + static_cast<std::ptrdiff_t>(begin),
                                         histogram.counts.begin() + static_cast<std::ptrdiff_t>(end));
    if (count > 0)
    {
      // Narrow bars touch each other.
      const double left = frame.X(histogram.edges[begin]);
      const double width = frame.X(histogram.edges[end]) - left;
      // A small count beside large ones must be visible, too.
      const double top = std::min(frame.Y(static_cast<double>(count)), frame.Bottom() - 1);
      drawing->FillRectangle(left, top, std::max(1.0, width > 4 ? width - 1 : width), frame.Bottom() - top, BarColour);
    }
  }
  if (histogram.notFinite > 0)
  {
    drawing->DrawText(frame.Right(),
                      frame.Top() + 14,
                      std::to_string(histogram.notFinite) + " values are not finite and not shown",
                      NoteColour,
                      Anchor::End,
                      false);
  }
  drawing->Write(path);
}

} // namespace brickccl
