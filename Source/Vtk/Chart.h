#ifndef BRICKCCL_VTK_CHART_H
#define BRICKCCL_VTK_CHART_H

#include <functional>
#include <string>

class vtkChartXY;

namespace brickccl
{

/** Draws a chart that `fill` has filled as a PNG of 1000 x 600 pixels, replacing the file as a whole.
 *  VTK draws through OpenGL: there must be a display (on machines without one, `xvfb-run -a` gives one). It ends the
 *  process where that fails, so a process of its own does it.
 *  \throws Error if the chart cannot be drawn or written. */
void WriteChart(const std::string & path, const std::function<void(vtkChartXY &)> & fill);

} // namespace brickccl

#endif
