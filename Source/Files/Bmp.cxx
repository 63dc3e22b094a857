#include "BrickCCL/Files/Formats.h"

#include "BrickCCL/Core/Error.h"

namespace brickccl::files
{

bool
IsBmp(const FileBytes &)
{
  return false;
}

LoadedImage
ReadBmp(const FileBytes &, const ReadOptions &)
{
  throw Unsupported("not yet");
}

} // namespace brickccl::files
