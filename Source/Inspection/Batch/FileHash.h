// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Files/Disk/FileBytes.h"

#include <nlohmann/json.hpp>

#include <string>

namespace brickccl::batch
{

/** The SHA-256 of bytes, as 64 hexadecimal digits. */
std::string HashOf(const void * data, std::size_t size);
std::string HashOf(const std::string & text);

/** {"path": name, "bytes": ..., "sha256": ...}. \throws Error if unreadable, or `name` cannot be shown (CheckName). */
nlohmann::ordered_json DescribeFile(const std::string & path, const std::string & name);
/** The same for a file that is mapped already. */
nlohmann::ordered_json DescribeFile(const files::FileBytes & bytes, const std::string & name);

/** The last changes of a file's contents and status, to detect later ones. Null if it is missing. */
nlohmann::ordered_json StampOf(const std::string & path);

} // namespace brickccl::batch
