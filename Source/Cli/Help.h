#ifndef BRICKCCL_CLI_HELP_H
#define BRICKCCL_CLI_HELP_H

#include <CLI/CLI.hpp>

namespace brickccl::cli
{

/** Arranges the help of a command: options by task, an example for each subcommand, exit codes. It is called when all
 *  subcommands are there. */
void ArrangeHelp(CLI::App & app);

/** Adds the subcommand that prints a script of completions for a shell. The script knows the options that the app has
 *  when the subcommand runs. */
void AddCompletionCommand(CLI::App & app);

} // namespace brickccl::cli

#endif
