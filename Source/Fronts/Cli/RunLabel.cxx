#include "BrickCCL/Cli/LabelArguments.h"

#include "BrickCCL/Cli/Doubts.h"
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Dispatch/LabelingImplementation.h"
#include "BrickCCL/Files/Disk/AtomicFile.h"
#include "BrickCCL/Pictures/Picture.h"

#include <nlohmann/json.hpp>

#include <iomanip>
#include <iostream>
#include <memory>
#include <optional>
#include <sstream>
#include <vector>

namespace brickccl::cli
{

namespace
{

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
  std::string         output =
    OutputFor(arguments.output, arguments.outputFallback, ScalarTypeOfLabel(type), image.extent, reader);
  WriteImage(output,
             { ScalarTypeOfLabel(type),
               image.extent,
               image.geometry,
               [&](std::int64_t begin, std::int64_t end, void * rows) { labeling.WriteRows(begin, end, rows, type); },
               labeling.ComponentCount() },
             { !arguments.noCompression, { arguments.threads, Progress(hooks) } },
             reader);
  return output;
}

/** One run of the command, step by step. */
class LabelWork
{
public:
  LabelWork(const LabelArguments & arguments, const FrontEnd & frontEnd)
    : m_Arguments(arguments)
    , m_FrontEnd(frontEnd)
    , m_Reporter(frontEnd.makeReporter(arguments.quiet || arguments.json))
    , m_Reader(arguments.files, arguments.threads, *m_Reporter)
  {}

  void
  Run()
  {
    CheckArguments();
    const auto preparation = PrepareDevice(m_Options.device);
    ReadImages();
    LabelImage();
    Measure();
    WriteOutputs();
    if (m_Arguments.json)
    {
      m_FrontEnd.takeSummary(SummaryAsJson());
    }
    else if (!m_Arguments.quiet)
    {
      m_Reporter->Note("");
      std::cout << SummaryAsText() << std::endl;
    }
  }

private:
  /** What is certain to fail is found before the long work starts. */
  void
  CheckArguments()
  {
    m_Options.criterion = CriterionOf(m_Arguments.criterion);
    m_Options.device = Device::FromName(m_Arguments.device);
    m_RequestedType = LabelTypeFromName(m_Arguments.labelType);
    m_Groups = CheckTableArguments(m_Arguments.table, "--statistics");
    CheckUnits(m_Arguments.table, false, "--statistics or --print");
    if (m_Arguments.output.empty() && (!m_Arguments.table.IsWanted() || !m_Arguments.outputFallback.empty()))
    {
      throw InvalidArgument("OUTPUT, the label map, is missing; it may be left out only with --statistics or --print");
    }
    const NamedFiles outputs = OutputsOf(m_Arguments);
    const NamedFiles inputs = InputsOf(m_Arguments);
    CheckFiles(m_Arguments.files, inputs, outputs);
    CheckImageName(m_Arguments.output);
    CheckImageName(m_Arguments.outputFallback);
    if (!m_Arguments.picture.empty())
    {
      CheckWritable(m_Arguments.picture);
    }
    m_Reader.Protect(outputs);
  }

  void
  ReadImages()
  {
    m_Image = m_Reader.Read(m_Arguments.input, m_Arguments.criterion.equalValue);
    m_Options.connectivity = ConnectivityFor(m_Arguments.neighbours, m_Image.extent, m_Reader);
    m_Options.periodic = PeriodicFor(m_Arguments.neighbours, *m_Options.connectivity);
    if (!m_Arguments.picture.empty())
    {
      CheckPicture(m_Image.extent);
    }
    CheckLabelMaps(m_Arguments, m_RequestedType, m_Image.extent);
    if (!m_Arguments.mask.empty())
    {
      m_Mask = m_Reader.Read(m_Arguments.mask, true);
      CheckSameGrid(m_Image, *m_Mask, m_Arguments.mask);
      m_Options.mask = m_Mask->View();
    }
    m_TableImages = ReadTableImages(m_Arguments.table, m_Image, m_Arguments.threads, m_Reader);
    m_Filter = ReadFilter(m_Arguments.filter, *m_Options.connectivity, m_Image, m_Reader);
    CheckColumns();
    m_Seconds["read"] = m_Watch.Lap();
  }

