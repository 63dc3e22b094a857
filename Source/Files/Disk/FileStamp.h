// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_FILES_DISK_FILESTAMP_H
#define BRICKCCL_FILES_DISK_FILESTAMP_H

#include <cstdint>
#include <string>

namespace brickccl::files
{

/** Detects whether a file was changed or replaced between two uses. */
struct FileStamp
{
  std::string   path;
  bool          isThere = false;
  std::uint64_t size = 0;
  /** The time of the last change, in units of the system. */
  std::int64_t time = 0;
  /** When the contents, the name or the rights were changed last. Programs can set the time of the last writing to any
   *  value, but not this one. */
  std::int64_t statusChange = 0;

  static FileStamp Of(const std::string & path);

  /** \throws Error if the file is no longer there or was changed or replaced. */
  void RequireSame() const;
};

} // namespace brickccl::files

#endif
