#include "BrickCCL/Cli/Commands.h"
#include "BrickCCL/Cli/FileOptions.h"
#include "BrickCCL/Cli/NumberOptions.h"
#include "BrickCCL/Cli/PictureOption.h"
#include "BrickCCL/Cli/Report.h"
#include "BrickCCL/Cli/TableOptions.h"
#include "BrickCCL/Measuring/Measure.h"
#include "BrickCCL/Tables/Condition.h"
#include "BrickCCL/Labels/ExpandLabels.h"
#include "BrickCCL/Labels/Relabel.h"
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Host/AtomicFile.h"
#include "BrickCCL/Pictures/Picture.h"

#include <nlohmann/json.hpp>

#include <iostream>
#include <memory>

namespace brickccl::cli
{

namespace
{

struct SelectArguments
{
  std::string    labels;
  std::string    output;
  std::string    outputFallback;
  std::string    where;
  std::string    labelType = "auto";
  bool           keep = false;
  bool           remove = false;
  bool           keepLabels = false;
  FileArguments  files;
  TableArguments table;
  std::string    picture;
  int            threads = 0;
  bool           noCompression = false;
  bool           json = false;
  bool           quiet = false;
};

/** The groups that are asked for, and those that a condition's columns belong to. */
ColumnGroups
GroupsOfCondition(const Condition & condition, const TableArguments & table)
{
  std::string names = table.columns;
  for (const std::string & column : condition.ColumnNames())
  {
    names += (names.empty() ? "" : ",") + column;
  }
  const ColumnGroups groups = ParseColumns(names, !table.intensity.empty());
  for (const std::string & column : condition.ColumnNames())
  {
    if (column.rfind("intensity_", 0) == 0 && table.intensity.empty())
    {
      throw InvalidArgument("the condition names the column '" + column + "', which needs --intensity FILE");
    }
    if (column == "surface_distance_mm" && table.part.empty())
    {
      throw InvalidArgument("the condition names the column '" + column + "', which needs --part FILE");
    }
  }
  return groups;
}

/** The groups of the table, if one is asked for. The condition may need the part without a table. */
ColumnGroups
GroupsOfTable(TableArguments table)
{
  table.part = table.IsWanted() ? table.part : "";
  return CheckTableArguments(table, "--statistics");
}

void
RunSelect(const SelectArguments & arguments)
{
  Reporter       reporter(arguments.quiet || arguments.json);
  Stopwatch      total;
  Stopwatch      watch;
  nlohmann::json seconds;

  if (arguments.keep == arguments.remove)
  {
    throw InvalidArgument("say what becomes of the components for which the condition holds: --keep or --remove");
  }
  const Condition    condition(arguments.where);
  const ColumnGroups tableGroups = GroupsOfTable(arguments.table);
  const ColumnGroups conditionGroups = GroupsOfCondition(condition, arguments.table);
  const LabelType    requestedType = LabelTypeFromName(arguments.labelType);

  NamedFiles outputs = TableFiles(arguments.table, "--statistics");
  outputs.insert(outputs.end(),
                 { { "OUTPUT", arguments.output },
                   { "--output-fallback", arguments.outputFallback },
                   { "--picture", arguments.picture } });
  const NamedFiles inputs = { { "LABELS", arguments.labels },
                              { "--intensity", arguments.table.intensity },
                              { "--part", arguments.table.part } };
  CheckSeries(arguments.files, inputs);
  CheckOutputs(inputs, outputs);
  if (!arguments.picture.empty())
  {
    CheckWritable(arguments.picture);
  }

  reporter.Step("reading " + arguments.labels);
  ImageReader reader(arguments.files, arguments.threads, reporter);
  reader.Protect(outputs);
  LoadedImage image = reader.Read(arguments.labels, true);
  CheckImageFileWritable(arguments.output,
                         requestedType == LabelType::Auto ? ScalarType::UInt8 : ScalarTypeOfLabel(requestedType),
                         image.extent);
  if (!arguments.outputFallback.empty())
  {
    CheckImageFileWritable(arguments.outputFallback, ScalarType::UInt64, image.extent);
  }
  if (!arguments.picture.empty())
  {
    CheckPicture(image.extent);
  }
  const TableImages images = ReadTableImages(arguments.table, image, arguments.threads, reader);
  seconds["read"] = watch.Lap();

  reporter.Step("measuring");
  const ProgressHooks  hooks = reporter.Hooks();
  const HostContext    context{ arguments.threads, Progress(hooks) };
  RunVolume            volume;
  const ComponentTable before =
    MeasureLabelImage(image.View(), image.geometry, images.Options(conditionGroups), context, volume);
  if (arguments.picture.empty() || images.intensity)
  {
    image.voxels.Release();
  }
  std::vector<bool> holds = condition.Evaluate(before);
  if (arguments.remove)
  {
    holds.flip();
  }
  std::vector<std::uint64_t> oldLabels{ 0 };
  for (const std::size_t place : KeepComponents(volume, holds, context.Silent()))
  {
    oldLabels.push_back(before.components.Label(place));
  }
  const std::uint64_t kept = oldLabels.size() - 1;
  ComponentTable      table;
  if (arguments.table.IsWanted() || !arguments.picture.empty())
  {
    // Distances and contacts are measured among the components that are left.
    table =
      MeasureComponents(volume, kept, image.geometry, images.Options(tableGroups), std::nullopt, context.Silent());
  }
  if (arguments.keepLabels)
  {
    Renumber(volume, oldLabels, context.Silent());
    SetLabels(table, { oldLabels.begin() + 1, oldLabels.end() });
  }
  const std::uint64_t largest = arguments.keepLabels ? oldLabels.back() : kept;
  seconds["measure"] = watch.Lap();

  reporter.Step("writing " + arguments.output);
  const LabelType type = ResolveLabelType(requestedType, largest, "the label " + std::to_string(largest) + " does");
  WriteOptions    writing;
  writing.compress = !arguments.noCompression;
  writing.context = context.Silent();
  const std::string output =
    OutputFor(arguments.output, arguments.outputFallback, ScalarTypeOfLabel(type), image.extent, reader);
  const auto lost = WriteImageFile(
    output,
    { ScalarTypeOfLabel(type),
      image.extent,
      image.geometry,
      [&](std::int64_t begin, std::int64_t end, void * rows) { ExpandRows(volume, begin, end, type, rows); } },
    writing);
  for (const std::string & note : lost)
  {
    reader.Note("'" + output + "': " + note);
  }
  if (arguments.table.IsWanted())
  {
    WriteTables(arguments.table, table);
  }
  if (!arguments.picture.empty())
  {
    reporter.Step("drawing " + arguments.picture);
    WritePicture(arguments.picture,
                 { images.intensity ? *images.intensity : image, volume, table, image.spacingSource != "none" },
                 context.Silent());
  }
  seconds["write"] = watch.Lap();
  seconds["total"] = total.Lap();

  if (arguments.json)
  {
    nlohmann::ordered_json summary;
    summary["components_before"] = holds.size();
    summary["components"] = kept;
    summary["label_type"] = NameOf(type);
    summary["notes"] = reader.Notes();
    summary["seconds"] = seconds;
    summary["peak_memory_bytes"] = PeakMemoryBytes();
    std::cout << ToText(summary) << std::endl;
  }
  else if (!arguments.quiet)
  {
    reporter.Note("");
    std::cout << kept << " of " << holds.size() << " components kept: " << output << std::endl;
  }
}

} // namespace

void
AddSelectCommand(CLI::App & app)
{
  auto       arguments = std::make_shared<SelectArguments>();
  CLI::App * command = app.add_subcommand("select", "Keep or remove components of a label map by their measures");
  command
    ->add_option("LABELS",
                 arguments->labels,
                 "label map: " + ReadableFormats() + "; every value but 0 is one component")
    ->required();
  command->add_option("OUTPUT", arguments->output, "label map: " + WritableFormats())->required();
  command
    ->add_option("--output-fallback",
                 arguments->outputFallback,
                 "where the label map goes if there turn out to be more labels than OUTPUT's format holds")
    ->type_name("FILE");
  AddFileOptions(*command, arguments->files);
  command
    ->add_option("--where",
                 arguments->where,
                 "condition on columns, for example \"volume_mm3 > 2 and sphericity < 0.6\": numbers, columns, "
                 "+ - * /, < <= > >= == !=, and, or, not, parentheses, abs, sqrt, min, max")
    ->required()
    ->type_name("CONDITION");
  auto * keep = command->add_flag("--keep", arguments->keep, "keep the components for which the condition holds");
  command->add_flag("--remove", arguments->remove, "remove the components for which the condition holds")
    ->excludes(keep);
  command->add_flag("--keep-labels", arguments->keepLabels, "leave labels as they are instead of numbering from 1 on");
  command
    ->add_option("--label-type", arguments->labelType, "auto (the smallest that fits), uint8, uint16, uint32 or uint64")
    ->capture_default_str();
  command
    ->add_option("--statistics", arguments->table.table, "write the table of what is left: .csv, .tsv, .json or .xlsx")
    ->type_name("FILE");
  AddTableOptions(*command, arguments->table, "--statistics");
  AddPictureOption(*command, arguments->picture);
  command->add_option("--threads", arguments->threads, "number of CPU threads; 0: all")
    ->transform(Count(0, MostThreads))
    ->capture_default_str();
  command->add_flag("--no-compression", arguments->noCompression, "write the label map uncompressed (faster)");
  command->add_flag("--json", arguments->json, "print the summary as one JSON object")
    ->excludes(command->get_option("--print"));
  command->add_flag("--quiet", arguments->quiet, "print nothing but errors");
  command->callback([arguments] { RunSelect(*arguments); });
}

} // namespace brickccl::cli
