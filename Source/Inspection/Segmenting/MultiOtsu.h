#ifndef BRICKCCL_SEGMENTING_MULTIOTSU_H
#define BRICKCCL_SEGMENTING_MULTIOTSU_H

#include "BrickCCL/Segmenting/ValueHistogram.h"

#include <vector>

namespace brickccl
{

/** The `classes` - 1 thresholds that make the variance between classes greatest, lowest first (Otsu, A Threshold
 *  Selection Method from Gray-Level Histograms, IEEE Transactions on Systems, Man, and Cybernetics, 1979). The optimum
 * is exact. Each threshold lies in the middle between the two neighbouring values that occur; of equally good divisions
 * the one of the lowest thresholds is taken. \throws InvalidArgument if fewer than `classes` values occur. */
std::vector<double> MultiOtsuThresholds(const ValueHistogram & histogram, int classes);

} // namespace brickccl

#endif
