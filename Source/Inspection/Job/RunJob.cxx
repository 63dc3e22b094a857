// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Job/RunJob.h"

#include "BrickCCL/Core/Counted.h"
#include "BrickCCL/Criteria/VoxelValue.h"
#include "BrickCCL/Dispatch/LabelingImplementation.h"
#include "BrickCCL/Job/JobCriterion.h"
#include "BrickCCL/Job/Region.h"
#include "BrickCCL/Job/TextChecks.h"
#include "BrickCCL/Labels/Relabel.h"
#include "BrickCCL/Measuring/CountNotANumber.h"
#include "BrickCCL/Measuring/Measure.h"
#include "BrickCCL/Segmenting/SmoothImage.h"
#include "BrickCCL/Segmenting/ValueHistogram.h"
#include "BrickCCL/Tables/Condition.h"

#include <algorithm>
#include <sstream>

namespace brickccl::job
{

ImageView
Segmented::View(const LoadedImage & image) const
{
  return arePores ? part->PoreView() : local ? local->View() : smoothed ? smoothed->View() : image.View();
}

std::optional<Threshold>
FindThreshold(const std::string &                     text,
              ScalarType                              type,
              const std::function<ValueHistogram()> & histogram,
              const RunHooks &                        hooks)
{
  if (text.empty())
  {
    return {};
  }
  ThresholdMethod method = ThresholdMethod::FromText(text);
  method.value = AsVoxelValue(method.value, type);
  ValueHistogram values;
  if (method.kind != ThresholdMethod::Kind::Value)
  {
    hooks.step("finding the threshold");
    values = histogram();
  }
  const Threshold threshold = brickccl::FindThreshold(values, method);
  if (threshold.padding)
  {
    std::ostringstream note;
    note << "the value " << *threshold.padding
         << " is taken for padding, what the scanner did not see, and left out of the threshold; if it is a "
            "measurement, give the threshold as a number";
    hooks.note(note.str());
  }
  return threshold;
}

std::optional<SplitHeight>
SplitHeightOf(const std::string & text, bool isOfValues)
{
  double value = 0;
  ThrowIf<InvalidArgument>(
    isOfValues && text != "auto" && SetValue({ Kind::Number, 0 }, { text }, &value),
    "the height of a split by values is in gray values: it must be a number of at least 0, not " + Quoted(text));
  std::optional<SplitHeight> height;
  ThrowIf<InvalidArgument>(!ReadSplit(text, height),
                           "the height of a split is " + Quoted(text) + "; it must be " + CheckSplit(text));
  return height;
}

void
NoteSplit(const SplitReport & report, bool isSeeded, const std::function<void(const std::string &)> & note)
{
  ThrowIf<InvalidArgument>(report.seeds == 0 && isSeeded,
                           "the seeds are 0 everywhere; mark each object with a number of its own");
  const auto noteIf = [&](bool condition, const std::string & text) {
    if (condition)
    {
      note(text);
    }
  };
  const std::uint64_t lost = report.seeds - std::min<std::uint64_t>(report.seeds, report.objects.size());
  noteIf(lost > 0,
         "seeds in the background make no object: " + std::to_string(lost) + " of " + std::to_string(report.seeds));
  noteIf(report.unreached > 0,
         "no seed reaches " + Counted(report.unreached, "voxel") + " of the labels; they became background");
  noteIf(!report.deviceRemark.empty(), report.deviceRemark);
}

ComponentFilterReport
LabelObjects(const ImageView &                      view,
             const LabelOptions &                   options,
             SplitOptions                           splitting,
             const std::function<ProgressHooks()> & begin,
             ComponentFilter &                      filter,
             SplitComponents &                      components,
             Labeling &                             labeling)
{
  ComponentFilter ofComponents;
  ofComponents.holes.swap(filter.holes);
  LabelOptions own = options;
  own.relabel = {};
  own.minimumVolume = 0;
  const ComponentFilterReport filled = brickccl::Label(view, own, ofComponents, labeling);
  components.count = labeling.ComponentCount();
  components.algorithm = labeling.AlgorithmName();
  components.labels.Resize(static_cast<std::size_t>(view.extent.VoxelCount()));
  labeling.WriteRows(0, view.extent.RowCount(), components.labels.Data(), LabelType::UInt32);
  splitting.progress = begin();
  splitting.connectivity = options.connectivity;
  splitting.periodic = options.periodic;
  splitting.geometry = options.geometry;
  splitting.threads = options.threads;
  splitting.device = options.device;
  Buffer<std::uint32_t> objects;
  objects.Resize(components.labels.Size());
  components.report = Split(ImageView(components.labels.Data(), view.extent), objects.Data(), splitting);
  std::string & remark = components.report.deviceRemark;
  remark = remark == labeling.UsedDevice().remark ? "" : remark;
  own = options;
  own.criterion = Criterion::EqualValue(0);
  own.progress = {};
  ComponentFilterReport filtered = brickccl::Label(ImageView(objects.Data(), view.extent), own, filter, labeling);
  filtered.filledHoles = filled.filledHoles;
  filtered.filledVoxels = filled.filledVoxels;
  filter.holes.swap(ofComponents.holes);
  return filtered;
}

HostContext
JobRun::Begin(const std::string & step)
{
  if (!step.empty())
  {
    hooks.step(step);
  }
  m_Progress = hooks.progress();
  return { options.threads, Progress(m_Progress) };
}

std::optional<Threshold>
JobRun::FindIn(const std::optional<ImageView> & where, const std::string & text)
{
  segmented.local.reset();
  const ImageView values = segmented.View(image);
  ValueHistogram  histogram;
  auto            threshold = FindThreshold(
    text,
    values.type,
    [&] { return histogram = HistogramOfValues(values, where, Begin()); },
    hooks);
  if (threshold && threshold->IsLocal())
  {
    LoadedImage mask = EmptyCopy(image, ScalarType::UInt8);
    CompareLocally(values,
                   image.geometry,
                   *threshold,
                   histogram,
                   reinterpret_cast<std::uint8_t *>(mask.voxels.Resize(mask.ByteCount())),
                   Begin("comparing with the material around"));
    segmented.local = std::move(mask);
  }
  return threshold;
}

void
JobRun::Segment()
{
  SetLimits();
  // Voxels of files that are mapped are read only here.
  segmented.notNumbers = CountNotANumber(image.View(), Begin());
  if (segmented.notNumbers > 0)
  {
    hooks.note(TellNotANumber(job, segmented.notNumbers));
  }
  if (!job.smooth.empty())
  {
    segmented.smoothed = SmoothImage(image, SmoothingOf(job.smooth), Begin("smoothing"));
    NoteLostSizes();
  }
  const Segmenting asked = WithPart(job);
  if (asked.partMethod != "none")
  {
    TakePart(asked);
  }
  segmented.threshold = FindIn(Searched(), asked.threshold);
  segmented.arePores = asked.partMethod == "pores" && !asked.range && asked.threshold.empty();
  // Numbers of parts differ, and with them their pores.
  segmented.criterion = !segmented.arePores ? CriterionOf(asked, segmented.View(image).type, segmented.threshold)
                      : segmented.part->voxelsOfParts.empty() ? Criterion::Foreground()
                                                              : Criterion::EqualValue(0);
}

void
JobRun::NoteLostSizes()
{
  const double least = std::max({ 1.0,
                                  static_cast<double>(options.relabel.minimumSize),
                                  options.minimumVolume / image.geometry.VoxelVolume(image.extent.dimension) });
  for (const SmoothingMethod & method : SmoothingOf(job.smooth))
  {
    if (const double removed = method.RemovedVoxels(image.extent, image.geometry); removed >= least)
    {
      hooks.note(std::string(method.kind == SmoothingMethod::Kind::Median ? "the median" : "the Gaussian") +
                 " removes components of up to " + brickccl::Counted(static_cast<std::uint64_t>(removed), "voxel") +
                 "; bilateral or nlm keep more of them, or no filter at all");
    }
  }
}

void
JobRun::TakePart(const Segmenting & asked)
{
  PoreOptions finding;
  finding.closeWidth = asked.close;
  finding.parts = PartsOf(asked);
  finding.geometry = image.geometry;
  finding.region = Searched();
  finding.device = options.device;
  finding.threads = options.threads;
  const auto      threshold = asked.partRange ? std::nullopt : FindIn(Searched(), asked.partThreshold);
  const ImageView values = segmented.View(image);
  const Criterion material = MaterialOf(asked, values.type, threshold);
  Begin("finding the part");
  finding.progress = m_Progress;
  segmented.part = FindPart(values, asked, material, finding);
  segmented.part->threshold = threshold;
  for (const std::string & note : NotesOn(*segmented.part, job.pores ? "--close" : "part.close_mm"))
  {
    hooks.note(note);
  }
  if (region)
  {
    SetOutsideToZero(*region, segmented.part->PartView(), options.threads);
  }
  auto & inside = segmented.part->inside;
  if (inside && region)
  {
    SetOutsideToZero(*inside, region->View(), options.threads);
  }
  countedVoxels = inside                      ? CountIn(inside, options.threads)
                : asked.partMethod == "pores" ? std::optional(segmented.part->partVoxels)
                                              : CountIn(region, options.threads);
}

std::optional<ImageView>
JobRun::Searched() const
{
  return region         ? std::optional(region->View())
       : segmented.part ? std::optional(segmented.part->PartView())
                        : std::nullopt;
}

std::optional<ImageView>
JobRun::Counted() const
{
  return segmented.part && segmented.part->inside ? std::optional(segmented.part->inside->View()) : Searched();
}

void
JobRun::SetLimits()
{
  if (job.minimumSize > job.maximumSize)
  {
    hooks.note("--minimum-size " + std::to_string(job.minimumSize) + " is above --maximum-size " +
               std::to_string(job.maximumSize) + ": no component is kept");
  }
  options.relabel.order = job.order == "size" ? LabelOrder::Size : LabelOrder::Raster;
  options.relabel.minimumSize = job.minimumSize;
  options.relabel.maximumSize = job.maximumSize;
  options.relabel.largest = job.largest;
  if (job.perSlice)
  {
    options.relabel.largestAcross = AxisFromName(job.bySlice);
  }
  options.minimumVolume = SizeFor(*options.connectivity, job.minimumVolume, "--minimum-volume");
  options.geometry = image.geometry;
}

void
JobRun::Label()
{
  const ImageView view = segmented.View(image);
  options.criterion = segmented.criterion;
  // Pores are in the part.
  options.mask = segmented.arePores && !region ? std::nullopt : Searched();
  Begin("labeling");
  options.progress = m_Progress;
  if (job.split.empty())
  {
    filtered = brickccl::Label(view, options, filter, labeling);
  }
  else
  {
    const auto begin = [this] { return Begin("splitting"), m_Progress; };
    splitting.height = SplitHeightOf(job.split, splitting.values.has_value());
    filtered = LabelObjects(view, options, splitting, begin, filter, split, labeling);
    NoteSplit(split.report, splitting.seeds.has_value(), hooks.note);
    splitting = {};
  }
  options.mask.reset();
  foundCount = labeling.ComponentCount();
  if (segmented.part && segmented.part->inside)
  {
    Keep(LieWithin(*segmented.part->inside, RunsOf(labeling), foundCount));
    if (const std::uint64_t dropped = foundCount - labeling.ComponentCount(); dropped > 0)
    {
      hooks.note(std::to_string(dropped) + " of " + std::to_string(foundCount) +
                 " components are not as deep as part.erode_mm and do not count");
    }
  }
}

std::optional<ImageView>
JobRun::Parents() const
{
  return job.split.empty() ? std::nullopt : std::optional(ImageView(split.labels.Data(), image.extent));
}

void
JobRun::Keep(const std::vector<bool> & keeps)
{
  Labeling::Implementation & own = ImplementationOf(labeling);
  own.components = KeepComponents(own.volume, keeps, { options.threads }).size();
}

void
JobRun::Measure(const MeasureOptions & measured, bool bySlice)
{
  const auto sliceAxis = bySlice && !job.bySlice.empty() ? std::optional(AxisFromName(job.bySlice)) : std::nullopt;
  const auto measure = [&] {
    const HostContext context = Begin();
    table =
      bySlice
        ? MeasureComponents(RunsOf(labeling), labeling.ComponentCount(), image.geometry, measured, sliceAxis, context)
        : labeling.Measure(measured, m_Progress);
  };
  measure();
  if (!job.keep.empty())
  {
    Keep(Condition(job.keep).Evaluate(table));
    // Distances and contacts are those among the components that are left.
    measure();
  }
  if (countedVoxels)
  {
    table.partTotals.voxels = *countedVoxels;
    table.regionVoxels = countedVoxels;
  }
}

} // namespace brickccl::job
