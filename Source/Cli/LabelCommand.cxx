#include "BrickCCL/Cli/Commands.h"
#include "BrickCCL/Cli/FileOptions.h"
#include "BrickCCL/Cli/FilterOptions.h"
#include "BrickCCL/Cli/NumberOptions.h"
#include "BrickCCL/Cli/Report.h"
#include "BrickCCL/Cli/TableOptions.h"
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Dispatch/LabelingImplementation.h"
#include "BrickCCL/Host/AtomicFile.h"
#include "BrickCCL/Pictures/Picture.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <iostream>
#include <memory>
#include <numeric>
#include <sstream>

namespace brickccl::cli
{

namespace
{

struct LabelArguments
{
  std::string              input;
  std::string              output;
  std::string              outputFallback;
  int                      connectivity = 0;
  std::vector<std::string> range;
  bool                     equalValue = false;
  std::string              tolerance;
  std::string              background = "0";
  std::string              mask;
  std::string              bySlice;
  std::string              order = "raster";
  std::uint64_t            minimumSize = 0;
  double                   minimumVolume = 0;
  std::uint64_t            maximumSize = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t            largest = 0;
  FilterArguments          filter;
  std::string              labelType = "auto";
  std::string              algorithm = "Auto";
  std::string              device = "auto";
  int                      threads = 0;
  FileArguments            files;
  TableArguments           table;
  std::string              picture;
  bool                     noCompression = false;
  bool                     json = false;
  bool                     quiet = false;
};

Criterion
CriterionOf(const LabelArguments & arguments)
{
  Criterion criterion = arguments.equalValue ? Criterion::EqualValue() : Criterion::Foreground();
  if (!arguments.tolerance.empty())
  {
    criterion = Criterion::Tolerance(ParseNumber(arguments.tolerance, "--tolerance"));
  }
  criterion.background.reset();
  if (arguments.background != "none")
  {
    criterion.background = ParseNumber(arguments.background, "--background");
  }
  if (!arguments.range.empty())
  {
    criterion.range =
      Criterion::Range{ ParseNumber(arguments.range[0], "--range"), ParseNumber(arguments.range[1], "--range") };
  }
  criterion.Validate();
  return criterion;
}

std::uint64_t
CountNotANumber(const LoadedImage & image, int threads)
{
  return VisitScalarType(image.type, [&](auto tag) -> std::uint64_t {
    using T = typename decltype(tag)::Type;
    if constexpr (std::is_floating_point_v<T>)
    {
      const auto *               values = reinterpret_cast<const T *>(image.voxels.Data());
      const Chunks               chunks(image.extent.VoxelCount() * image.channels, 1 << 18, 256);
      std::vector<std::uint64_t> counts(static_cast<std::size_t>(chunks.count));
      ParallelFor(chunks.count, { threads }, [&](std::int64_t chunk) {
        counts[static_cast<std::size_t>(chunk)] = static_cast<std::uint64_t>(
          std::count_if(values + chunks.Begin(chunk), values + chunks.End(chunk), [](T value) {
            return std::isnan(value);
          }));
      });
      return std::accumulate(counts.begin(), counts.end(), std::uint64_t{ 0 });
    }
    else
    {
      return 0;
    }
  });
}

std::string
Rounded(double value)
{
  std::ostringstream text;
  text << std::setprecision(4) << value;
  return text.str();
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

void
RunLabel(const LabelArguments & arguments)
{
  Reporter       reporter(arguments.quiet || arguments.json);
  Stopwatch      total;
  Stopwatch      watch;
  nlohmann::json seconds;

  // What is certain to fail is found before the long work starts.
  LabelOptions options;
  options.criterion = CriterionOf(arguments);
  options.device = Device::FromName(arguments.device);
  const LabelType    requestedType = LabelTypeFromName(arguments.labelType);
  const ColumnGroups groups = CheckTableArguments(arguments.table, "--statistics");
  const NamedFiles   outputs = { { "OUTPUT", arguments.output },
                                 { "--output-fallback", arguments.outputFallback },
                                 { "--statistics", arguments.table.table },
                                 { "--contacts", arguments.table.contacts },
                                 { "--picture", arguments.picture } };
  const NamedFiles   inputs = { { "INPUT", arguments.input },
                                { "--mask", arguments.mask },
                                { "--intensity", arguments.table.intensity },
                                { "--part", arguments.table.part },
                                { "--touching", arguments.filter.touching },
                                { "--seeds", arguments.filter.seeds } };
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
  LoadedImage image = reader.Read(arguments.input, arguments.equalValue);
  options.connectivity = ConnectivityFor(arguments.connectivity, image.extent, arguments.bySlice);
  if (!arguments.picture.empty())
  {
    CheckPicture(image.extent);
  }
  CheckImageFileWritable(arguments.output,
                         requestedType == LabelType::Auto ? ScalarType::UInt8 : ScalarTypeOfLabel(requestedType),
                         image.extent);
  if (!arguments.outputFallback.empty())
  {
    CheckImageFileWritable(arguments.outputFallback, ScalarType::UInt64, image.extent);
  }
  const std::uint64_t notNumbers = CountNotANumber(image, arguments.threads);
  if (notNumbers > 0)
  {
    reader.Note(std::to_string(notNumbers) + " values are not a number (NaN) and count as background");
  }
  std::optional<LoadedImage> mask;
  if (!arguments.mask.empty())
  {
    mask = reader.Read(arguments.mask, true);
    CheckSameGrid(image, *mask, arguments.mask);
    options.mask = mask->View();
  }
  const TableImages tableImages = ReadTableImages(arguments.table, image, reader);
  LoadedFilter      filter = ReadFilter(arguments.filter, *options.connectivity, image, reader);
  seconds["read"] = watch.Lap();

  // A CPU thread labels about so many voxels before a CUDA device is ready (Testing/gpu/RESULTS.md, whole commands).
  constexpr double voxelsPerThread = 5e8;
  if (options.device.kind == Device::Kind::Auto &&
      static_cast<double>(image.extent.VoxelCount()) < voxelsPerThread * EffectiveThreadCount(arguments.threads))
  {
    options.device.kind = Device::Kind::Cpu;
  }
  reporter.Step("labeling");
  options.relabel = RelabelOptionsOf(arguments, reader);
  options.minimumVolume = arguments.minimumVolume;
  options.geometry = image.geometry;
  options.algorithm = arguments.algorithm;
  options.threads = arguments.threads;
  options.progress = reporter.Hooks();
  Labeling                    labeling;
  const ComponentFilterReport filtered = Label(image.View(), options, filter.filter, labeling);
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
                                          std::to_string(labeling.ComponentCount()) + " components do");
  seconds["label"] = watch.Lap();

  ComponentTable table;
  if (!arguments.table.table.empty() || !arguments.picture.empty())
  {
    reporter.Step("measuring");
    table = labeling.Measure(tableImages.Options(groups), reporter.Hooks());
  }
  seconds["measure"] = watch.Lap();

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
      [&](std::int64_t begin, std::int64_t end, void * rows) { labeling.WriteRows(begin, end, rows, type); } },
    writing);
  for (const std::string & note : lost)
  {
    reader.Note("'" + output + "': " + note);
  }
  if (!arguments.table.table.empty())
  {
    WriteTables(arguments.table, table);
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
    summary["nan_values"] = notNumbers;
    summary["extent"] = std::vector<std::int64_t>(extent.size, extent.size + extent.dimension);
    summary["spacing"] = spacing;
    summary["spacing_source"] = image.spacingSource;
    summary["channels"] = image.channels;
    summary["connectivity"] = labeling.GetConnectivity().NeighbourCount();
    summary["by_slice"] =
      arguments.bySlice.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(arguments.bySlice);
    summary["criterion"] = options.criterion.ToString();
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
    std::cout << ToText(summary) << std::endl;
  }
  else if (!arguments.quiet)
  {
    reporter.Note("");
    std::cout << labeling.ComponentCount() << (labeling.ComponentCount() == 1 ? " component" : " components")
              << ", connectivity " << labeling.GetConnectivity().ToString() << ", criterion "
              << options.criterion.ToString() << '\n'
              << labeling.ForegroundVoxelCount() << " foreground voxels of " << extent.VoxelCount() << " ("
              << extent.ToString() << (image.channels > 1 ? ", " + std::to_string(image.channels) + " channels" : "")
              << ", spacing " << DescribeSpacing(image) << ")\n"
              << DescribeFilter(filter.filter, filtered) << output << ": labels of type " << NameOf(type)
              << ", algorithm " << labeling.AlgorithmName() << " on " << labeling.UsedDevice().device.ToString() << '\n'
              << "seconds: read " << Rounded(seconds["read"]) << ", label " << Rounded(seconds["label"]) << ", measure "
              << Rounded(seconds["measure"]) << ", write " << Rounded(seconds["write"]) << ", total "
              << Rounded(seconds["total"]) << std::endl;
  }
}

} // namespace

