// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Files/Disk/FileStamp.h"

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/Printable.h"

#include <filesystem>
#ifndef _WIN32
#  include <sys/stat.h>
#endif

namespace brickccl::files
{

namespace
{

/** In nanoseconds; 0 where the system keeps no such time, and for no file. */
std::int64_t
StatusChangeOf(const std::string & path)
{
#ifdef _WIN32
  static_cast<void>(path);
  return 0;
#else
  struct stat status;
  if (::stat(path.c_str(), &status) != 0)
  {
    return 0;
  }
#  ifdef __APPLE__
  const struct timespec & time = status.st_ctimespec;
#  else
  const struct timespec & time = status.st_ctim;
#  endif
  return std::int64_t{ time.tv_sec } * 1000000000 + time.tv_nsec;
#endif
}

} // namespace

FileStamp
FileStamp::Of(const std::string & path)
{
  namespace fs = std::filesystem;
  FileStamp       stamp{ path };
  std::error_code failure;
  const auto      size = fs::file_size(path, failure);
  if (!failure)
  {
    const auto time = fs::last_write_time(path, failure);
    stamp.isThere = !failure;
    stamp.size = size;
    stamp.time = static_cast<std::int64_t>(time.time_since_epoch().count());
    stamp.statusChange = StatusChangeOf(path);
  }
  return stamp;
}

void
FileStamp::RequireSame() const
{
  const FileStamp now = Of(path);
  if (now.isThere != isThere || now.size != size || now.time != time || now.statusChange != statusChange)
  {
    throw Error("its values come from " + Quoted(path) + ", which was " +
                (now.isThere ? "changed or replaced" : "removed") + " while it was read; restore it and read it again");
  }
}

} // namespace brickccl::files
