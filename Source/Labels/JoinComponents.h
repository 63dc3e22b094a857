#ifndef BRICKCCL_LABELS_JOINCOMPONENTS_H
#define BRICKCCL_LABELS_JOINCOMPONENTS_H

#include "BrickCCL/Core/Connectivity.h"
#include "BrickCCL/Core/PeriodicAxes.h"
#include "BrickCCL/Criteria/RowLinks.h"
#include "BrickCCL/Host/Parallel.h"
#include "BrickCCL/Runs/RunVolume.h"

#include <cstdint>

namespace brickccl
{

/** Joins the components of a volume along the links that algorithms leave out: those of a neighbourhood beside its
 * plain part, and those through the ends of periodic axes. The labels 1..components, in raster order, are those of the
 * plain part without periodic axes; none is filtered out. Afterwards they are consecutive and in raster order again.
 *  \param links  those that the volume was labeled by
 *  \return the number of components that are left */
std::uint64_t JoinComponents(const RowLinks &     links,
                             const Connectivity & connectivity,
                             const Connectivity & labeled,
                             const PeriodicAxes & periodic,
                             std::uint64_t        components,
                             const HostContext &  context,
                             RunVolume &          volume);

} // namespace brickccl

#endif
