#ifndef BRICKCCL_CLI_COMMANDS_H
#define BRICKCCL_CLI_COMMANDS_H

#include <CLI/CLI.hpp>

namespace brickccl::cli
{

/** Each adds its subcommand, which runs when the arguments are parsed and throws where it fails. */
void AddLabelCommand(CLI::App & app);
void AddStatsCommand(CLI::App & app);
void AddSelectCommand(CLI::App & app);
void AddInfoCommand(CLI::App & app);
void AddPhantomCommand(CLI::App & app);
/** Only in builds with VTK. */
void AddMeshCommand(CLI::App & app);

} // namespace brickccl::cli

#endif
