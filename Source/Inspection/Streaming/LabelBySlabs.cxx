// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Streaming/LabelBySlabs.h"

#include "BrickCCL/Bricks/BrickProblem.h"
#include "BrickCCL/Bricks/BrickRecord.h"
#include "BrickCCL/Bricks/Bricks.h"
#include "BrickCCL/Bricks/TableBytes.h"
#include "BrickCCL/Core/Counted.h"
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Core/Version.h"
#include "BrickCCL/Files/Disk/FileStamp.h"
#include "BrickCCL/Files/ImageFile.h"
#include "BrickCCL/Files/Disk/AtomicFile.h"
#include "BrickCCL/Host/Stopwatch.h"
#include "BrickCCL/Measuring/CountNotANumber.h"
#include "BrickCCL/Streaming/FileSample.h"
#include "BrickCCL/Streaming/MergeNeed.h"
#include "BrickCCL/Streaming/SlabReader.h"
#include "BrickCCL/Streaming/SlabRuns.h"
#include "BrickCCL/Streaming/WorkFolder.h"
#include "BrickCCL/Tables/ColumnGroup.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <set>
#include <sstream>
#include <utility>

namespace brickccl
{

namespace
{

using Kind = WorkFolder::Kind;

/** The files of an image, with their sizes, the times of their last changes, and checksums of samples. Numbers of
 *  inodes are not among it: some network file systems give files new ones. */
void
DescribeFiles(const char * what, const LoadedImage * image, std::ostream & text)
{
  if (image == nullptr)
  {
    return;
  }
  text << what << ": " << image->extent.ToString() << ' ' << NameOf(image->type) << " x " << image->channels << '\n';
  if (!image->part.empty())
  {
    text << "dataset of " << what << ": " << image->part << '\n';
  }
  const std::set<std::string> files(image->files.begin(), image->files.end());
  for (const std::string & file : files)
  {
    const files::FileStamp stamp = files::FileStamp::Of(file);
    if (!stamp.isThere)
    {
      continue;
    }
    text << "bytes of " << what << " file " << Quoted(file) << ": " << stamp.size << '\n'
         << WorkFolder::TimeKey << what << " file " << Quoted(file) << ": " << stamp.time << ' ' << stamp.statusChange
         << ' ' << SampleOf(file, SampledBytes / files.size()) << '\n';
  }
}

/** The beginning of the line with the slices of a slab. An earlier plan's stays, also in another memory. */
constexpr const char * SlicesLine = "slices of a slab: ";

/** The slices of a slab in an earlier plan; 0 if there is none. */
std::int64_t
SlicesOf(const std::string & plan)
{
  const std::size_t place = plan.find(SlicesLine);
  return place == std::string::npos ? 0 : std::atoll(plan.c_str() + place + std::strlen(SlicesLine));
}

/** The properties that must not change for a state to be reused. */
std::string
DescribePlan(const SlabImages & images, const SlabOptions & options, const SlabPlan & plan)
{
  std::ostringstream text;
  const Extent &     extent = images.image->extent;
  const auto         connectivity = options.label.connectivity.value_or(Connectivity::Face(extent.dimension));
  text.precision(17);
  text << "state of: brickccl " << Version << '\n';
  DescribeFiles("image", images.image, text);
  DescribeFiles("mask", images.mask, text);
  DescribeFiles("intensity", images.intensity, text);
  text << SlicesLine << SlicesOfSlab(plan) << '\n'
       << "connectivity: " << connectivity.ToString() << '\n'
       << "criterion: " << options.label.criterion.ToString() << '\n'
       << "periodic axes: " << (options.label.periodic.HasAny() ? options.label.periodic.ToString() : "none") << '\n';
  const RelabelOptions & relabel = options.label.relabel;
  text << "order: " << (relabel.order == LabelOrder::Raster ? "raster" : "size") << '\n'
       << "minimum size: " << relabel.minimumSize << '\n'
       << "maximum size: " << (relabel.maximumSize + 1 == 0 ? "none" : std::to_string(relabel.maximumSize)) << '\n'
       << "largest: " << (relabel.largest == 0 ? "all" : std::to_string(relabel.largest))
       << (relabel.largestAcross ? " of each slice" : "") << '\n'
       << "minimum volume: " << options.label.minimumVolume
       << "\ntable (--statistics, --print, --columns): " << (options.measures ? "yes" : "no");
  for (const ColumnGroup * const group : options.groups.List())
  {
    text << ' ' << group->name;
  }
  text << "\ngeometry:";
  for (int axis = 0; axis < extent.dimension; ++axis)
  {
    text << ' ' << options.label.geometry.spacing[axis] << ' ' << options.label.geometry.origin[axis];
  }
  // Names above may say less than all: a neighborhood's, and numbers beyond ten digits.
  ByteWriter          problem;
  const LoadedImage & image = *images.image;
  BrickProblem(connectivity, options.label.criterion, image.type, image.channels, options.label.periodic, relabel)
    .Write(problem);
  text << "\nsettings as bytes:";
  for (const std::uint8_t byte : problem.Written())
  {
    text << ' ' << int{ byte };
  }
  text << '\n';
  return text.str();
}

/** One volume on its way from images to a label map. */
class SlabLabeler
{
public:
  SlabLabeler(const SlabImages & images, const SlabOptions & options)
    : m_Images(images)
    , m_Options(options)
    , m_Context{ options.label.threads, Progress(options.label.progress) }
    , m_Merge(options.label.threads)
  {
    MeasureOptions measure;
    measure.groups = options.groups;
    CheckColumnsOfBricks(measure, options.label.periodic);
    m_Result.plan = PlanSlabs(images,
                              options.label.criterion,
                              options.memory,
                              options.label.threads,
                              options.resume ? SlicesOf(WorkFolder::PlanIn(options.work)) : 0);
    m_Options.note("plan: " + m_Result.plan.ToString());
    m_Folder = std::make_unique<WorkFolder>(options.work,
                                            options.output,
                                            DescribePlan(images, options, m_Result.plan),
                                            options.resume);
  }

