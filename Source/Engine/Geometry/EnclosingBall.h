// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <vector>

namespace brickccl
{

/** A ball; in fewer than three dimensions the other coordinates are 0. */
struct Ball
{
  std::array<double, 3> center{};
  double                squaredRadius = 0;
};

/** The smallest ball that holds boxes around the given points, all with the same `halfSides`; right to 1e-12 of its
 *  radius. While a corner is outside, the ball becomes the smallest one around its supporting corners and the
 *  farthest corner (Gaertner, Fast and robust smallest enclosing balls, 1999). */
Ball SmallestEnclosingBall(const std::vector<std::array<double, 3>> & points, const std::array<double, 3> & halfSides);

} // namespace brickccl
