// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Cli/Commands.h"
#include "BrickCCL/Report/Report.h"

#include <iostream>
#include <memory>

namespace brickccl::cli
{

void
AddReportCommand(CLI::App & app)
{
  auto       folder = std::make_shared<std::string>();
  CLI::App * command = app.add_subcommand("report", "Write the report of a batch as one HTML file");
  command->add_option("OUTDIR", *folder, "folder written by `brickccl batch`")->required();
  command->callback([folder] { std::cout << report::WriteReport(*folder) << std::endl; });
}

} // namespace brickccl::cli
