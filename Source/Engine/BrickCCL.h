// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_BRICKCCL_H
#define BRICKCCL_BRICKCCL_H

/** Everything a C++ program needs to label, split, measure and clean. */
#include "BrickCCL/Clean/Clean.h"
#include "BrickCCL/Core/Version.h"
#include "BrickCCL/Dispatch/CudaLabeler.h"
#include "BrickCCL/Dispatch/Label.h"
#include "BrickCCL/Measuring/Measuring.h"
#include "BrickCCL/Splitting/Split.h"
#include "BrickCCL/Tables/ComponentTable.h"
#include "BrickCCL/Tables/Condition.h"

#endif
