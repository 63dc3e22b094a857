// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace brickccl
{

/** "1 channel", "3 channels". */
template <typename TCount>
std::string
Counted(TCount count, const std::string & noun)
{
  return std::to_string(count) + ' ' + noun + (count == 1 ? "" : "s");
}

} // namespace brickccl
