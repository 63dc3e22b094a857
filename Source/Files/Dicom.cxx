#include "BrickCCL/Files/Formats.h"

#include "BrickCCL/Core/Error.h"

namespace brickccl::files
{

bool
IsDicom(const FileBytes &)
{
  return false;
}

LoadedImage
ReadDicom(const FileBytes &, const ReadOptions &)
{
  throw Unsupported("not yet");
}

LoadedImage
ReadDicomFolder(const std::string &, const ReadOptions &)
{
  throw Unsupported("not yet");
}

bool
HoldsDicom(const std::string &)
{
  return false;
}

} // namespace brickccl::files
