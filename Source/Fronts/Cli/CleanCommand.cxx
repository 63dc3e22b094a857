// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Clean/Clean.h"
#include "BrickCCL/Cli/Commands.h"
#include "BrickCCL/Cli/Doubts.h"
#include "BrickCCL/Cli/FilterOptions.h"
#include "BrickCCL/Cli/NeighborOptions.h"
#include "BrickCCL/Cli/Segments.h"
#include "BrickCCL/Core/TextLists.h"
#include "BrickCCL/Criteria/VoxelValue.h"
#include "BrickCCL/Measuring/Measuring.h"
#include "BrickCCL/Segmenting/ThresholdAsJson.h"

namespace brickccl::cli
{

namespace
{

struct CleanArguments : job::Job
{
  std::string values;
};

CleanOptions
OptionsOf(const CleanArguments & arguments)
{
  CleanOptions options;
  options.background = ParseNumber(arguments.background, "--background");
  options.largest = arguments.largest;
  options.minimumSize = arguments.minimumSize;
  options.threads = arguments.threads;
  options.device = { Device::Kind::Cpu, 0 };
  ThrowIf<InvalidArgument>(options.largest == 0 && options.minimumSize == 0 && arguments.minimumVolume.value == 0 &&
                             arguments.fillHoles.empty(),
                           "nothing to do: give --largest, --minimum-size, --minimum-volume or --fill-holes");
  return options;
}

job::Findings
CountsOf(const CleanedClass & one, int line, const std::string & name)
{
  return { { "components", one.components, line, name + ": #", "component" },
           { "voxels", one.voxels },
           { "removed_components", one.removedComponents, line, "# removed" },
           { "removed_voxels", one.removedVoxels, line, "(#)", "voxel" },
           { "filled_holes", one.filledHoles, line, "# filled", "hole" },
           { "filled_voxels", one.filledVoxels, line, "(#)", "voxel" } };
}

/** Adds a line for each changed class, as many as fit a screen, and their number. */
void
AddChanged(job::Findings & findings, const CleanReport & report, int line)
{
  constexpr int limit = 30;
  int           changed = 0;
  for (const CleanedClass & one : report.classes)
  {
    if ((one.removedComponents != 0 || one.filledHoles != 0) && changed++ < limit)
    {
      findings.push_back({ "", AsText(CountsOf(one, 1, "class " + one.value.ToString())), changed });
    }
  }
  if (changed > limit)
  {
    findings.push_back({ "", changed - limit, limit + 1, "and # more classes (--json lists all)" });
  }
  findings.push_back({ "",
                       changed,
                       line,
                       "# of " + std::to_string(report.classes.size()) +
                         (report.classes.size() == 1 ? " class" : " classes") + " changed" });
}

/** The segments of what was cleaned: as they were if the output does not hold them. */
Segmentation
SegmentsOfCleaned(const LoadedImage & image, const std::byte * cleaned, const job::Job & arguments, ImageReader & notes)
{
  if (image.segmentation.segments.empty() || !HoldsSegments(arguments.output, image.extent))
  {
    return image.segmentation;
  }
  const ImageView      view(static_cast<const void *>(cleaned), image.type, image.extent, 1);
  const ComponentTable table = MeasureLabelImage(view, image.geometry, {}, arguments.threads);
  return SegmentsOf(image, table, InputLabels(table), arguments.names.empty(), notes);
}

void
RunClean(const CleanArguments & arguments, const FrontEnd & frontEnd)
{
  const auto       reporterOwner = frontEnd.makeReporter(arguments.quiet || arguments.json);
  Reporter &       reporter = *reporterOwner;
  Stopwatch        total;
  Stopwatch        watch;
  nlohmann::json   seconds;
  CleanOptions     options = OptionsOf(arguments);
  const NamedFiles outputs = { { "OUTPUT", arguments.output } };
  const NamedFiles inputs = { { "SEGMENTATION", arguments.input },
                              { "--names", arguments.names },
                              { "--neighborhood", NeighborhoodFile(arguments) } };
  CheckFiles(arguments, inputs, outputs);
  CheckImageName(arguments.output, arguments.dicomSeg);

  ImageReader reader(arguments, arguments.threads, reporter);
  reader.Protect(outputs);
  LoadedImage image = reader.ReadLabels(arguments.input);
  options.values = Mapped(SplitAt(',', LabelsForNames(arguments.values, "--values", image.segmentation)),
                          [](const std::string & value) { return ParseNumber(value, "--values"); });
  options.connectivity = ConnectivityFor(arguments, image.extent, reader);
  options.periodic = PeriodicFor(arguments, *options.connectivity);
  options.minimumVolume = SizeFor(*options.connectivity, arguments.minimumVolume, "--minimum-volume");
  options.holes = HolesOf(arguments, *options.connectivity, image.extent);
  options.geometry = image.geometry;
  options.background = AsVoxelValue(options.background, image.type);
  for (Number & value : options.values)
  {
    value = AsVoxelValue(value, image.type);
  }
  NoteGrayClasses(image, reader);
  CheckImageFileWritable(arguments.output, image.type, image.extent);
  frontEnd.CheckType(image.type);
  seconds["read"] = watch.Lap();

  reporter.Step("cleaning");
  options.progress = reporter.Hooks();
  Buffer<std::byte> cleaned;
  cleaned.Resize(image.ByteCount());
  const CleanReport report = Clean(image.View(), cleaned.Data(), options);
  if (!report.missing.empty())
  {
    throw InvalidArgument(Quoted(arguments.input) + " has no class " + report.missing.front().ToString() +
                          " (from --values)");
  }
  image.voxels.Release();
  seconds["clean"] = watch.Lap();

  reporter.Step("writing " + arguments.output);
  const ProgressHooks hooks = reporter.Hooks();
  ImageToWrite        written = ImageToWrite::FromMemory(cleaned.Data(), image.type, image.extent, image.geometry);
  written.segmentation = SegmentsOfCleaned(image, cleaned.Data(), arguments, reader);
  WriteImage(arguments.output, written, { !arguments.noCompression, { arguments.threads, Progress(hooks) } }, reader);
  seconds["write"] = watch.Lap();
  seconds["total"] = total.Lap();

  constexpr int line = 100;
  job::Findings findings = CountsOf(report.Total(), line, "all");
  AddChanged(findings, report, line + 1);
  AddNeighbors(findings, arguments, *options.connectivity, options.periodic, line + 1);
  auto classes = nlohmann::ordered_json::array();
  for (const CleanedClass & one : report.classes)
  {
    job::Findings counts = CountsOf(one, 0, "");
    counts.insert(counts.begin(), { "value", NumberAsJson(one.value) });
    classes.push_back(job::AsJson(counts));
  }
  findings.push_back({ "classes", classes });
  AddSpacing(findings, image, line + 2);
  findings.push_back({ "", Printable(arguments.output) + ": labels of type " + NameOf(image.type), line + 3 });
  AddRun(findings, reader.Notes(), seconds, arguments.output, false);
  PrintFindings(findings, arguments, reporter, frontEnd);
}

} // namespace

void
AddCleanCommand(CLI::App & app, const FrontEnd & frontEnd)
{
  auto       arguments = std::make_shared<CleanArguments>();
  CLI::App * command = app.add_subcommand("clean", "Remove small components of a segmentation and fill holes");
  command->add_option("SEGMENTATION", arguments->input, "image; every value except the background is a class")
    ->required();
  command->add_option("OUTPUT", arguments->output, "cleaned segmentation; classes keep their values")->required();
  command
    ->add_option("--values",
                 arguments->values,
                 "clean only these classes, as 1,3,5 or \"left kidney,liver\"\nA name with a comma is in double "
                 "quotes: '\"mass, left\",liver'.")
    ->type_name("V,V,...");
  command->add_option("--background", arguments->background, "value of the background and of removed voxels")
    ->check(AnyNumber())
    ->type_name("V")
    ->capture_default_str();
  AddOptions(
    *command,
    *arguments,
    std::string(ReadingOptions) + "names " + NeighborOptions + RunningOptions +
      "minimum-size minimum-volume largest fill-holes maximum-hole-size holes-by-slice dicom-seg no-compression");
  command->get_option("--largest")->description("keep only the K largest components of each class");
  command->get_option("--fill-holes")->description("fill holes that one class encloses, up to MM3");
  command->get_option("--no-compression")->description("write the segmentation uncompressed (faster)");
  command->get_option("--json")->description("print the changes of each class as one JSON object");
  command->callback([arguments, frontEnd] { RunClean(*arguments, frontEnd); });
}

} // namespace brickccl::cli
