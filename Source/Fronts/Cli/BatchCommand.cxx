// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Batch/FindItems.h"
#include "BrickCCL/Batch/RecipeFile.h"
#include "BrickCCL/Batch/RunBatch.h"
#include "BrickCCL/Batch/SafeText.h"
#include "BrickCCL/Cli/Commands.h"
#include "BrickCCL/Core/Counted.h"
#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Dispatch/Label.h"
#include "BrickCCL/Files/Disk/FileBytes.h"
#include "BrickCCL/Files/Isolation/EndAtInterrupt.h"
#include "BrickCCL/Report/Report.h"

#include <iostream>

namespace brickccl::cli
{

namespace
{

/** The exit code of a batch in which items have errors. */
constexpr int SomeErrors = 3;

struct BatchArguments : job::Job
{
  std::string              recipe;
  std::vector<std::string> inputs;
  std::string              folder;
  int                      jobs = 0;
  bool                     resume = false;
  bool                     dryRun = false;
  bool                     report = false;
  bool                     pdf = false;
  bool                     xlsx = false;
  std::vector<std::string> fields;
};

void
PrintItems(const batch::FoundItems & found, const BatchArguments & arguments)
{
  for (const batch::BatchItem & item : found.items)
  {
    std::cout << item.name << ": "
              << (item.found.files.size() == 1
                    ? Quoted(item.found.files[0])
                    : std::to_string(item.found.files.size()) +
                        (item.found.series.empty() ? " slice images" : " files of a DICOM series") + ", from " +
                        Quoted(item.found.files.front()))
              << " -> " << Printable(arguments.folder) << "/items/" << item.folder << '\n';
  }
  std::cout << Counted(found.items.size(), "item") << "; nothing was written" << std::endl;
}

void
PrintResult(const BatchArguments &     arguments,
            const batch::FoundItems &  found,
            const batch::BatchResult & result,
            Reporter &                 reporter)
{
  const std::string folder = Printable(arguments.folder);
  const std::string next =
    arguments.report ? "open #/report.html in a browser" : "a report to read and print: brickccl report #";
  const job::Findings findings = { { "folder", arguments.folder },
                                   { "items", found.items.size() },
                                   { "", folder + ": " + Counted(found.items.size(), "item"), 1 },
                                   { "", result.unjudged, result.unjudged > 0 ? 1 : 0, "# measured" },
                                   { "passed", result.passed, 1, "# passed" },
                                   { "failed", result.failed, 1, "# failed" },
                                   { "without_rules", result.unjudged },
                                   { "errors", result.errors, 1, result.errors == 1 ? "# error" : "# errors" },
                                   { "finished_before", result.kept },
                                   { "ignored_files", found.ignored },
                                   { "ignored_batches", found.otherBatches },
                                   { "", folder, 2, next } };
  PrintFindings(findings, arguments, reporter);
}

/** Writes the record of a batch. Inputs that could not be read are not in it, but in items.csv. */
void
WriteBatchRecord(const BatchArguments & arguments, const batch::Recipe & recipe)
{
  const std::string & folder = arguments.folder;
  const auto          manifest = nlohmann::ordered_json::parse(batch::ReadText(folder + "/manifest.json"));
  auto                inputs = DescribeFiles({ arguments.recipe, recipe.logo, recipe.zones });
  for (const auto & item : manifest.at("items"))
  {
    const auto & files = item.contains("input") ? item.at("input").at("files") : nlohmann::ordered_json::array();
    inputs.insert(inputs.end(), files.begin(), files.end());
  }
  // A browser writes the time of printing into report.pdf.
  const auto outputs = DescribeFiles({ "manifest.json",
                                       recipe.logo.empty() ? "" : report::CopiedLogo("", recipe.logo),
                                       arguments.report ? "report.html" : "",
                                       arguments.xlsx ? "report.xlsx" : "" },
                                     folder);
  auto       all = manifest.at("outputs");
  all.insert(all.end(), outputs.begin(), outputs.end());
  WriteRecord(arguments.record.empty() ? folder + "/record.json" : arguments.record, inputs, all);
}

/** Prints the report. If the browser fails, a note says so: the results are there. */
void
PrintReport(const std::string & folder)
{
  try
  {
    report::WritePdf(folder);
  }
  catch (const Error & error)
  {
    ThrowIfInterrupted();
    std::cerr << "brickccl: note: " << Printable(error.what()) << std::endl;
  }
}

void
RunBatchCommand(const BatchArguments & arguments)
{
  Device::FromName(arguments.device);
  ThrowIf<InvalidArgument>(!arguments.fields.empty() && !arguments.report && !arguments.xlsx,
                           "--report-field needs --report or --xlsx");
  batch::Recipe recipe = batch::ReadRecipe(arguments.recipe);
  report::SetFields(recipe, arguments.fields);
  const std::string       logo = recipe.logo.empty() ? "" : report::CopiedLogo(arguments.folder, recipe.logo);
  const batch::FoundItems found = batch::FindItems(arguments.inputs, recipe, arguments.folder);
  if (arguments.pdf)
  {
    report::FindBrowser();
  }
  if (arguments.dryRun)
  {
    PrintItems(found, arguments);
    for (const batch::BatchItem & item : found.items)
    {
      const std::string zones = batch::ZonesOf(recipe, item.name);
      ThrowIf(!zones.empty() && !files::IsThere(zones), "the file " + Quoted(zones) + " (zones.file) is missing");
    }
    return;
  }
  Reporter            reporter(arguments.quiet || arguments.json);
  batch::BatchOptions options;
  options.jobs = arguments.jobs;
  options.resume = arguments.resume;
  options.writesReport = arguments.report;
  options.process.device = arguments.device;
  options.process.drawsForReport = arguments.report;
  options.process.surfacesProgram = FindSurfacesProgram();
  options.report = [&](const batch::BatchEvent & event) {
    reporter.Note("[" + std::to_string(event.done) + "/" + std::to_string(event.total) + "] " + event.text +
                  (event.secondsLeft >= 0 && event.done < event.total ? " (" + TimeLeft(event.secondsLeft) + ")" : ""));
  };
  for (const std::string & file : found.ignored)
  {
    reporter.Note("note: " + Quoted(file) + " has an unknown format and is skipped");
  }
  for (const std::string & other : found.otherBatches)
  {
    reporter.Note("note: " + Quoted(other) + " holds the results of another batch and is skipped");
  }
  TellAtInterrupt("brickccl: stopped; finished items stay in " + Quoted(arguments.folder) +
                  "; continue with the same command and --resume\n");
  const batch::BatchResult result = batch::RunBatch(found.items, recipe, arguments.folder, options);
  if (!logo.empty())
  {
    ReplaceTextFile(logo, [&](std::ostream & stream) { stream << batch::ReadText(recipe.logo); });
  }
  if (arguments.report)
  {
    report::WriteReport(arguments.folder, arguments.fields);
  }
  if (arguments.pdf)
  {
    PrintReport(arguments.folder);
  }
  if (arguments.xlsx)
  {
    WriteBatchWorkbook(arguments.folder, arguments.fields);
  }
  if (result.wasInterrupted)
  {
    throw Canceled();
  }
  WriteBatchRecord(arguments, recipe);
  PrintResult(arguments, found, result, reporter);
  if (result.errors > 0)
  {
    arguments.quiet ? void(std::cerr << "brickccl: " + Counted(result.errors, "item") + " with errors, which " +
                                          Quoted(arguments.folder + "/log.txt") + " lists\n")
                    : void();
    throw CLI::RuntimeError(SomeErrors);
  }
}

} // namespace

void
AddBatchCommand(CLI::App & app)
{
  auto       arguments = std::make_shared<BatchArguments>();
  CLI::App * command = app.add_subcommand("batch", "Find, measure and judge the defects of many images");
  command->add_option("RECIPE", arguments->recipe, "recipe: a TOML file or the name of a ready one")->required();
  command
    ->add_option(
      "INPUT",
      arguments->inputs,
      "images, folders (searched for volumes, DICOM series and slice images), or patterns in quotes (s_*.tif)")
    ->required();
  command->add_option("-o,--output", arguments->folder, "folder for the results")->required()->type_name("OUTDIR");
  command
    ->add_option("--jobs", arguments->jobs, "number of images processed at once (0, the default: one per processor)")
    ->type_name("N")
    ->transform(Count(0, 4096))
    ->capture_default_str();
  arguments->device = "cpu";
  AddOptions(*command, *arguments, "device json quiet");
  command->get_option("--device")->default_str(arguments->device);
  command->add_flag("--resume",
                    arguments->resume,
                    "continue a batch: skip finished images (with --report, only if they have pictures)");
  command->add_flag("--report", arguments->report, "also write report.html, one file to read, print and share");
  command->add_flag("--pdf", arguments->pdf, "also print it to report.pdf (needs Chromium or Chrome)")
    ->needs(command->get_option("--report"));
  command->add_flag("--xlsx", arguments->xlsx, "also write report.xlsx, a workbook for Excel");
  AddReportFields(*command, arguments->fields);
  command->add_flag("--dry-run", arguments->dryRun, "check the recipe and list the items; write nothing");
  command->callback([arguments] {
    RedirectForRerun({ &arguments->folder }, arguments->record);
    RunBatchCommand(*arguments);
  });
}

void
AddReportFields(CLI::App & command, std::vector<std::string> & fields)
{
  command
    .add_option("--report-field",
                fields,
                "field of the report, as customer=ACME, paper=Letter; overrides the recipe's [report]; may be repeated")
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
