// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_SEGMENTING_THRESHOLDASJSON_H
#define BRICKCCL_SEGMENTING_THRESHOLDASJSON_H

#include "BrickCCL/Segmenting/Threshold.h"

#include <nlohmann/json.hpp>

#include <cstdint>

namespace brickccl
{

/** A threshold with all its digits: for 64-bit whole numbers a double may be too short. */
inline nlohmann::ordered_json
ThresholdAsJson(const Number & threshold)
{
  return !Threshold::IsBeyondDoubles(threshold) || !threshold.IsWhole()
         ? nlohmann::ordered_json(static_cast<double>(threshold))
       : threshold < 0 ? nlohmann::ordered_json(static_cast<std::int64_t>(threshold))
                       : nlohmann::ordered_json(static_cast<std::uint64_t>(threshold));
}

} // namespace brickccl

#endif
