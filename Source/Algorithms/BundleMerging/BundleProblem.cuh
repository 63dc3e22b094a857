#ifndef BRICKCCL_ALGORITHMS_BUNDLEMERGING_BUNDLEPROBLEM_CUH
#define BRICKCCL_ALGORITHMS_BUNDLEMERGING_BUNDLEPROBLEM_CUH

#include "BrickCCL/Algorithms/BundleMerging/BundleBricks.cuh"
#include "BrickCCL/Algorithms/BundleMerging/BundleMerging.cuh"

/** How bricks and launches follow from a problem. */
namespace brickccl::cuda
{

/** Calls `function(layout)` with the layout of what is kept of a problem's words. */
template <typename TFunction>
void
VisitLayout(const Problem & problem, TFunction && function)
{
  if (!problem.criterion.FollowsForeground())
  {
    return function(RowLayout{});
  }
  switch (problem.connectivity.Rank())
  {
  case 1:
    return function(BundleLayout<Bundling::Rows>{});
  case 2:
    return function(BundleLayout<Bundling::Pairs>{});
  default:
    return function(BundleLayout<Bundling::Squares>{});
  }
}

inline BundleGrid
GridOf(const Problem & problem)
{
  Bundling bundling = Bundling::Rows;
  VisitLayout(problem, [&](auto layout) { bundling = decltype(layout)::bundling; });
  return { problem.image.extent, problem.connectivity, bundling };
}

/** A grid that fills any device, for kernels over a count that only the device knows. */
inline LaunchShape
ShapeForUnknown()
{
  return { dim3(TuningOf<Tuned::BlocksOfUnknownCount>), dim3(ThreadsPerBlock) };
}

} // namespace brickccl::cuda

#endif
