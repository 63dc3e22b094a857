// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Batch/ProcessItem.h"

#include "BrickCCL/Batch/Acceptance.h"
#include "BrickCCL/Batch/FileHash.h"
#include "BrickCCL/Batch/FindItems.h"
#include "BrickCCL/Batch/ItemTexts.h"
#include "BrickCCL/Batch/JsonText.h"
#include "BrickCCL/Batch/RecipeValues.h"
#include "BrickCCL/Batch/ReportPictures.h"
#include "BrickCCL/Batch/SafeText.h"
#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Core/Version.h"
#include "BrickCCL/Dispatch/LabelingImplementation.h"
#include "BrickCCL/Files/HeaderText.h"
#include "BrickCCL/Files/Disk/AtomicFile.h"
#include "BrickCCL/Files/Disk/FileStamp.h"
#include "BrickCCL/Host/Stopwatch.h"
#include "BrickCCL/Host/System.h"
#include "BrickCCL/Job/JobCriterion.h"
#include "BrickCCL/Job/Region.h"
#include "BrickCCL/Job/RunJob.h"
#include "BrickCCL/Pictures/Picture.h"
#include "BrickCCL/Segmenting/SmoothImage.h"
#include "BrickCCL/Segmenting/ThresholdAsJson.h"
#include "BrickCCL/Tables/ComponentTable.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

namespace brickccl::batch
{

namespace
{

/** Turns every error of `write`, but an interrupt, into a WriteError. */
template <typename TFunction>
void
Writing(TFunction && write)
{
  try
  {
    write();
  }
  catch (const Canceled &)
  {
    throw;
  }
  catch (const Unsupported &)
  {
    throw;
  }
  catch (const Error & error)
  {
    throw WriteError(error.what());
  }
}

using nlohmann::ordered_json;

class ItemProcess
{
public:
  ItemProcess(const Recipe & recipe, const ProcessOptions & options, const std::string & folder)
    : m_Recipe(recipe)
    , m_Options(options)
    , m_Folder(folder)
    , m_Run(recipe, Hooks())
  {
    m_Progress.canceled = WasInterrupted;
    m_Run.options.threads = options.threads;
    m_Run.options.device = Device::FromName(options.device);
  }

  void
  Run(const std::string & name, const FoundImage & found)
  {
    m_Summary["item"] = name;
    m_Summary["brickccl"] = Version;
    Read(found);
    Lap("read");
    FindDefects();
    Lap("label");
    Measure();
    m_Summary["verdict"] = JudgeItem();
    Lap("measure");
    Write();
    Lap("write");
    m_Seconds["total"] = m_Total.Lap();
    m_Seconds["peak_memory_bytes"] = PeakMemoryBytes();
    const std::string state = TextOfState(m_Seconds, m_Stamps, m_Summary, PathIn(m_Folder, SummaryFile));
    Writing([&] { ReplaceTextFile(PathIn(m_Folder, StateFile), [&](std::ostream & stream) { stream << state; }); });
  }

  LoadedImage
  FindLabels(const std::string & name, const FoundImage & found, LoadedImage & scan, std::vector<std::string> & notes)
  {
    m_Summary["item"] = name;
    Read(found);
    FindDefects();
    Measure();
    const LabelType type = m_Run.labeling.SmallestType();
    LoadedImage     labels = EmptyCopy(m_Image, ScalarTypeOfLabel(type));
    m_Run.labeling.Write(static_cast<void *>(labels.voxels.Resize(labels.ByteCount())), type, m_Progress);
    scan = std::move(m_Image);
    notes = std::move(m_Notes);
    return labels;
  }

private:
  HostContext
  Context() const
  {
    return { m_Options.threads, Progress(m_Progress) };
  }

  job::RunHooks
  Hooks()
  {
    job::RunHooks hooks;
    hooks.note = [this](const std::string & text) { Note(text); };
    hooks.progress = [this] { return m_Progress; };
    return hooks;
  }

  void
  Lap(const char * step)
  {
    m_Seconds[step] = m_Stopwatch.Lap();
    Progress(m_Progress).Update(0);
  }

