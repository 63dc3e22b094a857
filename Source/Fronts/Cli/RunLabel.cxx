// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Cli/RunLabel.h"

#include "BrickCCL/Cli/Doubts.h"
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Dispatch/LabelingImplementation.h"
#include "BrickCCL/Job/JobCriterion.h"
#include "BrickCCL/Files/Disk/AtomicFile.h"
#include "BrickCCL/Pictures/Picture.h"

#include <nlohmann/json.hpp>

#include <memory>
#include <optional>
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

/** \throws InvalidArgument, Unsupported if the label maps' formats cannot hold them. */
void
CheckLabelMaps(const job::Job & arguments, LabelType requestedType, const Extent & extent)
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
WriteLabelMap(const job::Job &    arguments,
              const Labeling &    labeling,
              LabelType           type,
              const LoadedImage & image,
              ImageReader &       reader,
              Reporter &          reporter)
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
  LabelWork(const job::Job & arguments, const FrontEnd & frontEnd)
    : m_Arguments(arguments)
    , m_FrontEnd(frontEnd)
    , m_Reporter(frontEnd.makeReporter(arguments.quiet || arguments.json))
    , m_Reader(arguments, arguments.threads, *m_Reporter)
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
    PrintFindings(Summary(), m_Arguments, *m_Reporter, m_FrontEnd);
  }

private:
  /** What is certain to fail is found before the long work starts. */
  void
  CheckArguments()
  {
    NamedFiles outputs;
    m_Groups = CheckJob(m_Arguments, outputs);
    m_Options.device = Device::FromName(m_Arguments.device);
    m_RequestedType = LabelTypeFromName(m_Arguments.labelType);
    m_Reader.Protect(outputs);
  }

  void
  ReadImages()
  {
    m_Image = m_Reader.Read(m_Arguments.input, m_Arguments.equalValue);
    m_Options.connectivity = ConnectivityFor(m_Arguments, m_Image.extent, m_Reader);
    m_Options.periodic = PeriodicFor(m_Arguments, *m_Options.connectivity);
    if (!m_Arguments.picture.empty())
    {
      CheckPicture(m_Image.extent);
    }
    CheckLabelMaps(m_Arguments, m_RequestedType, m_Image.extent);
    m_Mask = ReadRegion(m_Arguments, m_Image, m_Arguments.threads, m_Reader);
    if (m_Mask)
    {
      m_Options.mask = m_Mask->View();
      m_RegionVoxels = job::CountIn(m_Mask, m_Arguments.threads);
    }
    m_TableImages = ReadTableImages(m_Arguments, m_Image, m_Arguments.threads, m_Reader);
    m_Filter = ReadFilter(m_Arguments, *m_Options.connectivity, m_Image, m_Reader);
    CheckColumns();
    m_Seconds["read"] = m_Watch.Lap();
  }

  void
  CheckColumns()
  {
    MeasureOptions measured = m_TableImages.Options(m_Groups);
    if (m_Arguments.pores && !measured.part)
    {
      // The part will be found.
      measured.part = m_Image.View();
    }
    if (MeasuresClasses())
    {
      measured.classes = m_Image.View();
    }
    CheckTableColumns(m_Arguments, measured, m_Image.extent, m_Options);
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
    m_Segmented =
      ApplyCriterion(m_Arguments, m_Image, m_Mask, m_Options.device, m_Arguments.threads, m_Reader, *m_Reporter);
    m_Options.criterion = m_Segmented.ForView();
    m_Reporter->Step("labeling");
    m_Options.relabel = RelabelOptionsOf(m_Arguments, m_Reader);
    m_Options.minimumVolume = SizeFor(*m_Options.connectivity, m_Arguments.minimumVolume, "--minimum-volume");
    m_Options.geometry = m_Image.geometry;
    m_Options.algorithm = m_Arguments.algorithm;
    m_Options.threads = m_Arguments.threads;
    m_Options.progress = m_Reporter->Hooks();
    m_Filtered = Label(m_Segmented.View(m_Image), m_Options, m_Filter.filter, m_Labeling);
    NoteDoubts(m_Arguments, m_Image, m_Segmented, m_Labeling, m_Mask.has_value(), m_Reader);
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
    return m_Arguments.IsWanted() && m_Arguments.equalValue && m_Image.channels == 1;
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
    return m_Arguments.IsWanted() || !m_Arguments.picture.empty() || m_FrontEnd.alwaysMeasures || m_Segmented.pores;
  }

  void
  Measure()
  {
    if (IsMeasured())
    {
      m_Reporter->Step("measuring");
      MeasureOptions options = MeasureOptionsFor(m_Segmented, m_Arguments.IsWanted(), m_TableImages.Options(m_Groups));
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
    if (m_Arguments.IsWanted())
    {
      WriteTables(m_Arguments, m_Table, m_Arguments.threads, *m_Reporter);
    }
    if (!m_Arguments.colorTable.empty())
    {
      WriteColorTable(m_Arguments.colorTable, m_Labeling.ComponentCount());
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
                     m_TableImages.intensity.has_value() || !m_Arguments.equalValue },
                   { m_Arguments.threads, Progress(hooks) });
    }
    outputs.Move();
    m_Seconds["write"] = m_Watch.Lap();
    m_Seconds["total"] = m_Total.Lap();
  }

  LabelFindings
  Findings() const
  {
    LabelFindings findings{ m_Image, m_Segmented, m_Table, m_Labeling.GetConnectivity() };
    findings.components = m_Labeling.ComponentCount();
    findings.foregroundVoxels = m_Labeling.ForegroundVoxelCount();
    findings.relabeled = m_Labeling.Relabeled();
    findings.keptVoxels = CountKeptVoxels(m_Labeling, m_Filter.filter);
    findings.notNumbers = m_Segmented.notNumbers;
    findings.isMeasured = IsMeasured();
    findings.regionVoxels = m_RegionVoxels;
    findings.periodic = m_Labeling.GetPeriodicAxes();
    findings.filter = m_Filter.filter;
    findings.filtered = m_Filtered;
    findings.output = m_Output;
    findings.type = m_Type;
    findings.algorithm = m_Labeling.AlgorithmName();
    findings.device = m_Labeling.UsedDevice().device.ToString();
    return findings;
  }

  job::Findings
  Summary() const
  {
    const LabelFindings found = Findings();
    job::Findings       findings = ListFindings(m_Arguments, found);
    if (!m_Labeling.UsedDevice().remark.empty())
    {
      findings.push_back({ "device_remark", m_Labeling.UsedDevice().remark });
    }
    AddEnd(findings, m_Arguments, found, m_Reader.Notes(), m_Seconds);
    return findings;
  }

  const job::Job &          m_Arguments;
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
  std::optional<std::uint64_t> m_RegionVoxels;
};

} // namespace

