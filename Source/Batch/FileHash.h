#ifndef BRICKCCL_BATCH_FILEHASH_H
#define BRICKCCL_BATCH_FILEHASH_H

#include "BrickCCL/Files/FileBytes.h"

#include <nlohmann/json.hpp>

#include <string>

namespace brickccl::batch
{

/** The SHA-256 of bytes, as 64 hexadecimal digits. */
std::string HashOf(const void * data, std::size_t size);
std::string HashOf(const std::string & text);

/** {"path": ..., "bytes": ..., "sha256": ...} of a file. \param name  stands in `path`
 *  \throws Error if it cannot be read. */
nlohmann::ordered_json DescribeFile(const std::string & path, const std::string & name);
/** The same for a file that is mapped already. */
nlohmann::ordered_json DescribeFile(const files::FileBytes & bytes, const std::string & name);

} // namespace brickccl::batch

#endif
