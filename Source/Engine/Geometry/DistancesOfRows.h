// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Core/VolumeView.h"
#include "BrickCCL/Host/Parallel.h"
#include "BrickCCL/Host/UninitializedVector.h"

#include <cstdint>
#include <functional>

namespace brickccl
{

/** Returns the labels of a row, which may be written to `room`. */
template <typename TLabel>
using RowsOfLabels = std::function<const TLabel *(std::int64_t row, TLabel * room)>;

/** SquaredDistancesToOthers for labels that come row by row, in no more memory than the result has for most spacings.
 *  \param image  all labels; null if voxels of different components share no faces across axes other than x. */
UninitializedVector<float> SquaredDistancesOfRows(const Extent &                      extent,
                                                  const Geometry &                    geometry,
                                                  const RowsOfLabels<std::uint32_t> & rows,
                                                  const HostContext &                 context,
                                                  const std::uint32_t *               image = nullptr);

} // namespace brickccl
