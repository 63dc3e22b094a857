// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Host/Parallel.h"
#include "BrickCCL/Measuring/Measuring.h"
#include "BrickCCL/Runs/RunVolume.h"
#include "BrickCCL/Tables/ComponentTable.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace brickccl
{

/** Measures the components 1..components of a volume. \param sliceAxis  across it, slices were labeled each on its own
 *  \throws InvalidArgument for images that do not fit, Unsupported for groups without the dimension, Canceled. */
ComponentTable MeasureComponents(const RunVolume &          volume,
                                 std::uint64_t              components,
                                 const Geometry &           geometry,
                                 const MeasureOptions &     options,
                                 const std::optional<int> & sliceAxis,
                                 const HostContext &        context);

/** The same into an earlier table, whose memory is used again. After an exception the table is only good for that. */
void MeasureComponents(const RunVolume &          volume,
                       std::uint64_t              components,
                       const Geometry &           geometry,
                       const MeasureOptions &     options,
                       const std::optional<int> & sliceAxis,
                       const HostContext &        context,
                       ComponentTable &           table);

/** \throws Unsupported for an image whose sums of indices would not fit. */
void CheckIndexSums(const Extent & extent);

/** \throws Unsupported, which names it, for a group that does not support periodic axes. */
void CheckPeriodicGroups(const PeriodicAxes & periodic, const std::vector<const ColumnGroup *> & groups);

/** MeasureLabelImage (Measuring/Measuring.h) with its runs, whose labels are places in the table, from 1 on.
 *  \param release  called once the label image is not read any more */
ComponentTable MeasureLabelImage(const ImageView &             labels,
                                 const Geometry &              geometry,
                                 const MeasureOptions &        options,
                                 const HostContext &           context,
                                 RunVolume &                   volume,
                                 const std::function<void()> & release = {});

} // namespace brickccl
