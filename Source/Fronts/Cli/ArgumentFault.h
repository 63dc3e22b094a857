// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_CLI_ARGUMENTFAULT_H
#define BRICKCCL_CLI_ARGUMENTFAULT_H

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace brickccl::cli
{

/** How a command of this full name is called: "brickccl batch RECIPE INPUT... -o OUTDIR". */
std::string UsageOf(const CLI::App & command, const std::string & name);

/** A sentence on an option that is followed by another option instead of its value. Empty if there is none. */
std::string FindMissingValue(const CLI::App & app, const std::vector<std::string> & arguments);

/** The fault in arguments that were not understood, and the remedy. */
std::string
DescribeArgumentFault(const CLI::App & app, const CLI::ParseError & error, const std::vector<std::string> & arguments);

} // namespace brickccl::cli

#endif