  SlabResult
  Run()
  {
    Stopwatch clock;
    LabelSlabs();
    m_Result.secondsToLabel = clock.Lap();
    Merge();
    if (m_Options.measures)
    {
      MergeTables();
    }
    m_Result.secondsToMerge = clock.Lap();
    Write();
    m_Result.secondsToWrite = clock.Lap();
    m_Result.stateBytes = m_Folder->BytesOnDisk();
    return std::move(m_Result);
  }

private:
  /** Whether the values of components are measured: they are the same for all voxels of one. */
  bool
  MeasuresClasses() const
  {
    return m_Options.measures && m_Options.label.criterion.joining == Criterion::Joining::EqualValue &&
           m_Images.image->channels == 1;
  }

  /** The readers of the state of slabs. */
  std::function<Bytes(std::size_t)> Reader(Kind kind) const;

  void          LabelSlabs();
  bool          TakeFromBefore(std::size_t slab);
  void          LabelSlab(std::size_t slab, SlabReader & reader, Labeling & scratch);
  void          MergeLater(std::size_t slab);
  void          Merge();
  void          RefuseComponents();
  std::string   HowToGoOn() const;
  void          CountSlabs();
  std::uint64_t TableBytes(std::uint64_t parts, std::uint64_t components) const;
  void          MergeTables();
  void          WriteLabels();
  void          Write();

