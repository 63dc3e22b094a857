// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Streaming/LabelBySlabs.h"

#include "BrickCCL/Bricks/BrickProblem.h"
#include "BrickCCL/Bricks/Bricks.h"
#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Core/Version.h"
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Files/Disk/FileStamp.h"
#include "BrickCCL/Job/JobCriterion.h"
#include "BrickCCL/Measuring/CountNotANumber.h"
#include "BrickCCL/Segmenting/ValueHistogram.h"
#include "BrickCCL/Streaming/FileSample.h"
#include "BrickCCL/Streaming/PoresBySlabs.h"
#include "BrickCCL/Streaming/SlabLabeler.h"
#include "BrickCCL/Streaming/SlabRuns.h"
#include "BrickCCL/Streaming/WorkFolder.h"
#include "BrickCCL/Tables/ColumnGroup.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <set>
#include <sstream>
#include <vector>

namespace brickccl
{

namespace
{

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
DescribePlan(const SlabImages & images, const SlabOptions & options)
{
  std::ostringstream text;
  const Extent &     extent = images.image->extent;
  const auto         connectivity = options.label.connectivity.value_or(Connectivity::Face(extent.dimension));
  text.precision(17);
  text << "state of: brickccl " << Version << '\n';
  DescribeFiles("image", images.image, text);
  DescribeFiles("mask", images.mask, text);
  DescribeFiles("intensity", images.intensity, text);
  text << SlicesLine << SlicesOfSlab(options.plan) << '\n'
       << "connectivity: " << connectivity.ToString() << '\n'
       << (options.job.pores ? "material of the part: " : "criterion: ") << options.label.criterion.ToString() << '\n'
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

/** Labels a few voxels as the slabs will be. \throws Unsupported, which names the option and the algorithms that label
 *  such slabs, if the one that is asked for does not. */
void
CheckAlgorithm(const LoadedImage & image, LabelOptions options)
{
  constexpr std::int64_t fewest = 3;
  Extent                 few = image.extent;
  for (int axis = 0; axis < few.dimension; ++axis)
  {
    few.size[axis] = std::min(few.size[axis], fewest);
  }
  const std::vector<std::byte> background(static_cast<std::size_t>(few.VoxelCount() * image.channels) *
                                            SizeOf(image.type),
                                          std::byte{ 0 });
  options.threads = 1;
  options.periodic = {};
  try
  {
    Labeling labeling;
    Label(ImageView(background.data(), image.type, few, image.channels), options, labeling);
  }
  catch (const Unsupported & error)
  {
    throw Unsupported("--algorithm " + options.algorithm +
                      " does not label this image in parts (--memory): " + error.what());
  }
}

SlabPlan
PlanFor(const SlabImages & images, const SlabOptions & options)
{
  MeasureOptions measure;
  measure.groups = options.groups;
  CheckColumnsOfBricks(measure, options.label.periodic);
  const job::Job & job = options.job;
  SlabPlan         plan = PlanSlabs(images,
                            options.label.criterion,
                            job.memory,
                            job.threads,
                            job.resume ? SlicesOf(WorkFolder::PlanIn(job.work)) : 0,
                            job.pores);
  options.hooks.remark("plan: " + plan.ToString());
  return plan;
}

/** The histogram of the values where the mask is not 0. The images are read at least twice. */
ValueHistogram
HistogramBySlabs(const SlabImages & images, const SlabPlan & plan, const HostContext & context)
{
  const ImageParts parts = [&](const auto & look) {
    SlabReader reader({ images.image, images.mask }, plan.keepsSlices);
    for (const BrickBox & slab : plan.slabs)
    {
      const SlabViews views = reader.Read(slab);
      look(views.image, views.mask);
      reader.Forget(slab);
    }
  };
  return HistogramOfValues(images.image->type, parts, context.Quiet());
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
    note(TellNotANumber(result.notNumbers));
  }
  if (result.notNumbersOfMask > 0)
  {
    note(Quoted(options.job.mask) + ": " + TellNotANumber(result.notNumbersOfMask) +
         (result.slabsFromBefore > 0 ? " (slabs of an earlier run are not counted)" : ""));
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

SlabResult
LabelBySlabs(job::JobRun &        run,
             const LoadedImage *  intensity,
             const ColumnGroups & groups,
             const SlabObserver & seeSlab)
{
  const job::Job & job = run.TheJob();
  const SlabImages images{ &run.image, run.region ? &*run.region : nullptr, intensity };
  SlabOptions      options{ job, run.Hooks(), run.options, job.IsWanted() || job.pores, groups };
  options.seeSlab = seeSlab;
  options.label.criterion = job::CriterionOf(job, run.image.type);
  CheckAlgorithm(run.image, options.label);
  options.label.progress = run.Hooks().progress();
  if (const std::string remark = ResolveDevice(options.label.device).remark; !remark.empty())
  {
    run.Hooks().note(remark);
  }
  options.plan = PlanFor(images, options);
  FindCriterion(images, run.segmented, options);
  const auto folder = std::make_shared<WorkFolder>(job.work, job.output, DescribePlan(images, options), job.resume);
  SlabResult result;
  if (job.pores)
  {
    result = LabelPoresBySlabs(images, options, *folder);
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
  const auto runs = std::make_shared<SlabRuns>(options.plan, folder);
  result.writeRows = [runs](std::int64_t begin, std::int64_t end, LabelType type, void * rows) {
    runs->WriteRows(begin, end, type, rows);
  };
  TakeFound(result, options, run.segmented);
  return result;
}

} // namespace brickccl
