// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Clean/Clean.h"
#include "BrickCCL/Dispatch/Label.h"
#include "BrickCCL/Files/LoadedImage.h"
#include "BrickCCL/Host/Buffer.h"
#include "BrickCCL/Job/Job.h"
#include "BrickCCL/Segmenting/PoresOfPart.h"
#include "BrickCCL/Segmenting/Threshold.h"
#include "BrickCCL/Splitting/Split.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace brickccl
{
class RunVolume;
struct ValueHistogram;
} // namespace brickccl

namespace brickccl::job
{

/** The part that is inspected: the part with its holes, and its pores if the job asks for them. */
struct FoundPart : PoresOfPart
{
  /** The criterion for its material, and the threshold; none if a range is given. */
  Criterion                material;
  std::optional<Threshold> threshold;
  /** The core: not 0 where voxels are deep enough for components to count; empty if all are. */
  std::optional<LoadedImage> inside;
};

/** Finds the part of an image by the method of the job. \param options  all but its material \throws InvalidArgument if
 *  no voxel has values of the material, or none is deep enough for components to count; Canceled. */
FoundPart FindPart(const ImageView & image, const Part & part, const Criterion & material, PoreOptions options);

/** For each component, whether all of its voxels are in a mask of bytes. \param runs  labels are places from 1. */
std::vector<bool> LieWithin(const LoadedImage & mask, const RunVolume & runs, std::uint64_t count);

/** The caller of a job's steps, who shows progress and keeps notes. */
struct RunHooks
{
  std::function<void(const std::string &)> step = [](const std::string &) {};
  std::function<void(const std::string &)> note = [](const std::string &) {};
  /** Notes that are shown and not kept. */
  std::function<void(const std::string &)> remark = [](const std::string &) {};
  /** The progress of the current step. */
  std::function<ProgressHooks()> progress = [] { return ProgressHooks(); };
};

/** The labeled image (as read, smoothed or the pores of a part) and the criterion for it. */
struct Segmented
{
  std::optional<LoadedImage> smoothed;
  /** The mask of a local threshold (CompareLocally), if one is compared with. */
  std::optional<LoadedImage> local;
  /** The part, without masks if it was found slab by slab, and whether its pores are labeled. */
  std::optional<FoundPart> part;
  bool                     arePores = false;
  std::optional<Threshold> threshold;
  Criterion                criterion;
  std::uint64_t            notNumbers = 0;

  ImageView View(const LoadedImage & image) const;
  /** The criterion and the threshold that are asked for: of pores, the material's. */
  const Criterion &
  Asked() const
  {
    return arePores ? part->material : criterion;
  }
  const std::optional<Threshold> &
  FoundThreshold() const
  {
    return arePores ? part->threshold : threshold;
  }
};

/** The threshold that a text asks for, as ThresholdMethod::FromText reads it; nothing for an empty one. Padding is
 *  noted. \param histogram  of the image's values, which are of this type; called where it is needed */
std::optional<Threshold> FindThreshold(const std::string &                     text,
                                       ScalarType                              type,
                                       const std::function<ValueHistogram()> & histogram,
                                       const RunHooks &                        hooks);

/** The components that were split into objects: their labels in each voxel, their number, the algorithm that labeled
 *  them, and how they were split. The report repeats no remark on the device. */
struct SplitComponents
{
  Buffer<std::uint32_t> labels;
  std::uint64_t         count = 0;
  std::string           algorithm;
  SplitReport           report;
};

/** The height of a split; none for "auto". \throws InvalidArgument for a text that is not one */
std::optional<SplitHeight> SplitHeightOf(const std::string & text, bool isOfValues = false);

/** Notes the seeds and voxels that a split left out, and why the requested device was not used.
 *  \throws InvalidArgument if there is no seed */
void NoteSplit(const SplitReport & report, bool isSeeded, const std::function<void(const std::string &)> & note);

/** Labels the objects of components. Holes belong to components; limits on sizes and other filters apply to objects.
 *  \param splitting  height, values and seeds \param begin  begins the step of splitting */
ComponentFilterReport LabelObjects(const ImageView &                      view,
                                   const LabelOptions &                   options,
                                   SplitOptions                           splitting,
                                   const std::function<ProgressHooks()> & begin,
                                   ComponentFilter &                      filter,
                                   SplitComponents &                      components,
                                   Labeling &                             labeling);

/** A job on one image in memory, from the image to measured components. Its steps are called one after the other. */
class JobRun
{
public:
  const Job &    job;
  const RunHooks hooks;

  JobRun(const Job & asked, RunHooks caller)
    : job(asked)
    , hooks(std::move(caller))
  {}

  // Known before the first step: connectivity, periodic axes, device and threads, and no more of the options.
  LoadedImage                image;
  std::optional<LoadedImage> region;
  ComponentFilter            filter;
  LabelOptions               options;
  /** Its images; the job has the height. */
  SplitOptions splitting;

  /** Completes the options: limits on sizes, order, geometry. Limits that no component meets are noted. */
  void SetLimits();

  /** The same, and smooths and finds part and threshold. NaN is noted. The region is then the one in the part. */
  void Segment();

  /** Labels the components, or their objects, and drops those that are not in the core of the part. */
  void Label();

  /** Measures the components. Those for which the job's condition is false are dropped first.
   *  \param bySlice  whether components are areas only where the job labels by slice, as columns of recipes are */
  void Measure(const MeasureOptions & measured, bool bySlice);

  /** Where components are looked for and where they count: the region, the part or its core; nothing: everywhere. */
  std::optional<ImageView> Searched() const;
  std::optional<ImageView> Counted() const;

  /** The labels of the components that were split, if they were. */
  std::optional<ImageView> Parents() const;

  Segmented segmented;
  Labeling  labeling;
  /** The components that were labeled, some of which may be outside of the core. */
  std::uint64_t         foundCount = 0;
  ComponentFilterReport filtered;
  ComponentTable        table;
  /** The voxels of the part that porosity is a share of, if they are not all of a part that is measured. */
  std::optional<std::uint64_t> countedVoxels;
  SplitComponents              split;

private:
  /** Begins a step, unless its name is empty, with progress of its own. */
  HostContext Begin(const std::string & step = "");

  /** Finds a threshold in the values, and makes the mask of a local one. */
  std::optional<Threshold> FindIn(const std::optional<ImageView> & where, const std::string & text);

  void NoteLostSizes();
  void TakePart(const Segmenting & asked);
  void Keep(const std::vector<bool> & keeps);

  ProgressHooks m_Progress;
};

} // namespace brickccl::job
