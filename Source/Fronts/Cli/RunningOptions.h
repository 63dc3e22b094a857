#ifndef BRICKCCL_CLI_RUNNINGOPTIONS_H
#define BRICKCCL_CLI_RUNNINGOPTIONS_H

#include <CLI/CLI.hpp>

#include <string>

namespace brickccl::cli
{

/** What commands ask about how they run and what they print. */
struct RunningArguments
{
  int  threads = 0;
  bool json = false;
  bool quiet = false;
};

void AddThreadsOption(CLI::App & command, int & threads);

/** Adds --threads, --json and --quiet. \param summary  says what --json prints */
void AddRunningOptions(CLI::App &          command,
                       RunningArguments &  arguments,
                       const std::string & summary = "the summary as one JSON object");

} // namespace brickccl::cli

#endif
