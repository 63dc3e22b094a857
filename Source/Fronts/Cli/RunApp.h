// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_CLI_RUNAPP_H
#define BRICKCCL_CLI_RUNAPP_H

#include <CLI/CLI.hpp>

namespace brickccl::cli
{

/** Parses the arguments, which runs the subcommand that they name. Errors go to the error stream, each with the name of
 *  the program.
 *  \param takesEmptyTexts  whether options may have an empty text; else that is an error
 *  \return the exit code: 0 only if everything was done and written. */
int RunApp(CLI::App & app, int argc, char ** argv, bool takesEmptyTexts = false);

/** Arranges the help of a command: options by task, an example for each subcommand, exit codes. It is called when all
 *  subcommands are there. */
void ArrangeHelp(CLI::App & app);

/** Adds the subcommands that print a script of completions for a shell, and a man page. They know the commands and
 * options that the app has when they run. */
void AddHelpCommands(CLI::App & app);

} // namespace brickccl::cli

#endif