  void
  Note(const std::string & text)
  {
    m_Notes.push_back(text);
  }

  void
  Read(const FoundImage & found)
  {
    ThrowIf<InvalidArgument>(
      !found.problem.empty() && !m_Recipe.acceptIrregularNames,
      "the slice images of this folder are not a complete volume: " + found.problem +
        "; complete it, or set input.accept_irregular_names = true or input.slices = \"single\"");
    ReadOptions options;
    // A problem is one of names, and it has just been accepted.
    options.acceptIrregularSlices = m_Recipe.acceptIrregularSlices || !found.problem.empty();
    options.acceptSheared = m_Recipe.acceptSheared;
    options.spacing = m_Recipe.spacing;
    options.raw = m_Recipe.raw;
    options.asLabels = m_Recipe.criterion == "equal-value";
    options.threads = m_Options.threads;
    std::map<std::string, files::FileStamp> stamps;
    for (const std::string & file : found.files)
    {
      stamps.emplace(file, files::FileStamp::Of(file));
    }
    // Mapping a file once more for its hash takes a quarter of the time of the hash.
    files::FileBytes mapped;
    options.onFile = [&](const files::FileBytes & file) { mapped = file; };
    m_Image = ReadFoundImage(found, options);
    m_Recipe.downsample > 1 ? Downsample(m_Image, m_Recipe.downsample, Context()) : void();
    ThrowIf<Unsupported>(m_Image.extent.dimension > 3,
                         "the image has " + std::to_string(m_Image.extent.dimension) +
                           " dimensions; a batch supports up to 3");
    if (const auto misfit = FindMisfit(m_Recipe, m_Image.extent))
    {
      throw InvalidArgument(misfit->text);
    }
    ordered_json & input = m_Summary["input"];
    DescribeFiles(stamps, mapped, input);
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
    if (m_Image.dicom)
    {
      const auto & values = m_Image.dicom->values;
      std::string  date;
      // The date of the acquisition, the series or the study.
      for (const std::uint32_t tag : { 0x00080022, 0x00080021, 0x00080020 })
      {
        date = date.empty() ? values.at(tag) : date;
      }
      input["scanner"] = files::Trimmed(values.at(0x00080070) + " " + values.at(0x00081090));
      const bool isDate = date.size() == 8 && date.substr(4, 2) <= "12" && date.substr(6) <= "31";
      input["scan_date"] = !isDate ? date : date.substr(0, 4) + "-" + date.substr(4, 2) + "-" + date.substr(6);
    }
    m_Notes = m_Image.notes;
    if (!found.problem.empty())
    {
      Note(found.problem + "; they are stacked without a gap");
    }
    if (m_Image.spacingSource == "none")
    {
      Note("no voxel size in the file: 1 mm assumed; set it with input.spacing_mm in the recipe");
    }
  }

  /** Describes files that were read, with stamps from before. \throws Error if one was changed since. */
  void
  DescribeFiles(std::map<std::string, files::FileStamp> & stamps, const files::FileBytes & mapped, ordered_json & input)
  {
    for (const std::string & file : std::set<std::string>(m_Image.files.begin(), m_Image.files.end()))
    {
      if (std::error_code failure; std::filesystem::is_regular_file(file, failure))
      {
        const files::FileStamp before = stamps.emplace(file, files::FileStamp::Of(file)).first->second;
        const ordered_json     stamp = StampOf(file);
        input["files"].push_back(file == mapped.Path() ? DescribeFile(mapped, file) : DescribeFile(file, file));
        before.RequireSame();
        m_Stamps[input["files"].back().at("path").get<std::string>()] = stamp;
      }
    }
  }

