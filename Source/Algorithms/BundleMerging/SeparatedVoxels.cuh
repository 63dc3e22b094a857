#ifndef BRICKCCL_ALGORITHMS_BUNDLEMERGING_SEPARATEDVOXELS_CUH
#define BRICKCCL_ALGORITHMS_BUNDLEMERGING_SEPARATEDVOXELS_CUH

#include "BrickCCL/Algorithms/BundleMerging/BundleBricks.cuh"
#include "BrickCCL/Algorithms/BundleMerging/RowVoxels.cuh"
#include "BrickCCL/Criteria/SeparatingValues.h"

/** For a tolerance: separated voxels as bits, so that few voxels must be compared. */
namespace brickccl::cuda
{

/** The bits of a word whose voxels lie above or below separating values. */
struct alignas(8) SeparationBits
{
  DeviceWord above;
  DeviceWord below;

  /** The bits whose voxels are separated from those of another word. */
  __device__ DeviceWord
  SeparatedFrom(const SeparationBits & other) const
  {
    return (above & other.below) | (below & other.above);
  }
  /** The same for those at x - 1 and at x + 1 of the other word, as far as they lie in it. */
  __device__ BundleLinks<DeviceWord>
             SeparatedAcross(const SeparationBits & other) const
  {
    return { 0,
             SeparatedFrom({ other.above << 1, other.below << 1 }),
             SeparatedFrom({ other.above >> 1, other.below >> 1 }) };
  }
};

/** The separating values of a volume, in the order of VoxelGroup. Most voxels lie above the one or not above the
 *  other. */
struct SeparationLimits
{
  unsigned high;
  unsigned low;
  bool     areKnown;
};

/** What is known of a volume's separated voxels, as kernel argument. */
struct SeparationArrays
{
  SeparationLimits *           limits;
  BorderArrays<SeparationBits> faces;
};

/** What is kept of the ends of bricks for their borders, as kernel argument. */
template <typename T>
struct RowArrays
{
  SeparationArrays         separation;
  BorderArrays<DeviceWord> joined;
  EndArrays<T>             ends;
};

/** Whether bits of separated voxels are of use to a problem's kernels. */
template <typename TProblem, bool VAlongAxes>
inline constexpr bool KnowsSeparation =
  !VAlongAxes && !TProblem::isTransitive && TProblem::isOneChannel && sizeof(typename TProblem::Pixel) <= 2;

/** Finds the separating values of a volume, if there are any. It runs as one block with as many threads as there are
 *  samples. */
template <typename T>
__global__ void
__launch_bounds__(NeighbourSamples<T>::Maximum) FindSeparationLimitsKernel(const T *          voxels,
                                                                           std::int64_t       count,
                                                                           std::int64_t       toNeighbour,
                                                                           VoxelRule<T>       rule,
                                                                           SeparationLimits * limits)
{
  using Samples = NeighbourSamples<T>;
  constexpr int       warps = Samples::Maximum / 32;
  __shared__ unsigned partedOfWarp[warps];
  __shared__ SeparatingValues<T> separated[Samples::MaximumSeparated];
  __shared__ unsigned            best;
  const auto                     i = static_cast<int>(threadIdx.x);
  const Samples                  samples(voxels, count, toNeighbour, rule);
  SeparatingValues<T>            pair = {};
  const bool                     isSeparated = i < samples.Count() && samples.IsSeparated(i, pair);
  const unsigned                 lanes = __ballot_sync(AllLanes, isSeparated);
  if (i % 32 == 0)
  {
    partedOfWarp[i / 32] = static_cast<unsigned>(__popc(lanes));
  }
  if (i == 0)
  {
    best = 0;
  }
  __syncthreads();
  const unsigned partedWith = SumOfLanes(partedOfWarp[i % 32]);
  const unsigned before = __shfl_sync(AllLanes, partedWith - partedOfWarp[i % 32], i / 32);
  const unsigned all = __shfl_sync(AllLanes, partedWith, 31);
  const unsigned place = before + static_cast<unsigned>(__popc(lanes & ~(AllLanes << i % 32)));
  const auto     known = static_cast<int>(all < Samples::MaximumSeparated ? all : Samples::MaximumSeparated);
  if (isSeparated && place < Samples::MaximumSeparated)
  {
    separated[place] = pair;
  }
  __syncthreads();
  const bool                isCandidate = i < known;
  const ExplainedSamples<T> explained(isCandidate ? separated[i] : SeparatingValues<T>{},
                                      separated,
                                      isCandidate ? known : 0,
                                      rule);
  // The first of those that explain the most samples.
  const unsigned rank = static_cast<unsigned>(explained.count) << 16 | static_cast<unsigned>(Samples::Maximum - i);
  if (isCandidate)
  {
    atomicMax(&best, rank);
  }
  __syncthreads();
  if (isCandidate ? rank == best : known == 0 && i == 0)
  {
    const SeparatingValues<T> values = explained.InTheMiddle(rule);
    limits->high = VoxelGroup<T>::Ordered(values.high) - 1u;
    limits->low = VoxelGroup<T>::Ordered(values.low);
    limits->areKnown = explained.AreMost(known);
  }
}

} // namespace brickccl::cuda

#endif
