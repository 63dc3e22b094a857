// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Cli/Commands.h"
#include "BrickCCL/Cli/Doubts.h"
#include "BrickCCL/Cli/NeighborOptions.h"
#include "BrickCCL/Splitting/Morph.h"
#include "BrickCCL/Splitting/Split.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>

namespace brickccl::cli
{

namespace
{

struct Operation
{
  MorphOperation operation;
  const char *   option;
  const char *   help;
};

constexpr std::array<Operation, 4> Operations = { {
  { MorphOperation::Open,
    "--open",
    "keep the parts of labels that a ball of this radius (mm) fits into\nThinner parts and specks are removed; thicker "
    "parts do not move." },
  { MorphOperation::Close,
    "--close",
    "fill gaps that a ball of this radius (mm) does not fit into\nA gap between two different labels stays open." },
  { MorphOperation::Dilate,
    "--dilate",
    "grow labels into the background by this many mm\nA voxel gets the nearest label; if two are equally near, the "
    "smaller one." },
  { MorphOperation::Erode,
    "--erode",
    "remove voxels at most this many mm from another label or the background\nLabels are not eroded at the border of "
    "the image." },
} };

struct MorphArguments : job::Job
{
  std::array<std::optional<double>, Operations.size()> radii;
};

/** Sets the operation and the radius that are asked for. */
void
SetOperation(const MorphArguments & arguments, MorphOptions & options)
{
  int given = 0;
  for (std::size_t i = 0; i < Operations.size(); ++i)
  {
    if (arguments.radii[i])
    {
      ++given;
      options.operation = Operations[i].operation;
      options.radius = *arguments.radii[i];
    }
  }
  if (given != 1)
  {
    throw InvalidArgument(std::string(given == 0 ? "nothing to do" : "several operations are given") +
                          "; give one of --open, --close, --dilate and --erode");
  }
}

/** Writes an image that `work` makes of a mask or label map. \param type  of its voxels, if not that of the labels */
template <typename TOptions, typename TWork>
void
RunMap(const job::Job &          arguments,
       TOptions                  options,
       std::optional<ScalarType> type,
       const char *              step,
       const char *              clock,
       const std::string &       content,
       const TWork &             work)
{
  Reporter         reporter(arguments.quiet || arguments.json);
  Stopwatch        total;
  Stopwatch        watch;
  nlohmann::json   seconds;
  const NamedFiles outputs = { { "OUTPUT", arguments.output } };
  CheckFiles(arguments, { { "LABELS", arguments.input } }, outputs);
  CheckImageName(arguments.output);
  ImageReader reader(arguments, arguments.threads, reporter);
  reader.Protect(outputs);
  const LoadedImage image = reader.Read(arguments.input, true, false);
  const ScalarType  written = type.value_or(image.type);
  CheckImageFileWritable(arguments.output, written, image.extent);
  options.sliceAxis = arguments.bySlice.empty() ? -1 : AxisFromName(arguments.bySlice);
  options.geometry = image.geometry;
  options.threads = arguments.threads;
  seconds["read"] = watch.Lap();

  reporter.Step(step);
  const ProgressHooks hooks = options.progress = reporter.Hooks();
  Buffer<char>        result;
  result.Resize(static_cast<std::size_t>(image.extent.VoxelCount()) * SizeOf(written));
  job::Findings findings = work(image, static_cast<void *>(result.Data()), options, reader);
  NoteGrayClasses(image, reader);
  seconds[clock] = watch.Lap();

  reporter.Step("writing " + arguments.output);
  WriteImage(arguments.output,
             ImageToWrite::FromMemory(result.Data(), written, image.extent, image.geometry),
             { !arguments.noCompression, { arguments.threads, Progress(hooks) } },
             reader);
  seconds["write"] = watch.Lap();
  seconds["total"] = total.Lap();
  AddSpacing(findings, image, 2);
  findings.push_back({ "", Printable(arguments.output) + ": " + content + " of type " + NameOf(written), 3 });
  AddRun(findings, reader.Notes(), seconds, type ? "" : arguments.output, false);
  PrintFindings(findings, arguments, reporter);
}

job::Findings
MorphLabels(const LoadedImage & image, void * result, const MorphOptions & options, ImageReader & notes)
{
  const MorphReport report = Morph(image.View(), result, options);
  if (report.added == 0 && report.removed == 0)
  {
    notes.Note("nothing changed; the radius is " + Shortest(options.radius) + " mm");
  }
  return { { "added_voxels", report.added },
           { "removed_voxels", report.removed },
           { "", Counted(report.added, "voxel") + " added, " + Counted(report.removed, "voxel") + " removed", 1 } };
}

job::Findings
MeasureDistances(const LoadedImage & image, void * result, const DistanceOptions & options, ImageReader & notes)
{
  auto * const distances = static_cast<float *>(result);
  if (const std::string remark = Distances(image.View(), distances, options); !remark.empty())
  {
    notes.Note(remark);
  }
  const float largest = *std::max_element(distances, distances + image.extent.VoxelCount());
  if (std::isinf(largest))
  {
    notes.Note("distances are infinite where nothing but one label is");
  }
  using Json = nlohmann::ordered_json;
  const Json finite = std::isinf(largest) ? Json() : Json(largest);
  return { { "largest_distance_mm", finite, 1, "largest distance #", "mm" } };
}

} // namespace

void
AddMorphCommand(CLI::App & app)
{
  auto       arguments = std::make_shared<MorphArguments>();
  CLI::App * command = app.add_subcommand("morph", "Open, close, grow or shrink a mask or label map by a length");
  command->add_option("LABELS", arguments->input, "mask or label map; labels keep their numbers")->required();
  command->add_option("OUTPUT", arguments->output, "the same labels with other borders")->required();
  for (std::size_t i = 0; i < Operations.size(); ++i)
  {
    command->add_option(Operations[i].option, arguments->radii[i], Operations[i].help)
      ->transform(Takes(job::AnyLength))
      ->type_name("R");
  }
  AddOptions(*command,
             *arguments,
             std::string(ReadingOptions) + "by-slice " + RunningOptions + "dicom-seg no-compression");
  command->get_option("--by-slice")->description("use disks in the slices orthogonal to this axis instead of balls");
  command->callback([arguments] {
    MorphOptions options;
    SetOperation(*arguments, options);
    RunMap(*arguments, options, {}, "moving borders", "morph", "labels", MorphLabels);
  });
}

void
AddDistanceCommand(CLI::App & app)
{
  auto       arguments = std::make_shared<job::Job>();
  CLI::App * command = app.add_subcommand("distance", "Write the distance of each voxel to the border of its label");
  command->add_option("LABELS", arguments->input, "mask or label map")->required();
  command
    ->add_option("OUTPUT", arguments->output, "distances in mm (float32), between voxel centers; 0 in the background")
    ->required();
  AddOptions(*command,
             *arguments,
             std::string(ReadingOptions) + "by-slice device " + RunningOptions + "no-compression");
  command->get_option("--by-slice")->description("measure in each slice orthogonal to this axis separately");
  command->get_option("--device")->description("cpu, cuda or cuda:N; the results are the same")->default_str("cpu");
  command->callback([arguments] {
    DistanceOptions options;
    options.device = Device::FromName(arguments->device);
    RunMap(*arguments,
           options,
           ScalarType::Float32,
           "measuring distances",
           "distance",
           "distances in mm",
           MeasureDistances);
  });
}

} // namespace brickccl::cli
