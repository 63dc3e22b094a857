#ifndef BRICKCCL_FILES_COUNTNOTANUMBER_H
#define BRICKCCL_FILES_COUNTNOTANUMBER_H

#include "BrickCCL/Files/LoadedImage.h"
#include "BrickCCL/Host/Parallel.h"

#include <cstdint>

namespace brickccl
{

/** The number of values of an image that are not a number. */
std::uint64_t CountNotANumber(const LoadedImage & image, const HostContext & context);

} // namespace brickccl

#endif
