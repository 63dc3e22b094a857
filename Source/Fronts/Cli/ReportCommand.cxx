// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Cli/Commands.h"
#include "BrickCCL/Report/Report.h"

namespace brickccl::cli
{

void
AddReportFields(CLI::App & command, std::vector<std::string> & fields)
{
  command
    .add_option("--report-field",
                fields,
                "field of the report's head, as customer=ACME; overrides [report] of the recipe; may be repeated")
    ->type_name("NAME=VALUE")
    ->expected(1)
    ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

void
AddReportCommand(CLI::App & app)
{
  struct Arguments
  {
    std::string              folder;
    std::vector<std::string> fields;
    bool                     pdf = false;
    bool                     xlsx = false;
  };
  auto       arguments = std::make_shared<Arguments>();
  CLI::App * command = app.add_subcommand("report", "Write the report of a batch as one HTML file");
  command->add_option("OUTDIR", arguments->folder, "folder written by `brickccl batch`")->required();
  AddReportFields(*command, arguments->fields);
  command->add_flag("--pdf", arguments->pdf, "also write report.pdf (needs Chromium or Chrome)");
  command->add_flag("--xlsx", arguments->xlsx, "also write report.xlsx, a workbook for Excel");
  command->callback([arguments] {
    // The page stays as it is if the workbook fails.
    const std::string book =
      arguments->xlsx ? WriteBatchWorkbook(arguments->folder, arguments->fields) + '\n' : std::string();
    std::cout << report::WriteReport(arguments->folder, arguments->fields) << '\n' << book << std::flush;
    if (arguments->pdf)
    {
      std::cout << report::WritePdf(arguments->folder) << std::endl;
    }
  });
}

} // namespace brickccl::cli
