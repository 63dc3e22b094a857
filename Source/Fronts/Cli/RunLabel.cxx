// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Cli/RunLabel.h"

#include "BrickCCL/Cli/Doubts.h"
#include "BrickCCL/Cli/Segments.h"
#include "BrickCCL/Core/TextLists.h"
#include "BrickCCL/Dispatch/LabelingImplementation.h"
#include "BrickCCL/Files/Disk/AtomicFile.h"
#include "BrickCCL/Job/JobCriterion.h"
#include "BrickCCL/Pictures/Picture.h"

#include <memory>

namespace brickccl::cli
{

namespace
{

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

class LabelWork
{
public:
  LabelWork(const job::Job & arguments, const FrontEnd & frontEnd)
    : m_Arguments(arguments)
    , m_FrontEnd(frontEnd)
    , m_Reporter(frontEnd.makeReporter(arguments.quiet || arguments.json))
    , m_Reader(arguments, arguments.threads, *m_Reporter, arguments.memory > 0)
    , m_Run(arguments, HooksOf(*m_Reporter, m_Reader))
  {
    m_Run.options.algorithm = arguments.algorithm;
    m_Run.options.threads = arguments.threads;
  }

  void
  Run()
  {
    CheckArguments();
    const auto preparation = PrepareDevice(m_Run.options.device);
    ReadImages();
    m_Arguments.memory == 0 ? LabelImage() : LabelSlabs();
    Measure();
    WriteOutputs();
    if (!m_Arguments.record.empty())
    {
      m_FrontEnd.record(m_Arguments, m_Reader.Files(), m_Outputs);
    }
    PrintFindings(Summary(), m_Arguments, *m_Reporter, m_FrontEnd);
  }

private:
  /** Certain failures are found before the long work starts. */
  void
  CheckArguments()
  {
    m_Groups = CheckJob(m_Arguments, m_Outputs);
    m_Run.options.device = Device::FromName(m_Arguments.device);
    m_RequestedType = LabelTypeFromName(m_Arguments.labelType);
    m_Reader.Protect(m_Outputs);
  }

  void
  ReadImages()
  {
    LabelOptions & options = m_Run.options;
    m_Image = m_Arguments.equalValue ? m_Reader.ReadLabels(m_Arguments.input) : m_Reader.Read(m_Arguments.input, false);
    m_Reader.NoteIf(!m_Image.segmentation.segments.empty() && !KeepsNames(),
                    m_Arguments.equalValue ? "the names of segments are lost with overlapping segments, and with "
                                             "--memory without a table or with --split"
                                           : "the names of segments are lost; --equal-value keeps them");
    options.connectivity = ConnectivityFor(m_Arguments, m_Image.extent, m_Reader);
    options.periodic = PeriodicFor(m_Arguments, *options.connectivity);
    if (!m_Arguments.picture.empty())
    {
      CheckPicture(m_Image.extent);
    }
    if (!m_Arguments.output.empty())
    {
      const bool isAuto = m_RequestedType == LabelType::Auto;
      CheckImageFileWritable(m_Arguments.output,
                             isAuto ? ScalarType::UInt8 : ScalarTypeOfLabel(m_RequestedType),
                             m_Image.extent);
    }
    m_Run.region = ReadRegion(m_Arguments, m_Image, m_Arguments.threads, m_Reader);
    if (m_Run.region && m_Arguments.memory == 0)
    {
      m_Found.regionVoxels = job::CountIn(m_Run.region, m_Arguments.threads);
    }
    m_TableImages = ReadTableImages(m_Arguments, m_Image, m_Arguments.threads, m_Reader);
    m_Filter = ReadFilter(m_Arguments, *options.connectivity, m_Image, m_Reader);
    m_Run.filter = m_Filter.filter;
    m_ForSplit = ReadForSplit(m_Arguments, m_Image, m_Run.splitting, m_Reader);
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
    measured.intensity = m_TableImages.intensity ? std::optional(kindOf(*m_TableImages.intensity)) : std::nullopt;
    measured.part = m_Arguments.pores || m_TableImages.part ? std::optional(kindOf(m_Image)) : std::nullopt;
    measured.parts = job::PartsOf(m_Arguments) ? std::optional(kindOf(m_Image)) : std::nullopt;
    measured.classes = MeasuresClasses() ? std::optional(kindOf(m_Image)) : std::nullopt;
    measured.parents = !m_Arguments.split.empty() ? std::optional(kindOf(m_Image)) : std::nullopt;
    measured.zones = m_TableImages.zones ? std::optional(kindOf(*m_TableImages.zones)) : std::nullopt;
    CheckTableColumns(m_Arguments, measured, m_Image.extent, m_Run.options, m_Arguments.memory > 0);
  }

