#ifndef BRICKCCL_PYTHON_LABELEDRUNS_H
#define BRICKCCL_PYTHON_LABELEDRUNS_H

#include "Arrays.h"

#include "BrickCCL/Core/Connectivity.h"

#include <optional>
#include <vector>

namespace brickccl::python
{

/** A number of neighbours (4, 8, 6, 18, 26 ...) or a rank (1 .. dimension), along the axes that are not among
 *  `sliceAxes`, which ascend. */
Connectivity MakeConnectivity(std::optional<int> connectivity, int dimension, const std::vector<int> & sliceAxes);

/** The number of threads for an image; 0 stands for all. */
int ThreadsFor(const Extent & extent, int threads);

/** Adds `LabeledRuns` and what makes them, `find` and `measure_labels`, to the module. */
void BindLabeledRuns(nb::module_ & module);

} // namespace brickccl::python

#endif
