// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_CLI_VALUECOUNTS_H
#define BRICKCCL_CLI_VALUECOUNTS_H

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace brickccl::cli
{

/** Sets how many values options take here that take two or more, such as --spacing X Y [Z [T]]. They take the minimum
 *  number of values in any case, and more while the next one reads as a number: files may stand behind them. An
 *  option of one value or none has none before a file.
 *  \throws CLI::ArgumentMismatch if such an option has too few values or is given twice */
void FitValueCounts(CLI::App & app, const std::vector<std::string> & arguments);

} // namespace brickccl::cli

#endif
