#ifndef BRICKCCL_VTK_HISTOGRAMCHART_H
#define BRICKCCL_VTK_HISTOGRAMCHART_H

#include "BrickCCL/Components/Totals.h"

#include <string>

namespace brickccl
{

/** Draws a histogram as a bar chart, a PNG of 1000 x 600 pixels, replacing the file as a whole.
 *  VTK draws through OpenGL: there must be a display (on machines without one, `xvfb-run -a` gives one). It ends the
 *  process where that fails, so a process of its own does it.
 *  \throws Error if the chart cannot be drawn or written. */
void WriteHistogramChart(const std::string & path, const Histogram & histogram);

} // namespace brickccl

#endif
