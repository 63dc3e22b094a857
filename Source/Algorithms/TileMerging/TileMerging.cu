#include "BrickCCL/Algorithms/TileMerging/TileMerging.cuh"

#include "BrickCCL/Algorithms/VoxelAlgorithm.cuh"
#include "BrickCCL/Algorithms/TileMerging/TileMerging.h"

#include <algorithm>

namespace brickccl::cuda
{

namespace
{

/** Pixels along the sides of a tile, and tiles along the sides of a group that one block merges. */
constexpr int TileSide = 16;
constexpr int GroupSide = 4;

/** Tiles of one size over a stack of slices. */
struct Tiles
{
  std::int64_t size[2];
  std::int64_t slices;
  std::int64_t side;
  std::int64_t count[2];

  Tiles(const Extent & extent, std::int64_t tileSide)
    : size{ extent.size[0], extent.size[1] }
    , slices(extent.size[2])
    , side(tileSide)
    , count{ (size[0] - 1) / side + 1, (size[1] - 1) / side + 1 }
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

/** Kernel 1: one tile per block, one pixel per thread. Scans and analyses alternate until no two neighbours differ. */
template <typename TIndex>
__global__ void
SolveTilesKernel(const __grid_constant__ VoxelLinks links,
                 Tiles                              tiles,
                 ForegroundBits                     isForeground,
                 const __grid_constant__ PropertyArrays<TIndex> properties,
                 TIndex *                                       labels)
{
  __shared__ unsigned local[TileSide * TileSide];
  __shared__ unsigned changed;
  const int           thread = static_cast<int>(threadIdx.x);
  const int           lx = thread % TileSide;
  const int           ly = thread / TileSide;
  for (std::int64_t tile = blockIdx.x; tile < tiles.Total(); tile += gridDim.x)
  {
    const std::int64_t slice = tile / (tiles.count[0] * tiles.count[1]);
    const std::int64_t x0 = tile % tiles.count[0] * TileSide;
    const std::int64_t y0 = tile / tiles.count[0] % tiles.count[1] * TileSide;
    const bool         inside = x0 + lx < tiles.size[0] && y0 + ly < tiles.size[1];
    const std::int64_t pixel = tiles.IndexOf(x0 + lx, y0 + ly, slice);
    // The links that stay in the tile.
    unsigned near = 0;
    for (unsigned rest = inside ? links[pixel] : 0u; rest != 0; rest &= rest - 1)
    {
      const auto & step = links.step[__ffs(static_cast<int>(rest)) - 1];
      const int    nx = lx + step[0];
      const int    ny = ly + step[1];
      near |= nx >= 0 && nx < TileSide && ny >= 0 && ny < TileSide ? rest & (0u - rest) : 0u;
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
        const unsigned other = BlockAccess::Load(local + thread + step[1] * TileSide + step[0]);
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
      const std::int64_t root = tiles.IndexOf(x0 + label % TileSide, y0 + label / TileSide, slice);
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

/** Unites two linked pixels' trees; says so in `changed` if they were two. A link that is lost because another thread
 * of the block has changed the same root in between is found again by the next round. */
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
  const int           threadsPerTile = static_cast<int>(blockDim.x) / (GroupSide * GroupSide);
  const int           tileOfThread = static_cast<int>(threadIdx.x) % (GroupSide * GroupSide);
  const int           firstPixel = static_cast<int>(threadIdx.x) / (GroupSide * GroupSide);
  for (std::int64_t group = blockIdx.x; group < groups.Total(); group += gridDim.x)
  {
    const std::int64_t slice = group / (groups.count[0] * groups.count[1]);
    const std::int64_t groupX = group % groups.count[0] * groups.side;
    const std::int64_t groupY = group / groups.count[0] % groups.count[1] * groups.side;
    const std::int64_t x0 = groupX + tileOfThread % GroupSide * tiles.side;
    const std::int64_t y0 = groupY + tileOfThread / GroupSide * tiles.side;
    // The links of a pixel over a border: those that go along `axis`, as far as they stay in the group.
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
        if (step[axis] == 1 && nx >= 0 && nx < groups.side && ny >= 0 && ny < groups.side)
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
      for (std::int64_t i = firstPixel; i < tiles.side; i += threadsPerTile)
      {
        uniteOver(1, x0 + i, y0 + tiles.side - 1);
      }
      for (std::int64_t i = firstPixel; i < tiles.side; i += threadsPerTile)
      {
        uniteOver(0, x0 + tiles.side - 1, y0 + i);
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
    const std::int64_t across = (line / 2 + 1) * tiles.side - line % 2;
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
  const Tiles        smallest(extent, TileSide);
  constexpr unsigned tilePixels = TileSide * TileSide;
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
  for (std::int64_t side = TileSide; side < longest; side *= GroupSide)
  {
    const Tiles tiles(extent, side);
    const Tiles groups(extent, side * GroupSide);
    if (side > TileSide)
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
    // As many threads for a border as it has pixels, up to what a block can have (CUCCL, table II).
    const auto threads = static_cast<unsigned>(GroupSide * GroupSide * std::min<std::int64_t>(side, 64));
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
