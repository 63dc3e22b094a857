// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Host/Progress.h"

namespace brickccl
{

/** Hooks for the part of the work from fraction `begin` to fraction `end`. */
inline ProgressHooks
PartOf(const ProgressHooks & hooks, double begin, double end)
{
  ProgressHooks part = hooks;
  if (hooks.report)
  {
    part.report = [report = hooks.report, begin, end](double fraction) { report(begin + (end - begin) * fraction); };
  }
  return part;
}

} // namespace brickccl
