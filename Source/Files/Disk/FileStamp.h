// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace brickccl::files
{

/** Detects whether a file was changed or replaced between two uses. Folders count as missing. */
struct FileStamp
{
  std::string   path;
  bool          isThere = false;
  std::uint64_t size = 0;
  /** When the contents changed last, in nanoseconds. */
  std::int64_t time = 0;
  /** The last change of any kind, which programs cannot set: detects replacement with the same size and time. */
  std::int64_t statusChange = 0;

  static FileStamp Of(const std::string & path);

  /** \throws Error if the file is no longer there or was changed or replaced. */
  void RequireSame() const;
};

} // namespace brickccl::files
