// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Cli/Commands.h"
#include "BrickCCL/Cli/RunApp.h"
#include "BrickCCL/Cli/Segments.h"
#include "BrickCCL/Labels/ExpandLabels.h"
#include "BrickCCL/Labels/Relabel.h"
#include "BrickCCL/Measuring/Measure.h"

#include <map>
#include <set>

namespace brickccl::cli
{

namespace
{

struct MergeArguments : job::Job
{
  std::vector<std::string> inputs;
  std::string              overlap = "error";
};

/** The label map of several masks: segments have the labels 1, 2, ... in the order in which they are added. */
struct MergedMasks
{
  const MergeArguments &     arguments;
  std::vector<std::uint32_t> voxels = {};
  std::vector<std::uint64_t> sizes = { 0 };
  /** How many voxels two segments share. */
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> overlaps = {};

  ComponentTable
  Add(const LoadedImage & mask)
  {
    RunVolume      volume;
    ComponentTable table = MeasureLabelImage(mask.View(), mask.geometry, {}, { arguments.threads }, volume);
    const auto     first = static_cast<std::uint32_t>(sizes.size() - 1);
    for (std::size_t row = 0; row < table.components.size(); ++row)
    {
      sizes.push_back(table.components.VoxelCount(row));
    }
    voxels.resize(static_cast<std::size_t>(mask.extent.VoxelCount()));
    std::vector<std::uint32_t> labels(static_cast<std::size_t>(mask.extent.RowLength()));
    for (std::int64_t row = 0; row < mask.extent.RowCount(); ++row)
    {
      ExpandRows(volume, row, row + 1, labels.data());
      for (std::size_t x = 0; x < labels.size(); ++x)
      {
        std::uint32_t &     before = voxels[static_cast<std::size_t>(row) * labels.size() + x];
        const std::uint32_t label = first + labels[x];
        if (labels[x] != 0 && before != 0)
        {
          ++overlaps[{ before, label }];
        }
        const bool wins = before == 0 || arguments.overlap == "last" ||
                          (arguments.overlap == "largest" && sizes[label] > sizes[before]);
        before = labels[x] != 0 && wins ? label : before;
      }
    }
    return table;
  }

  /** \throws InvalidArgument that names two segments that overlap, if none is to win. */
  void
  CheckOverlaps(const std::vector<std::string> & names, ImageReader & reader) const
  {
    if (overlaps.empty())
    {
      return;
    }
    const auto & [pair, count] = *overlaps.begin();
    const std::string more = overlaps.size() > 1 ? " (the first of " + Counted(overlaps.size(), "pair") + ")" : "";
    const std::string what = "'" + names[pair.first - 1] + "' and '" + names[pair.second - 1] + "' overlap in " +
                             Counted(count, "voxel") + more;
    ThrowIf<InvalidArgument>(arguments.overlap == "error",
                             "the segments " + what +
                               "; choose which gets these voxels by --overlap first, last or largest");
    reader.Note("the segments " + what + "; the " + arguments.overlap + " gets these voxels");
  }
};

void
RunMerge(const MergeArguments & arguments)
{
  Reporter  reporter(arguments.quiet || arguments.json);
  Stopwatch total;
  MaskFiles masks = FindMasks(arguments.inputs, false);
  masks.areSeveral = true;
  const NamedFiles outputs = { { "--output", arguments.output } };
  NamedFiles       inputs = { { "--names", arguments.names } };
  for (const std::string & file : masks.files)
  {
    inputs.insert(inputs.begin(), { "MASKS", file });
  }
  CheckFiles(arguments, inputs, outputs);
  CheckImageName(arguments.output, arguments.dicomSeg);
  ImageReader reader(arguments, arguments.threads, reporter);
  reader.Protect(outputs);
  MergedMasks          merged{ arguments };
  LoadedImage          image;
  const ComponentTable table = MeasureMasks(
    masks,
    [&](const LoadedImage & mask, bool) { return merged.Add(mask); },
    image,
    reader);
  const std::vector<std::string> & names = *table.texts.back().texts;
  merged.CheckOverlaps(names, reader);
  reader.NoteIf(std::set<std::string>(names.begin(), names.end()).size() < names.size(),
                "some segments have the same name" +
                  std::string(arguments.names.empty() ? "" : "; --names names the labels of each mask"));
  RunVolume                  volume;
  const ImageView            view(merged.voxels.data(), image.extent);
  const ComponentTable       written = MeasureLabelImage(view, image.geometry, {}, { arguments.threads }, volume);
  std::vector<std::uint64_t> labels = InputLabels(written);
  const Segmentation         segments = SegmentsOf(image, written, labels, true, reader);
  labels.insert(labels.begin(), 0);
  Renumber(volume, labels, HostContext{ arguments.threads });
  const std::size_t count = table.components.size();
  const LabelType   type = ResolveLabelType(LabelType::Auto, count, Counted(count, "segment"));
  const auto        rows = [&](auto begin, auto end, auto own, void * to) { ExpandRows(volume, begin, end, own, to); };
  WriteLabels(arguments, image, type, 0, rows, segments, reader, reporter);
  job::Findings findings = { { "segments", count, 1, "# from " + Counted(masks.files.size(), "mask"), "segment" } };
  AddSpacing(findings, image, 2);
  findings.push_back({ "label_type", NameOf(type) });
  findings.push_back({ "", Printable(arguments.output) + ": labels of type " + NameOf(type), 3 });
  AddRun(findings, reader.Notes(), { { "total", total.Lap() } }, arguments.output, false);
  PrintFindings(findings, arguments, reporter);
}

} // namespace

void
AddMergeCommand(CLI::App & app)
{
  auto       arguments = std::make_shared<MergeArguments>();
  CLI::App * command = app.add_subcommand("merge", "Make one label map with names from the masks of a scan");
  command
    ->add_option("MASKS",
                 arguments->inputs,
                 "masks and label maps, or their folder\nSegments get the labels 1, 2, ... in this order; files of a "
                 "folder are in natural order. A segment without a name gets the name of its file.")
    ->required();
  command->add_option("-o,--output", arguments->output, "label map; .seg.nrrd files hold names and colors")
    ->type_name("FILE")
    ->required();
  command
    ->add_option("--overlap",
                 arguments->overlap,
                 "which segment gets shared voxels: first, last or largest (default: an error)")
    ->type_name("WHICH")
    ->check(OneOf({ "error", "first", "last", "largest" }));
  AddOptions(*command,
             *arguments,
             std::string(ReadingOptions) + "names " + RunningOptions + "dicom-seg no-compression");
  command->callback([arguments] { RunMerge(*arguments); });
}

} // namespace brickccl::cli
