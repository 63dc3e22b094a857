// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_CLI_SCANINFO_H
#define BRICKCCL_CLI_SCANINFO_H

#include "BrickCCL/Cli/FileOptions.h"

namespace brickccl::cli
{

/** Prints what a scan is: its size, spacing, type and orientation, how its values are spread, and which thresholds
 * these propose. */
void PrintScanInfo(const job::Job & job);

} // namespace brickccl::cli

#endif
