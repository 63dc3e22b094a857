// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_CLI_COMMANDS_H
#define BRICKCCL_CLI_COMMANDS_H

#include "BrickCCL/Cli/FileOptions.h"
#include "BrickCCL/Cli/FrontEnd.h"

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace brickccl::cli
{

/** Each adds its subcommand. The subcommand runs when the arguments are parsed, and throws where it fails. */
void AddLabelCommand(CLI::App & app, const FrontEnd & frontEnd);
void AddStatsCommand(CLI::App & app, const FrontEnd & frontEnd);
void AddSelectCommand(CLI::App & app);
void AddCleanCommand(CLI::App & app, const FrontEnd & frontEnd);
void AddSplitCommand(CLI::App & app);
void AddDistanceCommand(CLI::App & app);
void AddMorphCommand(CLI::App & app);
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

/** Prints what a scan is: its size, spacing, type and orientation, how its values are spread, and which thresholds
 * these propose. */
void PrintScanInfo(const job::Job & job);

/** Writes the results of a batch as a workbook, report.xlsx in its folder: summary, verdicts, defects and a histogram.
 *  \param fields  as report::WriteReport takes them \return the path. \throws Unsupported in a build without
 * libxlsxwriter; Error */
std::string WriteBatchWorkbook(const std::string & folder, const std::vector<std::string> & fields);

/** Adds --report-field, of commands that write reports. */
void AddReportFields(CLI::App & command, std::vector<std::string> & fields);

} // namespace brickccl::cli

#endif
