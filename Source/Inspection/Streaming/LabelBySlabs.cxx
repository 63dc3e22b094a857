// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Streaming/LabelBySlabs.h"

#include "BrickCCL/Bricks/BrickRecord.h"
#include "BrickCCL/Bricks/Bricks.h"
#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Files/ErrorContext.h"
#include "BrickCCL/Job/JobCriterion.h"
#include "BrickCCL/Job/Region.h"
#include "BrickCCL/Labels/ExpandLabels.h"
#include "BrickCCL/Measuring/CountNotANumber.h"
#include "BrickCCL/Segmenting/ValueHistogram.h"
#include "BrickCCL/Streaming/SlabLabeler.h"
#include "BrickCCL/Streaming/WorkFolder.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace brickccl
{

namespace
{

/** The runs of slabs with the labels of the volume, for threads that write nearly in raster order. */
class SlabRuns
{
public:
  SlabRuns(const SlabPlan & plan, std::shared_ptr<const WorkFolder> folder, std::size_t firstFile)
    : m_Plan(plan)
    , m_Folder(std::move(folder))
    , m_FirstFile(firstFile)
  {}

  void WriteRows(std::int64_t begin, std::int64_t end, LabelType type, void * labels);

private:
  std::shared_ptr<const RunVolume> Get(std::size_t slab);

  SlabPlan                                                              m_Plan;
  std::shared_ptr<const WorkFolder>                                     m_Folder;
  std::size_t                                                           m_FirstFile;
  std::mutex                                                            m_Mutex;
  std::vector<std::pair<std::size_t, std::shared_ptr<const RunVolume>>> m_Kept;
};

void
SlabRuns::WriteRows(std::int64_t begin, std::int64_t end, LabelType type, void * labels)
{
  const std::int64_t slabRows = m_Plan.slabs.front().extent.RowCount();
  const auto         rowBytes =
    static_cast<std::size_t>(m_Plan.slabs.front().extent.RowLength()) * SizeOf(ScalarTypeOfLabel(type));
  auto * output = static_cast<std::byte *>(labels);
  while (begin < end)
  {
    const std::int64_t slab = begin / slabRows;
    const std::int64_t last = std::min(end, (slab + 1) * slabRows);
    const auto         runs = Get(static_cast<std::size_t>(slab));
    ExpandRows(*runs, begin - slab * slabRows, last - slab * slabRows, type, output);
    output += static_cast<std::size_t>(last - begin) * rowBytes;
    begin = last;
  }
}

std::shared_ptr<const RunVolume>
SlabRuns::Get(std::size_t slab)
{
  const std::lock_guard<std::mutex> lock(m_Mutex);
  for (const auto & [number, runs] : m_Kept)
  {
    if (number == slab)
    {
      return runs;
    }
  }
  auto runs = std::make_shared<RunVolume>();
  // Two are enough: pieces are written nearly in order.
  m_Kept.erase(m_Kept.begin(), m_Kept.size() < 2 ? m_Kept.begin() : m_Kept.end() - 1);
  files::WithContext(m_Plan.slabs[slab].ToString() + ": ", [&] {
    ReadBrickRuns(m_Folder->Read(m_FirstFile + slab, WorkFolder::Kind::Runs),
                  ReadMap(m_Folder->Read(m_FirstFile + slab, WorkFolder::Kind::Map)),
                  { 1 },
                  *runs);
  });
  m_Kept.emplace_back(slab, runs);
  return runs;
}

/** Labels a few voxels as the slabs will be. \throws Unsupported, which names the option and the algorithms that label
 *  such slabs, if the one that is asked for does not. */
void
CheckAlgorithm(const LoadedImage & image, LabelOptions options)
{
  Extent few = image.extent;
  for (std::int64_t & size : few.size)
  {
    size = std::min<std::int64_t>(size, 3);
  }
  const std::vector<double> background(static_cast<std::size_t>(few.VoxelCount() * image.channels));
  const void * const        voxels = background.data();
  options.threads = 1;
  options.periodic = {};
  try
  {
    Label(ImageView(voxels, image.type, few, image.channels), options);
  }
  catch (const Unsupported & error)
  {
    throw Unsupported("--algorithm " + options.algorithm +
                      " does not label this image in parts (--memory): " + error.what());
  }
}

/** The slabs of an image and a mask. Both and the plan must live as long. */
ImageParts
SlabsOf(const SlabImages & images, const SlabPlan & plan)
{
  return [images, &plan](const auto & look) {
    SlabReader reader(images);
    for (const BrickBox & slab : plan.slabs)
    {
      const SlabViews views = reader.Read(slab);
      look(views.image, views.mask);
      reader.Forget(slab);
    }
  };
}

void
CheckZones(const LoadedImage & zones, const SlabOptions & options)
{
  const ImageParts  parts = SlabsOf({ &zones }, options.plan);
  const std::string note = job::CheckZones(parts, Quoted(options.job.zones) + " (--zones)", options.job.threads);
  if (!note.empty())
  {
    options.hooks.note(note);
  }
}

/** Finds the threshold and the criterion of what is labeled, or of the part's material. */
void
FindCriterion(const SlabImages & images, job::Segmented & segmented, SlabOptions & options)
{
  const job::Segmenting asked = job::WithPart(options.job);
  const ScalarType      type = images.image->type;
  const auto            histogram = [&] {
    return HistogramBySlabs(images, options.plan, { options.job.threads, Progress(options.label.progress) });
  };
  const auto threshold =
    job::FindThreshold(options.job.pores ? asked.partThreshold : asked.threshold, type, histogram, options.hooks);
  options.label.criterion =
    options.job.pores ? job::MaterialOf(asked, type, threshold) : job::CriterionOf(options.job, type, threshold);
  segmented.criterion = options.label.criterion;
  segmented.threshold = threshold;
}

/** Takes what slabs were found to be, and notes it. */
void
TakeFound(const SlabResult & result, const SlabOptions & options, job::Segmented & segmented)
{
  const auto & note = options.hooks.note;
  segmented.notNumbers = result.notNumbers;
  if (result.notNumbers > 0)
  {
    note(job::TellNotANumber(options.job, result.notNumbers));
  }
  if (result.notNumbersOfMask > 0)
  {
    note(Quoted(options.job.mask) + ": " + TellNotANumber(result.notNumbersOfMask));
  }
  if (result.pores)
  {
    segmented.arePores = true;
    segmented.part.emplace();
    static_cast<PoresOfPart &>(*segmented.part) = *result.pores;
    segmented.part->material = segmented.criterion;
    segmented.part->threshold = segmented.threshold;
    for (const std::string & sentence : NotesOn(*result.pores, ""))
    {
      note(sentence);
    }
    note("with --memory, cracks and cavities that are open to the outside through narrow gaps are not searched; they "
         "count as outside");
  }
}

} // namespace

std::function<void(std::int64_t begin, std::int64_t end, LabelType type, void * rows)>
RowWriterOf(const SlabPlan & plan, const std::shared_ptr<const WorkFolder> & folder, std::size_t firstFile)
{
  const auto runs = std::make_shared<SlabRuns>(plan, folder, firstFile);
  return [runs](std::int64_t begin, std::int64_t end, LabelType type, void * rows) {
    runs->WriteRows(begin, end, type, rows);
  };
}

ValueHistogram
HistogramBySlabs(const SlabImages & images, const SlabPlan & plan, const HostContext & context)
{
  return HistogramOfValues(images.image->type, SlabsOf({ images.image, images.mask }, plan), context.Quiet());
}

SlabResult
LabelBySlabs(job::JobRun &        run,
             const SlabImages &   others,
             const ColumnGroups & groups,
             bool                 measures,
             const SlabObserver & seeSlab)
{
  const job::Job & job = run.job;
  const SlabImages images{ &run.image, run.region ? &*run.region : nullptr, others.intensity, others.zones };
  SlabOptions      options{ job, run.hooks, run.options, measures, groups };
  options.seeSlab = seeSlab;
  options.label.criterion = job::CriterionOf(job, run.image.type);
  CheckAlgorithm(run.image, options.label);
  options.label.progress = run.hooks.progress();
  if (const std::string remark = ResolveDevice(options.label.device).remark; !remark.empty())
  {
    run.hooks.note(remark);
  }
  ThrowIf<InvalidArgument>(!job.split.empty() && options.label.periodic.HasAny(),
                           "--memory does not split objects through periodic ends; leave out --memory or --periodic");
  MeasureOptions measure;
  measure.groups = options.groups;
  CheckColumnsOfBricks(measure, options.label.periodic);
  options.plan = PlanSlabs(images, options.label.criterion, options.job);
  options.hooks.remark("plan: " + options.plan.ToString());
  if (images.zones != nullptr)
  {
    CheckZones(*images.zones, options);
  }
  FindCriterion(images, run.segmented, options);
  const auto folder = std::make_shared<WorkFolder>(job.work, job.output);
  SlabResult result;
  if (job.pores)
  {
    result = LabelPoresBySlabs(images, options, *folder);
  }
  else if (!job.split.empty())
  {
    result = LabelObjectsBySlabs(images, options, folder, run.split.count);
  }
  else
  {
    SlabLabeler labeler(images, options, *folder);
    labeler.LabelSlabs();
    labeler.Merge();
    if (options.measures)
    {
      labeler.MergeTables();
    }
    result = std::move(labeler.Result());
  }
  result.stateBytes = folder->BytesOnDisk();
  result.writeRows = RowWriterOf(options.plan, folder, 0);
  TakeFound(result, options, run.segmented);
  return result;
}

} // namespace brickccl
