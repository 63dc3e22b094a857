// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_CLI_SCANINFO_H
#define BRICKCCL_CLI_SCANINFO_H

#include "BrickCCL/Cli/FileOptions.h"

#include <string>

namespace brickccl::cli
{

/** Prints what a scan is: its size, spacing, type and orientation, how its values are spread, and which thresholds
 * these propose. \param asJson  prints one JSON object. */
void PrintScanInfo(const std::string & path, const job::Reading & files, int threads, bool asJson);

} // namespace brickccl::cli

#endif
