#include "BrickCCL/Files/Formats.h"

#include "BrickCCL/Core/Error.h"

namespace brickccl::files
{

LoadedImage
ReadSliceImages(const std::vector<std::string> &, const ReadOptions &)
{
  throw Unsupported("not yet");
}

} // namespace brickccl::files
