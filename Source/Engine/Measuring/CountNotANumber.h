// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Core/VolumeView.h"
#include "BrickCCL/Host/Parallel.h"

#include <cstdint>
#include <string>

namespace brickccl
{

/** The number of values of an image that are not a number. */
std::uint64_t CountNotANumber(const ImageView & image, const HostContext & context);

/** The note on this many of them. */
std::string TellNotANumber(std::uint64_t count);

/** Whether a voxel of this value in a part's mask belongs to the part: what is not a number does not. */
template <typename T>
bool
IsInPart(T value)
{
  return value < T(0) || value > T(0);
}

} // namespace brickccl