  const SlabImages &          m_Images;
  const SlabOptions &         m_Options;
  HostContext                 m_Context;
  SlabResult                  m_Result;
  std::unique_ptr<WorkFolder> m_Folder;
  BrickMerge                  m_Merge;
  /** Whether slabs are merged after all are labeled, because their records do not fit next to a slab. */
  bool m_MergesLater = false;
  /** The components of all slabs. */
  std::uint64_t m_SlabComponents = 0;
};

/** Uses a slab that an earlier run labeled, if its files are whole. */
bool
SlabLabeler::TakeFromBefore(std::size_t slab)
{
  if (!m_Options.resume || !m_Folder->Has(slab, Kind::Record) || !m_Folder->Has(slab, Kind::Runs))
  {
    return false;
  }
  try
  {
    const Bytes record = m_Folder->Read(slab, Kind::Record);
    if (const BrickBox box = BoxOf(record); box != m_Result.plan.slabs[slab])
    {
      throw Error("'" + m_Folder->PathOf(slab, Kind::Record) + "' belongs to " + box.ToString());
    }
    CheckRunsOf(record, m_Folder->Read(slab, Kind::Runs));
    // Another merge finds what is damaged, too.
    BrickMerge alone(1);
    (m_MergesLater ? alone : m_Merge).Add(record);
  }
  catch (const Error & error)
  {
    m_Options.note("the state of " + m_Result.plan.slabs[slab].ToString() + " is not used: " + error.what());
    return false;
  }
  ++m_Result.slabsFromBefore;
  return true;
}

void
SlabLabeler::LabelSlab(std::size_t slab, SlabReader & reader, Labeling & scratch)
{
  const BrickBox & box = m_Result.plan.slabs[slab];
  SlabViews        views = reader.Read(box);
  BrickOptions     options;
  options.label = m_Options.label;
  options.label.mask = views.mask;
  if (views.mask)
  {
    m_Result.notNumbersOfMask += CountNotANumber(*views.mask, { m_Options.label.threads });
  }
  // The bar counts slabs.
  options.label.progress = {};
  options.measures = m_Options.measures;
  options.measure.groups = m_Options.groups;
  options.measure.intensity = views.intensity;
  if (MeasuresClasses())
  {
    options.measure.classes = views.image;
  }
  const LabeledBrick brick = LabelBrick(views.image, box, options, scratch);
  // The record comes last: where it is, the runs are as well.
  m_Folder->Write(slab, Kind::Runs, brick.runs);
  m_Folder->Write(slab, Kind::Record, brick.record);
  if (!m_MergesLater)
  {
    m_Merge.Add(brick.record);
  }
  const std::int64_t rowLength = m_Images.image->extent.RowLength();
  m_Options.seeSlab(views.image, static_cast<std::int64_t>(box.PlaceInVolume(0)) / rowLength, scratch);
  reader.Forget(box);
}

/** The records of slabs do not fit next to a slab: they are released, and read from the state when all are labeled. */
void
SlabLabeler::MergeLater(std::size_t slab)
{
  const SlabPlan &    plan = m_Result.plan;
  const std::uint64_t bytes = m_Merge.MemoryBytes();
  const double        ofAll =
    static_cast<double>(bytes) / static_cast<double>(slab + 1) * static_cast<double>(plan.slabs.size());
  std::string text = "the records of the slabs up to " + plan.slabs[slab].ToString() + " take " + BytesAsText(bytes) +
                     ", too much to keep next to a slab: slabs are merged when all are labeled";
  if (ofAll > static_cast<double>(plan.memory - plan.fixedBytes))
  {
    text += "; all slabs take about " + BytesAsText(static_cast<std::uint64_t>(ofAll)) +
            " if they are alike, more than --memory: the run will then stop and report the memory it needs";
  }
  m_Options.note(text);
  m_Merge = BrickMerge(m_Options.label.threads);
  m_MergesLater = true;
}

void
SlabLabeler::LabelSlabs()
{
  SlabReader   reader(m_Images, m_Result.plan.keepsSlices);
  Labeling     scratch;
  const auto & slabs = m_Result.plan.slabs;
  m_Options.step("labeling " + Counted(slabs.size(), "slab"));
  for (std::size_t slab = 0; slab < slabs.size(); ++slab)
  {
    m_Context.progress.Update(static_cast<double>(slab) / static_cast<double>(slabs.size()));
    if (!TakeFromBefore(slab))
    {
      NamingSlab(slabs[slab], [&] { LabelSlab(slab, reader, scratch); });
    }
    if (!m_MergesLater && m_Merge.MemoryBytes() > m_Result.plan.BytesForMerging())
    {
      MergeLater(slab);
    }
  }
}

/** \throws InvalidArgument, which says how much memory does. */
void
SlabLabeler::RefuseComponents()
{
  const SlabPlan & plan = m_Result.plan;
  m_Merge = BrickMerge();
  const MergeNeed need = NeedOfMerging(plan.slabs.size(), Reader(Kind::Record), m_Options.label.periodic);
  // The volume's number of components is not known yet.
  const std::uint64_t ofTables = m_Options.measures ? TableBytes(need.parts, need.parts) : 0;
  throw InvalidArgument("numbering " + std::to_string(need.parts) + " components of slabs needs up to " +
                        BytesAsText(need.bytes) + ", more than the " + BytesAsText(plan.memory - plan.fixedBytes) +
                        " that --memory leaves; " + plan.AskForBytes(std::max(need.bytes, ofTables)) +
                        ", or drop small components by --minimum-size" + HowToGoOn());
}

/** ", with --resume ..." where the state stays. */
std::string
SlabLabeler::HowToGoOn() const
{
  return m_Options.work.empty() ? "" : "; --resume keeps the labeled slabs";
}

std::function<Bytes(std::size_t)>
SlabLabeler::Reader(Kind kind) const
{
  return [this, kind](std::size_t slab) { return m_Folder->Read(slab, kind); };
}

void
SlabLabeler::Merge()
{
  m_Options.step("merging slabs");
  const std::uint64_t room = m_Result.plan.memory - m_Result.plan.fixedBytes;
  for (std::size_t slab = 0; m_MergesLater && slab < m_Result.plan.slabs.size(); ++slab)
  {
    m_Merge.Add(m_Folder->Read(slab, Kind::Record));
    if (m_Merge.MemoryBytes() > room)
    {
      RefuseComponents();
    }
  }
  if (m_Merge.MemoryBytes() + NumberingBytes(m_Options.label.periodic) * m_Merge.PartCount() > room)
  {
    RefuseComponents();
  }
  m_Merge.Finish();
  m_Result.components = m_Merge.ComponentCount();
  m_Result.relabeled = m_Merge.Relabeled();
  m_Result.foregroundVoxels = m_Merge.ForegroundVoxelCount();
  m_Result.notNumbers = m_Merge.NotNumberCount();
  m_Result.mergeBytes = m_Merge.MemoryBytes();
  m_Result.type = m_Options.type == LabelType::Auto ? SmallestLabelType(m_Result.components) : m_Options.type;
  if (m_Result.components > MaximumLabel(m_Result.type))
  {
    throw LabelOverflow(std::to_string(m_Result.components) + " components do not fit the label type " +
                        NameOf(m_Result.type) + "; use " + NameOf(SmallestLabelType(m_Result.components)));
  }
  for (std::size_t slab = 0; slab < m_Result.plan.slabs.size(); ++slab)
  {
    m_Folder->Write(slab, Kind::Map, m_Merge.Map(slab));
  }
  m_SlabComponents = m_Merge.PartCount();
  m_Merge = BrickMerge();
}

std::uint64_t
SlabLabeler::TableBytes(std::uint64_t parts, std::uint64_t components) const
{
  return BytesOfTables(m_Options.groups,
                       m_Options.label.periodic.HasAny(),
                       MeasuresClasses(),
                       m_Images.intensity != nullptr,
                       parts,
                       components);
}

/** Takes the second look at slabs that surfaces and Euler numbers need. */
void
SlabLabeler::CountSlabs()
{
  if (!SecondLookOf(m_Options.groups).IsAny())
  {
    return;
  }
  const std::size_t count = m_Result.plan.slabs.size();
  m_Options.step("counting neighboring voxels");
  for (std::size_t slab = 0; slab < count; ++slab)
  {
    m_Context.progress.Update(static_cast<double>(slab) / static_cast<double>(count));
    NamingSlab(m_Result.plan.slabs[slab], [&] {
      const Bytes              record = m_Folder->Read(slab, Kind::Record);
      const Bytes              map = m_Folder->Read(slab, Kind::Map);
      Bytes                    recordBefore, mapBefore;
      std::vector<MergedBrick> before;
      if (slab > 0)
      {
        recordBefore = m_Folder->Read(slab - 1, Kind::Record);
        mapBefore = m_Folder->Read(slab - 1, Kind::Map);
        before.push_back({ recordBefore, mapBefore });
      }
      const Bytes runs = m_Folder->Read(slab, Kind::Runs);
      m_Folder->Write(slab, Kind::Counts, CountBrick({ record, map }, runs, before, m_Options.label.threads));
    });
  }
}

void
SlabLabeler::MergeTables()
{
  m_Options.step("merging tables");
  const SlabPlan &    plan = m_Result.plan;
  const std::uint64_t bytes = TableBytes(m_SlabComponents, m_Result.components);
  const std::uint64_t room = plan.memory - plan.fixedBytes;
  if (bytes > room)
  {
    throw InvalidArgument("the table of " + std::to_string(m_Result.components) + " components needs about " +
                          BytesAsText(bytes) + " of memory, more than the " + BytesAsText(room) +
                          " that --memory leaves; " + plan.AskForBytes(bytes) +
                          ", drop small components by --minimum-size, or leave out the table" + HowToGoOn());
  }
  CountSlabs();
  m_Result.table = MergeBrickTables(plan.slabs.size(),
                                    Reader(Kind::Record),
                                    Reader(Kind::Map),
                                    Reader(Kind::Counts),
                                    m_Options.label.threads);
}

void
SlabLabeler::WriteLabels()
{
  m_Options.step("writing " + m_Options.output);
  SlabRuns     runs(m_Result.plan, *m_Folder);
  WriteOptions writing;
  writing.compress = m_Options.compress;
  writing.context = m_Context;
  m_Result.lostGeometry = WriteImageFile(
    m_Options.output,
    { ScalarTypeOfLabel(m_Result.type),
      m_Images.image->extent,
      m_Options.label.geometry,
      [&](std::int64_t begin, std::int64_t end, void * rows) { runs.WriteRows(begin, end, m_Result.type, rows); },
      m_Result.components },
    writing);
}

void
SlabLabeler::Write()
{
  ReplacedTogether together;
  if (!m_Options.output.empty())
  {
    WriteLabels();
  }
  m_Options.writeOthers(m_Result);
  together.Move();
}

} // namespace

SlabResult
LabelBySlabs(const SlabImages & images, const SlabOptions & options)
{
  return SlabLabeler(images, options).Run();
}

} // namespace brickccl
