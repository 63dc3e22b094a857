// SPDX-License-Identifier: Apache-2.0
#pragma once

// Headers that every command needs.
#include "BrickCCL/Cli/FileOptions.h"
#include "BrickCCL/Cli/FrontEnd.h"
#include "BrickCCL/Cli/JobOptions.h"
#include "BrickCCL/Core/Counted.h"
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Files/Disk/AtomicFile.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <iostream>
#include <memory>
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
void AddMergeCommand(CLI::App & app);
void AddDistanceCommand(CLI::App & app);
void AddThicknessCommand(CLI::App & app);
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
void AddRerunCommand(CLI::App & app);

/** The front end of `brickccl label`, which can write records. */
FrontEnd RecordingFrontEnd();

/** DescribeFile of these, without missing files. */
nlohmann::ordered_json DescribeFiles(const std::vector<std::string> & names, const std::string & folder = "");

/** Writes a record of this run: version, command, options, computer, user, date and described files (DescribeFile). */
void
WriteRecord(const std::string & path, const nlohmann::ordered_json & inputs, const nlohmann::ordered_json & outputs);

/** Moves all outputs of a command, and its record, into the folder of `rerun`, if `rerun` has started it. */
void RedirectForRerun(const std::vector<std::string *> & outputs, std::string & record);

/** Prints a scan's size, spacing, type, orientation and range of values, and the thresholds these propose. */
void PrintScanInfo(const job::Job & job);

/** Writes the results of a batch as a workbook, report.xlsx in its folder: summary, verdicts, defects and a histogram.
 *  \param fields  as report::WriteReport takes them \return the path. \throws Unsupported in a build without
 * libxlsxwriter; Error */
std::string WriteBatchWorkbook(const std::string & folder, const std::vector<std::string> & fields);

/** Adds --report-field, of commands that write reports. */
void AddReportFields(CLI::App & command, std::vector<std::string> & fields);

/** The path of the program with the commands that need VTK; it is separate because loading VTK's libraries takes as
 *  long as labeling a volume. It is next to this program in the build tree, and in libexec after installation.
 *  \return empty if it is missing or was not built */
std::string FindSurfacesProgram();

/** Continues as that program. Returns if it is missing and they ask for help. \throws Error if it is missing. */
void ContinueAsSurfaces(char ** arguments);

} // namespace brickccl::cli
