// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Criteria/Problem.h"

#include "BrickCCL/Core/Error.h"

#include <string>

namespace brickccl
{

static void
CheckConnectivity(const Extent & extent, const Connectivity & connectivity)
{
  ThrowIf<InvalidArgument>(connectivity.Dimension() != extent.dimension,
                           "the connectivity is one of " + std::to_string(connectivity.Dimension()) +
                             " dimensions but the image has " + std::to_string(extent.dimension));
  ThrowIf<Unsupported>(!connectivity.IsPlain(),
                       "no algorithm labels a neighborhood of " + connectivity.ToString() +
                         " neighbors directly; Label() joins the rest after its plain part, on the CPU");
}

void
CheckProblem(const ImageView & image, const Criterion & criterion, const std::optional<ImageView> & mask)
{
  criterion.Validate();
  if (mask && mask->extent != image.extent)
  {
    throw InvalidArgument("the mask has the extent " + mask->extent.ToString() + " but the image " +
                          image.extent.ToString() + "; they must be the same");
  }
}

Problem::Problem(const ImageView &                imageView,
                 const Criterion &                imageCriterion,
                 const std::optional<ImageView> & imageMask,
                 const Connectivity &             imageConnectivity)
  : image(imageView)
  , criterion(imageCriterion)
  , mask(imageMask)
  , connectivity(imageConnectivity)
{
  CheckProblem(image, criterion, mask);
  CheckConnectivity(image.extent, connectivity);
}

ProblemTraits::ProblemTraits(const Extent & imageExtent, const Connectivity & imageConnectivity, bool joinsForeground)
  : extent(imageExtent)
  , connectivity(imageConnectivity)
  , followsForeground(joinsForeground)
{
  CheckConnectivity(extent, connectivity);
}

ProblemTraits::ProblemTraits(const Problem & problem)
  : ProblemTraits(problem.image.extent, problem.connectivity, problem.criterion.FollowsForeground())
{}

std::int64_t
ProblemTraits::MaximumRunCount() const
{
  // If only the foreground decides, there is a background voxel between the runs of a row.
  const bool haveGaps = followsForeground && connectivity.Uses(0);
  return extent.RowCount() * (haveGaps ? (extent.RowLength() + 1) / 2 : extent.RowLength());
}

} // namespace brickccl
