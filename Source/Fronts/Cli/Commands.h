// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_CLI_COMMANDS_H
#define BRICKCCL_CLI_COMMANDS_H

#include "BrickCCL/Cli/FrontEnd.h"

#include <CLI/CLI.hpp>

namespace brickccl::cli
{

/** Each adds its subcommand. The subcommand runs when the arguments are parsed, and throws where it fails. */
void AddLabelCommand(CLI::App & app, const FrontEnd & frontEnd);
void AddStatsCommand(CLI::App & app, const FrontEnd & frontEnd);
void AddSelectCommand(CLI::App & app);
void AddCleanCommand(CLI::App & app, const FrontEnd & frontEnd);
void AddSweepCommand(CLI::App & app);
void AddCropCommand(CLI::App & app);
void AddInfoCommand(CLI::App & app);
void AddViewCommand(CLI::App & app);
void AddPhantomCommand(CLI::App & app);
void AddBatchCommand(CLI::App & app);
void AddRecipeCommand(CLI::App & app);
void AddReportCommand(CLI::App & app);
void AddScoreCommand(CLI::App & app);
void AddCompareCommand(CLI::App & app);

} // namespace brickccl::cli

#endif
