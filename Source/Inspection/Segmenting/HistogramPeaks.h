// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Segmenting/ValueHistogram.h"

namespace brickccl
{

struct HistogramPeaks
{
  double low = 0;
  double high = 0;
  /** The least frequent value between them, the middle of a stretch of equally rare ones. */
  double valley = 0;
};

/** Finds the two most prominent peaks. The prominence of a peak is its height above the higher one of the two lowest
 *  points that separate it from higher peaks (its topological persistence). Heights are square roots of counts, whose
 *  noise is the same everywhere, so that few voxels of air count next to many of material. The peaks are found in
 *  about 512 bins, smoothed. \throws InvalidArgument if there is only one peak. */
HistogramPeaks FindTwoPeaks(const ValueHistogram & histogram);

} // namespace brickccl
