// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Cli/Doubts.h"
#include "BrickCCL/Cli/RunLabel.h"
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Host/System.h"
#include "BrickCCL/Job/JobCriterion.h"
#include "BrickCCL/Measuring/CountNotANumber.h"
#include "BrickCCL/Segmenting/ValueHistogram.h"
#include "BrickCCL/Streaming/LabelBySlabs.h"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace brickccl::cli
{

namespace
{

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

/** Notes values of the image and of the mask that are not a number. */
void
NoteNotNumbers(const SlabResult & result, const job::Job & arguments, ImageReader & reader)
{
  if (result.notNumbers > 0)
  {
    reader.Note(TellNotANumber(result.notNumbers));
  }
  if (result.notNumbersOfMask > 0)
  {
    reader.Note(Quoted(arguments.mask) + ": " + TellNotANumber(result.notNumbersOfMask) +
                (result.slabsFromBefore > 0 ? " (slabs of an earlier run are not counted)" : ""));
  }
}

} // namespace

SlabResult
LabelBySlabsFor(const job::Job &     job,
                const SlabImages &   images,
                const LabelOptions & labeling,
                const ColumnGroups & groups,
                job::Segmented &     segmented,
                LabelFindings &      found,
                ImageReader &        reader,
                Reporter &           reporter)
{
  const LoadedImage & image = *images.image;
  SlabOptions         options;
  options.label = labeling;
  options.label.criterion = job::CriterionOf(job, image.type);
  CheckAlgorithm(image, options.label);
  options.label.progress = reporter.Hooks();
  options.groups = groups;
  options.pores = job.pores;
  options.measures = job.IsWanted() || job.pores;
  options.measuresPart = job.IsWanted() && job.pores;
  options.memory = job.memory;
  options.work = job.work;
  options.resume = job.resume;
  options.output = job.output;
  options.step = [&](const std::string & step) { reporter.Step(step); };
  options.note = [&](const std::string & note) { reporter.Note(note); };
  if (const std::string remark = ResolveDevice(options.label.device).remark; !remark.empty())
  {
    reader.Note(remark);
  }
  options.plan = PlanFor(images, options);
  const auto histogram = [&] {
    return HistogramBySlabs(images, options.plan, { job.threads, Progress(options.label.progress) });
  };
  const job::Segmenting asked = job::WithPart(job);
  const auto            threshold = job::FindThreshold(job.pores ? asked.partThreshold : asked.threshold,
                                            image.type,
                                            histogram,
                                            HooksOf(reporter, reader));
  options.label.criterion =
    job.pores ? job::MaterialOf(asked, image.type, threshold) : job::CriterionOf(job, image.type, threshold);
  segmented.criterion = options.label.criterion;
  segmented.threshold = threshold;
  Doubts doubts(options.label.criterion, image, job, job.threads);
  options.seeSlab = [&](const ImageView & slab, std::int64_t firstRow, const Labeling & labeled) {
    found.algorithm = labeled.AlgorithmName();
    found.device = labeled.UsedDevice().device.ToString();
    if (!job.pores)
    {
      doubts.See(slab, firstRow, labeled);
    }
  };
  SlabResult result = LabelBySlabs(images, options);
  NoteNotNumbers(result, job, reader);
  if (!result.pores)
  {
    doubts.Note(result.foregroundVoxels, result.components, reader);
    return result;
  }
  segmented.arePores = true;
  segmented.part.emplace();
  static_cast<PoresOfPart &>(*segmented.part) = *result.pores;
  segmented.part->material = options.label.criterion;
  segmented.part->threshold = threshold;
  for (const std::string & note : NotesOn(*result.pores, ""))
  {
    reader.Note(note);
  }
  reader.Note("with --memory, cracks and cavities that are open to the outside through narrow gaps are not searched; "
              "they count as outside");
  return result;
}

void
AddSlabs(job::Findings & findings, const SlabResult & result)
{
  constexpr int       line = 8;
  const std::uint64_t before = result.slabsFromBefore;
  findings.insert(findings.end(),
                  { { "slabs/count", result.plan.slabs.size(), line, "#", "slab" },
                    { "slabs/from_before", before, before > 0 ? line : 0, "(# from before)" },
                    { "slabs/memory_bytes", result.plan.memory },
                    { "slabs/state_bytes", result.stateBytes },
                    { "slabs/merge_bytes", result.mergeBytes },
                    { "", BytesAsText(result.stateBytes), line, "# on disk" },
                    { "", BytesAsText(PeakMemoryBytes()), line, "peak memory #" } });
}

} // namespace brickccl::cli
