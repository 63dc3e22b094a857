// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_BATCH_FINDPART_H
#define BRICKCCL_BATCH_FINDPART_H

#include "BrickCCL/Batch/Recipe.h"
#include "BrickCCL/Files/LoadedImage.h"
#include "BrickCCL/Host/Parallel.h"
#include "BrickCCL/Runs/RunVolume.h"
#include "BrickCCL/Segmenting/Threshold.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace brickccl::batch
{

/** The part that is inspected, as masks of bytes. */
struct FoundPart
{
  /** The part with its holes: its surface and volume are measured. It holds the numbers of several parts. */
  LoadedImage mask;
  /** The highest number of a part; 0 if the part has none. */
  std::size_t parts = 0;
  /** Its pores, if the recipe asks for them. */
  std::optional<LoadedImage> pores;
  /** The core: the voxels deep enough for defects to count; empty if all are. */
  std::optional<LoadedImage> inside;
  /** The threshold of the material; none if the recipe has a range. */
  std::optional<Threshold> threshold;

  /** Notes, each a sentence without a full stop. */
  std::vector<std::string> notes;
};

/** Finds the part of an image. \param region  null, or a mask: thresholds and pores are
 * found in it, and what is not in the part is left out of it \param onMaterial  called with the
 * number of runs of the material before memory that grows with it is allocated; it may throw. \throws InvalidArgument
 * if no voxel has values of the material, or none is deep enough for defects to count; Canceled. */
FoundPart FindPart(const LoadedImage &                        image,
                   const job::Part &                          part,
                   LoadedImage *                              region,
                   const ProgressHooks &                      hooks,
                   int                                        threads,
                   const std::function<void(std::uint64_t)> & onMaterial = {});
/** For each component, whether all of its voxels are in a mask. \param runs  labels are places from 1. */
std::vector<bool> LieWithin(const LoadedImage & mask, const RunVolume & runs, std::uint64_t count);

/** The number of voxels of a mask that are not 0. */
std::uint64_t CountVoxels(const LoadedImage & mask);

/** The number of runs of voxels that a criterion holds for. Voxels where the mask is 0 do not count. */
std::uint64_t CountRuns(const ImageView &                image,
                        const Criterion &                criterion,
                        const std::optional<ImageView> & mask,
                        const HostContext &              context);

/** The number of runs of voxels of a mask that are 0. */
std::uint64_t CountRunsOutside(const LoadedImage & mask);

} // namespace brickccl::batch

#endif
