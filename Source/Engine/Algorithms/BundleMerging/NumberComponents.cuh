// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_ALGORITHMS_BUNDLEMERGING_NUMBERCOMPONENTS_CUH
#define BRICKCCL_ALGORITHMS_BUNDLEMERGING_NUMBERCOMPONENTS_CUH

#include "BrickCCL/Algorithms/BundleMerging/BundleBricks.cuh"
#include "BrickCCL/Forest/ForestDevice.cuh"

/** Numbers components in raster order. A bitmap marks their first voxels and is counted by groups of words. */
namespace brickccl::cuda
{

/** Points every component at its root. The root gets the first of their first voxels. */
__global__ void
FlattenComponentsKernel(const __grid_constant__ BrickArrays bricks)
{
  WaitForEarlierKernels();
  if (!bricks.Fit())
  {
    return;
  }
  const unsigned count = bricks.Components();
  for (std::int64_t i = ThreadIndex(); i < count; i += ThreadCount())
  {
    const auto     node = static_cast<unsigned>(i);
    const unsigned voxel = bricks.firstVoxel[node];
    const unsigned root = PeekRoot<GlobalAccess>(bricks.parent, node);
    if (root != node)
    {
      GlobalAccess::Store(bricks.parent + node, root);
      if (GlobalAccess::Load(bricks.firstVoxel + root) > voxel)
      {
        atomicMin(bricks.firstVoxel + root, voxel);
      }
    }
  }
}

/** The bits of lanes that follow each other and have one key, in the first of them; 0 in the others. All lanes must
 *  call. */
__device__ inline unsigned
BitsOfEqualLanes(unsigned key, unsigned bits)
{
  const auto     lane = static_cast<int>(threadIdx.x % 32);
  const unsigned keyBefore = __shfl_up_sync(AllLanes, key, 1);
  const bool     isFirst = lane == 0 || keyBefore != key;
  const unsigned firstsBehind = __ballot_sync(AllLanes, isFirst) & ~BitsUpToLane(lane);
  const int      end = firstsBehind != 0 ? LowestBit(firstsBehind) : 32;
#pragma unroll
  for (int step = 1; step < 32; step *= 2)
  {
    const unsigned further = __shfl_down_sync(AllLanes, bits, static_cast<unsigned>(step));
    bits |= lane + step < end ? further : 0u;
  }
  return isFirst ? bits : 0u;
}

/** Marks the roots' first voxels. */
__global__ void
MarkFirstsKernel(const __grid_constant__ BrickArrays bricks, const __grid_constant__ FirstMarks marks)
{
  constexpr unsigned none = 0xFFFFFFFFu;
  WaitForEarlierKernels();
  if (!bricks.Fit())
  {
    return;
  }
  const unsigned     lane = threadIdx.x % 32;
  const std::int64_t count = bricks.Components();
  for (std::int64_t first = ThreadIndex() - lane; first < count; first += ThreadCount())
  {
    const auto     node = static_cast<unsigned>(first + lane);
    const bool     isNode = first + lane < count;
    const unsigned voxel = isNode ? bricks.firstVoxel[node] : 0u;
    const bool     isRoot = isNode && bricks.parent[node] == node;
    const unsigned word = isRoot ? voxel / BitsPerDeviceWord : none;
    const unsigned group = word / FirstMarks::wordsPerGroup;
    const unsigned part = isRoot ? group / FirstMarks::groupsPerPart : none;
    // The components of a brick follow each other, in noise many of a word.
    const unsigned bits = BitsOfEqualLanes(word, isRoot ? 1u << (voxel % BitsPerDeviceWord) : 0u);
    if (bits != 0)
    {
      atomicOr(marks.words + word, bits);
      atomicAdd(marks.inGroup + group, static_cast<unsigned>(__popc(bits)));
    }
    // Many of a warp's components, mostly from one brick, begin in the same part.
    const unsigned same = __match_any_sync(AllLanes, part);
    if (isRoot && LowestBit(same) == static_cast<int>(lane))
    {
      atomicAdd(marks.inPart + part * FirstMarks::partStep, static_cast<unsigned>(__popc(same)));
    }
  }
}

/** A thread's groups are loaded and stored four at a time. */
using GroupCounts = uint4[FirstMarks::groupsPerThread / 4];

/** Reads the marks in a thread's groups. \return how many there are */
__device__ inline unsigned
LoadCounts(const FirstMarks & marks, std::int64_t first, std::int64_t groups, GroupCounts & counts)
{
  if (first < groups)
  {
#pragma unroll
    for (unsigned i = 0; i < FirstMarks::groupsPerThread / 4; ++i)
    {
      counts[i] = reinterpret_cast<const uint4 *>(marks.inGroup + first)[i];
    }
  }
  unsigned sum = 0;
#pragma unroll
  for (const uint4 & in : counts)
  {
    sum += in.x + in.y + in.z + in.w;
  }
  return sum;
}

/** Writes the marks before each of a thread's groups. \return those up to its last one */
__device__ inline unsigned
StoreCountsBefore(const FirstMarks & marks, std::int64_t first, const GroupCounts & counts, unsigned before)
{
#pragma unroll
  for (unsigned i = 0; i < FirstMarks::groupsPerThread / 4; ++i)
  {
    const uint4 in = counts[i];
    const uint4 marksBefore = make_uint4(before, before + in.x, before + in.x + in.y, before + in.x + in.y + in.z);
    reinterpret_cast<uint4 *>(marks.inGroup + first)[i] = marksBefore;
    before = marksBefore.w + in.w;
  }
  return before;
}

/** This thread's share of the marks in the parts before its block's. */
__device__ inline unsigned
MarksInPartsBefore(const FirstMarks & marks)
{
  unsigned inParts = 0;
  for (unsigned part = threadIdx.x; part < blockIdx.x; part += ThreadsPerBlock)
  {
    inParts += marks.inPart[part * FirstMarks::partStep];
  }
  return inParts;
}

/** Counts the marks before each group; each block does one part. The last one reports their total: the number of
 *  components. */
__global__ void
__launch_bounds__(ThreadsPerBlock) CountMarksBeforeKernel(const __grid_constant__ BrickArrays bricks,
                                                          const __grid_constant__ FirstMarks  marks,
                                                          std::int64_t                        groups,
                                                          BundleReport *                      report)
{
  constexpr unsigned  warps = ThreadsPerBlock / 32;
  __shared__ unsigned inPartsBefore[warps];
  __shared__ unsigned inWarp[warps];
  WaitForEarlierKernels();
  if (!bricks.Fit())
  {
    if (ThreadIndex() == 0)
    {
      report->Tell(*bricks.found, 0);
    }
    return;
  }
  const int          lane = static_cast<int>(threadIdx.x % 32);
  const unsigned     warp = threadIdx.x / 32;
  const std::int64_t first = ThreadIndex() * FirstMarks::groupsPerThread;
  const unsigned     inParts = MarksInPartsBefore(marks);
  GroupCounts        counts = {};
  const unsigned     own = LoadCounts(marks, first, groups, counts);
  const unsigned     upTo = SumOfLanes(own);
  const unsigned     inPartsUpTo = SumOfLanes(inParts);
  if (lane == 31)
  {
    inWarp[warp] = upTo;
    inPartsBefore[warp] = inPartsUpTo;
  }
  __syncthreads();
  unsigned before = upTo - own;
#pragma unroll
  for (unsigned w = 0; w < warps; ++w)
  {
    before += inPartsBefore[w] + (w < warp ? inWarp[w] : 0u);
  }
  if (first >= groups)
  {
    return;
  }
  const unsigned all = StoreCountsBefore(marks, first, counts, before);
  if (first + FirstMarks::groupsPerThread == groups)
  {
    report->Tell(*bricks.found, all);
  }
}

/** Replaces each component's root by the number of the root's first voxel among all first voxels.
 *  \param nextFound  is cleared for the next call, which counts there */
__global__ void
NumberComponentsKernel(const __grid_constant__ BrickArrays bricks,
                       const __grid_constant__ FirstMarks  marks,
                       unsigned long long *                nextFound)
{
  WaitForEarlierKernels();
  if (ThreadIndex() == 0)
  {
    *nextFound = 0;
  }
  if (!bricks.Fit())
  {
    return;
  }
  const unsigned count = bricks.Components();
  for (std::int64_t node = ThreadIndex(); node < count; node += ThreadCount())
  {
    const unsigned voxel = bricks.firstVoxel[bricks.parent[node]];
    const unsigned word = voxel / BitsPerDeviceWord;
    const unsigned group = word / FirstMarks::wordsPerGroup;
    const unsigned inGroup = word % FirstMarks::wordsPerGroup;
    unsigned       label = marks.inGroup[group];
#pragma unroll
    for (unsigned i = 0; i < FirstMarks::wordsPerGroup; ++i)
    {
      const DeviceWord before = i < inGroup  ? 0xFFFFFFFFu
                              : i == inGroup ? BitsUpToLane(static_cast<int>(voxel % BitsPerDeviceWord))
                                             : 0u;
      label += static_cast<unsigned>(__popc(marks.words[group * FirstMarks::wordsPerGroup + i] & before));
    }
    bricks.parent[node] = label;
  }
}

/** Gives components new labels. \param numbers  by label - 1, 0 for what goes */
__global__ void
RenumberComponentsKernel(const __grid_constant__ BrickArrays bricks, const unsigned long long * numbers)
{
  WaitForEarlierKernels();
  const unsigned count = bricks.Components();
  for (std::int64_t node = ThreadIndex(); node < count; node += ThreadCount())
  {
    if (const unsigned label = bricks.parent[node]; label != 0)
    {
      bricks.parent[node] = static_cast<unsigned>(numbers[label - 1]);
    }
  }
}

} // namespace brickccl::cuda

#endif
