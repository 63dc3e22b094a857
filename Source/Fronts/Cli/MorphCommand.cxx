// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Cli/Commands.h"
#include "BrickCCL/Cli/Doubts.h"
#include "BrickCCL/Cli/NeighborOptions.h"
#include "BrickCCL/Splitting/Morph.h"

#include <array>
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
    "keep what a ball of this radius (mm) covers within a label\nThin parts and specks vanish; what is thicker keeps "
    "its place." },
  { MorphOperation::Close,
    "--close",
    "fill gaps that a ball of this radius (mm) does not fit into\nA gap must be closed "
    "by one label; what two labels close together stays open." },
  { MorphOperation::Dilate,
    "--dilate",
    "grow labels into the background by this many mm\nA voxel gets the nearest label, of equally near ones the "
    "smallest." },
  { MorphOperation::Erode,
    "--erode",
    "remove voxels at most this many mm from another label or the background\nThe border of the image is not a "
    "border of labels." },
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
    throw InvalidArgument(std::string(given == 0 ? "nothing is asked for" : "several operations are asked for") +
                          "; give one of --open, --close, --dilate and --erode");
  }
}

void
RunMorph(const MorphArguments & arguments)
{
  Reporter         reporter(arguments.quiet || arguments.json);
  Stopwatch        total;
  Stopwatch        watch;
  nlohmann::json   seconds;
  MorphOptions     options;
  const NamedFiles outputs = { { "OUTPUT", arguments.output } };
  SetOperation(arguments, options);
  CheckFiles(arguments, { { "LABELS", arguments.input } }, outputs);
  CheckImageName(arguments.output);
  ImageReader reader(arguments, arguments.threads, reporter);
  reader.Protect(outputs);
  const LoadedImage image = reader.Read(arguments.input, true);
  NoteGrayClasses(image, reader);
  CheckImageFileWritable(arguments.output, image.type, image.extent);
  options.sliceAxis = arguments.bySlice.empty() ? -1 : AxisFromName(arguments.bySlice);
  options.geometry = image.geometry;
  options.threads = arguments.threads;
  seconds["read"] = watch.Lap();

  reporter.Step("moving borders");
  const ProgressHooks hooks = options.progress = reporter.Hooks();
  Buffer<char>        result;
  result.Resize(image.ByteCount());
  const MorphReport report = Morph(image.View(), result.Data(), options);
  if (report.added == 0 && report.removed == 0)
  {
    reader.Note("nothing changed; the radius is " + job::Readable(options.radius, "mm"));
  }
  seconds["morph"] = watch.Lap();

  reporter.Step("writing " + arguments.output);
  WriteImage(arguments.output,
             ImageToWrite::FromMemory(result.Data(), image.type, image.extent, image.geometry),
             { !arguments.noCompression, { arguments.threads, Progress(hooks) } },
             reader);
  seconds["write"] = watch.Lap();
  seconds["total"] = total.Lap();
  job::Findings findings;
  findings.push_back({ "added_voxels", report.added });
  findings.push_back({ "removed_voxels", report.removed });
  findings.push_back(
    { "", Counted(report.added, "voxel") + " added, " + Counted(report.removed, "voxel") + " removed", 1 });
  AddSpacing(findings, image, 2);
  findings.push_back({ "", Printable(arguments.output) + ": labels of type " + NameOf(image.type), 3 });
  AddRun(findings, reader.Notes(), seconds, arguments.output, false);
  PrintFindings(findings, arguments, reporter);
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
  AddOptions(*command, *arguments, std::string(ReadingOptions) + "by-slice " + RunningOptions + "no-compression");
  command->get_option("--by-slice")->description("use disks in the slices orthogonal to this axis instead of balls");
  command->callback([arguments] { RunMorph(*arguments); });
}

} // namespace brickccl::cli
