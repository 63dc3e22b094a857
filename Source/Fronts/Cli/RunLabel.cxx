// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Cli/RunLabel.h"

#include "BrickCCL/Cli/Doubts.h"
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Dispatch/LabelingImplementation.h"
#include "BrickCCL/Job/JobCriterion.h"
#include "BrickCCL/Files/Disk/AtomicFile.h"
#include "BrickCCL/Pictures/Picture.h"
#include "BrickCCL/Splitting/Split.h"

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
WriteLabelMap(const job::Job &      arguments,
              const LabelFindings & found,
              const RowWriter &     writeRows,
              ImageReader &         reader,
              Reporter &            reporter)
{
  if (arguments.output.empty())
  {
    return {};
  }
  reporter.Step("writing " + arguments.output);
  const ProgressHooks hooks = reporter.Hooks();
  std::string         output =
    OutputFor(arguments.output, arguments.outputFallback, ScalarTypeOfLabel(found.type), found.image.extent, reader);
  WriteImage(output,
             { ScalarTypeOfLabel(found.type),
               found.image.extent,
               found.image.geometry,
               [&](std::int64_t begin, std::int64_t end, void * rows) { writeRows(begin, end, found.type, rows); },
               found.components },
             { !arguments.noCompression, { arguments.threads, Progress(hooks) } },
             reader);
  return output;
}

/** The limits on sizes and the order. */
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

/** One run of the command, step by step. */
class LabelWork
{
public:
  LabelWork(const job::Job & arguments, const FrontEnd & frontEnd)
    : m_Arguments(arguments)
    , m_FrontEnd(frontEnd)
    , m_Reporter(frontEnd.makeReporter(arguments.quiet || arguments.json))
    , m_Reader(arguments, arguments.threads, *m_Reporter, arguments.memory > 0)
  {}

