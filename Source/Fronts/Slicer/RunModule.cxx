// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Slicer/RunModule.h"

#include "BrickCCL/Cli/JobOptions.h"
#include "BrickCCL/Cli/RunApp.h"
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Core/TextLists.h"
#include "BrickCCL/Criteria/Criterion.h"
#include "BrickCCL/Files/Disk/AtomicFile.h"
#include "BrickCCL/Host/System.h"
#include "BrickCCL/Pictures/Drawing.h"

#include <algorithm>
#include <cmath>
#include <iostream>

namespace brickccl::slicer
{

ModuleReporter::ModuleReporter(const std::string & title, const ModuleWords & words)
  : cli::Reporter(true)
  , m_Title(EscapeXml(title))
  , m_Words(words)
{}

void
ModuleReporter::Step(const std::string & name)
{
  cli::ThrowIfInterrupted();
  EndStep();
  // If there are more steps than were promised, the last share of the progress is theirs.
  m_Begun = std::min(m_Begun + 1, m_Steps);
  m_Watch.Lap();
  std::cout << "<filter-start>\n<filter-name>" << m_Title << "</filter-name>\n<filter-comment>" << EscapeXml(name)
            << "</filter-comment>\n</filter-start>" << std::endl;
  ShowProgress(0);
}

void
ModuleReporter::Note(const std::string & text)
{
  if (!text.empty())
  {
    std::cout << m_Words.Translate(text) << std::endl;
  }
}

ProgressHooks
ModuleReporter::Hooks()
{
  ProgressHooks hooks;
  hooks.canceled = WasInterrupted;
  hooks.report = [this](double fraction) { ShowProgress(fraction); };
  return hooks;
}

void
ModuleReporter::ShowProgress(double stage)
{
  constexpr double leastStep = 0.005;
  const double     done = std::min(1.0, (m_Begun - 1 + stage) / m_Steps);
  if (done >= m_Shown + leastStep || (done > m_Shown && stage == 1))
  {
    m_Shown = done;
    std::cout << "<filter-progress>" << done << "</filter-progress>\n<filter-stage-progress>" << stage
              << "</filter-stage-progress>" << std::endl;
  }
}

void
ModuleReporter::EndStep()
{
  if (m_Begun > 0)
  {
    ShowProgress(1);
    std::cout << "<filter-end>\n<filter-name>" << m_Title << "</filter-name>\n<filter-time>" << m_Watch.Lap()
              << "</filter-time>\n</filter-end>" << std::endl;
  }
}

void
ModuleReporter::Finish()
{
  m_Begun = m_Begun > 0 ? m_Steps : 0;
  EndStep();
  m_Begun = 0;
}

namespace
{

/** The arguments of every Slicer module in addition to its parameters. */
struct CommonArguments
{
  std::string returnFile;
  std::string processInformation;
  bool        echo = false;
};

void
AddCommonOptions(CLI::App & app, const Module & module, CommonArguments & arguments)
{
  app
    .add_flag_callback(
      "--xml",
      [xml = module.xml] {
        std::cout << xml << std::flush;
        throw CLI::Success();
      },
      "Print the XML description for Slicer's GUI and exit")
    ->trigger_on_parse();
  app
    .add_option("--returnparameterfile",
                arguments.returnFile,
                "Write the return values to this file, one per line: name = value")
    ->type_name("FILE");
  app
    .add_option("--processinformationaddress",
                arguments.processInformation,
                "Ignored (used by modules that run inside Slicer)")
    ->type_name("ADDRESS");
  app.add_flag("--echo", arguments.echo, "Print the values of all parameters");
}

void
WriteReturnValues(std::ostream & stream, const ModuleRun & run)
{
  for (const auto & [name, value] : run.returned)
  {
    stream << name << " = " << value << '\n';
  }
}

void
Work(const Module &            module,
     const ModuleDescription & description,
     const ModuleValues &      values,
     const CommonArguments &   common)
{
  if (common.echo)
  {
    values.Echo(std::cout);
  }
  values.CheckFiles(description, common.returnFile);
  if (!common.returnFile.empty())
  {
    CheckWritable(common.returnFile);
  }
  const ModuleWords words(description, module.parametersOfOptions);
  const auto        reporter = std::make_shared<ModuleReporter>(description.title, words);
  ModuleRun         run(description, values, words, reporter);
  module.work(run);
  if (!common.returnFile.empty())
  {
    ReplaceTextFile(common.returnFile, [&](std::ostream & stream) { WriteReturnValues(stream, run); });
  }
  reporter->Finish();
  WriteReturnValues(std::cout, run);
}

} // namespace

void
ModuleRun::RequireFromZero(const std::string & name, double most) const
{
  const double value = values.Number(name);
  ThrowIf<InvalidArgument>(!(value >= 0 && value <= most),
                           "'" + m_Module.Find(name)->label + "' is " + values.Text(name) + "; it must be at " +
                             (value < 0 ? "least 0" : "most " + brickccl::Number(most).ToString()));
}

nlohmann::ordered_json
ModuleRun::RunCommand(void (*add)(CLI::App &, const cli::FrontEnd &), std::vector<std::string> arguments, int steps)
{
  m_Reporter->Expect(steps);
  nlohmann::ordered_json summary;
  cli::FrontEnd          frontEnd;
  frontEnd.makeReporter = [this](bool) { return m_Reporter; };
  frontEnd.takeSummary = [&](const nlohmann::ordered_json & all) { summary = all; };
  // The files that Slicer's reader of volumes maps.
  frontEnd.widestLabels = LabelType::UInt32;
  frontEnd.alwaysMeasures = true;

  CLI::App app;
  add(app, frontEnd);
  arguments.push_back("--json");
  // CLI11 takes them from the end.
  std::reverse(arguments.begin(), arguments.end());
  try
  {
    app.parse(arguments);
  }
  catch (const CLI::ParseError & error)
  {
    throw InvalidArgument(m_Words.Translate(error.what()));
  }
  catch (const Canceled &)
  {
    throw;
  }
  catch (const Error & error)
  {
    throw Error(m_Words.Translate(error.what()));
  }
  return summary;
}

void
ModuleRun::Return(const std::string & name, const nlohmann::ordered_json & value)
{
  const ModuleParameter * const parameter = m_Module.Find(name);
  ThrowIf(parameter == nullptr || !parameter->IsReturnValue(), "the module's XML has no return value '" + name + "'");
  returned.emplace_back(name, value.is_string() ? value.get<std::string>() : value.dump());
}

void
ModuleRun::ReturnTotals(const nlohmann::ordered_json & summary)
{
  const auto & totals = summary.at("totals");
  Return("componentCount", summary.at("components"));
  Return("componentVolume", SizeIn(summary, totals));
}

int
RunModule(const Module & module, int argc, char ** argv)
{
  try
  {
    const ModuleDescription description = ParseModuleDescription(module.xml);
    CLI::App                app(description.description, module.name);
    app.set_version_flag("--version", description.version);
    CommonArguments common;
    AddCommonOptions(app, module, common);
    ModuleValues values;
    values.AddOptions(app, description);
    app.callback([&] { Work(module, description, values, common); });
    // A field of the GUI that is empty may come as an empty text.
    return cli::RunApp(app, argc, argv, true);
  }
  catch (const std::exception & error)
  {
    std::cerr << module.name << ": error: " << error.what() << std::endl;
    return 1;
  }
}

double
SizeIn(const nlohmann::ordered_json & summary, const nlohmann::ordered_json & sizes, const std::string & start)
{
  const int dimension = static_cast<int>(summary.at("extent").size());
  return sizes.at(start + SizeName(dimension)).get<double>();
}

void
AddBoxes(CommandArguments & arguments, const std::vector<std::string> & regions)
{
  for (const std::string & region : regions)
  {
    auto numbers = Mapped(SplitAt(',', region), [](const std::string & number) {
      return static_cast<double>(cli::ParseNumber(number, "a region"));
    });
    // The axes of space, unless the region has its own before them.
    numbers.insert(numbers.end(), { 1, 0, 0, 0, 1, 0, 0, 0, 1 });
    ThrowIf<InvalidArgument>(numbers.size() != 15 && numbers.size() != 24,
                             "the region " + Quoted(region) + " must have 6 numbers: its center and half its lengths");
    std::string low;
    std::string high;
    for (std::size_t i = 0; i < 3; ++i)
    {
      double half = 0;
      for (std::size_t axis = 0; axis < 3; ++axis)
      {
        const double share = std::abs(numbers[6 + 3 * i + axis]);
        ThrowIf<InvalidArgument>(std::abs(share - std::round(share)) > 1e-3,
                                 "the region " + Quoted(region) + " is rotated; give a box along the axes, or a mask");
        half += std::round(share) * numbers[3 + axis];
      }
      low += Shortest(numbers[i] - half) + "mm,";
      high += (i == 0 ? "" : ",") + Shortest(numbers[i] + half) + "mm";
    }
    arguments.Add("--box", { low + high });
  }
}

void
AddTable(CommandArguments & arguments, const std::string & option, const std::string & path)
{
  const std::string extension = cli::ExtensionOf(path);
  if (!path.empty())
  {
    // As Slicer's cursor shows them.
    arguments.Add(option, { path }).Add("--ras", {});
  }
  if (extension == ".tsv" || extension == ".csv")
  {
    arguments.Add("--schema", { path.substr(0, path.size() - extension.size()) + ".schema" + extension });
  }
}

} // namespace brickccl::slicer
