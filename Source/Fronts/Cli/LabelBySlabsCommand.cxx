#include "BrickCCL/Cli/Doubts.h"
#include "BrickCCL/Cli/LabelArguments.h"
#include "BrickCCL/Cli/Report.h"
#include "BrickCCL/Core/Counted.h"
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Dispatch/AlgorithmTable.h"
#include "BrickCCL/Measuring/CountNotANumber.h"
#include "BrickCCL/Segmenting/ValueHistogram.h"
#include "BrickCCL/Streaming/LabelBySlabs.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstddef>
#include <iomanip>
#include <iostream>
#include <optional>
#include <sstream>
#include <utility>
#include <vector>

namespace brickccl::cli
{

namespace
{

/** \throws Unsupported, which names the option, for what needs the volume as a whole. */
void
CheckOptionsOfSlabs(const LabelArguments & arguments)
{
  const std::pair<const char *, bool> options[] = {
    { "--smooth", !arguments.criterion.smooth.empty() },
    { "--pores", arguments.criterion.pores },
    { "--fill-holes", arguments.filter.holes.AreFilled() },
    { "--seeds", !arguments.filter.seeds.empty() },
    { "--clear-border", arguments.filter.clearBorder },
    { "--touching", !arguments.filter.touching.empty() },
    { "--part", !arguments.table.part.empty() },
    { "--contacts", !arguments.table.contacts.empty() },
    { "--picture", !arguments.picture.empty() },
  };
  if (!arguments.outputFallback.empty())
  {
    throw Unsupported("--output-fallback does not go with --memory, which writes to OUTPUT alone; give OUTPUT a format "
                      "that holds all labels");
  }
  for (const auto & [name, isGiven] : options)
  {
    if (isGiven)
    {
      throw Unsupported(std::string(name) + " needs the volume as a whole, so it does not go with --memory; leave one "
                                            "of them out");
    }
  }
}

/** The criterion, with a threshold that is a number, for summaries as those of a volume in memory. */
Segmented
SegmentedOfSlabs(const CriterionArguments & arguments, ScalarType type)
{
  Segmented segmented;
  segmented.asked = ForVoxels(CriterionOf(arguments), type);
  if (!arguments.threshold.empty())
  {
    ThresholdMethod method = ThresholdMethod::FromText(arguments.threshold);
    if (method.kind != ThresholdMethod::Kind::Value)
    {
      throw Unsupported("--threshold " + arguments.threshold +
                        " needs the values of the whole volume, so it does not go with --memory; give a number "
                        "(`brickccl info` proposes some)");
    }
    method.value = AsVoxelValue(method.value, type);
    segmented.threshold = FindThreshold(ValueHistogram(), method);
    segmented.asked.range =
      arguments.below ? segmented.threshold->Below().range : segmented.threshold->AtOrAbove().range;
    segmented.asked.Validate();
  }
  return segmented;
}

/** Labels a few voxels as the slabs will be. \throws Unsupported, which names the option and the algorithms that label
 *  such slabs, if the one that is asked for does not. */
void
CheckAlgorithm(const LabelArguments & arguments, const LoadedImage & image, LabelOptions options)
{
  constexpr std::int64_t fewest = 3;
  Extent                 few = image.extent;
  for (int axis = 0; axis < few.dimension; ++axis)
  {
    few.size[axis] = std::min(few.size[axis], fewest);
  }
  const std::vector<std::byte> background(static_cast<std::size_t>(few.VoxelCount() * image.channels) *
                                            SizeOf(image.type),
                                          std::byte{ 0 });
  options.algorithm = arguments.algorithm;
  options.threads = 1;
  options.periodic = {};
  try
  {
    Labeling labeling;
    Label(ImageView(background.data(), image.type, few, image.channels), options, labeling);
  }
  catch (const Unsupported & error)
  {
    throw Unsupported("--algorithm " + arguments.algorithm +
                      " does not label this image in parts (--memory): " + error.what());
  }
}

/** Images that are read in parts. */
struct LoadedSlabs
{
  LoadedImage                image;
  std::optional<LoadedImage> mask;
  std::optional<LoadedImage> intensity;

