// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_PYTHON_LABELEDRUNS_H
#define BRICKCCL_PYTHON_LABELEDRUNS_H

#include "Arrays.h"

#include <cstddef>

namespace brickccl::python
{

/** Adds `LabeledRuns` and what makes them, `find` and `measure_labels`, to the module. */
void BindLabeledRuns(nb::module_ & module);

/** The memory of at most one freed `LabeledRuns` of at most this many bytes is kept for the next one. */
inline constexpr std::size_t LargestKeptRuns = std::size_t{ 1 } << 26;

/** Gives back what is kept. \return how many bytes it was. */
std::size_t FreeKeptRuns();

} // namespace brickccl::python

#endif
