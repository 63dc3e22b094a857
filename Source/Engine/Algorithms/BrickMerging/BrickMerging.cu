// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Algorithms/BrickMerging/BrickMerging.h"

#include "BrickCCL/Algorithms/VoxelAlgorithm.cuh"
#include "BrickCCL/Core/Neighborhood.h"
#include "BrickCCL/Forest/ForestDevice.cuh"
#include "BrickCCL/Voxels/VoxelVolume.cuh"

namespace brickccl::cuda
{

namespace
{

/** The voxels of a brick along each axis. A brick is one thread block, a voxel is one thread. */
struct BrickShape
{
  int size[3];

  __host__ __device__ int
  Voxels() const
  {
    return size[0] * size[1] * size[2];
  }
};

constexpr int MaximumBrickVoxels = 512;

/** Bricks are long along x, so that a warp reads neighboring voxels. */
BrickShape
BrickShapeFor(const Extent & extent)
{
  return extent.dimension < 3 ? BrickShape{ { 32, 16, 1 } } : BrickShape{ { 32, 4, 4 } };
}

/** Kernel 1: each block solves one brick in shared memory. */
template <typename T, typename TIndex>
__global__ void
SolveBricksKernel(const __grid_constant__ VoxelVolume<T> volume,
                  const __grid_constant__ NeighborSteps  steps,
                  BrickShape                             brick,
                  std::int64_t                           bricksX,
                  std::int64_t                           bricksY,
                  std::int64_t                           bricks,
                  TIndex *                               parent)
{
  constexpr unsigned  background = 0xFFFFFFFFu;
  __shared__ unsigned local[MaximumBrickVoxels];
  const int           thread = static_cast<int>(threadIdx.x);
  const int           lx = thread % brick.size[0];
  const int           ly = thread / brick.size[0] % brick.size[1];
  const int           lz = thread / (brick.size[0] * brick.size[1]);
  for (std::int64_t b = blockIdx.x; b < bricks; b += gridDim.x)
  {
    const std::int64_t x0 = b % bricksX * brick.size[0];
    const std::int64_t y0 = b / bricksX % bricksY * brick.size[1];
    const std::int64_t z0 = b / (bricksX * bricksY) * brick.size[2];
    const std::int64_t x = x0 + lx;
    const std::int64_t y = y0 + ly;
    const std::int64_t z = z0 + lz;
    const bool         inside = x < volume.extent.size[0] && y < volume.extent.size[1] && z < volume.extent.size[2];
    const std::int64_t at[3] = { x, y, z };
    const bool         isForeground = inside && volume.isForeground(at);
    const std::int64_t voxel = volume.IndexOf(at);
    local[thread] = isForeground ? static_cast<unsigned>(thread) : background;
    __syncthreads();
    if (isForeground)
    {
      for (int s = 0; s < steps.count / 2; ++s)
      {
        const auto & step = steps.steps[s].step;
        const int    nx = lx + step[0];
        const int    ny = ly + step[1];
        const int    nz = lz + step[2];
        if (nx < 0 || nx >= brick.size[0] || ny < 0 || ny >= brick.size[1] || nz < 0 || nz >= brick.size[2])
        {
          continue;
        }
        const int neighbor = (nz * brick.size[1] + ny) * brick.size[0] + nx;
        if (BlockAccess::Load(local + neighbor) != background &&
            volume.AreJoined(voxel, volume.IndexOf({ x0 + nx, y0 + ny, z0 + nz })))
        {
          Unite<BlockAccess>(local, static_cast<unsigned>(thread), static_cast<unsigned>(neighbor));
        }
      }
    }
    __syncthreads();
    if (isForeground)
    {
      const int root = static_cast<int>(PeekRoot<BlockAccess>(local, static_cast<unsigned>(thread)));
      parent[voxel] = static_cast<TIndex>(volume.IndexOf({ x0 + root % brick.size[0],
                                                           y0 + root / brick.size[0] % brick.size[1],
                                                           z0 + root / (brick.size[0] * brick.size[1]) }));
    }
    else if (inside)
    {
      parent[voxel] = static_cast<TIndex>(voxel);
    }
    __syncthreads();
  }
}

/** The planes between bricks that are merged at one level, along all three axes. Along each axis they lie before the
 *  voxels first, first + pitch, first + 2 pitch ... */
struct Borders
{
  std::int64_t first[3];
  std::int64_t pitch[3];
  std::int64_t planes[3];
  std::int64_t area[3];

  Borders(const Extent & extent, const BrickShape & brick, int level)
  {
    for (int axis = 0; axis < 3; ++axis)
    {
      first[axis] = static_cast<std::int64_t>(brick.size[axis]) << level;
      pitch[axis] = 2 * first[axis];
      planes[axis] = extent.size[axis] > first[axis] ? (extent.size[axis] - 1 - first[axis]) / pitch[axis] + 1 : 0;
      area[axis] = extent.VoxelCount() / extent.size[axis];
    }
  }

  __host__ __device__ std::int64_t
                      Voxels() const
  {
    return planes[0] * area[0] + planes[1] * area[1] + planes[2] * area[2];
  }

