// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_CORE_COUNTED_H
#define BRICKCCL_CORE_COUNTED_H

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

#endif
