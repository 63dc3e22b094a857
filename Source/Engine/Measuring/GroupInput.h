// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_MEASURING_GROUPINPUT_H
#define BRICKCCL_MEASURING_GROUPINPUT_H

#include "BrickCCL/Host/Parallel.h"
#include "BrickCCL/Measuring/Measuring.h"
#include "BrickCCL/Measuring/TouchingRuns.h"
#include "BrickCCL/Runs/RunVolume.h"

#include <optional>

namespace brickccl
{

/** The input of a group of columns. */
struct GroupInput
{
  /** Labels of runs are places in the table, from 1 on, or 0. */
  const RunVolume & volume;
  /** The images have the volume's extent. */
  const MeasureOptions & options;
  HostContext            context;
  /** The result of TouchingAreJoined, shared by the groups of a table. */
  std::optional<bool> & touchingAreJoined;

  /** Whether runs that touch have the same label (TouchingRunsAreJoined), which makes some measures faster. The first
   *  group that asks looks at the runs. */
  bool
  TouchingAreJoined() const
  {
    if (!touchingAreJoined)
    {
      touchingAreJoined = TouchingRunsAreJoined(volume, context);
    }
    return *touchingAreJoined;
  }
};

} // namespace brickccl

#endif
