#ifndef BRICKCCL_PYTHON_LABELEDRUNS_H
#define BRICKCCL_PYTHON_LABELEDRUNS_H

#include "Arrays.h"

namespace brickccl::python
{

/** The number of threads for an image; 0 stands for all. */
int ThreadsFor(const Extent & extent, int threads);

/** Adds `LabeledRuns` and what makes them, `find` and `measure_labels`, to the module. */
void BindLabeledRuns(nb::module_ & module);

} // namespace brickccl::python

#endif
