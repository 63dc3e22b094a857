// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

namespace brickccl
{

/** The largest number of 1, 2 or 5 times a power of ten that is not above `limit`. `limit` is above 0. */
inline double
LargestRoundNumber(double limit)
{
  const double exponent = std::floor(std::log10(limit));
  // On Windows 10^-2 is not 0.01, but 1 / 10^2 is.
  const double power = exponent < 0 ? 1 / std::pow(10, -exponent) : std::pow(10, exponent);
  // 1e-9 is the error that a computed power of ten may have.
  for (const double factor : { 10.0, 5.0, 2.0 })
  {
    if (factor * power <= limit * (1 + 1e-9))
    {
      return factor * power;
    }
  }
  return power;
}

} // namespace brickccl
