// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Measuring/Measuring.h"
#include "BrickCCL/Tables/ComponentSums.h"
#include "BrickCCL/Tables/MergeTables.h"

#include <cstddef>

namespace brickccl
{

/** Computes the moments and axes of a component from its exact sums; the table has its row. \param measures  new. */
void FinishMoments(const ComponentTable & table,
                   std::size_t            component,
                   const ProductSums &    products,
                   ShapeMeasures &        measures);

/** Merges ProductSums and ShapeMeasures, unless another group has done so. */
void MergeMoments(const MergeInput & input, ComponentTable & table);

} // namespace brickccl
