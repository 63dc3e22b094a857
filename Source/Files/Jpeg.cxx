#include "BrickCCL/Files/Formats.h"

#include "BrickCCL/Core/Error.h"

namespace brickccl::files
{

bool
IsJpeg(const FileBytes &)
{
  return false;
}

LoadedImage
ReadJpeg(const FileBytes &, const ReadOptions &)
{
  throw Unsupported("not yet");
}

} // namespace brickccl::files
