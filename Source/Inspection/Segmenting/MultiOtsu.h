// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_SEGMENTING_MULTIOTSU_H
#define BRICKCCL_SEGMENTING_MULTIOTSU_H

#include "BrickCCL/Segmenting/ValueHistogram.h"

#include <vector>

namespace brickccl
{

/** The `classes` - 1 thresholds that make the variance between classes greatest, lowest first (Otsu, A Threshold
 *  Selection Method from Gray-Level Histograms, IEEE Transactions on Systems, Man, and Cybernetics, 1979). The
 *  optimum is exact. Each threshold is in the middle between the two neighboring values that occur; of equally good
 *  divisions the one with the lowest thresholds wins. \throws InvalidArgument if fewer than `classes` values occur. */
std::vector<double> MultiOtsuThresholds(const ValueHistogram & histogram, int classes);

} // namespace brickccl

#endif