  SlabImages
  Images() const
  {
    return { &image, mask ? &*mask : nullptr, intensity ? &*intensity : nullptr };
  }
};

LoadedSlabs
ReadImages(const LabelArguments & arguments, ImageReader & reader)
{
  LoadedSlabs images;
  images.image = reader.ReadInParts(arguments.input, arguments.criterion.equalValue);
  const auto other = [&](const std::string & path, bool asLabels) -> std::optional<LoadedImage> {
    if (path.empty())
    {
      return std::nullopt;
    }
    LoadedImage image = reader.ReadInParts(path, asLabels);
    CheckSameGrid(images.image, image, path);
    return image;
  };
  images.mask = other(arguments.mask, true);
  images.intensity = other(arguments.table.intensity, false);
  if (images.intensity && images.intensity->channels != 1)
  {
    throw InvalidArgument("the intensity image has " + std::to_string(images.intensity->channels) +
                          " channels; it must have 1");
  }
  return images;
}

/** What labeled the slabs; nothing if an earlier run labeled all of them. */
struct UsedForSlabs
{
  std::string algorithm;
  std::string device;
};

nlohmann::ordered_json
SummaryOf(const LabelArguments & arguments,
          const SlabOptions &    options,
          const Segmented &      segmented,
          const SlabResult &     result,
          const UsedForSlabs &   used,
          const LoadedImage &    image)
{
  const Extent &         extent = image.extent;
  nlohmann::ordered_json summary;
  summary["components"] = result.components;
  summary["foreground_voxels"] = result.foregroundVoxels;
  AddKept(summary, result.relabeled, result.relabeled.keptVoxels.value_or(result.foregroundVoxels), image);
  summary["nan_values"] = result.notNumbers;
  if (options.measures)
  {
    summary["totals"] = ToJson(TotalsOf(result.table));
  }
  summary["extent"] = std::vector<std::int64_t>(extent.size, extent.size + extent.dimension);
  AddSpacing(summary, image);
  summary["coordinates"] = arguments.table.ras ? "RAS" : "LPS";
  summary["channels"] = image.channels;
  AddNeighbours(summary, arguments.neighbours, *options.label.connectivity, options.label.periodic);
  summary["criterion"] = segmented.CriterionText(arguments.criterion);
  AddSegmented(summary, arguments.criterion, segmented, result.table);
  summary["output"] = arguments.output.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(arguments.output);
  summary["filter"] = FilterAsJson({}, {});
  summary["label_type"] = NameOf(result.type);
  const auto ifKnown = [](const std::string & name) {
    return name.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(name);
  };
  summary["algorithm"] = ifKnown(used.algorithm);
  summary["device"] = ifKnown(used.device);
  summary["slabs"] = { { "count", result.plan.slabs.size() },
                       { "from_before", result.slabsFromBefore },
                       { "memory_bytes", result.plan.memory },
                       { "state_bytes", result.stateBytes },
                       { "merge_bytes", result.mergeBytes } };
  return summary;
}

void
PrintSummary(const LabelArguments & arguments,
             const SlabOptions &    options,
             const Segmented &      segmented,
             const SlabResult &     result,
             const UsedForSlabs &   used,
             const LoadedImage &    image)
{
  std::cout << std::setprecision(4) << result.components << (result.components == 1 ? " component" : " components")
            << ", connectivity " << DescribeNeighbours(*options.label.connectivity, options.label.periodic)
            << ", criterion " << segmented.CriterionText(arguments.criterion) << '\n'
            << DescribeSegmented(arguments.criterion, segmented, result.table) << result.foregroundVoxels
            << " foreground voxels of " << image.extent.VoxelCount() << " (" << image.extent.ToString()
            << (image.channels > 1 ? ", " + std::to_string(image.channels) + " channels" : "") << ", spacing "
            << DescribeSpacing(image) << ")\n"
            << DescribeKept(result.relabeled, result.relabeled.keptVoxels.value_or(result.foregroundVoxels), image)
            << (arguments.output.empty() ? "no label map"
                                         : Printable(arguments.output) + ": labels of type " + NameOf(result.type))
            << (used.algorithm.empty() ? "" : ", algorithm " + used.algorithm + " on " + used.device) << '\n'
            << Counted(result.plan.slabs.size(), "slab");
  if (result.slabsFromBefore > 0)
  {
    std::cout << " (" << result.slabsFromBefore << " from before)";
  }
  std::cout << "; state " << BytesAsText(result.stateBytes) << " on disk, " << BytesAsText(result.mergeBytes)
            << " in memory; peak " << BytesAsText(PeakMemoryBytes()) << '\n'
            << "seconds: read and label " << result.secondsToLabel << ", merge " << result.secondsToMerge << ", write "
            << result.secondsToWrite << std::endl;
}

/** What can be said, and is certain to fail, before an image is read. */
SlabOptions
OptionsBeforeReading(const LabelArguments & arguments)
{
  SlabOptions options;
  CheckOptionsOfSlabs(arguments);
  ParseAlgorithm(arguments.algorithm);
  options.memory = arguments.memory;
  // What has no meaning is refused before an image is read.
  SegmentedOfSlabs(arguments.criterion, ScalarType::UInt8);
  options.label.device = Device::FromName(arguments.device);
  options.type = LabelTypeFromName(arguments.labelType);
  options.groups = CheckTableArguments(arguments.table, "--statistics");
  CheckUnits(arguments.table, false, "--statistics or --print");
  options.measures = arguments.table.IsWanted();
  if (arguments.output.empty() && !options.measures)
  {
    throw InvalidArgument("OUTPUT, the label map, is missing; it may be left out only with --statistics or --print");
  }
  return options;
}

/** Notes values of the image and of the mask that are not a number. */
void
NoteNotNumbers(const SlabResult & result, const LabelArguments & arguments, ImageReader & reader)
{
  NoteNotANumber(result.notNumbers, reader);
  if (result.notNumbersOfMask > 0)
  {
    reader.Note(Quoted(arguments.mask) + ": " + TellNotANumber(result.notNumbersOfMask) +
                (result.slabsFromBefore > 0 ? ", without those of slabs from before" : ""));
  }
}

} // namespace

void
RunLabelBySlabs(const LabelArguments & arguments, const FrontEnd & frontEnd)
{
  const auto       reporterOwner = frontEnd.makeReporter(arguments.quiet || arguments.json);
  Reporter &       reporter = *reporterOwner;
  SlabOptions      options = OptionsBeforeReading(arguments);
  const NamedFiles outputs = OutputsOf(arguments);
  const NamedFiles inputs = InputsOf(arguments);
  CheckFiles(arguments.files, inputs, outputs);
  CheckImageName(arguments.output);

  ImageReader reader(arguments.files, arguments.threads, reporter);
  reader.Protect(outputs);
  const LoadedSlabs   images = ReadImages(arguments, reader);
  const LoadedImage & image = images.image;
  const Segmented     segmented = SegmentedOfSlabs(arguments.criterion, image.type);
  options.label.criterion = segmented.ForView();
  options.label.connectivity = ConnectivityFor(arguments.neighbours, image.extent, reader);
  options.label.periodic = PeriodicFor(arguments.neighbours, *options.label.connectivity);
  CheckAlgorithm(arguments, image, options.label);
  if (!arguments.output.empty())
  {
    CheckImageFileWritable(arguments.output,
                           options.type == LabelType::Auto ? ScalarType::UInt8 : ScalarTypeOfLabel(options.type),
                           image.extent);
  }
  MeasureOptions measured({}, options.groups);
  if (images.intensity)
  {
    measured.intensity = ImageView(&images, images.intensity->type, image.extent, images.intensity->channels);
  }
  if (arguments.criterion.equalValue && image.channels == 1)
  {
    measured.classes = ImageView(&images, image.type, image.extent, 1);
  }
  CheckTableColumns(arguments.table, measured, image.extent, options.label);
  options.label.relabel = RelabelOptionsOf(arguments, reader);
  options.label.minimumVolume = arguments.sizes.minimumVolume;
  options.label.geometry = image.geometry;
  options.label.algorithm = arguments.algorithm;
  options.label.threads = arguments.threads;
  options.work = arguments.work;
  options.resume = arguments.resume;
  options.output = arguments.output;
  options.compress = !arguments.noCompression;
  options.step = [&](const std::string & step) {
    ThrowIfInterrupted();
    reporter.Step(step);
  };
  options.note = [&](const std::string & note) { reporter.Note(note); };
  const std::string remark = ResolveDevice(options.label.device).remark;
  if (!remark.empty())
  {
    reader.Note(remark);
  }
  options.label.progress = reporter.Hooks();
  DoubtsOfSlabs doubts(options.label.criterion, image, !arguments.mask.empty(), arguments.threads);
  UsedForSlabs  used;
  options.seeSlab = [&](const ImageView & slab, std::int64_t firstRow, const Labeling & labeling) {
    used = { labeling.AlgorithmName(), labeling.UsedDevice().device.ToString() };
    doubts.See(slab, firstRow, labeling);
  };
  options.writeOthers = [&](const SlabResult & written) {
    NoteNotNumbers(written, arguments, reader);
    doubts.Note(written.foregroundVoxels, written.components, reader);
    for (const std::string & note : written.lostGeometry)
    {
      reader.Note(Quoted(arguments.output) + ": " + note);
    }
    if (options.measures)
    {
      NoteMeasures(written.table, reader);
      WriteTables(arguments.table, written.table, arguments.threads, reporter);
    }
    if (!arguments.colourTable.empty())
    {
      WriteColourTable(arguments.colourTable, written.components);
    }
  };
  const SlabResult result = LabelBySlabs(images.Images(), options);
  if (arguments.json)
  {
    nlohmann::ordered_json summary = SummaryOf(arguments, options, segmented, result, used, image);
    summary["notes"] = reader.Notes();
    summary["seconds"] = { { "label", result.secondsToLabel },
                           { "merge", result.secondsToMerge },
                           { "write", result.secondsToWrite } };
    summary["peak_memory_bytes"] = PeakMemoryBytes();
    frontEnd.takeSummary(summary);
  }
  else if (!arguments.quiet)
  {
    reporter.Note("");
    PrintSummary(arguments, options, segmented, result, used, image);
    if (!arguments.work.empty())
    {
      reporter.Note("the folder " + Quoted(arguments.work) + " is done with, and may be removed");
    }
  }
}

} // namespace brickccl::cli