RelabelOptions
RelabelOptionsOf(const job::Job & arguments, ImageReader & reader)
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
  if (arguments.perSlice)
  {
    relabel.largestAcross = AxisFromName(arguments.bySlice);
  }
  return relabel;
}

ColumnGroups
CheckJob(const job::Job & job, NamedFiles & outputs)
{
  if (job.below && job.threshold.empty() && !(job.pores && !job.range))
  {
    throw InvalidArgument("--below needs a threshold: --threshold METHOD, or --pores without --range");
  }
  job::CriterionOf(job);
  CheckSeeds(job);
  Device::FromName(job.device);
  ColumnGroups groups = CheckTableArguments(job, "--statistics");
  CheckUnits(job, false, "--statistics or --print");
  CheckIntensity(job, !job.picture.empty(), "--statistics, --print or --picture");
  if (job.output.empty() && !job.IsWanted() && !job.json && job.picture.empty())
  {
    throw InvalidArgument("OUTPUT, the label map, is missing; it may be left out only with --statistics, --print, "
                          "--picture or --json");
  }
  outputs = TableFiles(job, "--statistics");
  outputs.insert(outputs.end(),
                 { { "OUTPUT", job.output },
                   { "--output-fallback", job.outputFallback },
                   { "--picture", job.picture },
                   { "--color-table", job.colorTable } });
  CheckFiles(job,
             { { "INPUT", job.input },
               { "--neighborhood", NeighborhoodFile(job) },
               { "--mask", job.mask },
               { "--intensity", job.intensity },
               { "--part", job.part },
               { "--touching", job.touching },
               { "--seeds", job.seeds } },
             outputs);
  CheckImageName(job.output);
  CheckImageName(job.outputFallback);
  if (!job.picture.empty())
  {
    CheckWritable(job.picture);
  }
  return groups;
}

void
RunLabel(const job::Job & arguments, const FrontEnd & frontEnd)
{
  LabelWork(arguments, frontEnd).Run();
}

} // namespace brickccl::cli
