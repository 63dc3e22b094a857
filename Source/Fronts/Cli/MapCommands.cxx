// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Cli/Commands.h"
#include "BrickCCL/Cli/Doubts.h"
#include "BrickCCL/Cli/RunLabel.h"
#include "BrickCCL/Core/RoundNumber.h"
#include "BrickCCL/Job/JobCriterion.h"
#include "BrickCCL/Measuring/Measure.h"
#include "BrickCCL/Pictures/Picture.h"
#include "BrickCCL/Segmenting/SmoothImage.h"
#include "BrickCCL/Splitting/Morph.h"
#include "BrickCCL/Splitting/Split.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

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

struct MapArguments : job::Job
{
  double      limit = 0;
  bool        poresAreAir = false;
  std::string histogram;
};

struct MorphArguments : MapArguments
{
  std::array<std::optional<double>, Operations.size()> radii;
};

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
  ThrowIf<InvalidArgument>(given != 1,
                           std::string(given == 0 ? "nothing to do" : "several operations are given") +
                             "; give one of --open, --close, --dilate and --erode");
}

/** The part of a scan, as `label --pores` finds it; 0 outside. */
LoadedImage
FindPart(const MapArguments & arguments, LoadedImage image, ImageReader & reader, Reporter & reporter)
{
  job::Job asked = arguments;
  asked.pores = true;
  job::JobRun run(asked, HooksOf(reporter, reader));
  run.options.threads = arguments.threads;
  run.options.device = Device::FromName("cpu");
  run.options.connectivity = job::ConnectivityOf({}, image.extent);
  run.image = std::move(image);
  run.Segment();
  const job::FoundPart & found = *run.segmented.part;
  LoadedImage            part = EmptyCopy(run.image, ScalarType::UInt8);
  auto * const           bytes = reinterpret_cast<std::uint8_t *>(part.voxels.Resize(part.ByteCount()));
  std::transform(found.part.begin(), found.part.end(), found.pores.begin(), bytes, [&](auto solid, auto pore) {
    return static_cast<std::uint8_t>(arguments.poresAreAir && pore != 0 ? 0 : solid);
  });
  return part;
}

/** Writes what `work` makes of a mask, label map or part. \param type  of its voxels, if not of the labels */
template <typename TOptions, typename TWork>
void
RunMap(const MapArguments &      arguments,
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
  const NamedFiles outputs = { { "OUTPUT", arguments.output },
                               { "--histogram", arguments.histogram },
                               { "--picture", arguments.picture } };
  CheckFiles(arguments, { { "LABELS", arguments.input } }, outputs);
  CheckImageName(arguments.output, arguments.dicomSeg);
  CheckTableName(arguments.histogram);
  ImageReader reader(arguments, arguments.threads, reporter);
  reader.Protect(outputs);
  const bool       isScan = !arguments.threshold.empty();
  LoadedImage      image = reader.Read(arguments.input, !isScan, false);
  const ScalarType written = type.value_or(image.type);
  CheckImageFileWritable(arguments.output, written, image.extent);
  options.sliceAxis = arguments.bySlice.empty() ? -1 : AxisFromName(arguments.bySlice);
  options.geometry = image.geometry;
  options.threads = arguments.threads;
  seconds["read"] = watch.Lap();

  image = isScan ? FindPart(arguments, std::move(image), reader, reporter) : std::move(image);
  reporter.Step(step);
  const ProgressHooks hooks = options.progress = reporter.Hooks();
  Buffer<char>        result;
  result.Resize(static_cast<std::size_t>(image.extent.VoxelCount()) * SizeOf(written));
  ReplacedTogether together;
  job::Findings    findings = work(image, static_cast<void *>(result.Data()), options, reader);
  NoteGrayClasses(image, reader);
  seconds[clock] = watch.Lap();

  reporter.Step("writing " + arguments.output);
  WriteImage(arguments.output,
             ImageToWrite::FromMemory(result.Data(), written, image.extent, image.geometry),
             { !arguments.noCompression, { arguments.threads, Progress(hooks) } },
             reader);
  together.Move();
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
  notes.NoteIf(report.added == 0 && report.removed == 0,
               "nothing changed; the radius is " + Shortest(options.radius) + " mm");
  return { { "added_voxels", report.added },
           { "removed_voxels", report.removed },
           { "", Counted(report.added, "voxel") + " added, " + Counted(report.removed, "voxel") + " removed", 1 } };
}

