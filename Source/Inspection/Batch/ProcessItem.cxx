// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Batch/ProcessItem.h"

#include "BrickCCL/Batch/Acceptance.h"
#include "BrickCCL/Batch/FileHash.h"
#include "BrickCCL/Batch/FindPart.h"
#include "BrickCCL/Batch/ItemInput.h"
#include "BrickCCL/Batch/ItemMemory.h"
#include "BrickCCL/Batch/ItemTexts.h"
#include "BrickCCL/Batch/JsonText.h"
#include "BrickCCL/Batch/RecipeValues.h"
#include "BrickCCL/Batch/ReportPictures.h"
#include "BrickCCL/Batch/WriteError.h"
#include "BrickCCL/Core/ImageConnectivity.h"
#include "BrickCCL/Core/Version.h"
#include "BrickCCL/Dispatch/LabelingImplementation.h"
#include "BrickCCL/Measuring/CountNotANumber.h"
#include "BrickCCL/Files/Disk/AtomicFile.h"
#include "BrickCCL/Host/Stopwatch.h"
#include "BrickCCL/Host/System.h"
#include "BrickCCL/Job/JobCriterion.h"
#include "BrickCCL/Job/Region.h"
#include "BrickCCL/Labels/ExpandLabels.h"
#include "BrickCCL/Labels/Relabel.h"
#include "BrickCCL/Measuring/Measure.h"
#include "BrickCCL/Pictures/Picture.h"
#include "BrickCCL/Segmenting/SmoothImage.h"
#include "BrickCCL/Segmenting/Threshold.h"
#include "BrickCCL/Segmenting/ThresholdAsJson.h"
#include "BrickCCL/Tables/ComponentTable.h"
#include "BrickCCL/Tables/Condition.h"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <set>

namespace brickccl::batch
{

namespace
{

using nlohmann::ordered_json;

class ItemProcess
{
public:
  ItemProcess(const Recipe & recipe, const ProcessOptions & options, const std::string & folder)
    : m_Recipe(recipe)
    , m_Options(options)
    , m_Folder(folder)
    , m_Memory(options.memory, options.maximumMemory)
  {
    m_Hooks.canceled = WasInterrupted;
  }

  void
  Run(const std::string & name, const FoundImage & found)
  {
    m_Summary["item"] = name;
    m_Summary["brickccl"] = Version;
    Read(found);
    Lap("read");
    Segment();
    FindDefects();
    Lap("label");
    Measure();
    m_Summary["verdict"] = JudgeItem();
    Lap("measure");
    Write();
    Lap("write");
    m_Seconds["total"] = SumOf(m_Seconds);
    m_Seconds["peak_memory_bytes"] = PeakMemoryBytes();
    if (m_Memory.IsLimited())
    {
      m_Seconds["planned_memory_bytes"] = m_Options.memory;
    }
    const std::string state = TextOfState(m_Seconds, m_Stamps, m_Summary, PathOf(SummaryFile));
    Writing([&] { ReplaceTextFile(PathOf(StateFile), [&](std::ostream & stream) { stream << state; }); });
  }

private:
  HostContext
  Context() const
  {
    return { m_Options.threads, Progress(m_Hooks) };
  }

  void
  Lap(const char * step)
  {
    m_Seconds[step] = m_Stopwatch.Lap();
    Progress(m_Hooks).Update(0);
  }

  std::string
  PathOf(const std::string & file) const
  {
    return (std::filesystem::path(m_Folder) / file).string();
  }

  void
  Note(const std::string & text)
  {
    m_Notes.push_back(text);
  }

