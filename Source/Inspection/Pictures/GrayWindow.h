// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace brickccl
{

struct GrayWindow
{
  double black = 0;
  double white = 1;

  /** A value's gray, from 0 for black to 1 for white. NaN is 0. */
  double ShareOf(double value) const;

  /** As radiologists state it, by the width and the middle: "window 400, level 40". */
  std::string Text() const;
};

/** A window that shows the part, not the air around it. It reaches from the 0.5th to the 99.5th percentile of the part,
 *  and a little beyond. Otsu's threshold splits the values into two groups. If the lower group is as narrow as air is,
 *  and the upper one holds at least a tenth of the values, the part is the upper group; else it is all values.
 *  \param values  the gray values of a picture; those that are not finite do not count */
GrayWindow WindowOfPart(const std::vector<double> & values);

} // namespace brickccl
