// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_CLI_HELP_H
#define BRICKCCL_CLI_HELP_H

#include <CLI/CLI.hpp>

namespace brickccl::cli
{

/** Arranges the help of a command: options by task, an example for each subcommand, exit codes. It is called when all
 *  subcommands are there. */
void ArrangeHelp(CLI::App & app);

/** Adds the subcommands that print a script of completions for a shell, and a man page. They know the commands and
 * options that the app has when they run. */
void AddHelpCommands(CLI::App & app);

} // namespace brickccl::cli

#endif
