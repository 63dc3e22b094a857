#ifndef BRICKCCL_VTK_HISTOGRAMCHART_H
#define BRICKCCL_VTK_HISTOGRAMCHART_H

#include "BrickCCL/Tables/Totals.h"

#include <string>

namespace brickccl
{

/** Draws a histogram as a bar chart; see WriteChart. */
void WriteHistogramChart(const std::string & path, const Histogram & histogram);

} // namespace brickccl

#endif
