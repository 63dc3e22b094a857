// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Runs/RunVolume.h"

#include <cstdint>
#include <map>
#include <utility>

namespace brickccl::batch
{

/** The number of common voxels of each pair of labels that has any, of `a` and of `b`, which has the same extent. */
using CommonVoxels = std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint64_t>;
CommonVoxels CountCommon(const RunVolume & a, const RunVolume & b);

} // namespace brickccl::batch
