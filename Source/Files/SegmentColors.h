// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cmath>
#include <cstdint>

namespace brickccl
{

/** Red, green and blue, 0 to 1, of a label in color tables: hues advance by the golden ratio, to differ clearly. */
inline std::array<double, 3>
SegmentColor(std::uint64_t label)
{
  constexpr double goldenRatio = 0.6180339887498949;
  const double     hue = std::fmod(static_cast<double>(label % 1000003) * goldenRatio, 1.0) * 6;
  const double     lightest = label % 2 == 0 ? 0.75 : 0.95;
  const auto       channel = [&](double offset) {
    const double place = std::fmod(hue + offset, 6.0);
    const double share = std::fmin(1.0, std::fmax(0.0, std::abs(place - 3) - 1));
    return lightest * (0.25 + 0.75 * share);
  };
  return { channel(0), channel(4), channel(2) };
}

} // namespace brickccl
