// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_STREAMING_LABELBYSLABS_H
#define BRICKCCL_STREAMING_LABELBYSLABS_H

#include "BrickCCL/Dispatch/Label.h"
#include "BrickCCL/Host/Parallel.h"
#include "BrickCCL/Segmenting/PoresOfPart.h"
#include "BrickCCL/Segmenting/ValueHistogram.h"
#include "BrickCCL/Streaming/SlabPlan.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace brickccl
{

/** The results. */
struct SlabResult
{
  std::uint64_t components = 0;
  RelabelReport relabeled;
  std::uint64_t foregroundVoxels = 0;
  /** Values of the image that are not a number. */
  std::uint64_t notNumbers = 0;
  /** Those of the mask, in slabs that are not from before. */
  std::uint64_t notNumbersOfMask = 0;
  /** The type of the label map. */
  LabelType type = LabelType::Auto;
  /** With `measures`. */
  ComponentTable table;
  /** The part, without masks, and without openings, which are not searched. */
  std::optional<PoresOfPart> pores;
  /** Which parts of the geometry the label map does not hold. */
  std::vector<std::string> lostGeometry;

  SlabPlan      plan;
  std::uint64_t slabsFromBefore = 0;
  /** The state: that on disk, and that in memory when all slabs were there. */
  std::uint64_t stateBytes = 0;
  std::uint64_t mergeBytes = 0;
  double        secondsToLabel = 0;
  double        secondsToMerge = 0;
  double        secondsToWrite = 0;
};

/** How a volume is labeled by slabs. */
struct SlabOptions
{
  /** As for the volume in memory, without a mask; the images give that. */
  LabelOptions label;
  /** Whether the volume is measured, and the groups of columns. */
  bool         measures = false;
  ColumnGroups groups;
  /** Whether the pores of a part are labeled: the criterion is its material's. */
  bool pores = false;
  /** Whether the distances of pores to the part's surface are measured. */
  bool measuresPart = false;
  /** The bytes of memory that may be used, and the plan for them. */
  std::uint64_t memory = 0;
  SlabPlan      plan;
  /** The folder that keeps the state; if it is empty, a temporary one next to the output. */
  std::string work;
  bool        resume = false;

  /** The label map; no map if it is empty. `Auto` means the smallest type that fits. */
  std::string output;
  LabelType   type = LabelType::Auto;
  bool        compress = true;

  /** Writes other outputs of the same result, which go into place together with the label map (ReplacedTogether). */
  std::function<void(const SlabResult &)> writeOthers = [](const SlabResult &) {};

  /** Sees the voxels of each slab that is labeled now, whose first row has this number in the volume, with its labels.
   */
  std::function<void(const ImageView &, std::int64_t firstRow, const Labeling &)> seeSlab =
    [](const ImageView &, std::int64_t, const Labeling &) {};

  /** Hears of the steps and notes. */
  std::function<void(const std::string &)> step = [](const std::string &) {};
  std::function<void(const std::string &)> note = [](const std::string &) {};
};

/** Plans the slabs of a volume. \throws InvalidArgument for a memory that is too small; Unsupported, which names
 * columns that cannot be measured by slabs. */
SlabPlan PlanFor(const SlabImages & images, const SlabOptions & options);

/** The histogram of the values where the mask is not 0. The images are read at least twice. */
ValueHistogram HistogramBySlabs(const SlabImages & images, const SlabPlan & plan, const HostContext & context);

/** Labels a volume slab by slab, in a memory that may be much smaller than the volume. Labels and table are the same
 *  as for the whole volume.
 *
 *  It reads the images once. The state is a few bytes for each run, in a folder. After a kill at any time, `resume`
 *  continues with the remaining slabs, and gives the same files. The label map is written all or nothing. \throws
 *  InvalidArgument for a memory that is too small, and for a state of other inputs or options; LabelOverflow before
 *  anything is written; Canceled; Error. */
SlabResult LabelBySlabs(const SlabImages & images, const SlabOptions & options);

} // namespace brickccl

#endif
