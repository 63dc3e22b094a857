#ifndef BRICKCCL_MEASURING_COUNTNOTANUMBER_H
#define BRICKCCL_MEASURING_COUNTNOTANUMBER_H

#include "BrickCCL/Core/VolumeView.h"
#include "BrickCCL/Host/Parallel.h"

#include <cstdint>

namespace brickccl
{

/** The number of values of an image that are not a number. */
std::uint64_t CountNotANumber(const ImageView & image, const HostContext & context);

} // namespace brickccl

#endif
