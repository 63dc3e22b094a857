// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Core/Connectivity.h"
#include "BrickCCL/Core/VolumeView.h"
#include "BrickCCL/Criteria/Criterion.h"

#include <cstdint>
#include <optional>

namespace brickccl
{

/** \throws InvalidArgument for a criterion without meaning, or a mask of another extent than the image's. */
void CheckProblem(const ImageView & image, const Criterion & criterion, const std::optional<ImageView> & mask);

/** The labeling problem. The constructor checks it; CPU and CUDA algorithms do not check it again. The voxels are
 *  where the algorithm runs: in host memory, or in memory of a CUDA device. */
struct Problem
{
  ImageView image;
  Criterion criterion;
  /** Voxels where it is 0 are background. */
  std::optional<ImageView> mask;
  Connectivity             connectivity;

  /** \throws InvalidArgument for a criterion without meaning, a mask of another extent, or a connectivity of another
   *  dimension than the image's; Unsupported for a connectivity that is not plain. */
  Problem(const ImageView &                imageView,
          const Criterion &                imageCriterion,
          const std::optional<ImageView> & imageMask,
          const Connectivity &             imageConnectivity);

  const Extent &
  GetExtent() const
  {
    return image.extent;
  }
};

/** The properties that decide which algorithms label a problem, and which is best. */
struct ProblemTraits
{
  Extent       extent;
  Connectivity connectivity;
  /** Whether neighbors are joined exactly if both are foreground. */
  bool followsForeground;

  /** \throws InvalidArgument if the connectivity has another dimension than the extent; Unsupported if it is not
   *  plain. */
  ProblemTraits(const Extent & imageExtent, const Connectivity & imageConnectivity, bool joinsForeground);
  explicit ProblemTraits(const Problem & problem);

  /** The largest number of runs, and so of components, that such an image can have. */
  std::int64_t MaximumRunCount() const;
};

} // namespace brickccl
