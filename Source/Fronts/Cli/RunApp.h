// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace brickccl::cli
{

/** The arguments that RunApp runs, and their app, for records. */
inline std::vector<std::string> CalledArguments;
inline const CLI::App *         CalledApp = nullptr;

/** Parses the arguments, which runs the subcommand that they name. Errors go to the error stream, each with the name of
 *  the program. \param takesEmptyTexts  whether options may have an empty text; else that is an error \return the exit
 *  code: 0 only if everything was done and written. */
int RunApp(CLI::App & app, int argc, char ** argv, bool takesEmptyTexts = false);

/** Arranges help: options by task, examples, exit codes. Called when all subcommands are there. */
void ArrangeHelp(CLI::App & app);

/** Adds the subcommands for shell completion and a man page of the options that the app has when they run. */
void AddHelpCommands(CLI::App & app);

/** The names of a command's options, with their dashes. */
std::vector<std::string> OptionNames(const CLI::App & command);

std::vector<std::string> CommandNames(const CLI::App & app);

/** "a", "a and b", "a, b and c". */
std::string ListOf(const std::vector<std::string> & parts, const std::string & last = " and ");

/** Accepts only these names. The message for others proposes the nearest one. */
CLI::Validator OneOf(const std::vector<std::string> & names);

/** The subcommand of this name; null if there is none. */
const CLI::App * FindCommand(const CLI::App & app, const std::string & name);

/** The command that arguments name, and its full name: "brickccl recipe check". */
struct CommandOfArguments
{
  const CLI::App * app = nullptr;
  std::string      name;
};
CommandOfArguments CommandOf(const CLI::App & app, const std::vector<std::string> & arguments);

/** The unknown subcommand or option, with the nearest known one. Empty if all are known. */
std::string FindMisspelled(const CLI::App & app, const std::vector<std::string> & arguments);

/** Sets how many values options take here that take two or more, such as --spacing X Y [Z [T]]. They take the minimum
 *  number of values in any case, and more while the next one reads as a number: files may stand behind them. An
 *  option of one value or none has none before a file.
 *  \throws CLI::ArgumentMismatch if such an option has too few values or is given twice */
void FitValueCounts(CLI::App & app, const std::vector<std::string> & arguments);

/** How a command of this full name is called: "brickccl batch RECIPE INPUT... -o OUTDIR". */
std::string UsageOf(const CLI::App & command, const std::string & name);

/** A sentence on an option that is followed by another option instead of its value. Empty if there is none. */
std::string FindMissingValue(const CLI::App & app, const std::vector<std::string> & arguments);

/** The fault in arguments that were not understood, and the remedy. */
std::string
DescribeArgumentFault(const CLI::App & app, const CLI::ParseError & error, const std::vector<std::string> & arguments);

} // namespace brickccl::cli
