// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Files/Disk/FileStamp.h"

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/Printable.h"

namespace brickccl::files
{

void
FileStamp::RequireSame() const
{
  const FileStamp now = Of(path);
  ThrowIf(now.isThere != isThere || now.size != size || now.time != time || now.statusChange != statusChange,
          "its values come from " + Quoted(path) + ", which was " + (now.isThere ? "changed or replaced" : "removed") +
            " while it was read; restore it and read it again");
}

} // namespace brickccl::files
