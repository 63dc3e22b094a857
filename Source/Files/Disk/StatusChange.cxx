// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Files/Disk/StatusChange.h"

#ifndef _WIN32
#  include <sys/stat.h>
#endif

namespace brickccl
{

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

} // namespace brickccl