  void
  LabelImage()
  {
    // A CPU thread labels about this many voxels before a CUDA device is ready (Testing/gpu/RESULTS.md, whole
    // commands).
    constexpr double voxelsPerThread = 5e8;
    Device &         device = m_Run.options.device;
    if (device.kind == Device::Kind::Auto &&
        static_cast<double>(m_Image.extent.VoxelCount()) < voxelsPerThread * EffectiveThreadCount(m_Arguments.threads))
    {
      device.kind = Device::Kind::Cpu;
    }
    m_Run.Segment();
    m_Run.Label();
    const Labeling & labeling = m_Run.labeling;
    if (!m_Segmented.arePores)
    {
      Doubts doubts(m_Segmented.criterion, m_Image, m_Arguments, m_Arguments.threads);
      doubts.See(m_Segmented.View(m_Image), 0);
      doubts.Note(labeling.ForegroundVoxelCount(), labeling.ComponentCount(), m_Reader, m_Segmented.View(m_Image));
    }
    if (m_TableImages.part && m_Run.region)
    {
      m_Run.countedVoxels = job::CountIn(m_TableImages.part, m_Arguments.threads, m_Run.region);
    }
    if (const auto & zones = m_TableImages.zones)
    {
      const ImageView within = m_Segmented.arePores ? m_Segmented.part->PartView() : zones->View();
      const auto      region = m_Run.region ? std::optional(m_Run.region->View()) : std::nullopt;
      m_Found.zones = CountNumbers(zones->View(), within, region, m_Arguments.threads);
    }
    m_Filter.touching.reset();
    m_ForSplit.clear();
    m_Run.region.reset();
    m_DeviceRemark = labeling.UsedDevice().remark;
    if (!m_DeviceRemark.empty())
    {
      m_Reporter->Note("note: " + m_DeviceRemark);
    }
    if (!MeasuresClasses() && !KeepsNames())
    {
      ReleaseImages();
    }
    m_Found.components = labeling.ComponentCount();
    m_Found.foregroundVoxels = labeling.ForegroundVoxelCount();
    m_Found.relabeled = labeling.Relabeled();
    m_Found.keptVoxels = CountKeptVoxels(labeling, m_Run.filter);
    m_Found.algorithm = m_Arguments.split.empty() ? labeling.AlgorithmName() : m_Run.split.algorithm;
    m_Found.device = labeling.UsedDevice().device.ToString();
    m_WriteRows = [this](std::int64_t begin, std::int64_t end, LabelType type, void * rows) {
      m_Run.labeling.WriteRows(begin, end, rows, type);
    };
    m_Seconds["label"] = m_Watch.Lap();
  }

  void
  LabelSlabs()
  {
    m_Run.SetLimits();
    Doubts doubts(m_Segmented.criterion, m_Image, m_Arguments, m_Arguments.threads);
    m_Slabs = LabelBySlabs(m_Run,
                           { nullptr,
                             nullptr,
                             m_TableImages.intensity ? &*m_TableImages.intensity : nullptr,
                             m_TableImages.zones ? &*m_TableImages.zones : nullptr },
                           m_Groups,
                           m_Arguments.IsWanted() || m_Arguments.pores || m_TableImages.zones || KeepsNames(),
                           [&](const ImageView & slab, std::int64_t firstRow, const Labeling & labeled) {
                             m_Found.algorithm = labeled.AlgorithmName();
                             m_Found.device = labeled.UsedDevice().device.ToString();
                             if (!m_Arguments.pores)
                             {
                               doubts.See(slab, firstRow);
                             }
                           });
    if (!m_Arguments.pores)
    {
      doubts.Note(m_Slabs->foregroundVoxels, m_Slabs->components, m_Reader);
    }
    m_Table = std::move(m_Slabs->table);
    m_Found.regionVoxels = m_Arguments.pores ? m_Slabs->regionVoxels : m_Table.regionVoxels;
    m_Found.components = m_Slabs->components;
    m_Found.foregroundVoxels = m_Slabs->foregroundVoxels;
    m_Found.relabeled = m_Slabs->relabeled;
    m_Found.keptVoxels = m_Slabs->relabeled.keptVoxels.value_or(m_Slabs->foregroundVoxels);
    m_Found.zones = m_Slabs->zones;
    m_WriteRows = m_Slabs->writeRows;
    m_Seconds = { { "label", m_Slabs->secondsToLabel }, { "merge", m_Slabs->secondsToMerge } };
    m_Watch.Lap();
  }

  /** The values of components are in the table where they are the same for all voxels of one. */
  bool
  MeasuresClasses() const
  {
    return m_Arguments.split.empty() &&
           (KeepsNames() || (m_Arguments.IsWanted() && m_Arguments.equalValue && m_Image.channels == 1));
  }

  /** Whether components inherit the names of segments: each is of one segment. */
  bool
  KeepsNames() const
  {
    return m_Arguments.equalValue && m_Image.channels == 1 && !m_Image.segmentation.segments.empty() &&
           (m_Arguments.memory == 0 || (m_Arguments.split.empty() &&
                                        (m_Arguments.IsWanted() || HoldsSegments(m_Arguments.output, m_Image.extent))));
  }

  std::vector<std::uint64_t>
  LabelsOfInput()
  {
    if (m_Arguments.split.empty())
    {
      return InputLabels(m_Table);
    }
    MeasureOptions options;
    options.classes = m_Image.View();
    const auto ofParents =
      InputLabels(MeasureLabelImage(*m_Run.Parents(), m_Image.geometry, options, m_Arguments.threads));
    return Mapped(m_Table.measures.Of<ParentLabel>(),
                  [&](const ParentLabel & parent) { return ofParents[parent.label - 1]; });
  }

