// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_JOB_FINDPART_H
#define BRICKCCL_JOB_FINDPART_H

#include "BrickCCL/Files/LoadedImage.h"
#include "BrickCCL/Host/Parallel.h"
#include "BrickCCL/Job/Job.h"
#include "BrickCCL/Runs/RunVolume.h"
#include "BrickCCL/Segmenting/PoresOfPart.h"
#include "BrickCCL/Segmenting/Threshold.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace brickccl::job
{

/** The part that is inspected: the part with its holes, and its pores if the job asks for them. */
struct FoundPart : PoresOfPart
{
  /** Which voxels are its material, and the threshold that says so; none if a range does. */
  Criterion                material;
  std::optional<Threshold> threshold;
  /** The core: not 0 where voxels are deep enough for components to count; empty if all are. */
  std::optional<LoadedImage> inside;
};

/** Finds the part of an image by the method of the job. \param options  all but its material
 *  \throws InvalidArgument if no voxel has values of the material, or none is deep enough for components to count;
 *  Canceled. */
FoundPart FindPart(const ImageView & image, const Part & part, const Criterion & material, PoreOptions options);

/** For each component, whether all of its voxels are in a mask of bytes. \param runs  labels are places from 1. */
std::vector<bool> LieWithin(const LoadedImage & mask, const RunVolume & runs, std::uint64_t count);

} // namespace brickccl::job

#endif
