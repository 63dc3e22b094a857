// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_PICTURES_HISTOGRAMCHART_H
#define BRICKCCL_PICTURES_HISTOGRAMCHART_H

#include "BrickCCL/Tables/Histogram.h"
#include "BrickCCL/Pictures/Drawing.h"

#include <string>

namespace brickccl
{

/** Writes a histogram as a bar chart of 1000 x 600 pixels, .svg or .png, all or nothing. If it has more steps than
 *  distinguishable bars, a bar shows the largest count of several steps. It needs no display.
 *  \throws InvalidArgument for another extension; Error if the file cannot be written. */
void WriteHistogramChart(const std::string & path, const Histogram & histogram);

} // namespace brickccl

#endif
