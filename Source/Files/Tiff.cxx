#include "BrickCCL/Files/Formats.h"

#include "BrickCCL/Core/Error.h"

namespace brickccl::files
{

bool
IsTiff(const FileBytes &)
{
  return false;
}

LoadedImage
ReadTiff(const FileBytes &, const ReadOptions &)
{
  throw Unsupported("not yet");
}

std::vector<std::string>
WriteTiff(const std::string &, const ImageToWrite &, const WriteOptions &)
{
  throw Unsupported("not yet");
}
} // namespace brickccl::files
