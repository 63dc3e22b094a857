#ifndef BRICKCCL_PYTHON_RULES_H
#define BRICKCCL_PYTHON_RULES_H

#include "Arrays.h"

#include "BrickCCL/Core/Connectivity.h"
#include "BrickCCL/Core/PeriodicAxes.h"
#include "BrickCCL/Dispatch/Label.h"
#include "BrickCCL/Labels/Labels.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace brickccl::python
{

/** "raster" or "size". \throws InvalidArgument */
LabelOrder OrderFromName(const std::string & name);

/** A number of neighbours (4, 8, 6, 18, 26 ...) or a rank (1 .. dimension), along the axes that are not among
 *  `sliceAxes`, which ascend. */
Connectivity MakeConnectivity(std::optional<int> connectivity, int dimension, const std::vector<int> & sliceAxes);

/** The same, or if `neighbourhood` is not empty, that of this structuring element (x fastest). */
Connectivity MakeConnectivity(std::optional<int>       connectivity,
                              const std::vector<int> & neighbourhood,
                              int                      dimension,
                              const std::vector<int> & sliceAxes);

/** Axes as 0 (x) .. 3 (t). */
PeriodicAxes MakePeriodic(const std::vector<int> & axes);

/** From the arguments of `brickccl.label`; None where there is no background, range or tolerance. */
Criterion MakeCriterion(const std::string & joining,
                        nb::handle          background,
                        nb::handle          low,
                        nb::handle          high,
                        nb::handle          tolerance);

/** The arguments of `brickccl.label` that say which components stay, and their order. */
void SetLimits(const std::string &          order,
               std::uint64_t                minimumSize,
               std::optional<std::uint64_t> maximumSize,
               double                       minimumVolume,
               std::uint64_t                largest,
               LabelOptions &               options);

/** The number of threads for an image; 0 stands for all. */
int ThreadsFor(const Extent & extent, int threads);

} // namespace brickccl::python

#endif
