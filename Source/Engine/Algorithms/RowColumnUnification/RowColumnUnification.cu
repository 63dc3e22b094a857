// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Algorithms/RowColumnUnification/RowColumnUnification.h"

#include "BrickCCL/Algorithms/VoxelAlgorithm.cuh"

namespace brickccl::cuda
{

namespace
{

/** The most voxels of a line that one block takes, two per thread. */
constexpr int LongestSegment = 1024;

/** The lines of an image along one axis, in segments of 2^k voxels. */
struct SegmentedLines : AxisLines
{
  int          segment = 2;
  std::int64_t segmentsPerLine;

  SegmentedLines(const Extent & extent, int axis)
    : AxisLines(extent, axis)
  {
    while (segment < LongestSegment && segment < length)
    {
      segment *= 2;
    }
    segmentsPerLine = (length - 1) / segment + 1;
  }
};

/** One segment of a line in shared memory: labels, and for each voxel a reference to an earlier voxel of its run. A
 *  thread has two voxels. All threads of the block must make every call. */
template <typename TIndex>
struct SegmentUnification
{
  TIndex *              labels;
  unsigned short *      references;
  const unsigned char * joined;

  /** The first step unites pairs of voxels. */
  __device__ void
  UnitePair(int first) const
  {
    const int second = first + 1;
    references[first] = static_cast<unsigned short>(first);
    references[second] = static_cast<unsigned short>(second);
    if (joined[second])
    {
      const TIndex smallest = labels[first] < labels[second] ? labels[first] : labels[second];
      labels[first] = smallest;
      labels[second] = smallest;
      references[second] = static_cast<unsigned short>(first);
    }
  }

  /** Joins two groups where they meet, behind `last`. The smaller label goes to the voxel to which `last` refers. */
  __device__ void
  UniteGroups(int last) const
  {
    if (joined[last + 1])
    {
      const unsigned short reference = references[last];
      const TIndex         smallest = labels[last] < labels[last + 1] ? labels[last] : labels[last + 1];
      labels[reference] = smallest;
      labels[last + 1] = smallest;
      references[last + 1] = reference;
    }
  }

  /** Gives a voxel the label and the reference of the voxel to which it refers. That voxel refers to itself, or changes
   *  to the same. */
  __device__ void
  Update(int voxel) const
  {
    const unsigned short reference = BlockAccess::Load(references + voxel);
    BlockAccess::Store(labels + voxel, BlockAccess::Load(labels + reference));
    BlockAccess::Store(references + voxel, BlockAccess::Load(references + reference));
  }
};

template <typename TIndex>
__global__ void
UnifyLinesKernel(const __grid_constant__ VoxelLinks links,
                 SegmentedLines                     lines,
                 unsigned                           before,
                 TIndex *                           labels,
                 unsigned *                         changed)
{
  __shared__ TIndex                local[LongestSegment];
  __shared__ unsigned short        references[LongestSegment];
  __shared__ unsigned char         joined[LongestSegment];
  const SegmentUnification<TIndex> unification{ local, references, joined };
  const unsigned                   behind = before << (links.count / 2);
  const int                        thread = static_cast<int>(threadIdx.x);
  for (std::int64_t s = blockIdx.x; s < lines.count * lines.segmentsPerLine; s += gridDim.x)
  {
    const std::int64_t line = s / lines.segmentsPerLine;
    const std::int64_t begin = s % lines.segmentsPerLine * lines.segment;
    const std::int64_t start = lines.StartOf(line);
    TIndex             found[2] = {};
    for (int k = 0; k < 2; ++k)
    {
      // Neighboring threads load neighboring voxels.
      const int          i = thread + k * lines.segment / 2;
      const std::int64_t place = start + (begin + i) * lines.stride;
      TIndex             label = 0;
      bool               isJoined = false;
      if (begin + i < lines.length)
      {
        const unsigned mask = links[place];
        found[k] = label = GlobalAccess::Load(labels + place);
        isJoined = (mask & before) != 0;
        // Neighbors in other segments take this voxel's label in their turn.
        const auto meet = [&](std::int64_t other) {
          const TIndex theirs = GlobalAccess::Load(labels + other);
          label = theirs < label ? theirs : label;
        };
        if (i == 0 && isJoined)
        {
          meet(place - lines.stride);
        }
        if (i == lines.segment - 1 && (mask & behind) != 0)
        {
          meet(place + lines.stride);
        }
      }
      local[i] = label;
      joined[i] = isJoined ? 1 : 0;
    }
    __syncthreads();
    unification.UnitePair(2 * thread);
    for (int group = 2; group < lines.segment; group *= 2)
    {
      __syncthreads();
      if (thread < lines.segment / (2 * group))
      {
        unification.UniteGroups((2 * thread + 1) * group - 1);
      }
      __syncthreads();
      unification.Update(2 * thread);
      unification.Update(2 * thread + 1);
    }
    __syncthreads();
    for (int k = 0; k < 2; ++k)
    {
      const int i = thread + k * lines.segment / 2;
      if (begin + i < lines.length && local[i] != found[k])
      {
        GlobalAccess::Store(labels + start + (begin + i) * lines.stride, local[i]);
        GlobalAccess::Store(changed, 1u);
      }
    }
    __syncthreads();
  }
}

} // namespace

/** Row-Col Unify of Kalentev, Rai, Kemnitz and Schneider (Connected component labeling on a 2D grid using CUDA, 2011).
 *  The smallest label moves along rows, then along columns, then along the third axis, until nothing changes. Each time
 *  a reduction tree with an array of references in shared memory moves it. Face connectivity, up to 3 dimensions, every
 *  criterion, lines of any length.
 *
 *  Afterwards `memory.parent` holds the first voxel of each foreground voxel's component. */
template <typename TIndex>
void
UniteByRowColumnUnification(const Problem &       problem,
                            VoxelMemory<TIndex> & memory,
                            const OptionValues &,
                            cudaStream_t stream)
{
  const Extent &   extent = problem.image.extent;
  const VoxelLinks links = LinkVoxels(problem, memory, stream);
  MakeTrees(extent, memory, stream);
  memory.clock.Finish("prelabel", stream);
  for (memory.iterations = 0;; ++memory.iterations)
  {
    memory.ClearChanged(stream);
    for (int axis = 0; axis < extent.dimension; ++axis)
    {
      if (links.Before(axis) == 0)
      {
        continue;
      }
      const SegmentedLines lines(extent, axis);
      const auto           threads = static_cast<unsigned>(lines.segment / 2);
      BRICKCCL_LAUNCH_BLOCKS(UnifyLinesKernel<TIndex>,
                             ShapeFor(lines.count * lines.segmentsPerLine * threads, threads),
                             stream,
                             links,
                             lines,
                             links.Before(axis),
                             memory.parent.Data(),
                             memory.changed.Data());
    }
    memory.clock.Finish("unify", stream);
    if (!memory.HasChanged(stream))
    {
      return;
    }
  }
}

std::unique_ptr<CudaAlgorithm>
MakeRowColumnUnification(bool isWide)
{
  return MakeVoxelAlgorithm(UniteByRowColumnUnification<unsigned>,
                            UniteByRowColumnUnification<unsigned long long>,
                            isWide);
}

} // namespace brickccl::cuda
