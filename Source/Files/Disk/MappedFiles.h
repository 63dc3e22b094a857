// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string>

namespace brickccl
{

/** Gives the memory of a part of a mapped file back to the system, which reads the file again if the part is used
 *  again. Only whole pages are given back. It does nothing where the system cannot. */
void ForgetMapped(const void * memory, std::size_t bytes);

namespace files
{

/** The reason to refuse a path that is not a regular file. */
constexpr const char * NotARegularFile = "it is not a regular file (but a folder, a pipe or a device)";

/** The bytes of a file in memory; null if it has none. \param size  is set to their number
 *  \throws Error with the system's reason, also for folders, pipes and devices. */
std::shared_ptr<const void> MapFile(const std::string & path, std::size_t & size);

} // namespace files

} // namespace brickccl
