#include "BrickCCL/Files/Formats.h"

#include "BrickCCL/Core/Error.h"

namespace brickccl::files
{

bool
IsPng(const FileBytes &)
{
  return false;
}

LoadedImage
ReadPng(const FileBytes &, const ReadOptions &)
{
  throw Unsupported("not yet");
}

std::vector<std::string>
WritePng(const std::string &, const ImageToWrite &, const WriteOptions &)
{
  throw Unsupported("not yet");
}
} // namespace brickccl::files
