#include "BrickCCL/Files/Formats.h"

#include "BrickCCL/Core/Error.h"

namespace brickccl::files
{

bool
IsMrc(const FileBytes &)
{
  return false;
}

LoadedImage
ReadMrc(const FileBytes &, const ReadOptions &)
{
  throw Unsupported("not yet");
}

} // namespace brickccl::files