void
AddLabelCommand(CLI::App & app)
{
  auto       arguments = std::make_shared<LabelArguments>();
  CLI::App * command = app.add_subcommand("label", "Label the connected components of an image");
  command
    ->add_option("INPUT",
                 arguments->input,
                 "image: " + ReadableFormats() +
                   "; a folder with a DICOM series or slice images, or slice images by a pattern in quotes")
    ->required();
  command->add_option("OUTPUT", arguments->output, "label map: " + WritableFormats())->required();
  command
    ->add_option("--output-fallback",
                 arguments->outputFallback,
                 "where the label map goes if there turn out to be more labels than OUTPUT's format holds")
    ->type_name("FILE");
  AddFileOptions(*command, arguments->files);
  command
    ->add_option("--connectivity",
                 arguments->connectivity,
                 "number of neighbours: 4, 8 (2-D, slices); 6, 18, 26 (3-D); 8, 32, 64, 80 (4-D); default: faces")
    ->transform(Count(1, 1000));
  auto * range = command
                   ->add_option("--range", arguments->range, "voxels with LO <= value <= HI are foreground (inf, -inf)")
                   // One option of two texts; the second one may also begin with a minus sign ("-inf").
                   ->type_size(2)
                   ->expected(1)
                   ->type_name("LO HI");
  auto * equal = command->add_flag("--equal-value", arguments->equalValue, "join neighbours of equal value");
  command->add_option("--tolerance", arguments->tolerance, "join neighbours whose values differ by at most T")
    ->check(AnyNumber())
    ->type_name("T")
    ->excludes(equal);
  command->add_option("--background", arguments->background, "value of the background, or none: every voxel takes part")
    ->type_name("V")
    ->capture_default_str()
    ->excludes(range);
  command->add_option("--mask", arguments->mask, "voxels where this image is 0 take no part")->type_name("FILE");
  command->add_option("--by-slice", arguments->bySlice, "label each slice orthogonal to an axis on its own")
    ->check(CLI::IsMember({ "x", "y", "z", "t" }));
  command->add_option("--order", arguments->order, "number components by first voxel (raster) or largest first (size)")
    ->check(CLI::IsMember({ "raster", "size" }))
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
  command->add_option("--statistics", arguments->table.table, "write the component table: .csv, .tsv or .json")
    ->type_name("FILE");
  AddTableOptions(*command, arguments->table, "--statistics");
  command
    ->add_option("--picture",
                 arguments->picture,
                 "draw slices through the largest component, with a scale bar and sizes: .png")
    ->type_name("FILE")
    ->check([](const std::string & path) {
      const bool png = path.size() > 4 && path.compare(path.size() - 4, 4, ".png") == 0;
      return png ? std::string() : "a picture's name must end in .png, unlike '" + path + "'";
    });
  command->add_flag("--no-compression", arguments->noCompression, "write the label map uncompressed (faster)");
  command->add_flag("--json", arguments->json, "print the summary as one JSON object");
  command->add_flag("--quiet", arguments->quiet, "print nothing but errors");
  command->callback([arguments] { RunLabel(*arguments); });
}

} // namespace brickccl::cli
