// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_TESTING_RANDOMVOLUME_H
#define BRICKCCL_TESTING_RANDOMVOLUME_H

#include "FloodFill.h"
#include "BrickCCL/Algorithms/BundleMerging/BundleMerging.h"
#include "BrickCCL/Algorithms/RunMerging/RunMerging.h"
#include "BrickCCL/BrickCCL.h"
#include "BrickCCL/Labels/ExpandLabels.h"
#include "BrickCCL/Criteria/RowLinks.h"
#include "BrickCCL/Dispatch/AlgorithmTable.h"
#include "BrickCCL/Dispatch/LabelingImplementation.h"
#include "BrickCCL/Phantoms/Phantoms.h"
#include "BrickCCL/Runs/FindRuns.h"
#include "BrickCCL/Runs/RunBounds.h"

#include <gtest/gtest.h>

namespace brickccl
{

inline const Extent VolumeExtent{ 70, 20, 10 };

inline std::vector<std::uint8_t>
Volume()
{
  return MakeRandom(VolumeExtent, 0.25, 1, 3);
}

} // namespace brickccl

#endif
