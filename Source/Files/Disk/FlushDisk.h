// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <system_error>
#include <vector>

/** Functions of the system's files for AtomicFile and batches. */
namespace brickccl
{

/** Makes a folder of a new name that begins with `start`. \throws std::system_error. */
std::filesystem::path MakeNewFolder(const std::filesystem::path & start);

/** Moves a file on the same disk in one step, also over a file. \return why that failed; then nothing is changed. */
std::error_code MoveOver(const std::filesystem::path & file, const std::filesystem::path & place);

/** Puts a file's bytes on the disk. Late write errors show here. A thread that waits here for a large file lets the
 *  process end within a moment. \throws std::system_error. */
void FlushFile(const std::filesystem::path & file);

/** The same for the names in a folder. */
void FlushNames(const std::filesystem::path & folder);

/** Puts folders with all that is in them on the disk. \throws std::system_error. */
void FlushFolders(const std::vector<std::string> & folders);

/** Calls `work` with every number below `count`, on more threads than there are processors: each waits for the disk,
 *  and a disk has many requests done in the time of one. \throws what the first call to throw throws, after all have
 *  ended. */
void ForEachOnDisk(std::size_t count, const std::function<void(std::size_t)> & work);

} // namespace brickccl
