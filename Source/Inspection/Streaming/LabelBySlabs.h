// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Dispatch/Label.h"
#include "BrickCCL/Job/RunJob.h"
#include "BrickCCL/Segmenting/PoresOfPart.h"
#include "BrickCCL/Streaming/SlabPlan.h"

#include <cstdint>
#include <functional>
#include <optional>

namespace brickccl
{

struct SlabResult
{
  std::uint64_t components = 0;
  RelabelReport relabeled;
  std::uint64_t foregroundVoxels = 0;
  /** Values of the image that are not a number. */
  std::uint64_t notNumbers = 0;
  /** Values of the mask that are not a number. */
  std::uint64_t notNumbersOfMask = 0;
  /** With `measures`. */
  ComponentTable table;
  /** The part, without masks, and without openings, which are not searched. */
  std::optional<PoresOfPart> pores;
  /** Of pores: the voxels of the region, if one is given. */
  std::optional<std::uint64_t> regionVoxels;
  /** With zones: the voxels of each, in the part if there is one. */
  VoxelsOfNumbers zones;
  /** The same of parts, if there are several. */
  VoxelsOfNumbers parts;
  /** Writes the labels of rows of the volume, nearly in order, from the state, which it keeps. */
  std::function<void(std::int64_t begin, std::int64_t end, LabelType type, void * rows)> writeRows;

  SlabPlan plan;
  /** The state: that on disk, and that in memory when all slabs were there. */
  std::uint64_t stateBytes = 0;
  std::uint64_t mergeBytes = 0;
  double        secondsToLabel = 0;
  double        secondsToMerge = 0;
};

/** Sees the voxels of each slab that is labeled now, whose first row has this number in the volume, with its labels. */
using SlabObserver = std::function<void(const ImageView &, std::int64_t firstRow, const Labeling &)>;

struct SlabOptions
{
  /** The job has the memory and the folder of the state. */
  const job::Job &      job;
  const job::RunHooks & hooks;
  /** As for the volume in memory, without a mask; the images give that. The criterion of pores is their material's. */
  LabelOptions label;
  /** Whether the volume is measured, and the groups of columns. */
  bool         measures = false;
  ColumnGroups groups;
  SlabPlan     plan = {};
  SlabObserver seeSlab = {};
};

/** The histogram of the values where the mask is not 0. The images are read at least twice. */
ValueHistogram HistogramBySlabs(const SlabImages & images, const SlabPlan & plan, const HostContext & context);

/** The steps of a job on a volume that is read in parts, slab by slab, in a memory that may be much smaller than the
 *  volume: threshold, part, labeling and measuring. Labels and table are the same as for the whole volume.
 *
 *  It reads the images once, and before that for a threshold. The state is a few bytes for each run, in a temporary
 *  folder.
 *  \param run        its images and options; what is segmented is set
 *  \param others     the intensity and the zones, if there are any
 *  \throws InvalidArgument for a memory that is too small; Unsupported, which names columns that cannot be measured by
 *  slabs; Canceled; Error. */
SlabResult LabelBySlabs(job::JobRun &        run,
                        const SlabImages &   others,
                        const ColumnGroups & groups,
                        bool                 measures,
                        const SlabObserver & seeSlab);

} // namespace brickccl
