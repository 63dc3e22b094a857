// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Batch/Detection.h"

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Pictures/Chart.h"
#include "BrickCCL/Pictures/Font.h"
#include "BrickCCL/Pictures/Ticks.h"

#include <algorithm>
#include <cmath>

namespace brickccl::batch
{

namespace
{

constexpr Color CurveColor{ 30, 90, 160 };
constexpr Color BoundColor{ 200, 90, 30 };
constexpr Color HitColor{ 90, 90, 90 };
constexpr Color TextColor{ 40, 40, 40 };
constexpr int   Steps = 80;
constexpr int   Room = 190;

/** A line with a text next to it. */
void
DrawLegend(Drawing & drawing, const ChartFrame & frame, int row, const Color & color, const std::string & text)
{
  const double x = frame.Right() + FontLineHeight;
  const double y = frame.Top() + FontLineHeight * (row + 1);
  if (color != TextColor)
  {
    drawing.DrawLine(x, y - FontCapitalHeight / 2.0, x + 14, y - FontCapitalHeight / 2.0, 3, color);
  }
  drawing.DrawText(x + 22, y, text, TextColor, Anchor::Begin, false);
}

} // namespace

void
WriteDetectionChart(const std::string &            path,
                    const DetectionCurve &         curve,
                    const std::vector<Detection> & detections,
                    const std::string &            unit)
{
  if (!curve.Problem().empty())
  {
    throw InvalidArgument("there is no POD curve to draw: " + curve.Problem());
  }
  const auto bounded = curve.SizeWithConfidence(0.9);
  double     low = curve.SizeAt(0.5);
  double     high = bounded.value_or(curve.SizeAt(0.9));
  for (const Detection & detection : detections)
  {
    low = std::min(low, detection.size);
    high = std::max(high, detection.size);
  }
  low /= 1.1;
  high *= 1.1;
  const auto       drawing = MakeDrawing(path, ChartFrame::Width, ChartFrame::Height);
  const ChartFrame frame(*drawing,
                         "Probability of detection",
                         { "size of the defect [" + unit + "]", low, high, true, false },
                         { "probability", -0.04, 1.04, false, false },
                         Room);
  const auto       draw = [&](const Color & color, auto probability) {
    double x = 0;
    double y = 0;
    for (int i = 0; i <= Steps; ++i)
    {
      const double size = low * std::pow(high / low, static_cast<double>(i) / Steps);
      const double nextX = frame.X(size);
      const double nextY = frame.Y(probability(size));
      if (i > 0)
      {
        drawing->DrawLine(x, y, nextX, nextY, 2, color);
      }
      x = nextX;
      y = nextY;
    }
  };
  drawing->DrawLine(frame.Left(), frame.Y(0.9), frame.Right(), frame.Y(0.9), 1, HitColor);
  draw(BoundColor, [&](double size) { return curve.LowerBound(size); });
  draw(CurveColor, [&](double size) { return curve.Probability(size); });
  for (const Detection & detection : detections)
  {
    const double x = frame.X(detection.size);
    const double y = frame.Y(detection.isHit ? 1 : 0);
    drawing->DrawLine(x, y - 5, x, y + 5, 1, HitColor);
  }
  DrawLegend(*drawing, frame, 0, CurveColor, "most likely");
  DrawLegend(*drawing, frame, 1, BoundColor, "95 % bound");
  DrawLegend(*drawing, frame, 2, HitColor, "hit (1), miss (0)");
  DrawLegend(*drawing, frame, 4, TextColor, "a90 " + ShortNumber(curve.SizeAt(0.9), 3) + " " + unit);
  DrawLegend(*drawing,
             frame,
             5,
             TextColor,
             "a90/95 " + (bounded ? ShortNumber(*bounded, 3) + " " + unit : std::string("-")));
  DrawLegend(*drawing, frame, 6, TextColor, std::to_string(curve.HitCount()) + " of " + std::to_string(curve.Count()));
  drawing->Write(path);
}

} // namespace brickccl::batch
