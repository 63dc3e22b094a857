// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Algorithms/TileMerging/TileMerging.h"

#include "BrickCCL/Algorithms/VoxelAlgorithm.cuh"

#include <algorithm>

namespace brickccl::cuda
{

namespace
{

/** The pixels along x of a tile, and the tiles along x of a group that one block merges. */
constexpr int TileLength = 16;
constexpr int GroupLength = 4;

/** Tiles of one size over a stack of slices. */
struct Tiles
{
  std::int64_t size[2];
  std::int64_t slices;
  std::int64_t length;
  std::int64_t count[2];

  Tiles(const Extent & extent, std::int64_t tileLength)
    : size{ extent.size[0], extent.size[1] }
    , slices(extent.size[2])
    , length(tileLength)
    , count{ (size[0] - 1) / length + 1, (size[1] - 1) / length + 1 }
  {}

  __host__ __device__ std::int64_t
                      Total() const
  {
    return count[0] * count[1] * slices;
  }
  __device__ std::int64_t
             IndexOf(std::int64_t x, std::int64_t y, std::int64_t slice) const
  {
    return (slice * size[1] + y) * size[0] + x;
  }
};

/** Kernel 1: each block solves one tile, one pixel per thread. Scans and analyses alternate until no two neighbors
 *  differ. */
template <typename TIndex>
__global__ void
SolveTilesKernel(const __grid_constant__ VoxelLinks links,
                 Tiles                              tiles,
                 ForegroundBits                     isForeground,
                 const __grid_constant__ PropertyArrays<TIndex> properties,
                 TIndex *                                       labels)
{
  __shared__ unsigned local[TileLength * TileLength];
  __shared__ unsigned changed;
  const int           thread = static_cast<int>(threadIdx.x);
  const int           lx = thread % TileLength;
  const int           ly = thread / TileLength;
  for (std::int64_t tile = blockIdx.x; tile < tiles.Total(); tile += gridDim.x)
  {
    const std::int64_t slice = tile / (tiles.count[0] * tiles.count[1]);
    const std::int64_t x0 = tile % tiles.count[0] * TileLength;
    const std::int64_t y0 = tile / tiles.count[0] % tiles.count[1] * TileLength;
    const bool         inside = x0 + lx < tiles.size[0] && y0 + ly < tiles.size[1];
    const std::int64_t pixel = tiles.IndexOf(x0 + lx, y0 + ly, slice);
    // The links that stay in the tile.
    unsigned near = 0;
    for (unsigned rest = inside ? links[pixel] : 0u; rest != 0; rest &= rest - 1)
    {
      const auto & step = links.step[__ffs(static_cast<int>(rest)) - 1];
      const int    nx = lx + step[0];
      const int    ny = ly + step[1];
      near |= nx >= 0 && nx < TileLength && ny >= 0 && ny < TileLength ? rest & (0u - rest) : 0u;
    }
    auto label = static_cast<unsigned>(thread);
    while (true)
    {
      BlockAccess::Store(local + thread, label);
      if (thread == 0)
      {
        BlockAccess::Store(&changed, 0u);
      }
      __syncthreads();
      unsigned smallest = label;
      for (unsigned rest = near; rest != 0; rest &= rest - 1)
      {
        const auto &   step = links.step[__ffs(static_cast<int>(rest)) - 1];
        const unsigned other = BlockAccess::Load(local + thread + step[1] * TileLength + step[0]);
        smallest = other < smallest ? other : smallest;
      }
      __syncthreads();
      if (smallest < label)
      {
        atomicMin(local + label, smallest);
        BlockAccess::Store(&changed, 1u);
      }
      __syncthreads();
      if (BlockAccess::Load(&changed) == 0)
      {
        break;
      }
      label = PeekRoot<BlockAccess>(local, label);
      __syncthreads();
    }
    if (inside)
    {
      const std::int64_t root = tiles.IndexOf(x0 + label % TileLength, y0 + label / TileLength, slice);
      labels[pixel] = static_cast<TIndex>(root);
      const std::int64_t at[3] = { x0 + lx, y0 + ly, slice };
      if (properties.counts != nullptr && isForeground(at))
      {
        properties.AddVoxel(root, at);
      }
    }
    __syncthreads();
  }
}

/** Unites the trees of two linked pixels, and sets `changed` if they were two. If another thread of the block changes
 *  the same root in between, the link is lost, and the next round finds it again. */
template <typename TIndex>
__device__ void
UniteLinked(TIndex * labels, std::int64_t a, std::int64_t b, unsigned * changed)
{
  const TIndex rootA = PeekRoot<GlobalAccess>(labels, static_cast<TIndex>(a));
  const TIndex rootB = PeekRoot<GlobalAccess>(labels, static_cast<TIndex>(b));
  if (rootA != rootB)
  {
    atomicMin(labels + (rootA < rootB ? rootB : rootA), rootA < rootB ? rootA : rootB);
    BlockAccess::Store(changed, 1u);
  }
}

/** Kernel 2: each block merges a group of 4 x 4 tiles across the borders inside of it, in rounds until nothing changes.
 *  It touches no trees but its own, since links that leave the group wait for the next level. */
template <typename TIndex>
__global__ void __launch_bounds__(1024)
  MergeTilesKernel(const __grid_constant__ VoxelLinks links, Tiles tiles, Tiles groups, TIndex * labels)
{
  __shared__ unsigned changed;
  const int           threadsPerTile = static_cast<int>(blockDim.x) / (GroupLength * GroupLength);
  const int           tileOfThread = static_cast<int>(threadIdx.x) % (GroupLength * GroupLength);
  const int           firstPixel = static_cast<int>(threadIdx.x) / (GroupLength * GroupLength);
  for (std::int64_t group = blockIdx.x; group < groups.Total(); group += gridDim.x)
  {
    const std::int64_t slice = group / (groups.count[0] * groups.count[1]);
    const std::int64_t groupX = group % groups.count[0] * groups.length;
    const std::int64_t groupY = group / groups.count[0] % groups.count[1] * groups.length;
    const std::int64_t x0 = groupX + tileOfThread % GroupLength * tiles.length;
    const std::int64_t y0 = groupY + tileOfThread / GroupLength * tiles.length;
    // Unites along the links of a pixel across a border: those that go along `axis` and stay in the group.
    const auto uniteOver = [&](int axis, std::int64_t x, std::int64_t y) {
      if (x >= tiles.size[0] || y >= tiles.size[1])
      {
        return;
      }
      const std::int64_t pixel = tiles.IndexOf(x, y, slice);
      for (unsigned rest = links[pixel]; rest != 0; rest &= rest - 1)
      {
        const int          direction = __ffs(static_cast<int>(rest)) - 1;
        const auto &       step = links.step[direction];
        const std::int64_t nx = x + step[0] - groupX;
        const std::int64_t ny = y + step[1] - groupY;
        if (step[axis] == 1 && nx >= 0 && nx < groups.length && ny >= 0 && ny < groups.length)
        {
          UniteLinked(labels, pixel, pixel + links.offset[direction], &changed);
        }
      }
    };
    while (true)
    {
      if (threadIdx.x == 0)
      {
        BlockAccess::Store(&changed, 0u);
      }
      __syncthreads();
      for (std::int64_t i = firstPixel; i < tiles.length; i += threadsPerTile)
      {
        uniteOver(1, x0 + i, y0 + tiles.length - 1);
      }
      for (std::int64_t i = firstPixel; i < tiles.length; i += threadsPerTile)
      {
        uniteOver(0, x0 + tiles.length - 1, y0 + i);
      }
      __syncthreads();
      const bool isDone = BlockAccess::Load(&changed) == 0;
      __syncthreads();
      if (isDone)
      {
        break;
      }
    }
  }
}

/** Kernel 3: flattens the pixels on both sides of the borders between tiles. */
template <typename TIndex>
__global__ void
FlattenTileBordersKernel(Tiles tiles, const __grid_constant__ PropertyArrays<TIndex> properties, TIndex * labels)
{
  const std::int64_t linesX = 2 * (tiles.count[0] - 1);
  const std::int64_t linesY = 2 * (tiles.count[1] - 1);
  const std::int64_t perSlice = linesX * tiles.size[1] + linesY * tiles.size[0];
  for (std::int64_t i = ThreadIndex(); i < perSlice * tiles.slices; i += ThreadCount())
  {
    const std::int64_t slice = i / perSlice;
    std::int64_t       rest = i % perSlice;
    const bool         isColumn = rest < linesX * tiles.size[1];
    rest -= isColumn ? 0 : linesX * tiles.size[1];
    const std::int64_t along = isColumn ? tiles.size[1] : tiles.size[0];
    const std::int64_t line = rest / along;
    const std::int64_t across = (line / 2 + 1) * tiles.length - line % 2;
    const std::int64_t pixel =
      isColumn ? tiles.IndexOf(across, rest % along, slice) : tiles.IndexOf(rest % along, across, slice);
    const TIndex root = PeekRoot<GlobalAccess>(labels, static_cast<TIndex>(pixel));
    if (root != static_cast<TIndex>(pixel))
    {
      GlobalAccess::Store(labels + pixel, root);
      if (properties.counts != nullptr)
      {
        properties.Move(pixel, static_cast<std::int64_t>(root));
      }
    }
  }
}

} // namespace

/** The tile merging of Stava and Benes (GPU Computing Gems Emerald, chapter 35) as printed. Tiles of 16 x 16 pixels are
 *  solved in shared memory, one thread per pixel. At each level a block merges 16 tiles. Between levels the borders are
 *  flattened, and at the end all pixels. Images of 2 dimensions, or slices along z, of any extent; 4 and 8 neighbors,
 *  every criterion. Options: TileMergingOptions().
 *
 *  Afterwards `memory.parent` holds the first voxel of each foreground voxel's component. */
template <typename TIndex>
void
UniteByTileMerging(const Problem &       problem,
                   VoxelMemory<TIndex> & memory,
                   const OptionValues &  options,
                   cudaStream_t          stream)
{
  const Extent &   extent = problem.image.extent;
  const VoxelLinks links = LinkVoxels(problem, memory, stream);
  memory.iterations = 0;
  memory.parent.Resize(static_cast<std::size_t>(links.voxels));
  memory.properties.Resize(extent, links.voxels, static_cast<Properties>(options[TileMergingProperties]));
  memory.properties.Clear(stream);
  memory.clock.Finish("clear properties", stream);

  const auto &       properties = memory.properties.arrays;
  const Tiles        smallest(extent, TileLength);
  constexpr unsigned tilePixels = TileLength * TileLength;
  BRICKCCL_LAUNCH_BLOCKS(SolveTilesKernel<TIndex>,
                         ShapeFor(smallest.Total() * tilePixels, tilePixels),
                         stream,
                         links,
                         smallest,
                         ForegroundBits(extent, memory.table.foreground.Data()),
                         properties,
                         memory.parent.Data());
  memory.clock.Finish("kernel 1", stream);
  const std::int64_t longest = std::max(extent.size[0], extent.size[1]);
  for (std::int64_t length = TileLength; length < longest; length *= GroupLength)
  {
    const Tiles tiles(extent, length);
    const Tiles groups(extent, length * GroupLength);
    if (length > TileLength)
    {
      const std::int64_t pixels =
        2 * ((tiles.count[0] - 1) * extent.size[1] + (tiles.count[1] - 1) * extent.size[0]) * tiles.slices;
      BRICKCCL_LAUNCH(FlattenTileBordersKernel<TIndex>,
                      ShapeFor(pixels),
                      stream,
                      tiles,
                      properties,
                      memory.parent.Data());
      memory.clock.Finish("kernel 3", stream);
    }
    // A border has as many threads as pixels, up to the most that a block can have (CUCCL, table II).
    const auto threads = static_cast<unsigned>(GroupLength * GroupLength * std::min<std::int64_t>(length, 64));
    BRICKCCL_LAUNCH_BLOCKS(MergeTilesKernel<TIndex>,
                           ShapeFor(groups.Total() * threads, threads),
                           stream,
                           links,
                           tiles,
                           groups,
                           memory.parent.Data());
    memory.clock.Finish("kernel 2", stream);
  }
  FlattenVoxels(extent, memory, stream);
  memory.clock.Finish("kernel 4", stream);
}

std::unique_ptr<CudaAlgorithm>
MakeTileMerging(bool isWide)
{
  return MakeVoxelAlgorithm(UniteByTileMerging<unsigned>, UniteByTileMerging<unsigned long long>, isWide);
}

} // namespace brickccl::cuda
