// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_VOXELS_VOXELFOREST_CUH
#define BRICKCCL_VOXELS_VOXELFOREST_CUH

#include "BrickCCL/Cuda/StageClock.cuh"
#include "BrickCCL/Forest/ForestDevice.cuh"
#include "BrickCCL/Runs/RunTable.cuh"
#include "BrickCCL/Voxels/VoxelProperties.cuh"
#include "BrickCCL/Voxels/VoxelVolume.cuh"

/** Common code of algorithms whose nodes are voxels. Each voxel has one number: another voxel of its component and
 * finally the component's first voxel. */
namespace brickccl::cuda
{

/** For every voxel one bit per neighbor that it is joined to, in the order of NeighborSteps. An algorithm sees no
 *  more of pixels and criteria. A neighbor outside of the volume is joined to no voxel, so algorithms need no
 *  padding. */
struct VoxelLinks
{
  std::int64_t          voxels;
  const unsigned char * narrow;
  /** Takes the place of `narrow` for more than 8 neighbors. */
  const unsigned * wide;
  int              count;
  /** The offset from a voxel's number to its neighbor's. */
  std::int64_t offset[26];
  signed char  step[26][3];

  __device__ unsigned
  operator[](std::int64_t voxel) const
  {
    return narrow != nullptr ? narrow[voxel] : wide[voxel];
  }
  /** The bits of the neighbors that raster order visits earlier. */
  __host__ __device__ unsigned
  Earlier() const
  {
    return (1u << (count / 2)) - 1;
  }
  /** The bit of the neighbor before a voxel along an axis; 0 if there is no such neighbor. */
  __host__ __device__ unsigned
  Before(int axis) const
  {
    for (int s = 0; s < count / 2; ++s)
    {
      const int others = step[s][(axis + 1) % 3] | step[s][(axis + 2) % 3];
      if (step[s][axis] == -1 && others == 0)
      {
        return 1u << s;
      }
    }
    return 0;
  }
};

/** The memory of an algorithm on voxels, kept between calls. */
template <typename TIndex>
struct VoxelMemory
{
  /** Foreground bits, and runs once somebody asks for them. */
  RunTable<TIndex>            table;
  DeviceBuffer<TIndex>        parent;
  DeviceBuffer<TIndex>        rootsUpTo;
  DeviceBuffer<unsigned char> links;
  /** Data of only one algorithm. */
  DeviceBuffer<unsigned char> own;
  DeviceBuffer<unsigned>      changed;
  PinnedValue<unsigned>       fetchedChange;
  PropertyBuffer<TIndex>      properties;
  /** The number of rounds in which the algorithm changed something; 0 if that does not depend on the image. */
  int        iterations = 0;
  StageClock clock;
  /** The receiver of progress, who may cancel. */
  Progress progress = {};

  std::size_t
  CapacityBytes() const
  {
    return table.CapacityBytes() + parent.CapacityBytes() + rootsUpTo.CapacityBytes() + links.CapacityBytes() +
           own.CapacityBytes() + changed.CapacityBytes() + properties.CapacityBytes();
  }

  void
  ClearChanged(cudaStream_t stream)
  {
    changed.Resize(1);
    BRICKCCL_CUDA_CHECK(cudaMemsetAsync(changed.Data(), 0, sizeof(unsigned), stream));
  }
  /** Waits for the stream. \return whether a kernel has set `changed` since it was cleared. \throws Canceled */
  bool
  HasChanged(cudaStream_t stream)
  {
    progress.Update(0.5);
    return fetchedChange.Fetch(changed.Data(), stream) != 0;
  }
};

/** The stage "links" of a problem of up to 3 dimensions. It writes foreground bits to `memory.table` and links to
 *  `memory.links`. */
template <typename TIndex>
VoxelLinks LinkVoxels(const Problem & problem, VoxelMemory<TIndex> & memory, cudaStream_t stream);

/** Makes every voxel a tree of its own in `memory.parent`. */
template <typename TIndex>
void MakeTrees(const Extent & extent, VoxelMemory<TIndex> & memory, cudaStream_t stream);

/** Gives every foreground voxel its own properties, if any are collected (early computation, CUCCL, equation 3). */
template <typename TIndex>
void SetVoxelProperties(const Extent & extent, VoxelMemory<TIndex> & memory, cudaStream_t stream);

/** Writes the properties of the components 1..N to `result`, after NumberVoxels. If they were collected while labeling,
 *  it fetches them from first voxels. Otherwise it sums over all voxels (late computation, CUCCL, III-D). */
template <typename TIndex>
void CollectProperties(const Extent &           extent,
                       VoxelMemory<TIndex> &    memory,
                       std::uint64_t            components,
                       PropertyBuffer<TIndex> & result,
                       cudaStream_t             stream);

/** Sets every voxel's parent to its root. Properties that were collected move there. */
template <typename TIndex>
void FlattenVoxels(const Extent &        extent,
                   VoxelMemory<TIndex> & memory,
                   cudaStream_t          stream,
                   unsigned              threads = ThreadsPerBlock);

/** The stage "labels". `memory.parent` holds the first voxel of its component for each foreground voxel; it gets the
 *  labels 1..N in raster order, and 0 for background. \return N */
template <typename TIndex>
std::uint64_t NumberVoxels(const Extent & extent, VoxelMemory<TIndex> & memory, cudaStream_t stream);

/** Copies the labels to a label map of the given type. */
template <typename TIndex>
void WriteVoxelLabels(const Extent &        extent,
                      VoxelMemory<TIndex> & memory,
                      void *                labels,
                      LabelType             type,
                      cudaStream_t          stream);

/** Finds the runs of the problem and gives them the labels of their voxels, for transfer to the host. */
template <typename TIndex>
void LabelVoxelRuns(const Problem & problem, VoxelMemory<TIndex> & memory, cudaStream_t stream);

/** A flag that any thread of a block may raise and that the block passes on once, so that not all of them write to one
 *  address (CUCCL, V-B). All threads of the block must make both calls. */
class BlockFlag
{
public:
  __device__ explicit BlockFlag(unsigned & shared)
    : m_Shared(shared)
  {
    if (threadIdx.x == 0)
    {
      m_Shared = 0;
    }
    __syncthreads();
  }
  __device__ void
  Raise()
  {
    BlockAccess::Store(&m_Shared, 1u);
  }
  __device__ void
  PassOn(unsigned * changed)
  {
    __syncthreads();
    if (threadIdx.x == 0 && m_Shared != 0)
    {
      GlobalAccess::Store(changed, 1u);
    }
  }

private:
  unsigned & m_Shared;
};

} // namespace brickccl::cuda

#endif