  void
  Read(const FoundImage & found)
  {
    if (!found.problem.empty() && !m_Recipe.acceptIrregularNames)
    {
      throw InvalidArgument("the slice images of this folder are not a complete volume: " + found.problem +
                            "; complete it, or set input.accept_irregular_names = true or input.slices = \"single\"");
    }
    ReadOptions options;
    // A problem is one of names, and it has just been accepted.
    options.acceptIrregularSlices = m_Recipe.acceptIrregularSlices || !found.problem.empty();
    options.acceptSheared = m_Recipe.acceptSheared;
    options.spacing = m_Recipe.spacing;
    options.raw = m_Recipe.raw;
    options.asLabels = m_Recipe.criterion == "equal-value";
    options.threads = m_Options.threads;
    options.onHeader = [&](const LoadedImage & header, std::uint64_t bytes) { PlanMemory(found, header, bytes); };
    ItemInput inputFiles(found.files);
    options.onFile = [&](const files::FileBytes & file) { inputFiles.Keep(file); };
    m_Image = ReadFoundImage(found, options);
    if (!m_Memory.IsMade())
    {
      PlanMemory(found, m_Image, m_Image.ByteCount());
    }
    if (m_Image.extent.dimension > 3)
    {
      throw Unsupported("the image has " + std::to_string(m_Image.extent.dimension) +
                        " dimensions; a batch supports up to 3");
    }
    if (const auto misfit = FindMisfit(m_Recipe, m_Image.extent))
    {
      throw InvalidArgument(misfit->text);
    }
    ordered_json & input = m_Summary["input"];
    if (ordered_json described = inputFiles.Describe({ m_Image.files.begin(), m_Image.files.end() });
        !described.empty())
    {
      input["files"] = std::move(described);
    }
    m_Stamps = inputFiles.Stamps();
    if (!found.series.empty())
    {
      input["series"] = found.series;
    }
    if (!m_Recipe.raw.empty())
    {
      input["raw"] = m_Recipe.raw;
    }
    const Extent & extent = m_Image.extent;
    input["extent"] = std::vector<std::int64_t>(extent.size, extent.size + extent.dimension);
    input["spacing_mm"] = std::vector<double>(m_Image.geometry.spacing, m_Image.geometry.spacing + extent.dimension);
    input["spacing_source"] = m_Image.spacingSource == "--spacing" ? "recipe" : m_Image.spacingSource;
    m_Notes = m_Image.notes;
    if (!found.problem.empty())
    {
      Note(found.problem + "; they are stacked without a gap");
    }
    if (m_Image.spacingSource == "none")
    {
      Note("no voxel size in the file: 1 mm assumed; set it with input.spacing_mm in the recipe");
    }
    if (const std::uint64_t count = CountNotANumber(m_Image.View(), { m_Options.threads }); count > 0)
    {
      Note(TellNotANumber(count));
    }
  }

  void
  PlanMemory(const FoundImage & found, const LoadedImage & header, std::uint64_t bytes)
  {
    std::set<std::string> files(found.files.begin(), found.files.end());
    files.insert(header.files.begin(), header.files.end());
    const bool draws = m_Options.drawsForReport && m_Recipe.pictures;
    m_Memory.Plan({ header.extent, header.geometry, header.type, header.channels, bytes, BytesOfFiles(files) },
                  m_Recipe,
                  draws,
                  draws && m_Recipe.labels != "none" && !m_Options.surfacesProgram.empty());
  }

  /** Smooths the image, and finds the region, the part and the threshold. */
  void
  Segment()
  {
    m_Region = job::MaskOf(m_Recipe, m_Image, {}, m_Options.threads);
    if (!m_Recipe.smooth.empty())
    {
      m_Smoothed = SmoothImage(m_Image, SmoothingMethod::FromText(m_Recipe.smooth), Context());
    }
    if (m_Recipe.partMethod != "none")
    {
      const std::function<void(std::uint64_t)> check = [this](std::uint64_t runs) {
        m_Memory.CheckLists(MemoryForPart(runs, m_Image.extent));
      };
      m_Part = FindPart(Segmented(),
                        m_Recipe,
                        m_Region ? &*m_Region : nullptr,
                        m_Hooks,
                        m_Options.threads,
                        m_Memory.IsLimited() ? check : nullptr);
      m_Notes.insert(m_Notes.end(), m_Part->notes.begin(), m_Part->notes.end());
      if (m_Part->threshold)
      {
        m_Summary["part_threshold"] = ThresholdAsJson(m_Part->threshold->value);
      }
    }
    if (!m_Recipe.threshold.empty())
    {
      m_Threshold = job::ThresholdOf(Segmented().View(), Searched(), m_Recipe.threshold, Context());
      m_Summary["threshold"] = ThresholdAsJson(m_Threshold->value);
    }
  }

  /** Where defects are looked for; nothing: everywhere. */
  std::optional<ImageView>
  Searched() const
  {
    return m_Region ? std::optional(m_Region->View()) : m_Part ? std::optional(m_Part->mask.View()) : std::nullopt;
  }

  /** Where they count: the region whose share porosity is. */
  std::optional<ImageView>
  Counted() const
  {
    return m_Part && m_Part->inside ? std::optional(m_Part->inside->View()) : Searched();
  }

  /** The image that thresholds look at. */
  const LoadedImage &
  Segmented() const
  {
    return m_Smoothed ? *m_Smoothed : m_Image;
  }

  /** Whether the defects are the pores that FindPart found. */
  bool
  AreDefectsPores() const
  {
    return m_Part && m_Part->pores && !m_Recipe.range && m_Recipe.threshold.empty();
  }