  /** Finds the i-th of all voxels behind planes. \return the axis of its plane */
  __device__ int
  Locate(std::int64_t i, const Extent & extent, std::int64_t (&at)[3]) const
  {
    int axis = 0;
    while (i >= planes[axis] * area[axis])
    {
      i -= planes[axis] * area[axis];
      ++axis;
    }
    const int    u = axis == 0 ? 1 : 0;
    const int    v = axis == 2 ? 1 : 2;
    std::int64_t rest = i / extent.size[u];
    at[u] = i % extent.size[u];
    at[v] = rest % extent.size[v];
    at[axis] = first[axis] + rest / extent.size[v] * pitch[axis];
    return axis;
  }
};

/** Kernel 2: unites across the borders of one level. */
template <typename T, typename TIndex>
__global__ void
UniteAcrossBricksKernel(const __grid_constant__ VoxelVolume<T> volume,
                        const __grid_constant__ NeighborSteps  steps,
                        const __grid_constant__ Borders        borders,
                        TIndex *                               parent)
{
  for (std::int64_t i = ThreadIndex(); i < borders.Voxels(); i += ThreadCount())
  {
    std::int64_t at[3];
    const int    axis = borders.Locate(i, volume.extent, at);
    if (!volume.isForeground(at))
    {
      continue;
    }
    const std::int64_t voxel = volume.IndexOf(at);
    for (int s = 0; s < steps.count; ++s)
    {
      const auto & step = steps.steps[s].step;
      if (step[axis] != -1)
      {
        continue;
      }
      const std::int64_t to[3] = { at[0] + step[0], at[1] + step[1], at[2] + step[2] };
      if (volume.IsInside(to) && volume.isForeground(to))
      {
        const std::int64_t neighbor = volume.IndexOf(to);
        if (volume.AreJoined(voxel, neighbor))
        {
          Unite<CachedAccess>(parent, static_cast<TIndex>(voxel), static_cast<TIndex>(neighbor));
        }
      }
    }
  }
}

/** Kernel 3: flattens the voxels on both sides of the borders of the next level. */
template <typename TIndex>
__global__ void
FlattenBordersKernel(Extent extent, const __grid_constant__ Borders borders, TIndex * parent)
{
  for (std::int64_t i = ThreadIndex(); i < borders.Voxels(); i += ThreadCount())
  {
    std::int64_t at[3];
    const int    axis = borders.Locate(i, extent, at);
    for (int end = 0; end < 2; ++end, --at[axis])
    {
      const auto voxel = static_cast<TIndex>((at[2] * extent.size[1] + at[1]) * extent.size[0] + at[0]);
      const auto root = PeekRoot<GlobalAccess>(parent, voxel);
      if (root != voxel)
      {
        GlobalAccess::Store(parent + voxel, root);
      }
    }
  }
}

} // namespace

/** The tile merging of Stava and Benes (GPU Computing Gems Emerald, chapter 35) for tiles and bricks: any extent of 1
 *  to 3 dimensions, every connectivity and criterion. Each brick is solved in shared memory. Bricks are merged across
 *  their borders, level by level, two by two along every axis. Between levels the labels at the next borders are
 * flattened, and at the end all labels. The number of launches follows from the extent, and the host waits for nothing.
 *
 *  Afterwards `memory.parent` holds the first voxel of each foreground voxel's component. */
template <typename TIndex>
void
UniteByBrickMerging(const Problem & problem, VoxelMemory<TIndex> & memory, const OptionValues &, cudaStream_t stream)
{
  const Extent & extent = problem.image.extent;
  const auto     voxels = extent.VoxelCount();
  PackForeground(problem, memory.table, stream);
  memory.parent.Resize(static_cast<std::size_t>(voxels));
  TIndex * parent = memory.parent.Data();

  const BrickShape    brick = BrickShapeFor(extent);
  const NeighborSteps steps = problem.connectivity.Neighbors();
  std::int64_t        bricks[3];
  int                 levels = 0;
  for (int axis = 0; axis < 3; ++axis)
  {
    bricks[axis] = (extent.size[axis] - 1) / brick.size[axis] + 1;
    while ((std::int64_t{ 1 } << levels) < bricks[axis])
    {
      ++levels;
    }
  }
  const std::int64_t brickCount = bricks[0] * bricks[1] * bricks[2];
  memory.clock.Finish("links", stream);
  VisitVolume(problem, memory.table, [&](const auto & volume) {
    using T = typename std::decay_t<decltype(volume)>::Pixel;
    const auto brickVoxels = static_cast<unsigned>(brick.Voxels());
    BRICKCCL_LAUNCH_BLOCKS((SolveBricksKernel<T, TIndex>),
                           ShapeFor(brickCount * brickVoxels, brickVoxels),
                           stream,
                           volume,
                           steps,
                           brick,
                           bricks[0],
                           bricks[1],
                           brickCount,
                           parent);
    memory.clock.Finish("solve", stream);
    for (int level = 0; level < levels; ++level)
    {
      const Borders borders(extent, brick, level);
      if (level > 0)
      {
        BRICKCCL_LAUNCH(FlattenBordersKernel<TIndex>, ShapeFor(borders.Voxels()), stream, extent, borders, parent);
        memory.clock.Finish("flatten borders", stream);
      }
      BRICKCCL_LAUNCH((UniteAcrossBricksKernel<T, TIndex>),
                      ShapeFor(borders.Voxels()),
                      stream,
                      volume,
                      steps,
                      borders,
                      parent);
      memory.clock.Finish("merge", stream);
    }
  });
  FlattenVoxels(extent, memory, stream);
  memory.clock.Finish("flatten", stream);
}

std::unique_ptr<CudaAlgorithm>
MakeBrickMerging(bool isWide)
{
  return MakeVoxelAlgorithm(UniteByBrickMerging<unsigned>, UniteByBrickMerging<unsigned long long>, isWide);
}

} // namespace brickccl::cuda
