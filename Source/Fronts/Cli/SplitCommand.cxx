// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Cli/Commands.h"
#include "BrickCCL/Cli/Doubts.h"
#include "BrickCCL/Cli/RunLabel.h"
#include "BrickCCL/Cli/Segments.h"
#include "BrickCCL/Core/ImageConnectivity.h"
#include "BrickCCL/Core/TextLists.h"

#include <algorithm>
#include <string>

namespace brickccl::cli
{

namespace
{

struct SplitArguments : job::Job
{
  std::string height = "auto";
  std::string curve;
};

ComponentTable
MeasureObjects(const SplitArguments & arguments,
               const LoadedImage &    labels,
               const std::uint32_t *  objects,
               const ColumnGroups &   groups,
               ImageReader &          reader,
               Reporter &             reporter)
{
  const TableImages images = ReadTableImages(arguments, labels, arguments.threads, reader);
  reporter.Step("measuring");
  MeasureOptions options = images.Options(groups);
  options.parents = labels.View();
  ComponentTable table =
    MeasureLabelImage(ImageView(objects, labels.extent), labels.geometry, options, arguments.threads, reporter.Hooks());
  NoteOutsideOfPart(table, reader);
  NoteMeasures(table, reader);
  return table;
}

nlohmann::ordered_json
CurveOf(const SplitArguments & arguments, const SplitReport & report)
{
  auto rows = nlohmann::ordered_json::array();
  for (const auto & [height, objects] : report.curve)
  {
    rows.push_back({ { arguments.splitBy.empty() ? "height_mm" : "height", height }, { "objects", objects } });
  }
  return rows;
}

job::Findings
FindingsOf(const SplitArguments & arguments,
           const SplitReport &    report,
           const SplitOptions &   options,
           LabelType              type,
           const LoadedImage &    image)
{
  job::Findings findings;
  findings.push_back({ "parents", report.parents });
  findings.push_back({ "components", report.objects.size() });
  findings.push_back({ "", Counted(report.objects.size(), "object") + " from " + Counted(report.parents, "label"), 1 });
  findings.push_back({ "basins", report.basins });
  AddNeighbors(findings, arguments, *options.connectivity, options.periodic, 1);
  AddSpacing(findings, image, 2);
  findings.push_back({ "label_type", NameOf(type) });
  findings.push_back({ "",
                       Printable(arguments.output),
                       arguments.output.empty() ? 0 : 3,
                       std::string("#: labels of type ") + NameOf(type) });
  if (!arguments.curve.empty())
  {
    findings.push_back({ "curve", CurveOf(arguments, report) });
    findings.push_back({ "", Printable(arguments.curve), 4, "#: the number of objects above each height" });
  }
  return findings;
}

/** Finds before the long work starts what is certain to fail. \return the files that are written */
NamedFiles
CheckSplitFiles(const SplitArguments & arguments)
{
  CheckUnits(arguments, false, "--statistics or --print");
  CheckIntensity(arguments, false, "--statistics or --print");
  NamedFiles outputs = TableFiles(arguments, "--statistics");
  outputs.emplace_back("OUTPUT", arguments.output);
  outputs.emplace_back("--curve", arguments.curve);
  ThrowIf<InvalidArgument>((arguments.output + arguments.curve).empty(),
                           "OUTPUT is missing: brickccl split LABELS OUTPUT, or brickccl split LABELS --curve FILE");
  ThrowIf<InvalidArgument>(arguments.IsWanted() && !arguments.periodic.empty(),
                           "tables of a label map do not join the ends of objects along periodic axes; leave out "
                           "--statistics and --print, or use brickccl label --split --periodic");
  CheckTableName(arguments.curve);
  CheckFiles(arguments,
             { { "LABELS", arguments.input },
               { "--names", arguments.names },
               { "--neighborhood", NeighborhoodFile(arguments) },
               { "--split-by", arguments.splitBy },
               { "--split-seeds", arguments.splitSeeds },
               { "--intensity", arguments.intensity },
               { "--part", arguments.part } },
             outputs);
  CheckImageName(arguments.output, arguments.dicomSeg);
  return outputs;
}

void
RunSplit(const SplitArguments & arguments)
{
  Reporter           reporter(arguments.quiet || arguments.json);
  Stopwatch          total;
  Stopwatch          watch;
  nlohmann::json     seconds;
  const ColumnGroups groups = CheckTableArguments(arguments, "--statistics");
  const auto         height = job::SplitHeightOf(arguments.height, !arguments.splitBy.empty());
  const Device       device = Device::FromName(arguments.device);
  const LabelType    requested = LabelTypeFromName(arguments.labelType);
  const NamedFiles   outputs = CheckSplitFiles(arguments);
  ImageReader        reader(arguments, arguments.threads, reporter);
  reader.Protect(outputs);
  const LoadedImage image = reader.ReadLabels(arguments.input, false);
  NoteGrayClasses(image, reader);
  SplitOptions options;
  options.findsCurve = !arguments.curve.empty();
  options.height = height;
  options.connectivity = ConnectivityFor(arguments, image.extent, reader);
  options.periodic = PeriodicFor(arguments, *options.connectivity);
  options.geometry = image.geometry;
  options.threads = arguments.threads;
  options.device = device;
  std::vector<LoadedImage> images = ReadForSplit(arguments, image, options, reader);
  seconds["read"] = watch.Lap();

  reporter.Step("splitting");
  const ProgressHooks   hooks = options.progress = reporter.Hooks();
  Buffer<std::uint32_t> objects;
  objects.Resize(static_cast<std::size_t>(image.extent.VoxelCount()));
  const SplitReport report = Split(image.View(), objects.Data(), options);
  images.clear();
  const std::size_t   count = report.objects.size();
  const std::uint64_t largest = count == 0 ? 0 : report.objects.back().number;
  const LabelType     type = ResolveLabelType(requested,
                                          largest,
                                          arguments.splitSeeds.empty() ? std::to_string(count) + " objects do"
                                                                           : "seed " + std::to_string(largest) + " does");
  job::NoteSplit(report, options.seeds.has_value(), [&](const std::string & note) { reader.Note(note); });
  seconds["split"] = watch.Lap();

  ReplacedTogether together;
  const bool       isNamed = !image.segmentation.segments.empty();
  const auto       parents =
    Mapped(report.objects, [](const SplitObject & object) { return std::uint64_t{ object.parent }; });
  ComponentTable table;
  if (arguments.IsWanted() || isNamed)
  {
    table = MeasureObjects(arguments, image, objects.Data(), groups, reader, reporter);
    AddNames(image.segmentation, parents, table);
    seconds["measure"] = watch.Lap();
  }
  WriteTables(arguments, table, arguments.threads, reporter);
  const auto writeRows = [&](std::int64_t begin, std::int64_t end, LabelType, void * rows) {
    const std::int64_t length = image.extent.RowLength();
    VisitLabelType(type, [&](auto tag) {
      std::copy(objects.Data() + begin * length,
                objects.Data() + end * length,
                static_cast<typename decltype(tag)::Type *>(rows));
    });
  };
  const auto segments =
    isNamed && !arguments.output.empty() ? SegmentsOf(image, table, parents, false, reader) : Segmentation();
  WriteLabels(arguments, image, type, largest, writeRows, segments, reader, reporter);
  if (!arguments.curve.empty())
  {
    WriteRows(arguments.curve, CurveOf(arguments, report));
  }
  together.Move();
  seconds["write"] = watch.Lap();
  seconds["total"] = total.Lap();

  job::Findings findings = FindingsOf(arguments, report, options, type, image);
  AddRun(findings, reader.Notes(), seconds, arguments.output, arguments.IsWanted());
  PrintFindings(findings, arguments, reporter);
}

} // namespace

void
AddSplitCommand(CLI::App & app)
{
  auto arguments = std::make_shared<SplitArguments>();
  arguments->connectivity = FullNeighbors;
  CLI::App * command = app.add_subcommand("split", "Split touching objects of a mask or label map");
  command->add_option("LABELS", arguments->input, "mask or label map; each label is split separately")->required();
  command->add_option("OUTPUT", arguments->output, "label map of the objects; may be left out with --curve");
  command
    ->add_option(
      "--split-height",
      arguments->height,
      "do not split where the neck is less than H below the smaller peak\nPeaks are the greatest distances to the "
      "border. H is in mm, or a share of the smaller peak: 10%. Default: 0.75 of the smallest spacing. A larger H "
      "merges more objects, a smaller H splits rough ones. "
      "With --split-by, H is in gray values (default: 0). Among equally high peaks and on plateaus the first voxel in "
      "raster order wins, so a flipped image may be split at slightly different places.")
    ->type_name("H");
  command
    ->add_option("--curve",
                 arguments->curve,
                 "write the number of objects for every height: .csv, .tsv or .json\nA row has the number for heights "
                 "above its own, up to the height of the next row.")
    ->type_name("FILE");
  AddOptions(*command,
             *arguments,
             std::string(ReadingOptions) + "names connectivity neighborhood by-slice periodic split-by split-seeds " +
               TableOptions + "device " + RunningOptions + "statistics label-type dicom-seg no-compression");
  command->get_option("--connectivity")->description("neighbors: 6, 18, 26 (2-D: 4, 8), faces, full (default)");
  command->get_option("--device")->description("cpu, cuda or cuda:N; the results are the same")->default_str("cpu");
  command->get_option("--periodic")->description("axes along which the image repeats; there are then no tables");
  command->get_option("--by-slice")->description("split each slice orthogonal to this axis separately");
  command->callback([arguments] { RunSplit(*arguments); });
}

} // namespace brickccl::cli