  void
  FindDefects()
  {
    if (!m_Recipe.zones.empty())
    {
      ReadZones();
    }
    m_Run.region = job::MaskOf(m_Recipe, m_Image, {}, m_Options.threads);
    m_Run.options.connectivity = job::ConnectivityOf(m_Recipe, m_Image.extent);
    m_Run.Segment();
    const auto & part = m_Run.segmented.part;
    if (part && part->threshold)
    {
      m_Summary["part_threshold"] = ThresholdAsJson(part->threshold->value);
    }
    if (m_Run.segmented.threshold)
    {
      m_Summary["threshold"] = ThresholdAsJson(m_Run.segmented.threshold->value);
    }
    m_Run.Label();
    const Labeling & labeling = m_Run.labeling;
    if (!labeling.UsedDevice().remark.empty())
    {
      Note(labeling.UsedDevice().remark);
    }
    m_Summary["connectivity"] = labeling.GetConnectivity().NeighborCount();
    m_Summary["criterion"] = m_Run.segmented.criterion.ToString();
    m_Summary["components"] = m_Run.foundCount;
    if (!m_Recipe.split.empty())
    {
      m_Summary["parents"] = m_Run.split.count;
    }
    ThrowIf<InvalidArgument>(m_Recipe.decidesBySurface && part && part->fillsImage && labeling.ComponentCount() > 0,
                             "the distance to the surface is not known, since the part reaches everywhere; [part] of "
                             "the recipe says which values it has");
  }

  void
  ReadZones()
  {
    const std::string  file = ZonesOf(m_Recipe, m_Summary.at("item").get<std::string>());
    const ordered_json stamp = StampOf(file);
    ReadOptions        options;
    options.asLabels = true;
    options.threads = m_Options.threads;
    m_Zones = ReadImageFile(file, options);
    CheckSameGrid(m_Image, *m_Zones, file);
    const std::string note = job::CheckZones([&](const auto & look) { look(m_Zones->View(), {}); },
                                             Quoted(file) + " (zones.file)",
                                             m_Options.threads);
    if (!note.empty())
    {
      Note(note);
    }
    m_Summary["input"]["files"].push_back(DescribeFile(file, file));
    m_Stamps[m_Summary["input"]["files"].back().at("path").get<std::string>()] = stamp;
  }

  /** Counts the voxels of each zone. \throws InvalidArgument if a rule is for a zone without any. */
  VoxelsOfNumbers
  CountZones() const
  {
    const auto      counted = m_Run.Counted();
    VoxelsOfNumbers voxels = CountNumbers(m_Zones->View(), counted.value_or(m_Zones->View()), {}, m_Options.threads);
    for (const AcceptanceRule & rule : m_Recipe.acceptance)
    {
      ThrowIf<InvalidArgument>(rule.zone > 0 && voxels.count(rule.zone) == 0,
                               "zone " + std::to_string(rule.zone) + " of the rule '" + rule.name +
                                 "' has no voxel in the part; correct the rule or the file of zones");
    }
    return voxels;
  }

  const RunVolume &
  Runs() const
  {
    return RunsOf(m_Run.labeling);
  }

  void
  Measure()
  {
    const auto &     part = m_Run.segmented.part;
    MeasureOptions & options = m_Measures;
    options.groups = m_Recipe.groups;
    if (m_Recipe.measuresIntensity)
    {
      options.intensity = m_Image.View();
      options.ignoresNaN = m_Recipe.nan == "ignore";
    }
    if (part)
    {
      options.part = part->PartView();
      options.parts = part->voxelsOfParts.empty() ? std::nullopt : options.part;
    }
    options.parents = m_Run.Parents();
    options.zones = m_Zones ? std::optional(m_Zones->View()) : std::nullopt;
    m_Run.Measure(options, true);
    const Totals totals = TotalsOf(m_Table);
    m_Summary["defects"] = totals.components;
    m_Summary["defect_voxels"] = totals.voxels;
    m_Summary["defect_" + totals.sizeName] = totals.size;
    m_Summary["region"] = !part ? (m_Run.region ? "region" : "image") : part->inside ? "core" : "part";
    m_Summary["region_" + totals.sizeName] = totals.regionSize;
    m_Summary["porosity_percent"] = 100 * totals.fraction;
  }