  void
  CheckColumns()
  {
    MeasureOptions measured = m_TableImages.Options(m_Groups);
    if (m_Arguments.criterion.pores && !measured.part)
    {
      // The part will be found.
      measured.part = m_Image.View();
    }
    if (MeasuresClasses())
    {
      measured.classes = m_Image.View();
    }
    CheckTableColumns(m_Arguments.table, measured, m_Image.extent, m_Options);
  }

  void
  LabelImage()
  {
    // A CPU thread labels about so many voxels before a CUDA device is ready (Testing/gpu/RESULTS.md, whole commands).
    constexpr double voxelsPerThread = 5e8;
    if (m_Options.device.kind == Device::Kind::Auto &&
        static_cast<double>(m_Image.extent.VoxelCount()) < voxelsPerThread * EffectiveThreadCount(m_Arguments.threads))
    {
      m_Options.device.kind = Device::Kind::Cpu;
    }
    m_Segmented = ApplyCriterion(m_Arguments.criterion,
                                 m_Image,
                                 m_Mask,
                                 m_Options.device,
                                 m_Arguments.threads,
                                 m_Reader,
                                 *m_Reporter);
    m_Options.criterion = m_Segmented.ForView();
    m_Reporter->Step("labeling");
    m_Options.relabel = RelabelOptionsOf(m_Arguments, m_Reader);
    m_Options.minimumVolume = m_Arguments.sizes.minimumVolume;
    m_Options.geometry = m_Image.geometry;
    m_Options.algorithm = m_Arguments.algorithm;
    m_Options.threads = m_Arguments.threads;
    m_Options.progress = m_Reporter->Hooks();
    m_Filtered = Label(m_Segmented.View(m_Image), m_Options, m_Filter.filter, m_Labeling);
    NoteDoubts(m_Arguments.criterion, m_Image, m_Segmented, m_Labeling, m_Mask.has_value(), m_Reader);
    m_PartInRegion = CountPartInRegion(m_Segmented, m_TableImages.part, m_Mask, m_Arguments.threads);
    m_Filter.touching.reset();
    m_Mask.reset();
    m_Options.mask.reset();
    if (!m_Labeling.UsedDevice().remark.empty())
    {
      m_Reporter->Note("note: " + m_Labeling.UsedDevice().remark);
    }
    if (!MeasuresClasses())
    {
      ReleaseImages();
    }
    m_Type = ResolveLabelType(m_RequestedType,
                              m_Labeling.ComponentCount(),
                              std::to_string(m_Labeling.ComponentCount()) + " components do",
                              m_FrontEnd.widestLabels);
    m_Seconds["label"] = m_Watch.Lap();
  }

  /** The values of components are in the table where they are the same for all voxels of one. */
  bool
  MeasuresClasses() const
  {
    return m_Arguments.table.IsWanted() && m_Arguments.criterion.equalValue && m_Image.channels == 1;
  }

  /** Gives back the memory of what was labeled, unless a picture shows it. */
  void
  ReleaseImages()
  {
    m_Segmented.smoothed.reset();
    if (m_Arguments.picture.empty())
    {
      m_Image.voxels.Release();
    }
  }

  bool
  IsMeasured() const
  {
    return m_Arguments.table.IsWanted() || !m_Arguments.picture.empty() || m_FrontEnd.alwaysMeasures ||
           m_Segmented.pores;
  }

  void
  Measure()
  {
    if (IsMeasured())
    {
      m_Reporter->Step("measuring");
      MeasureOptions options =
        MeasureOptionsFor(m_Segmented, m_Arguments.table.IsWanted(), m_TableImages.Options(m_Groups));
      if (MeasuresClasses())
      {
        options.classes = m_Segmented.View(m_Image);
      }
      m_Table = m_Labeling.Measure(options, m_Reporter->Hooks());
      if (m_PartInRegion)
      {
        m_Table.partTotals.voxels = *m_PartInRegion;
        m_Table.regionVoxels = m_PartInRegion;
      }
      ReleaseImages();
      NoteOutsideOfPart(m_Table, m_Reader);
      NoteMeasures(m_Table, m_Reader);
    }
    m_Seconds["measure"] = m_Watch.Lap();
  }

