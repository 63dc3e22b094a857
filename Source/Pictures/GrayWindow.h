#ifndef BRICKCCL_PICTURES_GRAYWINDOW_H
#define BRICKCCL_PICTURES_GRAYWINDOW_H

#include <vector>

namespace brickccl
{

/** The values that become black and white. */
struct GrayWindow
{
  double black = 0;
  double white = 1;

  /** From 0 for black to 1 for white, 0 for NaN. */
  double ShareOf(double value) const;
};

/** A window that shows the part, not the air around it: from the 0.5th to the 99.5th percentile of the part, and a
 *  little beyond. Where the values fall into two groups by Otsu's threshold, the lower of which is as narrow as air is,
 *  the part is the upper group if that holds at least a tenth of them; else it is all values.
 *  \param values  the gray values of a picture; those that are not finite do not count. */
GrayWindow WindowOfPart(const std::vector<double> & values);

} // namespace brickccl

#endif
