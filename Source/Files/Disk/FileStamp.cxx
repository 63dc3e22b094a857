// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Files/Disk/FileStamp.h"

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/Printable.h"

#include <sys/stat.h>

namespace brickccl::files
{

FileStamp
FileStamp::Of(const std::string & path)
{
  FileStamp   stamp{ path };
  struct stat status;
  if (::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode))
  {
#ifdef __APPLE__
    const struct timespec times[2] = { status.st_mtimespec, status.st_ctimespec };
#else
    const struct timespec times[2] = { status.st_mtim, status.st_ctim };
#endif
    stamp.isThere = true;
    stamp.size = static_cast<std::uint64_t>(status.st_size);
    stamp.time = std::int64_t{ times[0].tv_sec } * 1000000000 + times[0].tv_nsec;
    stamp.statusChange = std::int64_t{ times[1].tv_sec } * 1000000000 + times[1].tv_nsec;
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
