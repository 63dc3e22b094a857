#ifndef BRICKCCL_CLI_RUNAPP_H
#define BRICKCCL_CLI_RUNAPP_H

#include <CLI/CLI.hpp>

namespace brickccl::cli
{

/** Parses the arguments, which runs the subcommand that they name. Errors go to the error stream, each with the name of
 *  the program. \return the exit
 *  code: 0 only if everything was done and written. */
int RunApp(CLI::App & app, int argc, char ** argv);

} // namespace brickccl::cli

#endif