  void
  WriteOutputs()
  {
    ReplacedTogether outputs;
    m_Output = WriteLabelMap(m_Arguments, m_Labeling, m_Type, m_Image, m_Reader, *m_Reporter);
    if (m_Arguments.table.IsWanted())
    {
      WriteTables(m_Arguments.table, m_Table, m_Arguments.threads, *m_Reporter);
    }
    if (!m_Arguments.colourTable.empty())
    {
      WriteColourTable(m_Arguments.colourTable, m_Labeling.ComponentCount());
    }
    if (!m_Arguments.picture.empty())
    {
      m_Reporter->Step("drawing " + m_Arguments.picture);
      const ProgressHooks hooks = m_Reporter->Hooks();
      WritePicture(m_Arguments.picture,
                   { m_TableImages.intensity ? *m_TableImages.intensity : m_Image,
                     RunsOf(m_Labeling),
                     m_Table,
                     m_Image.spacingSource != "none",
                     m_TableImages.intensity.has_value() || !m_Arguments.criterion.equalValue },
                   { m_Arguments.threads, Progress(hooks) });
    }
    outputs.Move();
    m_Seconds["write"] = m_Watch.Lap();
    m_Seconds["total"] = m_Total.Lap();
  }

  nlohmann::ordered_json
  SummaryAsJson()
  {
    const Extent &         extent = m_Image.extent;
    nlohmann::ordered_json summary;
    summary["components"] = m_Labeling.ComponentCount();
    summary["foreground_voxels"] = m_Labeling.ForegroundVoxelCount();
    AddKept(summary, m_Labeling.Relabeled(), CountKeptVoxels(m_Labeling, m_Filter.filter), m_Image);
    summary["nan_values"] = m_Segmented.notNumbers;
    if (IsMeasured())
    {
      summary["totals"] = ToJson(TotalsOf(m_Table));
    }
    summary["extent"] = std::vector<std::int64_t>(extent.size, extent.size + extent.dimension);
    AddSpacing(summary, m_Image);
    summary["coordinates"] = m_Arguments.table.ras ? "RAS" : "LPS";
    summary["channels"] = m_Image.channels;
    AddNeighbours(summary, m_Arguments.neighbours, m_Labeling.GetConnectivity(), m_Labeling.GetPeriodicAxes());
    summary["criterion"] = m_Segmented.CriterionText(m_Arguments.criterion);
    AddSegmented(summary, m_Arguments.criterion, m_Segmented, m_Table);
    summary["output"] = m_Output.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(m_Output);
    summary["filter"] = FilterAsJson(m_Filter.filter, m_Filtered);
    summary["label_type"] = NameOf(m_Type);
    summary["algorithm"] = m_Labeling.AlgorithmName();
    summary["device"] = m_Labeling.UsedDevice().device.ToString();
    if (!m_Labeling.UsedDevice().remark.empty())
    {
      summary["device_remark"] = m_Labeling.UsedDevice().remark;
    }
    summary["notes"] = m_Reader.Notes();
    summary["seconds"] = m_Seconds;
    summary["peak_memory_bytes"] = PeakMemoryBytes();
    return summary;
  }

