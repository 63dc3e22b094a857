// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Cli/Doubts.h"
#include "BrickCCL/Cli/JobOptions.h"
#include "BrickCCL/Cli/RunLabel.h"
#include "BrickCCL/Cli/Report.h"
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Criteria/VoxelValue.h"
#include "BrickCCL/Dispatch/AlgorithmTable.h"
#include "BrickCCL/Job/JobCriterion.h"
#include "BrickCCL/Measuring/CountNotANumber.h"
#include "BrickCCL/Segmenting/ValueHistogram.h"
#include "BrickCCL/Streaming/LabelBySlabs.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace brickccl::cli
{

namespace
{

/** Labels a few voxels as the slabs will be. \throws Unsupported, which names the option and the algorithms that label
 *  such slabs, if the one that is asked for does not. */
void
CheckAlgorithm(const job::Job & arguments, const LoadedImage & image, LabelOptions options)
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
ReadImages(const job::Job & arguments, ImageReader & reader)
{
  LoadedSlabs images;
  images.image = reader.ReadInParts(arguments.input, arguments.equalValue);
  const auto other = [&](const std::string & path, bool asLabels) -> std::optional<LoadedImage> {
    if (path.empty())
    {
      return std::nullopt;
    }
    LoadedImage image = reader.ReadInParts(path, asLabels);
    CheckSameGrid(images.image, image, path);
    return image;
  };
  images.mask = job::MaskOf(arguments, images.image, other(arguments.mask, true), arguments.threads);
  images.intensity = other(arguments.intensity, false);
  if (images.intensity && images.intensity->channels != 1)
  {
    throw InvalidArgument("the intensity image has " + std::to_string(images.intensity->channels) +
                          " channels; it must have 1");
  }
  return images;
}

LabelFindings
FindingsOf(const LoadedImage & image,
           const Segmented &   segmented,
           const SlabOptions & options,
           const SlabResult &  result)
{
  LabelFindings findings{ image, segmented, result.table, *options.label.connectivity };
  findings.components = result.components;
  findings.foregroundVoxels = result.foregroundVoxels;
  findings.relabeled = result.relabeled;
  findings.keptVoxels = result.relabeled.keptVoxels.value_or(result.foregroundVoxels);
  findings.notNumbers = result.notNumbers;
  findings.isMeasured = options.measures;
  findings.regionVoxels = options.pores ? std::nullopt : result.table.regionVoxels;
  findings.periodic = options.label.periodic;
  findings.type = result.type;
  return findings;
}

/** Adds the counts and bytes of slabs. */
void
AddSlabs(job::Findings & findings, const SlabResult & result, int line)
{
  const std::uint64_t before = result.slabsFromBefore;
  findings.insert(findings.end(),
                  { { "slabs/count", result.plan.slabs.size(), line, "#", "slab" },
                    { "slabs/from_before", before, before > 0 ? line : 0, "(# from before)" },
                    { "slabs/memory_bytes", result.plan.memory },
                    { "slabs/state_bytes", result.stateBytes },
                    { "slabs/merge_bytes", result.mergeBytes },
                    { "", BytesAsText(result.stateBytes), line, "# on disk" },
                    { "", BytesAsText(PeakMemoryBytes()), line, "peak memory #" } });
}

/** What can be said, and is certain to fail, before an image is read. */
SlabOptions
OptionsBeforeReading(const job::Job & arguments, NamedFiles & outputs)
{
  SlabOptions options;
  options.memory = arguments.memory;
  ParseAlgorithm(arguments.algorithm);
  options.groups = CheckJob(arguments, outputs);
  options.label.device = Device::FromName(arguments.device);
  options.type = LabelTypeFromName(arguments.labelType);
  options.pores = arguments.pores;
  options.measures = arguments.IsWanted() || arguments.pores;
  options.measuresPart = arguments.IsWanted() && arguments.pores;
  return options;
}

/** Notes values of the image and of the mask that are not a number. */
void
NoteNotNumbers(const SlabResult & result, const job::Job & arguments, ImageReader & reader)
{
  NoteNotANumber(result.notNumbers, reader);
  if (result.notNumbersOfMask > 0)
  {
    reader.Note(Quoted(arguments.mask) + ": " + TellNotANumber(result.notNumbersOfMask) +
                (result.slabsFromBefore > 0 ? " (slabs of an earlier run are not counted)" : ""));
  }
}

/** Notes what is to be known of the part and of the table, and writes what is written next to the label map. */
void
WriteOthers(const job::Job & arguments, const SlabResult & written, ImageReader & reader, Reporter & reporter)
{
  if (written.pores)
  {
    for (const std::string & note : NotesOn(*written.pores, ""))
    {
      reader.Note(note);
    }
    reader.Note("with --memory, cracks and cavities that are open to the outside through narrow gaps are not searched; "
                "they count as outside");
  }
  for (const std::string & note : written.lostGeometry)
  {
    reader.Note(Quoted(arguments.output) + ": " + note);
  }
  if (arguments.IsWanted() || written.pores)
  {
    NoteMeasures(written.table, reader);
  }
  if (arguments.IsWanted())
  {
    WriteTables(arguments, written.table, arguments.threads, reporter);
  }
  if (!arguments.colorTable.empty())
  {
    WriteColorTable(arguments.colorTable, written.components);
  }
}

/** Plans the slabs, and finds the threshold. */
Segmented
SegmentSlabs(const job::Job &   arguments,
             const SlabImages & images,
             SlabOptions &      options,
             ImageReader &      reader,
             Reporter &         reporter)
{
  options.plan = PlanFor(images, options);
  const auto histogram = [&] {
    return HistogramBySlabs(images, options.plan, { arguments.threads, Progress(options.label.progress) });
  };
  const ScalarType type = images.image->type;
  Segmented        segmented;
  segmented.threshold = ThresholdFor(arguments, type, histogram, reader, reporter);
  segmented.asked = job::CriterionOf(arguments, type, segmented.threshold);
  options.label.criterion = segmented.asked;
  return segmented;
}

} // namespace

void
RunLabelBySlabs(const job::Job & arguments, const FrontEnd & frontEnd)
{
  const auto  reporterOwner = frontEnd.makeReporter(arguments.quiet || arguments.json);
  Reporter &  reporter = *reporterOwner;
  NamedFiles  outputs;
  SlabOptions options = OptionsBeforeReading(arguments, outputs);

  ImageReader reader(arguments, arguments.threads, reporter);
  reader.Protect(outputs);
  const LoadedSlabs   images = ReadImages(arguments, reader);
  const LoadedImage & image = images.image;
  options.label.criterion = job::CriterionOf(arguments, image.type);
  options.label.connectivity = ConnectivityFor(arguments, image.extent, reader);
  options.label.periodic = PeriodicFor(arguments, *options.label.connectivity);
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
  if (arguments.pores)
  {
    measured.part = ImageView(&images, image.type, image.extent, 1);
  }
  if (arguments.equalValue && image.channels == 1)
  {
    measured.classes = ImageView(&images, image.type, image.extent, 1);
  }
  CheckTableColumns(arguments, measured, image.extent, options.label);
  options.label.relabel = RelabelOptionsOf(arguments, reader);
  options.label.minimumVolume = SizeFor(*options.label.connectivity, arguments.minimumVolume, "--minimum-volume");
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
  Segmented     segmented = SegmentSlabs(arguments, images.Images(), options, reader, reporter);
  DoubtsOfSlabs doubts(options.label.criterion, image, images.mask.has_value(), arguments.threads);
  std::string   algorithm;
  std::string   device;
  options.seeSlab = [&](const ImageView & slab, std::int64_t firstRow, const Labeling & labeling) {
    algorithm = labeling.AlgorithmName();
    device = labeling.UsedDevice().device.ToString();
    if (!arguments.pores)
    {
      doubts.See(slab, firstRow, labeling);
    }
  };
  options.writeOthers = [&](const SlabResult & written) {
    NoteNotNumbers(written, arguments, reader);
    if (!written.pores)
    {
      doubts.Note(written.foregroundVoxels, written.components, reader);
    }
    WriteOthers(arguments, written, reader, reporter);
  };
  const SlabResult result = LabelBySlabs(images.Images(), options);
  segmented.pores = result.pores;
  LabelFindings findings = FindingsOf(image, segmented, options, result);
  findings.output = arguments.output;
  findings.algorithm = algorithm;
  findings.device = device;
  job::Findings list = ListFindings(arguments, findings);
  AddSlabs(list, result, 8);
  AddEnd(
    list,
    arguments,
    findings,
    reader.Notes(),
    { { "label", result.secondsToLabel }, { "merge", result.secondsToMerge }, { "write", result.secondsToWrite } });
  PrintFindings(list, arguments, reporter, frontEnd);
  if (!arguments.work.empty() && !arguments.json && !arguments.quiet)
  {
    reporter.Note("the folder " + Quoted(arguments.work) + " is no longer needed and can be deleted");
  }
}

} // namespace brickccl::cli
