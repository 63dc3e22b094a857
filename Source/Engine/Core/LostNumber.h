// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdlib>
#include <string>

namespace brickccl
{

/** A hint on a number that a double cannot hold, such as 1e-400 or 1e400; empty for every other text. */
inline std::string
HintOnLostNumber(const std::string & text)
{
  char *       end = nullptr;
  const double nearest = std::strtod(text.c_str(), &end);
  const auto   digits = text.substr(0, text.find_first_of("eE")).find_first_of("123456789");
  if (text.empty() || end != text.data() + text.size() || digits == std::string::npos)
  {
    return {};
  }
  return nearest == 0        ? "; it is too close to 0 for double precision"
       : std::isinf(nearest) ? "; it is too large for double precision"
                             : "";
}

/** Whether a text is such a number. */
inline bool
IsLostNumber(const std::string & text)
{
  return !HintOnLostNumber(text).empty();
}

} // namespace brickccl
