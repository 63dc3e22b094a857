#include "BrickCCL/Cli/RunningOptions.h"

#include "BrickCCL/Cli/NumberOptions.h"

namespace brickccl::cli
{

void
AddThreadsOption(CLI::App & command, int & threads)
{
  command.add_option("--threads", threads, "number of CPU threads; 0: all")
    ->transform(Count(0, MaximumThreads))
    ->capture_default_str();
}

void
AddRunningOptions(CLI::App & command, RunningArguments & arguments, const std::string & summary)
{
  AddThreadsOption(command, arguments.threads);
  command.add_flag("--json", arguments.json, "print " + summary);
  command.add_flag("--quiet", arguments.quiet, "print nothing but errors");
}

} // namespace brickccl::cli