  std::string
  SummaryAsText()
  {
    std::ostringstream text;
    text << m_Labeling.ComponentCount() << (m_Labeling.ComponentCount() == 1 ? " component" : " components")
         << ", connectivity " << DescribeNeighbours(m_Labeling.GetConnectivity(), m_Labeling.GetPeriodicAxes())
         << ", criterion " << m_Segmented.CriterionText(m_Arguments.criterion) << '\n'
         << DescribeSegmented(m_Arguments.criterion, m_Segmented, m_Table) << m_Labeling.ForegroundVoxelCount()
         << " foreground voxels of " << m_Image.extent.VoxelCount() << " (" << m_Image.extent.ToString()
         << (m_Image.channels > 1 ? ", " + std::to_string(m_Image.channels) + " channels" : "") << ", spacing "
         << DescribeSpacing(m_Image) << ")\n"
         << DescribeFilter(m_Filter.filter, m_Filtered)
         << DescribeKept(m_Labeling.Relabeled(), CountKeptVoxels(m_Labeling, m_Filter.filter), m_Image)
         << (m_Output.empty() ? "no label map" : Printable(m_Output) + ": labels of type " + NameOf(m_Type))
         << ", algorithm " << m_Labeling.AlgorithmName() << " on " << m_Labeling.UsedDevice().device.ToString() << '\n'
         << "seconds: read " << Rounded(m_Seconds["read"]) << ", label " << Rounded(m_Seconds["label"]) << ", measure "
         << Rounded(m_Seconds["measure"]) << ", write " << Rounded(m_Seconds["write"]) << ", total "
         << Rounded(m_Seconds["total"]);
    return text.str();
  }

  const LabelArguments &    m_Arguments;
  const FrontEnd &          m_FrontEnd;
  std::shared_ptr<Reporter> m_Reporter;
  ImageReader               m_Reader;
  Stopwatch                 m_Total;
  Stopwatch                 m_Watch;
  nlohmann::json            m_Seconds;

  LabelOptions m_Options;
  LabelType    m_RequestedType = LabelType::Auto;
  ColumnGroups m_Groups;

  LoadedImage                m_Image;
  std::optional<LoadedImage> m_Mask;
  TableImages                m_TableImages;
  LoadedFilter               m_Filter;

  Segmented             m_Segmented;
  Labeling              m_Labeling;
  ComponentFilterReport m_Filtered;
  LabelType             m_Type = LabelType::Auto;
  ComponentTable        m_Table;
  std::string           m_Output;

  std::optional<std::uint64_t> m_PartInRegion;
};

} // namespace

void
AddKept(nlohmann::ordered_json & summary,
        const RelabelReport &    relabeled,
        std::uint64_t            keptVoxels,
        const LoadedImage &      image)
{
  summary["components_found"] = relabeled.found;
  summary["dropped"] = { { "too_small", relabeled.tooSmall },
                         { "too_large", relabeled.tooLarge },
                         { "beyond_largest", relabeled.beyondLargest } };
  summary["kept_voxels"] = keptVoxels;
  const int dimension = image.extent.dimension;
  summary[std::string("kept_") + SizeName(dimension)] =
    static_cast<double>(keptVoxels) * image.geometry.VoxelVolume(dimension);
}

std::string
DescribeKept(const RelabelReport & relabeled, std::uint64_t keptVoxels, const LoadedImage & image)
{
  const int          dimension = image.extent.dimension;
  const double       size = static_cast<double>(keptVoxels) * image.geometry.VoxelVolume(dimension);
  std::ostringstream text;
  text << std::setprecision(6) << "kept: " << keptVoxels << " voxels, " << size << " mm"
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

RelabelOptions
RelabelOptionsOf(const LabelArguments & arguments, ImageReader & reader)
{
  if (arguments.sizes.minimumSize > arguments.maximumSize)
  {
    reader.Note("--minimum-size " + std::to_string(arguments.sizes.minimumSize) + " is above --maximum-size " +
                std::to_string(arguments.maximumSize) + ": no component is kept");
  }
  RelabelOptions relabel;
  relabel.order = arguments.order == "size" ? LabelOrder::Size : LabelOrder::Raster;
  relabel.minimumSize = arguments.sizes.minimumSize;
  relabel.maximumSize = arguments.maximumSize;
  relabel.largest = arguments.sizes.largest;
  if (arguments.perSlice)
  {
    relabel.largestAcross = AxisFromName(arguments.neighbours.bySlice);
  }
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
  LabelWork(arguments, frontEnd).Run();
}

} // namespace brickccl::cli
