// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Core/VolumeView.h"
#include "BrickCCL/Host/Parallel.h"

#include <cstdint>
#include <string>

namespace brickccl
{

std::uint64_t CountNotANumber(const ImageView & image, const HostContext & context);

std::string TellNotANumber(std::uint64_t count);

/** Whether a voxel of this value in a part's mask belongs to the part: what is not a number does not. */
template <typename T>
bool
IsInPart(T value)
{
  return value < T(0) || value > T(0);
}

} // namespace brickccl