job::Findings
MeasureDistances(const LoadedImage & image, void * result, const DistanceOptions & options, ImageReader & notes)
{
  auto * const      distances = static_cast<float *>(result);
  const std::string remark = Distances(image.View(), distances, options);
  notes.NoteIf(!remark.empty(), remark);
  const float largest = *std::max_element(distances, distances + image.extent.VoxelCount());
  notes.NoteIf(std::isinf(largest), "distances are infinite where nothing but one label is");
  using Json = nlohmann::ordered_json;
  const Json finite = std::isinf(largest) ? Json() : Json(largest);
  return { { "largest_distance_mm", finite, 1, "largest distance #", "mm" } };
}

/** How thicknesses are distributed: 20 to 50 steps of a round width. */
struct Thicknesses
{
  const float *              values;
  const Extent               extent;
  const Geometry             geometry;
  double                     largest = 0;
  double                     mean = 0;
  std::uint64_t              voxels = 0;
  std::uint64_t              below = 0;
  double                     step = 1;
  std::vector<std::uint64_t> counts = {};

  void
  Count(double limit)
  {
    const float * const end = values + extent.VoxelCount();
    largest = *std::max_element(values, end);
    step = LargestRoundNumber(largest > 0 ? largest / 20 : 1);
    counts.resize(static_cast<std::size_t>(largest * (1 + 1e-6) / step) + 1);
    for (const float * value = std::find_if(values, end, IsPart); value < end;
         value = std::find_if(value + 1, end, IsPart))
    {
      ++counts[StepOf(*value)];
      mean += static_cast<double>(*value);
      // Thicknesses are rounded to floats; one that equals the limit is not below it.
      below += *value < limit * (1 - 1e-6) ? 1 : 0;
      ++voxels;
    }
    mean /= static_cast<double>(std::max<std::uint64_t>(voxels, 1));
  }
  static bool
  IsPart(float value)
  {
    return value > 0;
  }
  std::size_t
  StepOf(float value) const
  {
    // A rounded thickness may be a little less than the beginning of its step.
    return std::min(static_cast<std::size_t>(value * (1 + 1e-6) / step), counts.size() - 1);
  }
  double
  BeginOf(double number) const
  {
    return step < 1 ? number / std::round(1 / step) : number * step;
  }
  nlohmann::ordered_json
  Histogram() const
  {
    auto rows = nlohmann::ordered_json::array();
    for (std::size_t i = 0; i < counts.size(); ++i)
    {
      const auto number = static_cast<double>(i);
      rows.push_back(
        { { "from_mm", BeginOf(number) },
          { "to_mm", BeginOf(number + 1) },
          { "voxel_count", counts[i] },
          { SizeName(extent.dimension), static_cast<double>(counts[i]) * geometry.VoxelVolume(extent.dimension) } });
    }
    return rows;
  }
};

void
DrawThicknesses(const MapArguments &                arguments,
                const LoadedImage &                 part,
                const Thicknesses &                 found,
                const std::array<std::int64_t, 3> & place)
{
  const HostContext                         context{ arguments.threads };
  std::vector<std::uint8_t>                 steps(static_cast<std::size_t>(part.extent.VoxelCount()));
  std::unordered_map<std::uint64_t, double> values;
  std::transform(found.values, found.values + steps.size(), steps.begin(), [&](float value) {
    return static_cast<std::uint8_t>(value > 0 ? found.StepOf(value) + 1 : 0);
  });
  RunVolume  runs;
  const auto table = MeasureLabelImage(ImageView(steps.data(), part.extent), part.geometry, {}, context, runs);
  for (std::size_t i = 0; i < table.components.size(); ++i)
  {
    values[i + 1] = found.BeginOf(static_cast<double>(table.components.Label(i)) - 0.5);
  }
  const ColumnColors colors(std::move(values), "wall thickness", "mm");
  PictureOptions     options;
  options.columnColors = &colors;
  options.center = place;
  options.title = "the thinnest wall";
  WritePicture(arguments.picture, { part, runs, table, part.spacingSource != "none", false }, context, options);
}