  bool
  HasParts() const
  {
    return m_Part && m_Part->parts > 0;
  }

  Criterion
  CriterionOfRecipe() const
  {
    // Numbers of parts differ, and with them their pores.
    return AreDefectsPores() && HasParts() ? Criterion::EqualValue(0)
                                           : job::CriterionOf(m_Recipe, Segmented().View().type, m_Threshold);
  }

  void
  FindDefects()
  {
    LabelOptions options;
    options.criterion = CriterionOfRecipe();
    options.connectivity = m_Recipe.neighborhood.empty()
                           ? ConnectivityFor(m_Recipe.connectivity, m_Image.extent, m_Recipe.bySlice)
                           : NeighborhoodFromText(m_Recipe.neighborhood, m_Image.extent.dimension);
    options.relabel.minimumSize = m_Recipe.minimumSize;
    options.relabel.maximumSize = m_Recipe.maximumSize;
    options.minimumVolume = m_Recipe.minimumVolume.value;
    options.geometry = m_Image.geometry;
    options.device = Device::FromName(m_Options.device);
    options.threads = m_Options.threads;
    options.progress = m_Hooks;
    options.mask = Searched();
    const ImageView image = AreDefectsPores() ? m_Part->pores->View() : Segmented().View();
    if (m_Memory.IsLimited())
    {
      m_Memory.CheckLists(MemoryForLabeling(CountRuns(image, options.criterion, options.mask, Context().Silent())));
    }
    Labeling labeling;
    Label(image, options, labeling);
    if (!labeling.UsedDevice().remark.empty())
    {
      Note(labeling.UsedDevice().remark);
    }
    m_Summary["connectivity"] = labeling.GetConnectivity().NeighborCount();
    m_Summary["criterion"] = options.criterion.ToString();
    m_Summary["components"] = labeling.ComponentCount();
    m_Count = labeling.ComponentCount();
    m_Runs = TakeRuns(labeling);
    if (m_Memory.IsLimited())
    {
      const std::uint64_t outside = m_Part ? CountRunsOutside(m_Part->mask) : 0;
      m_Memory.CheckLists(MemoryForRuns(m_Runs.RunCount(), outside, m_Count, m_Recipe));
    }
    DropOutsideOfCore();
  }

  /** Defects are measured as a whole, and count as a whole or not at all. */
  void
  DropOutsideOfCore()
  {
    if (m_Part && m_Part->inside)
    {
      const std::uint64_t before = m_Count;
      m_Count = KeepComponents(m_Runs, LieWithin(*m_Part->inside, m_Runs, m_Count), Context()).size();
      if (m_Count < before)
      {
        Note(std::to_string(before - m_Count) + " of " + std::to_string(before) +
             " components are not as deep as part.erode_mm and do not count");
      }
    }
  }

  MeasureOptions
  Measures() const
  {
    MeasureOptions options;
    options.groups = m_Recipe.groups;
    if (m_Recipe.measuresIntensity)
    {
      options.intensity = m_Image.View();
    }
    if (m_Part)
    {
      options.part = m_Part->mask.View();
      options.parts = HasParts() ? options.part : std::nullopt;
    }
    return options;
  }

  ComponentTable
  MeasureRuns() const
  {
    std::optional<int> sliceAxis;
    if (!m_Recipe.bySlice.empty())
    {
      sliceAxis = AxisFromName(m_Recipe.bySlice);
    }
    return MeasureComponents(m_Runs, m_Count, m_Image.geometry, Measures(), sliceAxis, Context());
  }

  void
  Measure()
  {
    m_Table = MeasureRuns();
    if (m_Recipe.decidesBySurface)
    {
      CheckSurfaceDistances(m_Table);
    }
    if (!m_Recipe.keep.empty())
    {
      const std::vector<bool> holds = Condition(m_Recipe.keep).Evaluate(m_Table);
      m_Count = KeepComponents(m_Runs, holds, Context()).size();
      // Distances and contacts are those among the defects that are left.
      m_Table = MeasureRuns();
    }
    if (m_Part && (m_Part->inside || m_Region))
    {
      // All defects are in the core or the region, and porosity is their share of it.
      m_Table.partTotals.voxels = CountVoxels(m_Part->inside ? *m_Part->inside : *m_Region);
    }
    const Totals totals = TotalsOf(m_Table);
    m_Summary["defects"] = totals.components;
    m_Summary["defect_voxels"] = totals.voxels;
    m_Summary["defect_" + totals.sizeName] = totals.size;
    m_Summary["region"] = !m_Part ? (m_Region ? "region" : "image") : m_Part->inside ? "core" : "part";
    m_Summary["region_" + totals.sizeName] = totals.regionSize;
    m_Summary["porosity_percent"] = 100 * totals.fraction;
  }