  void
  Run()
  {
    CheckArguments();
    const auto preparation = PrepareDevice(m_Options.device);
    ReadImages();
    PrepareLabeling();
    m_Arguments.memory == 0 ? LabelImage() : LabelSlabs();
    Measure();
    WriteOutputs();
    PrintFindings(Summary(), m_Arguments, *m_Reporter, m_FrontEnd);
    if (!m_Arguments.work.empty() && !m_Arguments.json && !m_Arguments.quiet)
    {
      m_Reporter->Note("the folder " + Quoted(m_Arguments.work) + " is no longer needed and can be deleted");
    }
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
      m_Found.regionVoxels = m_Arguments.memory > 0 ? std::nullopt : job::CountIn(m_Mask, m_Arguments.threads);
    }
    m_TableImages = ReadTableImages(m_Arguments, m_Image, m_Arguments.threads, m_Reader);
    m_Filter = ReadFilter(m_Arguments, *m_Options.connectivity, m_Image, m_Reader);
    CheckColumns();
    m_Seconds["read"] = m_Watch.Lap();
  }

  void
  CheckColumns()
  {
    MeasureOptions measured({}, m_Groups);
    // The voxels may not be there yet.
    const auto kindOf = [](const LoadedImage & image) {
      return ImageView(static_cast<const void *>(&image), image.type, image.extent, image.channels);
    };
    if (m_TableImages.intensity)
    {
      measured.intensity = kindOf(*m_TableImages.intensity);
    }
    if (m_Arguments.pores || m_TableImages.part)
    {
      measured.part = kindOf(m_Image);
    }
    if (job::PartsOf(m_Arguments))
    {
      measured.parts = kindOf(m_Image);
    }
    if (MeasuresClasses())
    {
      measured.classes = kindOf(m_Image);
    }
    if (m_TableImages.zones)
    {
      measured.zones = kindOf(*m_TableImages.zones);
    }
    CheckTableColumns(m_Arguments, measured, m_Image.extent, m_Options);
  }

  void
  PrepareLabeling()
  {
    m_Options.minimumVolume = SizeFor(*m_Options.connectivity, m_Arguments.minimumVolume, "--minimum-volume");
    m_Options.geometry = m_Image.geometry;
    m_Options.algorithm = m_Arguments.algorithm;
    m_Options.threads = m_Arguments.threads;
    m_Found.connectivity = *m_Options.connectivity;
    m_Found.periodic = m_Options.periodic;
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
    m_Options.relabel = RelabelOptionsOf(m_Arguments, m_Reader);
    m_Options.mask = m_Mask ? std::optional(m_Mask->View()) : std::nullopt;
    m_Reporter->Step("labeling");
    m_Options.progress = m_Reporter->Hooks();
    m_Found.filtered = m_Arguments.split.empty()
                       ? Label(m_Segmented.View(m_Image), m_Options, m_Filter.filter, m_Labeling)
                       : LabelObjects();
    m_Found.filter = m_Filter.filter;
    if (!m_Segmented.pores)
    {
      Doubts doubts(m_Segmented.asked, m_Image, m_Arguments, m_Arguments.threads);
      doubts.See(m_Segmented.View(m_Image), 0, m_Labeling);
      doubts.Note(m_Labeling.ForegroundVoxelCount(), m_Labeling.ComponentCount(), m_Reader);
    }
    m_PartInRegion = CountPartInRegion(m_Segmented, m_TableImages.part, m_Mask, m_Arguments.threads);
    if (const auto & zones = m_TableImages.zones)
    {
      const ImageView within = m_Segmented.pores ? m_Segmented.pores->PartView() : zones->View();
      m_Found.zones = CountNumbers(zones->View(), within, m_Options.mask, m_Arguments.threads);
    }
    m_Filter.touching.reset();
    m_Mask.reset();
    m_Options.mask.reset();
    m_DeviceRemark = m_Labeling.UsedDevice().remark;
    if (!m_DeviceRemark.empty())
    {
      m_Reporter->Note("note: " + m_DeviceRemark);
    }
    if (!MeasuresClasses())
    {
      ReleaseImages();
    }
    m_Found.components = m_Labeling.ComponentCount();
    m_Found.foregroundVoxels = m_Labeling.ForegroundVoxelCount();
    m_Found.relabeled = m_Labeling.Relabeled();
    m_Found.keptVoxels = CountKeptVoxels(m_Labeling, m_Filter.filter);
    m_Found.notNumbers = m_Segmented.notNumbers;
    m_Found.algorithm = m_Labeling.AlgorithmName();
    m_Found.device = m_Labeling.UsedDevice().device.ToString();
    m_WriteRows = [this](std::int64_t begin, std::int64_t end, LabelType type, void * rows) {
      m_Labeling.WriteRows(begin, end, rows, type);
    };
    m_Seconds["label"] = m_Watch.Lap();
  }

  void
  LabelSlabs()
  {
    m_Options.relabel = RelabelOptionsOf(m_Arguments, m_Reader);
    const SlabImages images{ &m_Image,
                             m_Mask ? &*m_Mask : nullptr,
                             m_TableImages.intensity ? &*m_TableImages.intensity : nullptr };
    m_Slabs = LabelBySlabsFor(m_Arguments, images, m_Options, m_Groups, m_Segmented, m_Found, m_Reader, *m_Reporter);
    m_Table = std::move(m_Slabs->table);
    m_Found.regionVoxels = m_Arguments.pores ? std::nullopt : m_Table.regionVoxels;
    m_Found.components = m_Slabs->components;
    m_Found.foregroundVoxels = m_Slabs->foregroundVoxels;
    m_Found.relabeled = m_Slabs->relabeled;
    m_Found.keptVoxels = m_Slabs->relabeled.keptVoxels.value_or(m_Slabs->foregroundVoxels);
    m_Found.notNumbers = m_Slabs->notNumbers;
    m_WriteRows = m_Slabs->writeRows;
    m_Seconds = { { "label", m_Slabs->secondsToLabel }, { "merge", m_Slabs->secondsToMerge } };
    m_Watch.Lap();
  }

  /** Labels the objects of components. Holes are those of components; limits on sizes and other filters are for
   * objects. */
  ComponentFilterReport
  LabelObjects()
  {
    ComponentFilter ofComponents;
    ofComponents.holes.swap(m_Filter.filter.holes);
    LabelOptions options = m_Options;
    options.relabel = {};
    options.minimumVolume = 0;
    const ComponentFilterReport filled = Label(m_Segmented.View(m_Image), options, ofComponents, m_Labeling);
    m_ParentCount = m_Labeling.ComponentCount();
    m_Parents.Resize(static_cast<std::size_t>(m_Image.extent.VoxelCount()));
    m_Labeling.WriteRows(0, m_Image.extent.RowCount(), m_Parents.Data(), LabelType::UInt32);
    m_Reporter->Step("splitting");
    SplitOptions split;
    split.connectivity = m_Options.connectivity;
    double height = 0;
    if (m_Arguments.split != "auto" && !SetValue(job::AnyLength, { m_Arguments.split }, &height))
    {
      split.height = height;
    }
    split.geometry = m_Image.geometry;
    split.threads = m_Arguments.threads;
    split.progress = m_Reporter->Hooks();
    Buffer<std::uint32_t> objects;
    objects.Resize(m_Parents.Size());
    Split(ImageView(m_Parents.Data(), m_Image.extent), objects.Data(), split);
    m_Options.criterion = Criterion::EqualValue(0);
    m_Options.mask.reset();
    m_Options.progress = {};
    ComponentFilterReport report =
      Label(ImageView(objects.Data(), m_Image.extent), m_Options, m_Filter.filter, m_Labeling);
    report.filledHoles = filled.filledHoles;
    report.filledVoxels = filled.filledVoxels;
    m_Filter.filter.holes.swap(ofComponents.holes);
    return report;
  }

  /** The values of components are in the table where they are the same for all voxels of one. */
  bool
  MeasuresClasses() const
  {
    return m_Arguments.IsWanted() && (!m_Arguments.split.empty() || (m_Arguments.equalValue && m_Image.channels == 1));
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
    return m_Arguments.IsWanted() || !m_Arguments.picture.empty() || m_TableImages.zones || m_FrontEnd.alwaysMeasures ||
           m_Segmented.pores;
  }

  void
  Measure()
  {
    m_Found.type = ResolveLabelType(m_RequestedType,
                                    m_Found.components,
                                    std::to_string(m_Found.components) + " components do",
                                    m_FrontEnd.widestLabels);
    m_Found.isMeasured = IsMeasured();
    if (m_Found.isMeasured && !m_Slabs)
    {
      m_Reporter->Step("measuring");
      MeasureOptions options = MeasureOptionsFor(m_Segmented, m_Arguments.IsWanted(), m_TableImages.Options(m_Groups));
      if (MeasuresClasses())
      {
        options.classes =
          m_Arguments.split.empty() ? m_Segmented.View(m_Image) : ImageView(m_Parents.Data(), m_Image.extent);
      }
      m_Table = m_Labeling.Measure(options, m_Reporter->Hooks());
      if (m_PartInRegion)
      {
        m_Table.partTotals.voxels = *m_PartInRegion;
        m_Table.regionVoxels = m_PartInRegion;
      }
      ReleaseImages();
    }
    if (m_Found.isMeasured)
    {
      NoteOutsideOfPart(m_Table, m_Reader);
      NoteMeasures(m_Table, m_Reader);
    }
    if (!m_Slabs)
    {
      m_Seconds["measure"] = m_Watch.Lap();
    }
  }

  void
  WriteOutputs()
  {
    ReplacedTogether outputs;
    m_Found.output = WriteLabelMap(m_Arguments, m_Found, m_WriteRows, m_Reader, *m_Reporter);
    if (m_Arguments.IsWanted())
    {
      WriteTables(m_Arguments, m_Table, m_Arguments.threads, *m_Reporter);
    }
    if (!m_Arguments.colorTable.empty())
    {
      WriteColorTable(m_Arguments.colorTable, m_Found.components);
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
    if (!m_Slabs)
    {
      m_Seconds["total"] = m_Total.Lap();
    }
  }

  job::Findings
  Summary() const
  {
    job::Findings findings = ListFindings(m_Arguments, m_Found);
    if (!m_Arguments.split.empty())
    {
      findings.push_back({ "parents", m_ParentCount, 2, "split from #", "component" });
    }
    if (!m_DeviceRemark.empty())
    {
      findings.push_back({ "device_remark", m_DeviceRemark });
    }
    if (m_Slabs)
    {
      AddSlabs(findings, *m_Slabs);
    }
    AddEnd(findings, m_Arguments, m_Found, m_Reader.Notes(), m_Seconds);
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

  Segmented                    m_Segmented;
  Labeling                     m_Labeling;
  std::optional<SlabResult>    m_Slabs;
  ComponentTable               m_Table;
  LabelFindings                m_Found{ m_Image, m_Segmented, m_Table };
  RowWriter                    m_WriteRows;
  std::string                  m_DeviceRemark;
  std::optional<std::uint64_t> m_PartInRegion;

  /** The labels of the components that were split. */
  Buffer<std::uint32_t> m_Parents;
  std::uint64_t         m_ParentCount = 0;
};

} // namespace

void
RunLabel(const job::Job & arguments, const FrontEnd & frontEnd)
{
  LabelWork(arguments, frontEnd).Run();
}

} // namespace brickccl::cli
