// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Core/TextLists.h"
#include "BrickCCL/Segmenting/Threshold.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <limits>

namespace brickccl
{

/** A number, exactly if it is whole and has at most 64 bits. */
inline nlohmann::ordered_json
NumberAsJson(const Number & number)
{
  const bool fits =
    number >= std::numeric_limits<std::int64_t>::min() && number <= std::numeric_limits<std::uint64_t>::max();
  return !fits || !number.IsWhole() ? nlohmann::ordered_json(static_cast<double>(number))
       : number < 0                 ? nlohmann::ordered_json(static_cast<std::int64_t>(number))
                                    : nlohmann::ordered_json(static_cast<std::uint64_t>(number));
}

/** A threshold with all its digits: for 64-bit whole numbers a double may be too short. */
inline nlohmann::ordered_json
ThresholdAsJson(const Number & threshold)
{
  return Threshold::IsBeyondDoubles(threshold) ? NumberAsJson(threshold)
                                               : nlohmann::ordered_json(static_cast<double>(threshold));
}

inline nlohmann::ordered_json
ThresholdsAsJson(const std::vector<Number> & thresholds)
{
  return Mapped(thresholds, ThresholdAsJson);
}

} // namespace brickccl