  std::string
  JudgeItem()
  {
    const Findings item{ m_Table, m_Runs, Counted(), Context() };
    const auto     judged = HasParts()
                            ? JudgeParts(m_Recipe, item, { m_Part->mask.View(), m_Part->parts, m_Runs, Measures() })
                            : DescribeResults(m_Recipe, Judge(m_Recipe.acceptance, item));
    m_Notes.insert(m_Notes.end(), judged.notes.begin(), judged.notes.end());
    m_Summary.update(judged.members);
    return judged.verdict;
  }

  void
  AddOutput(const std::string & file)
  {
    m_Summary["outputs"].push_back(DescribeFile(PathOf(file), file));
  }

  void
  WriteLabels()
  {
    const LabelType   type = SmallestLabelType(m_Count);
    const std::string file = LabelsFile + m_Recipe.labels;
    WriteOptions      writing;
    writing.context = Context();
    const auto lost = WriteImageFile(
      PathOf(file),
      { ScalarTypeOfLabel(type),
        m_Image.extent,
        m_Image.geometry,
        [&](std::int64_t begin, std::int64_t end, void * rows) { ExpandRows(m_Runs, begin, end, type, rows); } },
      writing);
    for (const std::string & note : lost)
    {
      Note("'" + file + "': " + note);
    }
    m_Summary["label_type"] = NameOf(type);
    AddOutput(file);
  }

  void
  WriteReportPictures()
  {
    if (m_Options.drawsForReport)
    {
      const bool           hasLabels = m_Recipe.labels != "none";
      const std::string    labels = hasLabels ? PathOf(LabelsFile + m_Recipe.labels) : "";
      const std::string    tooLarge = m_Count > 0 ? m_Memory.WhyNoSurfaces(m_Runs) : "";
      const ReportPictures drawn = DrawForReport({ m_Image,
                                                   m_Runs,
                                                   m_Table,
                                                   m_Part ? &m_Part->mask : nullptr,
                                                   labels,
                                                   tooLarge.empty() ? m_Options.surfacesProgram : "" },
                                                 m_Folder,
                                                 Context());
      m_Summary[ReportKey] = drawn.description;
      if (!tooLarge.empty())
      {
        Note(tooLarge);
      }
      std::for_each(drawn.notes.begin(), drawn.notes.end(), [this](const std::string & note) { Note(note); });
      std::for_each(drawn.files.begin(), drawn.files.end(), [this](const std::string & file) { AddOutput(file); });
    }
  }

  void
  Write()
  {
    m_Summary["outputs"] = ordered_json::array();
    if (m_Recipe.labels != "none")
    {
      Writing([&] { WriteLabels(); });
    }
    Writing([&] {
      ReplaceTextFile(PathOf(DefectsFile), [&](std::ostream & stream) { stream << TextOfTable(m_Table); });
      AddOutput(DefectsFile);
    });
    if (m_Recipe.pictures)
    {
      Writing([&] {
        WritePicture(PathOf(PictureFile), { m_Image, m_Runs, m_Table, m_Image.spacingSource != "none" }, Context());
        AddOutput(PictureFile);
      });
      Writing([&] { WriteReportPictures(); });
    }
    m_Summary["notes"] = m_Notes;
    Writing([&] {
      ReplaceTextFile(PathOf(SummaryFile), [&](std::ostream & stream) { stream << JsonText(m_Summary) << '\n'; });
    });
  }

  const Recipe &             m_Recipe;
  const ProcessOptions &     m_Options;
  std::string                m_Folder;
  ProgressHooks              m_Hooks;
  LoadedImage                m_Image;
  std::optional<LoadedImage> m_Smoothed;
  std::optional<LoadedImage> m_Region;
  std::optional<FoundPart>   m_Part;
  std::optional<Threshold>   m_Threshold;
  RunVolume                  m_Runs;
  std::uint64_t              m_Count = 0;
  MemoryPlan                 m_Memory;
  ComponentTable             m_Table;
  ordered_json               m_Summary;
  std::vector<std::string>   m_Notes;
  ordered_json               m_Seconds;
  ordered_json               m_Stamps;
  Stopwatch                  m_Stopwatch;
};

} // namespace

void
ProcessItem(const std::string &    name,
            const FoundImage &     found,
            const Recipe &         recipe,
            const ProcessOptions & options,
            const std::string &    folder)
{
  const WrittenInPlace inPlace;
  ItemProcess(recipe, options, folder).Run(name, found);
}

} // namespace brickccl::batch
