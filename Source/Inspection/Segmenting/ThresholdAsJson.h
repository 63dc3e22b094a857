// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Core/TextLists.h"
#include "BrickCCL/Segmenting/Threshold.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <limits>

namespace brickccl
{

/** A threshold with all its digits: for 64-bit whole numbers a double may be too short. */
inline nlohmann::ordered_json
ThresholdAsJson(const Number & threshold)
{
  const bool fits =
    threshold >= std::numeric_limits<std::int64_t>::min() && threshold <= std::numeric_limits<std::uint64_t>::max();
  return !Threshold::IsBeyondDoubles(threshold) || !threshold.IsWhole() || !fits
         ? nlohmann::ordered_json(static_cast<double>(threshold))
       : threshold < 0 ? nlohmann::ordered_json(static_cast<std::int64_t>(threshold))
                       : nlohmann::ordered_json(static_cast<std::uint64_t>(threshold));
}

inline nlohmann::ordered_json
ThresholdsAsJson(const std::vector<Number> & thresholds)
{
  return Mapped(thresholds, ThresholdAsJson);
}

} // namespace brickccl
