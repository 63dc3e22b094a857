// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Files/Disk/FileStamp.h"

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Files/Formats/Hdf5Datasets.h"
#include "BrickCCL/Files/Disk/StatusChange.h"

#include <filesystem>

namespace brickccl::files
{

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