  /** Gives back the memory of what was labeled, unless a picture shows it. */
  void
  ReleaseImages()
  {
    if (m_Arguments.saveSmoothed.empty())
    {
      m_Segmented.smoothed.reset();
    }
    m_Segmented.local.reset();
    if (m_Arguments.picture.empty())
    {
      m_Image.voxels.Release();
    }
  }

  void
  Measure()
  {
    m_Found.type = ResolveLabelType(m_RequestedType,
                                    m_Found.components,
                                    std::to_string(m_Found.components) + " components do",
                                    m_FrontEnd.widestLabels);
    m_Found.isMeasured = m_Arguments.IsWanted() || KeepsNames() || !m_Arguments.picture.empty() ||
                         m_TableImages.zones || m_FrontEnd.alwaysMeasures || m_Segmented.arePores;
    if (m_Found.isMeasured && !m_Slabs)
    {
      m_Reporter->Step("measuring");
      MeasureOptions options = m_TableImages.Options(m_Groups);
      if (m_Segmented.part && m_Arguments.IsWanted())
      {
        // Distances to its surface take time, and are for a table that somebody reads.
        options.part = m_Segmented.part->PartView();
      }
      if (m_Segmented.part && !m_Segmented.part->voxelsOfParts.empty())
      {
        options.parts = m_Segmented.part->PartView();
      }
      if (MeasuresClasses())
      {
        options.classes = m_Segmented.View(m_Image);
      }
      options.parents = m_Run.Parents();
      m_Run.Measure(options, false);
    }
    if (KeepsNames())
    {
      const auto labels = LabelsOfInput();
      AddNames(m_Image.segmentation, labels, m_Table);
      m_Segments = SegmentsOf(m_Image, m_Table, labels, false, m_Reader);
    }
    ReleaseImages();
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
    WriteLabels(m_Arguments, m_Image, m_Found.type, m_Found.components, m_WriteRows, m_Segments, m_Reader, *m_Reporter);
    WriteTables(m_Arguments, m_Table, m_Arguments.threads, *m_Reporter);
    if (const auto & smoothed = m_Segmented.smoothed; smoothed && !m_Arguments.saveSmoothed.empty())
    {
      m_Reporter->Step("writing " + m_Arguments.saveSmoothed);
      const ProgressHooks hooks = m_Reporter->Hooks();
      WriteImage(
        m_Arguments.saveSmoothed,
        ImageToWrite::FromMemory(smoothed->voxels.Data(), smoothed->type, smoothed->extent, smoothed->geometry),
        { !m_Arguments.noCompression, { m_Arguments.threads, Progress(hooks) } },
        m_Reader,
        false);
    }
    if (!m_Arguments.colorTable.empty())
    {
      WriteColorTable(m_Arguments.colorTable, m_Found.components);
    }
    if (!m_Arguments.picture.empty())
    {
      const RunVolume & runs = RunsOf(m_Run.labeling);
      DrawLabels(m_Arguments, m_Image, !m_Arguments.equalValue, m_TableImages, runs, m_Table, *m_Reporter);
    }
    outputs.Move();
    m_Seconds["write"] = m_Watch.Lap();
    if (!m_Slabs)
    {
      m_Seconds["total"] = m_Total.Lap();
    }
  }

  job::Findings
  Summary()
  {
    job::Findings findings = ListFindings(m_Arguments, m_Found);
    if (!m_Arguments.split.empty())
    {
      findings.push_back({ "parents", m_Run.split.count, 2, "split from #", "component" });
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
  NamedFiles                m_Outputs;
  Stopwatch                 m_Total;
  Stopwatch                 m_Watch;
  nlohmann::json            m_Seconds;

  job::JobRun      m_Run;
  LoadedImage &    m_Image = m_Run.image;
  job::Segmented & m_Segmented = m_Run.segmented;
  ComponentTable & m_Table = m_Run.table;
  LabelFindings    m_Found{ m_Run };
  Segmentation     m_Segments;
  LabelType        m_RequestedType = LabelType::Auto;
  ColumnGroups     m_Groups;
  TableImages      m_TableImages;
  LoadedFilter     m_Filter;

  std::vector<LoadedImage> m_ForSplit;

  std::optional<SlabResult> m_Slabs;
  RowWriter                 m_WriteRows;
  std::string               m_DeviceRemark;
};

} // namespace

job::RunHooks
HooksOf(Reporter & reporter, ImageReader & reader)
{
  job::RunHooks hooks;
  hooks.step = [&](const std::string & step) { reporter.Step(step); };
  hooks.note = [&](const std::string & note) { reader.Note(note); };
  hooks.remark = [&](const std::string & remark) { reporter.Note(remark); };
  hooks.progress = [&] { return reporter.Hooks(); };
  return hooks;
}

void
RunLabel(const job::Job & arguments, const FrontEnd & frontEnd)
{
  LabelWork(arguments, frontEnd).Run();
}

} // namespace brickccl::cli