job::Findings
MeasureWalls(const MapArguments &    arguments,
             const LoadedImage &     part,
             float *                 diameters,
             const DistanceOptions & options,
             ImageReader &           notes)
{
  const ThinnestWall wall = WallThickness(part.View(), diameters, options);
  Thicknesses        found{ diameters, part.extent, part.geometry };
  found.Count(arguments.limit);
  const std::int64_t * const        size = part.extent.size;
  const std::int64_t                place = std::max<std::int64_t>(wall.place, 0);
  const std::array<std::int64_t, 3> at = { place % size[0], place / size[0] % size[1], place / size[0] / size[1] };
  nlohmann::json                    voxel;
  nlohmann::json                    position;
  double                            point[MaximumDimension] = {};
  const double                      index[MaximumDimension] = { double(at[0]), double(at[1]), double(at[2]) };
  part.geometry.IndexToPhysical(part.extent.dimension, index, point);
  for (std::size_t axis = 0; wall.place >= 0 && axis < static_cast<std::size_t>(part.extent.dimension); ++axis)
  {
    voxel.push_back(part.geometry.startIndex[axis] + at[axis]);
    position.push_back(point[axis]);
  }
  notes.NoteIf(wall.place < 0, found.voxels == 0 ? "the part has no voxels" : "no voxel is in the middle of a wall");
  if (!arguments.histogram.empty())
  {
    WriteRows(arguments.histogram, found.Histogram());
  }
  if (!arguments.picture.empty())
  {
    DrawThicknesses(arguments, part, found, at);
  }
  using Json = nlohmann::ordered_json;
  const auto    all = static_cast<double>(std::max<std::uint64_t>(found.voxels, 1));
  const Json    share = arguments.limit > 0 ? Json(100 * static_cast<double>(found.below) / all) : Json();
  job::Findings findings = {
    { "thinnest_wall/thickness_mm", wall.place < 0 ? Json() : Json(wall.thickness), 1, "thinnest wall #", "mm" },
    { "thinnest_wall/voxel", voxel, 1, "at voxel #" },
    { "thinnest_wall/position_mm", position },
    { "mean_thickness_mm", found.mean, 2, "mean thickness #", "mm" },
    { "largest_thickness_mm", found.largest, 2, "largest #", "mm" },
    { "below_limit_percent", share, 2, "# is thinner than " + job::Readable(arguments.limit, "mm"), "%" },
    { "histogram", found.Histogram() }
  };
  AddSizes(findings, "part_", found.voxels, part, 1, "part #");
  return findings;
}

} // namespace

void
AddThicknessCommand(CLI::App & app)
{
  auto       arguments = std::make_shared<MapArguments>();
  CLI::App * command = app.add_subcommand("thickness", "Measure the wall thickness of a part");
  command
    ->add_option("PART",
                 arguments->input,
                 "mask or label map, or with --threshold a scan\nThe part of a scan is found as by `brickccl label "
                 "--pores`: the largest piece of material, its pores included. Holes of a mask are air.")
    ->required();
  command
    ->add_option(
      "OUTPUT",
      arguments->output,
      "thickness in mm (float32): the diameter of the largest ball in the part that holds the voxel\nBalls "
      "have their centers in the middle of voxels, so a wall of an even number of voxels is a voxel thinner.")
    ->required();
  command
    ->add_option("--limit",
                 arguments->limit,
                 "print the share of the part that is thinner than MM\nEdges and corners of the part are thin as well.")
    ->transform(Takes(job::AnyLength))
    ->type_name("MM");
  command->add_option("--histogram", arguments->histogram, "write the histogram: .csv, .tsv or .json")
    ->type_name("FILE");
  AddOptions(*command,
             *arguments,
             std::string(ReadingOptions) + "threshold below close smooth by-slice picture no-compression " +
               RunningOptions);
  CLI::Option * const threshold = command->get_option("--threshold");
  threshold->description("find the part of a scan: its material is this value and above (iso50, otsu, 450, ...)");
  command->add_flag("--pores-are-air", arguments->poresAreAir, "pores of the scan do not belong to the part")
    ->needs(threshold);
  command->get_option("--below")->description("the material is below the threshold")->needs(threshold);
  command->get_option("--close")
    ->description("cavities whose openings are at most MM wide belong to the part")
    ->needs(threshold);
  command->get_option("--smooth")->needs(threshold);
  command->get_option("--by-slice")->description("use disks in the slices orthogonal to this axis instead of balls");
  command->get_option("--picture")->description("draw slices through the thinnest wall: .png");
  command->callback([arguments] {
    RunMap(*arguments,
           DistanceOptions(),
           ScalarType::Float32,
           "measuring walls",
           "thickness",
           "thickness in mm",
           [&](const LoadedImage & part, void * result, const DistanceOptions & options, ImageReader & notes) {
             return MeasureWalls(*arguments, part, static_cast<float *>(result), options, notes);
           });
  });
}

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
  auto       arguments = std::make_shared<MapArguments>();
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
