#include "BrickCCL/Files/Formats.h"

#include "BrickCCL/Core/Error.h"

namespace brickccl::files
{

bool
IsNrrd(const FileBytes &)
{
  return false;
}

LoadedImage
ReadNrrd(const FileBytes &, const ReadOptions &)
{
  throw Unsupported("not yet");
}

std::vector<std::string>
WriteNrrd(const std::string &, const std::string &, const ImageToWrite &, const WriteOptions &)
{
  throw Unsupported("not yet");
}
} // namespace brickccl::files
