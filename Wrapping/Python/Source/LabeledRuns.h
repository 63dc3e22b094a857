#ifndef BRICKCCL_PYTHON_LABELEDRUNS_H
#define BRICKCCL_PYTHON_LABELEDRUNS_H

#include "Arrays.h"

namespace brickccl::python
{

/** Adds `LabeledRuns` and what makes them, `find` and `measure_labels`, to the module. */
void BindLabeledRuns(nb::module_ & module);

} // namespace brickccl::python

#endif
