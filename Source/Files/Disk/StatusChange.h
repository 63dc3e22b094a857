// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_FILES_DISK_STATUSCHANGE_H
#define BRICKCCL_FILES_DISK_STATUSCHANGE_H

#include <cstdint>
#include <string>

namespace brickccl
{

/** When the contents, the name or the rights of a file were changed last, in nanoseconds. Programs can set the time of
 *  the last writing to any value, but not this one. 0 where the system keeps no such time, and for no file. */
std::int64_t StatusChangeOf(const std::string & path);

} // namespace brickccl

#endif
