// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Core/Connectivity.h"
#include "BrickCCL/Criteria/RowLinks.h"
#include "BrickCCL/Host/Parallel.h"
#include "BrickCCL/Runs/RunVolume.h"

#include <cstdint>
#include <vector>

namespace brickccl
{

/** Joins the components of a volume along the links that algorithms leave out: links of a neighborhood outside its
 *  plain part, and links through the ends of periodic axes. The labels 1..components, in raster order, come from the
 *  plain part without periodic axes; none is filtered out. Afterwards they are consecutive and in raster order again.
 *  \param links  those that the volume was labeled by \return the number of remaining components */
std::uint64_t JoinComponents(const RowLinks &     links,
                             const Connectivity & connectivity,
                             const Connectivity & labeled,
                             const PeriodicAxes & periodic,
                             std::uint64_t        components,
                             const HostContext &  context,
                             RunVolume &          volume);

/** Joins the components of slabs that were labeled each on its own, to the numbers of a volume labeled at once.
 *  \param axis  of the slabs: the last one of more than one slice, not x \param begins  the first slice of each slab
 *  \param components  the labels are 1..components, slab after slab
 *  \param volume  needs labels only in the first and the last slice of each slab
 *  \param numbers  gets the number of each label, and 0 for label 0 \return the number of remaining components */
template <typename TLabel>
std::uint64_t JoinSlabs(const RowLinks &                  links,
                        const Connectivity &              connectivity,
                        int                               axis,
                        const std::vector<std::int64_t> & begins,
                        std::uint64_t                     components,
                        const HostContext &               context,
                        const RunVolume &                 volume,
                        std::vector<TLabel> &             numbers);

} // namespace brickccl
