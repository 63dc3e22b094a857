#ifndef BRICKCCL_HOST_FLUSHDISK_H
#define BRICKCCL_HOST_FLUSHDISK_H

#include <filesystem>

/** What AtomicFile asks of the system's files. */
namespace brickccl
{

/** Makes a folder of a new name that begins with `start`. \throws std::system_error. */
std::filesystem::path MakeNewFolder(const std::filesystem::path & start);

/** Asks the system to put a file's bytes on the disk. Late write errors show here. \throws std::system_error. */
void FlushFile(const std::filesystem::path & file);

/** The same for the names in a folder. */
void FlushNames(const std::filesystem::path & folder);

/** Puts all that was written to the disk of a folder on it. \return whether the system could */
bool FlushDiskOf(const std::filesystem::path & folder);

} // namespace brickccl

#endif
