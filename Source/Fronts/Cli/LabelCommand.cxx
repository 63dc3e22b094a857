// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Cli/Commands.h"
#include "BrickCCL/Cli/JobOptions.h"
#include "BrickCCL/Cli/RunLabel.h"

#include <memory>

namespace brickccl::cli
{

void
AddLabelCommand(CLI::App & app, const FrontEnd & frontEnd)
{
  auto       job = std::make_shared<job::Job>();
  CLI::App * command = app.add_subcommand("label", "Label the connected components of an image");
  command->add_option("INPUT", job->input, std::string("image") + FilesRead)->required();
  command->add_option("OUTPUT", job->output, "label map; not needed for a table, a picture or --json");
  AddOptions(*command, *job, "");
  command->callback([job, frontEnd] { RunLabel(*job, frontEnd); });
}

} // namespace brickccl::cli
