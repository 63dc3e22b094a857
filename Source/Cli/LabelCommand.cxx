#include "BrickCCL/Cli/Commands.h"
#include "BrickCCL/Cli/CriterionOptions.h"
#include "BrickCCL/Cli/Doubts.h"
#include "BrickCCL/Cli/FileOptions.h"
#include "BrickCCL/Cli/FilterOptions.h"
#include "BrickCCL/Cli/NeighbourOptions.h"
#include "BrickCCL/Cli/NumberOptions.h"
#include "BrickCCL/Cli/Report.h"
#include "BrickCCL/Cli/Spelling.h"
#include "BrickCCL/Cli/TableOptions.h"
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Dispatch/LabelingImplementation.h"
#include "BrickCCL/Host/AtomicFile.h"
#include "BrickCCL/Pictures/Picture.h"

#include <nlohmann/json.hpp>

#include <iomanip>
#include <iostream>
#include <limits>
#include <memory>
#include <sstream>

namespace brickccl::cli
{

namespace
{

struct LabelArguments
{
  std::string        input;
  std::string        output;
  std::string        outputFallback;
  NeighbourArguments neighbours;
  CriterionArguments criterion;
  std::string        mask;
  std::string        order = "raster";
  std::uint64_t      minimumSize = 0;
  double             minimumVolume = 0;
  std::uint64_t      maximumSize = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t      largest = 0;
  FilterArguments    filter;
  std::string        labelType = "auto";
  std::string        algorithm = "Auto";
  std::string        device = "auto";
  int                threads = 0;
  FileArguments      files;
  TableArguments     table;
  std::string        picture;
  std::string        colourTable;
  bool               noCompression = false;
  bool               json = false;
  bool               quiet = false;
};

/** The voxels of the components that are left. */
std::uint64_t
CountKeptVoxels(const Labeling & labeling, const ComponentFilter & filter)
{
  if (labeling.Relabeled().keptVoxels || filter.KeepsEverything())
  {
    return labeling.Relabeled().keptVoxels.value_or(labeling.ForegroundVoxelCount());
  }
  std::uint64_t kept = 0;
  for (std::int64_t row = 0; row < labeling.GetExtent().RowCount(); ++row)
  {
    for (const LabelRun & run : labeling.ListRuns(row, row + 1))
    {
      kept += run.label != 0 ? static_cast<std::uint64_t>(run.length) : 0;
    }
  }
  return kept;
}

/** What was found, dropped by which limit, and kept; members of the summary. */
void
AddKept(nlohmann::ordered_json & summary, const Labeling & labeling, const ComponentFilter & filter)
{
  const RelabelReport & relabeled = labeling.Relabeled();
  summary["components_found"] = relabeled.found;
  summary["dropped"] = { { "too_small", relabeled.tooSmall },
                         { "too_large", relabeled.tooLarge },
                         { "beyond_largest", relabeled.beyondLargest } };
  summary["kept_voxels"] = CountKeptVoxels(labeling, filter);
}

/** "kept: 12303 voxels, 12.3 mm^3; dropped of 2304 found: 2200 too small", with a line end. */
std::string
DescribeKept(const Labeling & labeling, const ComponentFilter & filter, const LoadedImage & image)
{
  const RelabelReport & relabeled = labeling.Relabeled();
  const std::uint64_t   kept = CountKeptVoxels(labeling, filter);
  const int             dimension = image.extent.dimension;
  const double          size = static_cast<double>(kept) * image.geometry.VoxelVolume(dimension);
  std::ostringstream    text;
  text << std::setprecision(6) << "kept: " << kept << " voxels, " << size << " mm"
       << (dimension == 1 ? "" : "^" + std::to_string(dimension));
  if (dimension == 3 && size >= 1000)
  {
    text << " (" << size / 1000 << " cm^3)";
  }
  if (relabeled.tooSmall + relabeled.tooLarge + relabeled.beyondLargest > 0)
  {
    text << "; dropped of " << relabeled.found << " found:";
    const char * separator = " ";
    for (const auto & [count, what] : { std::pair{ relabeled.tooSmall, "too small" },
                                        std::pair{ relabeled.tooLarge, "too large" },
                                        std::pair{ relabeled.beyondLargest, "beyond the largest" } })
    {
      if (count > 0)
      {
        text << separator << count << ' ' << what;
        separator = ", ";
      }
    }
  }
  text << '\n';
  return text.str();
}

std::string
Rounded(double value)
{
  std::ostringstream text;
  text << std::setprecision(4) << value;
  return text.str();
}

/** \throws InvalidArgument, Unsupported if the label maps' formats cannot hold them, or there would be no output. */
void
CheckLabelMaps(const LabelArguments & arguments, LabelType requestedType, const Extent & extent)
{
  if (!arguments.output.empty())
  {
    CheckImageFileWritable(arguments.output,
                           requestedType == LabelType::Auto ? ScalarType::UInt8 : ScalarTypeOfLabel(requestedType),
                           extent);
  }
  if (!arguments.outputFallback.empty())
  {
    CheckImageFileWritable(arguments.outputFallback, ScalarType::UInt64, extent);
  }
}

/** Writes the label map, if one is asked for. \return its file. */
std::string
WriteLabelMap(const LabelArguments & arguments,
              const Labeling &       labeling,
              LabelType              type,
              const LoadedImage &    image,
              ImageReader &          reader,
              Reporter &             reporter)
{
  if (arguments.output.empty())
  {
    return {};
  }
  reporter.Step("writing " + arguments.output);
  const ProgressHooks hooks = reporter.Hooks();
  WriteOptions        writing;
  writing.compress = !arguments.noCompression;
  writing.context = { arguments.threads, Progress(hooks) };
  const std::string output =
    OutputFor(arguments.output, arguments.outputFallback, ScalarTypeOfLabel(type), image.extent, reader);
  const auto lost = WriteImageFile(
    output,
    { ScalarTypeOfLabel(type),
      image.extent,
      image.geometry,
      [&](std::int64_t begin, std::int64_t end, void * rows) { labeling.WriteRows(begin, end, rows, type); },
      labeling.ComponentCount() },
    writing);
  for (const std::string & note : lost)
  {
    reader.Note("'" + output + "': " + note);
  }
  return output;
}

/** The limits on sizes and the order. */
RelabelOptions
RelabelOptionsOf(const LabelArguments & arguments, ImageReader & reader)
{
  if (arguments.minimumSize > arguments.maximumSize)
  {
    reader.Note("--minimum-size " + std::to_string(arguments.minimumSize) + " is above --maximum-size " +
                std::to_string(arguments.maximumSize) + ": no component is kept");
  }
  RelabelOptions relabel;
  relabel.order = arguments.order == "size" ? LabelOrder::Size : LabelOrder::Raster;
  relabel.minimumSize = arguments.minimumSize;
  relabel.maximumSize = arguments.maximumSize;
  relabel.largest = arguments.largest;
  return relabel;
}

NamedFiles
OutputsOf(const LabelArguments & arguments)
{
  NamedFiles outputs = TableFiles(arguments.table, "--statistics");
  outputs.push_back({ "OUTPUT", arguments.output });
  outputs.push_back({ "--output-fallback", arguments.outputFallback });
  outputs.push_back({ "--picture", arguments.picture });
  outputs.push_back({ "--colour-table", arguments.colourTable });
  return outputs;
}

NamedFiles
InputsOf(const LabelArguments & arguments)
{
  return { { "INPUT", arguments.input },         { "--neighbourhood", arguments.neighbours.File() },
           { "--mask", arguments.mask },         { "--intensity", arguments.table.intensity },
           { "--part", arguments.table.part },   { "--touching", arguments.filter.touching },
           { "--seeds", arguments.filter.seeds } };
}

void
RunLabel(const LabelArguments & arguments, const FrontEnd & frontEnd)
{
  const auto     reporterOwner = frontEnd.makeReporter(arguments.quiet || arguments.json);
  Reporter &     reporter = *reporterOwner;
  Stopwatch      total;
  Stopwatch      watch;
  nlohmann::json seconds;

  // What is certain to fail is found before the long work starts.
  LabelOptions options;
  options.criterion = CriterionOf(arguments.criterion);
  options.device = Device::FromName(arguments.device);
  const LabelType    requestedType = LabelTypeFromName(arguments.labelType);
  const ColumnGroups groups = CheckTableArguments(arguments.table, "--statistics");
  if (arguments.output.empty() && (!arguments.table.IsWanted() || !arguments.outputFallback.empty()))
  {
    throw InvalidArgument("OUTPUT, the label map, is missing; it may be left out only with --statistics or --print");
  }
  const NamedFiles outputs = OutputsOf(arguments);
  const NamedFiles inputs = InputsOf(arguments);
  CheckSeries(arguments.files, inputs);
  CheckOutputs(inputs, outputs);
  if (!arguments.picture.empty())
  {
    CheckWritable(arguments.picture);
  }

  const auto preparation = PrepareDevice(options.device);
  reporter.Step("reading " + arguments.input);
  ImageReader reader(arguments.files, arguments.threads, reporter);
  reader.Protect(outputs);
  LoadedImage image = reader.Read(arguments.input, arguments.criterion.equalValue);
  options.connectivity = ConnectivityFor(arguments.neighbours, image.extent, reader);
  options.periodic = PeriodicFor(arguments.neighbours, *options.connectivity);
  if (!arguments.picture.empty())
  {
    CheckPicture(image.extent);
  }
  CheckLabelMaps(arguments, requestedType, image.extent);
  std::optional<LoadedImage> mask;
  if (!arguments.mask.empty())
  {
    mask = reader.Read(arguments.mask, true);
    CheckSameGrid(image, *mask, arguments.mask);
    options.mask = mask->View();
  }
  const TableImages tableImages = ReadTableImages(arguments.table, image, arguments.threads, reader);
  LoadedFilter      filter = ReadFilter(arguments.filter, *options.connectivity, image, reader);
  seconds["read"] = watch.Lap();
  // A CPU thread labels about so many voxels before a CUDA device is ready (Testing/gpu/RESULTS.md, whole commands).
  constexpr double voxelsPerThread = 5e8;
  if (options.device.kind == Device::Kind::Auto &&
      static_cast<double>(image.extent.VoxelCount()) < voxelsPerThread * EffectiveThreadCount(arguments.threads))
  {
    options.device.kind = Device::Kind::Cpu;
  }
  Segmented segmented =
    ApplyCriterion(arguments.criterion, image, mask, options.device, arguments.threads, reader, reporter);
  options.criterion = segmented.ForView();
  reporter.Step("labeling");
  options.relabel = RelabelOptionsOf(arguments, reader);
  options.minimumVolume = arguments.minimumVolume;
  options.geometry = image.geometry;
  options.algorithm = arguments.algorithm;
  options.threads = arguments.threads;
  options.progress = reporter.Hooks();
  Labeling                    labeling;
  const ComponentFilterReport filtered = Label(segmented.View(image), options, filter.filter, labeling);
  NoteDoubts(arguments.criterion, image, segmented, labeling, mask.has_value(), reader);
  segmented.smoothed.reset();
  filter.touching.reset();
  mask.reset();
  options.mask.reset();
  if (!labeling.UsedDevice().remark.empty())
  {
    reporter.Note("note: " + labeling.UsedDevice().remark);
  }
  if (arguments.picture.empty())
  {
    image.voxels.Release();
  }
  const LabelType type = ResolveLabelType(requestedType,
                                          labeling.ComponentCount(),
                                          std::to_string(labeling.ComponentCount()) + " components do",
                                          frontEnd.widestLabels);
  seconds["label"] = watch.Lap();

  ComponentTable table;
  const bool     measures =
    arguments.table.IsWanted() || !arguments.picture.empty() || frontEnd.alwaysMeasures || segmented.pores;
  if (measures)
  {
    reporter.Step("measuring");
    table = labeling.Measure(MeasureOptionsFor(segmented, arguments.table.IsWanted(), tableImages.Options(groups)),
                             reporter.Hooks());
    NoteOutsideOfPart(table, reader);
  }
  seconds["measure"] = watch.Lap();

  const ProgressHooks hooks = reporter.Hooks();
  const std::string   output = WriteLabelMap(arguments, labeling, type, image, reader, reporter);
  if (arguments.table.IsWanted())
  {
    WriteTables(arguments.table, table);
  }
  if (!arguments.colourTable.empty())
  {
    WriteColourTable(arguments.colourTable, labeling.ComponentCount());
  }
  if (!arguments.picture.empty())
  {
    reporter.Step("drawing " + arguments.picture);
    WritePicture(arguments.picture,
                 { tableImages.intensity ? *tableImages.intensity : image,
                   RunsOf(labeling),
                   table,
                   image.spacingSource != "none" },
                 { arguments.threads, Progress(hooks) });
  }
  seconds["write"] = watch.Lap();
  seconds["total"] = total.Lap();

  const Extent & extent = image.extent;
  const auto     spacing = std::vector<double>(image.geometry.spacing, image.geometry.spacing + extent.dimension);
  if (arguments.json)
  {
    nlohmann::ordered_json summary;
    summary["components"] = labeling.ComponentCount();
    summary["foreground_voxels"] = labeling.ForegroundVoxelCount();
    AddKept(summary, labeling, filter.filter);
    summary["nan_values"] = segmented.notNumbers;
    if (measures)
    {
      summary["totals"] = ToJson(TotalsOf(table));
    }
    summary["extent"] = std::vector<std::int64_t>(extent.size, extent.size + extent.dimension);
    summary["spacing"] = spacing;
    summary["spacing_source"] = image.spacingSource;
    summary["coordinates"] = "LPS";
    summary["channels"] = image.channels;
    AddNeighbours(summary, arguments.neighbours, labeling.GetConnectivity(), labeling.GetPeriodicAxes());
    summary["criterion"] = segmented.CriterionText(arguments.criterion);
    AddSegmented(summary, arguments.criterion, segmented, table);
    summary["output"] = output.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(output);
    summary["filter"] = FilterAsJson(filter.filter, filtered);
    summary["label_type"] = NameOf(type);
    summary["algorithm"] = labeling.AlgorithmName();
    summary["device"] = labeling.UsedDevice().device.ToString();
    if (!labeling.UsedDevice().remark.empty())
    {
      summary["device_remark"] = labeling.UsedDevice().remark;
    }
    summary["notes"] = reader.Notes();
    summary["seconds"] = seconds;
    summary["peak_memory_bytes"] = PeakMemoryBytes();
    frontEnd.takeSummary(summary);
  }
  else if (!arguments.quiet)
  {
    reporter.Note("");
    std::cout << labeling.ComponentCount() << (labeling.ComponentCount() == 1 ? " component" : " components")
              << ", connectivity " << DescribeNeighbours(labeling.GetConnectivity(), labeling.GetPeriodicAxes())
              << ", criterion " << segmented.CriterionText(arguments.criterion) << '\n'
              << DescribeSegmented(arguments.criterion, segmented, table) << labeling.ForegroundVoxelCount()
              << " foreground voxels of " << extent.VoxelCount() << " (" << extent.ToString()
              << (image.channels > 1 ? ", " + std::to_string(image.channels) + " channels" : "") << ", spacing "
              << DescribeSpacing(image) << ")\n"
              << DescribeFilter(filter.filter, filtered) << DescribeKept(labeling, filter.filter, image)
              << (output.empty() ? "no label map" : output + ": labels of type " + NameOf(type)) << ", algorithm "
              << labeling.AlgorithmName() << " on " << labeling.UsedDevice().device.ToString() << '\n'
              << "seconds: read " << Rounded(seconds["read"]) << ", label " << Rounded(seconds["label"]) << ", measure "
              << Rounded(seconds["measure"]) << ", write " << Rounded(seconds["write"]) << ", total "
              << Rounded(seconds["total"]) << std::endl;
  }
}

} // namespace

void
AddLabelCommand(CLI::App & app, const FrontEnd & frontEnd)
{
  auto       arguments = std::make_shared<LabelArguments>();
  CLI::App * command = app.add_subcommand("label", "Label the connected components of an image");
  command
    ->add_option("INPUT",
                 arguments->input,
                 "image: " + ReadableFormats() +
                   "; a folder with a DICOM series or slice images, or slice images by a pattern in quotes")
    ->required();
  command->add_option("OUTPUT",
                      arguments->output,
                      "label map: " + WritableFormats() + "; it may be left out with --statistics or --print");
  command
    ->add_option("--output-fallback",
                 arguments->outputFallback,
                 "where the label map goes if there turn out to be more labels than OUTPUT's format holds")
    ->type_name("FILE");
  AddFileOptions(*command, arguments->files);
  AddNeighbourOptions(*command, arguments->neighbours);
  AddCriterionOptions(*command, arguments->criterion);
  command->add_option("--mask", arguments->mask, "voxels where this image is 0 take no part")->type_name("FILE");
  command->add_option("--order", arguments->order, "number components by first voxel (raster) or largest first (size)")
    ->check(OneOf({ "raster", "size" }))
    ->capture_default_str();
  command->add_option("--minimum-size", arguments->minimumSize, "drop components of fewer voxels")
    ->transform(Count(0))
    ->type_name("1e8");
  command
    ->add_option("--minimum-volume",
                 arguments->minimumVolume,
                 "drop components of less volume (2-D: area); a relative 1e-9 less is kept")
    ->check(NumberFromZero())
    ->type_name("MM3");
  command->add_option("--maximum-size", arguments->maximumSize, "drop components of more voxels")
    ->transform(Count(0))
    ->type_name("1e8");
  command->add_option("--largest", arguments->largest, "keep the K largest components only; 0: all")
    ->transform(Count(0))
    ->type_name("K");
  AddFilterOptions(*command, arguments->filter);
  command
    ->add_option("--label-type", arguments->labelType, "auto (the smallest that fits), uint8, uint16, uint32 or uint64")
    ->capture_default_str();
  command->add_option("--algorithm", arguments->algorithm, "see `brickccl info`; the labels are the same for all")
    ->capture_default_str();
  command
    ->add_option("--device",
                 arguments->device,
                 "cpu, cuda, cuda:N or auto: the GPU for volumes so large that it is faster as a whole")
    ->capture_default_str();
  command->add_option("--threads", arguments->threads, "number of CPU threads; 0: all")
    ->transform(Count(0, MostThreads))
    ->capture_default_str();
  command->add_option("--statistics", arguments->table.table, "write the component table: .csv, .tsv, .json or .xlsx")
    ->type_name("FILE");
  AddTableOptions(*command, arguments->table, "--statistics");
  command->get_option("--part")->excludes(command->get_option("--pores"));
  command
    ->add_option("--picture",
                 arguments->picture,
                 "draw slices through the largest component, with a scale bar and sizes: .png")
    ->type_name("FILE")
    ->check([](const std::string & path) {
      const bool png = path.size() > 4 && path.compare(path.size() - 4, 4, ".png") == 0;
      return png ? std::string() : "a picture's name must end in .png, unlike '" + path + "'";
    });
  // It would show slices through boxes that lie partly outside of the image.
  command->get_option("--picture")->excludes(command->get_option("--periodic"));
  command
    ->add_option("--colour-table",
                 arguments->colourTable,
                 "write a colour for each label, as 3D Slicer reads it: .ctbl")
    ->type_name("FILE")
    ->check([](const std::string & path) {
      return ExtensionOf(path) == ".ctbl" ? std::string()
                                          : "a colour table's name must end in .ctbl, unlike '" + path + "'";
    });
  command->add_flag("--no-compression", arguments->noCompression, "write the label map uncompressed (faster)");
  command->add_flag("--json", arguments->json, "print the summary as one JSON object")
    ->excludes(command->get_option("--print"));
  command->add_flag("--quiet", arguments->quiet, "print nothing but errors");
  command->callback([arguments, frontEnd] { RunLabel(*arguments, frontEnd); });
}

} // namespace brickccl::cli
