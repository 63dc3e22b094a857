// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Cli/Commands.h"
#include "BrickCCL/Cli/Doubts.h"
#include "BrickCCL/Cli/Segments.h"
#include "BrickCCL/Core/TextLists.h"
#include "BrickCCL/Job/Parameters.h"
#include "BrickCCL/Measuring/Measuring.h"
#include "BrickCCL/Segmenting/SmoothImage.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

namespace brickccl::cli
{

namespace
{

struct CropArguments : job::Job
{
  std::string labelFile;
  std::string component;
  bool        each = false;
  bool        only = false;
  std::string margin = "0";
};

using Place = std::array<std::int64_t, MaximumDimension>;

/** A part that is cut out, of a component or region: from the first to the last index, both included. */
struct Cut
{
  std::string                  file;
  std::optional<std::uint64_t> label;
  Place                        first = {};
  Place                        last = {};
};

Place
MarginOf(const CropArguments & arguments, const LoadedImage & image)
{
  Place      voxels = {};
  double     length = 0;
  const bool isInVoxels = job::NumberOf(arguments.margin).has_value();
  ThrowIf<InvalidArgument>(
    job::SetValue({ job::Kind::Number, 0, 1e9, "mm" }, { arguments.margin }, &length) ||
      (isInVoxels && length != std::floor(length)) || (!isInVoxels && image.spacingSource == "none"),
    "--margin must be a number of voxels, or a length such as 0.5mm if the image has a voxel size, not " +
      Quoted(arguments.margin));
  for (std::size_t axis = 0; axis < voxels.size(); ++axis)
  {
    constexpr double rounding = 1e-6;
    voxels[axis] =
      static_cast<std::int64_t>(std::ceil(length / (isInVoxels ? 1 : image.geometry.spacing[axis]) - rounding));
  }
  return voxels;
}

/** The boxes of the components that are asked for, or one around all of them. */
std::vector<Cut>
FindCuts(const CropArguments & arguments, const LoadedImage & labels)
{
  const bool           areAll = !arguments.each && arguments.component.empty();
  const bool           isAsked = !arguments.component.empty();
  const auto           asked = LabelForName(isAsked ? arguments.component : "0", "--component", labels.segmentation);
  const ComponentTable table = MeasureLabelImage(labels.View(), {}, {}, arguments.threads);
  const Place          margin = MarginOf(arguments, labels);
  const std::string    extension = ExtensionOf(arguments.output);
  const std::string    stem = arguments.output.substr(0, arguments.output.size() - extension.size());
  std::vector<Cut>     cuts;
  for (const ComponentMeasures & component : table.components)
  {
    if (isAsked && asked != Number(component.label))
    {
      continue;
    }
    const bool isNew = cuts.empty() || !areAll;
    if (isNew)
    {
      cuts.push_back({ arguments.each ? stem + "_" + std::to_string(component.label) + extension : arguments.output,
                       areAll ? std::nullopt : std::optional(component.label) });
    }
    for (std::size_t axis = 0; axis < margin.size(); ++axis)
    {
      const auto first = std::max(std::int64_t{ 0 }, component.boxMinimum[axis] - margin[axis]);
      const auto last = std::min(labels.extent.size[axis] - 1, component.boxMaximum[axis] + margin[axis]);
      cuts.back().first[axis] = isNew ? first : std::min(first, cuts.back().first[axis]);
      cuts.back().last[axis] = isNew ? last : std::max(last, cuts.back().last[axis]);
    }
  }
  ThrowIf<InvalidArgument>(cuts.empty(),
                           Quoted(arguments.labelFile.empty() ? arguments.input : arguments.labelFile) + " has no " +
                             (isAsked ? "component " + Printable(arguments.component) : "components"));
  return cuts;
}

LoadedImage
CutOut(const LoadedImage & image, const Cut & cut)
{
  LoadedImage part;
  part.type = image.type;
  part.extent = image.extent;
  part.geometry = image.geometry;
  part.segmentation = image.segmentation;
  const std::vector<double> first(cut.first.begin(), cut.first.end());
  image.geometry.IndexToPhysical(image.extent.dimension, first.data(), part.geometry.origin);
  for (std::size_t axis = 0; axis < cut.first.size(); ++axis)
  {
    part.extent.size[axis] = cut.last[axis] - cut.first[axis] + 1;
  }
  const std::size_t bytes = static_cast<std::size_t>(part.extent.RowLength()) * SizeOf(image.type);
  std::byte *       output = part.voxels.Resize(part.ByteCount());
  RowPosition       position(part.extent, 0);
  for (std::int64_t row = 0; row < part.extent.RowCount(); ++row, position.Advance(part.extent), output += bytes)
  {
    std::int64_t begin = 0;
    for (std::size_t axis = cut.first.size() - 1; axis > 0; --axis)
    {
      begin = (begin + cut.first[axis] + position.at[axis - 1]) * image.extent.size[axis - 1];
    }
    std::memcpy(output,
                image.voxels.Data() + static_cast<std::size_t>(begin + cut.first[0]) * SizeOf(image.type),
                bytes);
  }
  return part;
}

void
WritePart(const LoadedImage & part, const std::string & file, const CropArguments & arguments, ImageReader & reader)
{
  ImageToWrite written = ImageToWrite::FromMemory(part.voxels.Data(), part.type, part.extent, part.geometry);
  written.segmentation = part.segmentation;
  if (!part.segmentation.segments.empty() && HoldsSegments(file, part.extent))
  {
    const ComponentTable table = MeasureLabelImage(part.View(), {}, {}, arguments.threads);
    written.segmentation = SegmentsOf(part, table, InputLabels(table), false, reader);
  }
  const bool areLabels = !part.segmentation.segments.empty();
  WriteImage(file, written, { !arguments.noCompression, { arguments.threads } }, reader, areLabels);
}

void
RunCrop(const CropArguments & arguments)
{
  const bool takesComponents = arguments.each || !arguments.component.empty();
  const bool hasRegion = arguments.Region::IsGiven();
  ThrowIf<InvalidArgument>(takesComponents ? hasRegion || arguments.downsample > 1
                                           : !hasRegion && arguments.downsample == 1,
                           std::string(takesComponents ? "--component and --each cannot be combined with"
                                                       : "nothing to crop to: give --component or --each, or else") +
                             " --box, --cylinder, --sphere, --mask or --downsample");
  const NamedFiles inputs = { { "IN", arguments.input },
                              { "--names", arguments.names },
                              { "--labels", arguments.labelFile },
                              { "--mask", arguments.mask } };
  NamedFiles       outputs;
  if (!arguments.each)
  {
    outputs.emplace_back("OUT", arguments.output);
  }
  CheckFiles(arguments, inputs, outputs);
  CheckImageName(arguments.output, arguments.dicomSeg);
  Reporter    reporter(arguments.quiet || arguments.json);
  ImageReader reader(arguments, arguments.threads, reporter);
  reader.Protect(outputs);
  const bool  areLabels = takesComponents && arguments.labelFile.empty();
  LoadedImage image = areLabels ? reader.ReadLabels(arguments.input) : reader.Read(arguments.input, false);
  ThrowIf<Unsupported>(image.channels != 1,
                       Quoted(arguments.input) + " has " + Counted(image.channels, "channel") +
                         "; images of 1 channel are cropped");
  if (areLabels)
  {
    NoteGrayClasses(image, reader, "name the label map of the components by --labels FILE");
  }
  std::optional<LoadedImage> labels = ReadRegion(arguments, image, arguments.threads, reader);
  if (labels && arguments.only)
  {
    job::SetOutsideToZero(image, labels->View(), arguments.threads);
  }
  if (!arguments.labelFile.empty())
  {
    labels = reader.ReadLabels(arguments.labelFile);
    CheckSameGrid(image, *labels, arguments.labelFile);
  }
  if (!takesComponents && !hasRegion)
  {
    labels = EmptyCopy(image, ScalarType::UInt8);
    std::memset(labels->voxels.Resize(labels->ByteCount()), 1, labels->ByteCount());
  }
  const std::vector<Cut> cuts = FindCuts(arguments, labels ? *labels : image);
  outputs = Mapped(cuts, [](const Cut & cut) { return std::pair(std::string("OUT"), cut.file); });
  CheckOutputs(inputs, outputs);
  reader.CheckNotRead(outputs);
  reporter.Step("writing " + arguments.output);
  auto             written = nlohmann::ordered_json::array();
  ReplacedTogether together;
  for (const Cut & cut : cuts)
  {
    LoadedImage part = CutOut(image, cut);
    if (arguments.only && cut.label)
    {
      const LoadedImage mask = MaskOf(CutOut(labels ? *labels : image, cut), Number(*cut.label));
      job::SetOutsideToZero(part, mask.View(), arguments.threads);
    }
    WritePart(part, cut.file, arguments, reader);
    const auto dimension = static_cast<std::size_t>(image.extent.dimension);
    written.push_back({ { "file", cut.file },
                        { "label", cut.label ? nlohmann::ordered_json(*cut.label) : nlohmann::ordered_json() },
                        { "first", std::vector<std::int64_t>(cut.first.data(), cut.first.data() + dimension) },
                        { "last", std::vector<std::int64_t>(cut.last.data(), cut.last.data() + dimension) } });
  }
  together.Move();
  job::Findings findings;
  findings.push_back({ "crops", written });
  findings.push_back({ "", cuts.size(), 1, "#", "image" });
  findings.push_back({ "", Printable(cuts[0].file) + (cuts.size() > 1 ? " ..." : ""), 1, "written: #" });
  image.extent = CutOut(image, cuts[0]).extent;
  AddSpacing(findings, image, cuts.size() == 1 ? 2 : 0);
  findings.push_back({ "notes", reader.Notes() });
  PrintFindings(findings, arguments, reporter);
}

} // namespace

void
AddCropCommand(CLI::App & app)
{
  auto       arguments = std::make_shared<CropArguments>();
  CLI::App * command = app.add_subcommand("crop", "Cut out a box, or the box around a component, as an image");
  command->add_option("IN", arguments->input, std::string("image") + FilesRead)->required();
  command->add_option("OUT", arguments->output, "cropped image, with its place in space (with --each: name_LABEL.ext)")
    ->required();
  AddOptions(*command,
             *arguments,
             std::string(ReadingOptions) + "names " + RegionOptions + RunningOptions +
               "dicom-seg no-compression downsample");
  const std::string more = job::FindParameter("box")->more;
  command->get_option("--box")->description(
    "crop to this box: first and last voxel, both included\nSeveral shapes are cropped to the box around them. " +
    more.substr(more.find("Plain numbers")));
  auto * const component =
    command
      ->add_option("--component", arguments->component, "crop to the box around the component of this label or name")
      ->type_name("LABEL");
  command->add_flag("--each", arguments->each, "write an image for each component: name_LABEL.ext")
    ->excludes(component);
  command->add_option("--labels", arguments->labelFile, "label map of the components (default: IN)")->type_name("FILE");
  command->add_flag("--only", arguments->only, "set voxels outside of the component, or of the region, to 0");
  command->add_option("--margin", arguments->margin, "enlarge boxes on all sides: voxels or a length, as 5 or 0.5mm")
    ->type_name("M");
  command->callback([arguments] { RunCrop(*arguments); });
}

} // namespace brickccl::cli
