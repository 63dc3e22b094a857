// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string>

namespace brickccl
{

/** Gives whole pages of a mapped file back to the system, if it can; they are read again when they are used. */
void ForgetMapped(const void * memory, std::size_t bytes);

namespace files
{

constexpr const char * NotARegularFile = "it is not a regular file (but a folder, a pipe or a device)";

/** The bytes of a file in memory; null if it has none. \param size  is set to their number
 *  \throws Error with the system's reason, also for folders, pipes and devices. */
std::shared_ptr<const void> MapFile(const std::string & path, std::size_t & size);

} // namespace files

} // namespace brickccl