  std::string
  JudgeItem()
  {
    const Findings item{ m_Table,   Runs(),           m_Run.Counted(),
                         Context(), m_Measures.zones, m_Zones ? CountZones() : VoxelsOfNumbers() };
    const auto *   part = m_Measures.parts ? &*m_Run.segmented.part : nullptr;
    auto           judged = part ? JudgeParts(m_Recipe,
                                    item,
                                    { part->PartView(),
                                                static_cast<std::size_t>(part->voxelsOfParts.rbegin()->first),
                                                ImplementationOf(m_Run.labeling).volume,
                                                m_Measures })
                                 : DescribeResults(m_Recipe, Judge(m_Recipe.acceptance, item));
    m_Zones ? DescribeZones(item, judged) : void();
    m_Notes.insert(m_Notes.end(), judged.notes.begin(), judged.notes.end());
    m_Summary.update(judged.members);
    return judged.verdict;
  }

  void
  AddOutput(const std::string & file)
  {
    m_Summary["outputs"].push_back(DescribeFile(PathIn(m_Folder, file), file));
  }

  void
  WriteLabels()
  {
    const LabelType   type = m_Run.labeling.SmallestType();
    const std::string file = LabelsFile + m_Recipe.labels;
    WriteOptions      writing;
    writing.context = Context();
    const auto lost = WriteImageFile(
      PathIn(m_Folder, file),
      { ScalarTypeOfLabel(type),
        m_Image.extent,
        m_Image.geometry,
        [&](std::int64_t begin, std::int64_t end, void * rows) { m_Run.labeling.WriteRows(begin, end, rows, type); } },
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
      const std::string    labels = hasLabels ? PathIn(m_Folder, LabelsFile + m_Recipe.labels) : "";
      const ReportPictures drawn = DrawForReport({ m_Image,
                                                   Runs(),
                                                   m_Table,
                                                   m_Run.segmented.part ? m_Run.segmented.part->part.data() : nullptr,
                                                   labels,
                                                   m_Options.surfacesProgram },
                                                 m_Folder,
                                                 Context());
      m_Summary[ReportKey] = drawn.description;
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
      ReplaceTextFile(PathIn(m_Folder, DefectsFile), [&](std::ostream & stream) { stream << TextOfTable(m_Table); });
      AddOutput(DefectsFile);
    });
    if (m_Recipe.pictures)
    {
      Writing([&] {
        WritePicture(PathIn(m_Folder, PictureFile),
                     { m_Image, Runs(), m_Table, m_Image.spacingSource != "none" },
                     Context());
        AddOutput(PictureFile);
      });
      Writing([&] { WriteReportPictures(); });
    }
    m_Summary["notes"] = m_Notes;
    Writing([&] {
      ReplaceTextFile(PathIn(m_Folder, SummaryFile),
                      [&](std::ostream & stream) { stream << JsonText(m_Summary) << '\n'; });
    });
  }

  const Recipe &           m_Recipe;
  const ProcessOptions &   m_Options;
  std::string              m_Folder;
  ProgressHooks            m_Progress;
  job::JobRun              m_Run;
  LoadedImage &            m_Image = m_Run.image;
  const ComponentTable &   m_Table = m_Run.table;
  MeasureOptions           m_Measures;
  ordered_json             m_Summary;
  std::vector<std::string> m_Notes;
  ordered_json             m_Seconds;
  ordered_json             m_Stamps = ordered_json::object();
  Stopwatch                m_Total;
  Stopwatch                m_Stopwatch;

  std::optional<LoadedImage> m_Zones;
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

LoadedImage
FindDefects(const std::string &        path,
            const Recipe &             recipe,
            const ProcessOptions &     options,
            LoadedImage &              scan,
            std::vector<std::string> & notes)
{
  const FoundItems found = FindItems({ path }, recipe, "");
  ThrowIf<InvalidArgument>(found.items.size() != 1,
                           Quoted(path) + " has " + std::to_string(found.items.size()) + " images; name one of them");
  return ItemProcess(recipe, options, "").FindLabels(found.items[0].name, found.items[0].found, scan, notes);
}

} // namespace brickccl::batch
