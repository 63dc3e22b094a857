#include "BrickCCL/Algorithms/BrickMerging/BrickMerging.cuh"

#include "BrickCCL/Forest/ForestDevice.cuh"

namespace brickccl::cuda
{

namespace
{

/** Voxels of a brick along each axis; a brick is one thread block, a voxel one thread. */
struct BrickShape
{
  int size[3];

  __host__ __device__ int
  Voxels() const
  {
    return size[0] * size[1] * size[2];
  }
};

constexpr int MostBrickVoxels = 512;

/** Long along x, so that a warp reads neighbouring voxels. */
BrickShape
BrickShapeFor(const Extent & extent)
{
  return extent.dimension < 3 ? BrickShape{ { 32, 16, 1 } } : BrickShape{ { 32, 4, 4 } };
}

/** Every neighbour of a voxel: at most 26. The first half is earlier in raster order. */
struct NeighbourSteps
{
  struct Step
  {
    signed char step[3];
  };

  int  count = 0;
  Step steps[26];

  explicit NeighbourSteps(const Connectivity & connectivity)
  {
    const auto add = [this](int x, int y, int z) {
      if (count >= 26)
      {
        return;
      }
      steps[count++] = { { static_cast<signed char>(x), static_cast<signed char>(y), static_cast<signed char>(z) } };
    };
    if (connectivity.Uses(0))
    {
      add(-1, 0, 0);
    }
    for (const RowOffset & row : connectivity.BackwardRows())
    {
      for (int x = row.diagonal ? -1 : 0; x <= (row.diagonal ? 1 : 0); ++x)
      {
        add(x, row.step[0], row.step[1]);
      }
    }
    for (int i = 0, half = count; i < half; ++i)
    {
      add(-steps[i].step[0], -steps[i].step[1], -steps[i].step[2]);
    }
  }
};

/** What every kernel needs to know of the voxels. */
template <typename T>
struct Volume
{
  const T *          voxels;
  VoxelRule<T>       rule;
  Extent             extent;
  std::int64_t       wordsPerRow;
  const DeviceWord * foreground;

  __device__ bool
  IsForeground(std::int64_t x, std::int64_t y, std::int64_t z) const
  {
    const std::int64_t row = z * extent.size[1] + y;
    return (foreground[row * wordsPerRow + x / BitsPerDeviceWord] >> (x % BitsPerDeviceWord)) & 1u;
  }
  __device__ std::int64_t
  IndexOf(std::int64_t x, std::int64_t y, std::int64_t z) const
  {
    return (z * extent.size[1] + y) * extent.size[0] + x;
  }
  __device__ bool
  AreJoined(std::int64_t a, std::int64_t b) const
  {
    return rule.AreJoined(voxels + a * rule.channels, voxels + b * rule.channels);
  }
};

/** Kernel 1: one brick per block, solved in shared memory. */
template <typename T, typename TIndex>
__global__ void
SolveBricksKernel(const __grid_constant__ Volume<T>      volume,
                  const __grid_constant__ NeighbourSteps steps,
                  BrickShape                             brick,
                  std::int64_t                           bricksX,
                  std::int64_t                           bricksY,
                  std::int64_t                           bricks,
                  TIndex *                               parent)
{
  constexpr unsigned  background = 0xFFFFFFFFu;
  __shared__ unsigned local[MostBrickVoxels];
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
    const bool inside = x < volume.extent.size[0] && y < volume.extent.size[1] && z < volume.extent.size[2];
    const bool isForeground = inside && volume.IsForeground(x, y, z);
    const std::int64_t voxel = volume.IndexOf(x, y, z);
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
        const int neighbour = (nz * brick.size[1] + ny) * brick.size[0] + nx;
        if (BlockAccess::Load(local + neighbour) != background &&
            volume.AreJoined(voxel, volume.IndexOf(x0 + nx, y0 + ny, z0 + nz)))
        {
          Unite<BlockAccess>(local, static_cast<unsigned>(thread), static_cast<unsigned>(neighbour));
        }
      }
    }
    __syncthreads();
    if (isForeground)
    {
      const int root = static_cast<int>(PeekRoot<BlockAccess>(local, static_cast<unsigned>(thread)));
      parent[voxel] = static_cast<TIndex>(volume.IndexOf(x0 + root % brick.size[0],
                                                         y0 + root / brick.size[0] % brick.size[1],
                                                         z0 + root / (brick.size[0] * brick.size[1])));
    }
    else if (inside)
    {
      parent[voxel] = static_cast<TIndex>(voxel);
    }
    __syncthreads();
  }
}

/** The planes between bricks that are merged at one level, for all three axes: along each, those before voxel
 *  first, first + pitch, first + 2 pitch ... */
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

  /** The voxel behind a plane that is the i-th of all; returns the plane's axis. */
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
MergeBordersKernel(const __grid_constant__ Volume<T>      volume,
                   const __grid_constant__ NeighbourSteps steps,
                   const __grid_constant__ Borders        borders,
                   TIndex *                               parent)
{
  for (std::int64_t i = ThreadIndex(); i < borders.Voxels(); i += ThreadCount())
  {
    std::int64_t at[3];
    const int    axis = borders.Locate(i, volume.extent, at);
    if (!volume.IsForeground(at[0], at[1], at[2]))
    {
      continue;
    }
    const std::int64_t voxel = volume.IndexOf(at[0], at[1], at[2]);
    for (int s = 0; s < steps.count; ++s)
    {
      const auto & step = steps.steps[s].step;
      if (step[axis] != -1)
      {
        continue;
      }
      const std::int64_t to[3] = { at[0] + step[0], at[1] + step[1], at[2] + step[2] };
      bool               inside = true;
      for (int k = 0; k < 3; ++k)
      {
        inside = inside && to[k] >= 0 && to[k] < volume.extent.size[k];
      }
      if (inside && volume.IsForeground(to[0], to[1], to[2]))
      {
        const std::int64_t neighbour = volume.IndexOf(to[0], to[1], to[2]);
        if (volume.AreJoined(voxel, neighbour))
        {
          Unite<CachedAccess>(parent, static_cast<TIndex>(voxel), static_cast<TIndex>(neighbour));
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
    for (int side = 0; side < 2; ++side, --at[axis])
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

/** Kernel 4: flattens every voxel. */
template <typename TIndex>
__global__ void
FlattenAllKernel(std::int64_t voxels, TIndex * parent)
{
  for (std::int64_t voxel = ThreadIndex(); voxel < voxels; voxel += ThreadCount())
  {
    const TIndex root = PeekRoot<GlobalAccess>(parent, static_cast<TIndex>(voxel));
    if (root != static_cast<TIndex>(voxel))
    {
      GlobalAccess::Store(parent + voxel, root);
    }
  }
}

/** The roots in a word of a row, as bits. */
template <typename TIndex>
__device__ DeviceWord
RootsOf(const WordGrid & grid, const DeviceWord * foreground, const TIndex * parent, std::int64_t word)
{
  std::int64_t row, wordOfRow;
  grid.Locate(word, row, wordOfRow);
  const std::int64_t voxel = row * grid.extent.RowLength() + wordOfRow * BitsPerDeviceWord;
  DeviceWord         roots = 0;
  for (DeviceWord rest = foreground[word]; rest != 0; rest &= rest - 1)
  {
    const std::int64_t place = voxel + __ffs(static_cast<int>(rest)) - 1;
    if (parent[place] == static_cast<TIndex>(place))
    {
      roots |= rest & (0u - rest);
    }
  }
  return roots;
}

template <typename TIndex>
__global__ void
MarkRootsKernel(WordGrid grid, const DeviceWord * foreground, const TIndex * parent, TIndex * counts, DeviceWord * roots)
{
  for (std::int64_t word = ThreadIndex(); word <= grid.words; word += ThreadCount())
  {
    const DeviceWord bits = word < grid.words ? RootsOf(grid, foreground, parent, word) : 0u;
    counts[word] = static_cast<TIndex>(__popc(bits));
    if (word < grid.words)
    {
      roots[word] = bits;
    }
  }
}

/** Replaces each voxel's root, which is the first voxel of its component, by its number among all roots. */
template <typename TIndex>
__global__ void
NumberVoxelsKernel(WordGrid           grid,
                   const DeviceWord * foreground,
                   const DeviceWord * roots,
                   const TIndex *     rootsBefore,
                   TIndex *           parent)
{
  const std::int64_t voxels = grid.extent.VoxelCount();
  const std::int64_t length = grid.extent.RowLength();
  for (std::int64_t voxel = ThreadIndex(); voxel < voxels; voxel += ThreadCount())
  {
    const std::int64_t row = voxel / length;
    const std::int64_t x = voxel - row * length;
    const DeviceWord   bits = foreground[row * grid.wordsPerRow + x / BitsPerDeviceWord];
    TIndex             label = 0;
    if ((bits >> (x % BitsPerDeviceWord)) & 1u)
    {
      const auto         root = static_cast<std::int64_t>(parent[voxel]);
      const std::int64_t rootRow = root / length;
      const std::int64_t rootX = root - rootRow * length;
      const std::int64_t word = rootRow * grid.wordsPerRow + rootX / BitsPerDeviceWord;
      label = rootsBefore[word] +
              static_cast<TIndex>(__popc(roots[word] & BitsUpToLane(static_cast<int>(rootX % BitsPerDeviceWord))));
    }
    parent[voxel] = label;
  }
}

template <typename TIndex, typename TLabel>
__global__ void
WriteLabelsKernel(std::int64_t voxels, const TIndex * from, TLabel * to)
{
  for (std::int64_t voxel = ThreadIndex(); voxel < voxels; voxel += ThreadCount())
  {
    to[voxel] = static_cast<TLabel>(from[voxel]);
  }
}

/** Gives every run the label of its first voxel. */
template <typename TIndex>
__global__ void
LabelRunsKernel(WordGrid           grid,
                const DeviceWord * foreground,
                const DeviceWord * starts,
                const TIndex *     runsBefore,
                const TIndex *     labels,
                TIndex *           labelOfRun)
{
  for (std::int64_t word = ThreadIndex(); word < grid.words; word += ThreadCount())
  {
    std::int64_t row, wordOfRow;
    grid.Locate(word, row, wordOfRow);
    const std::int64_t voxel = row * grid.extent.RowLength() + wordOfRow * BitsPerDeviceWord;
    TIndex             run = runsBefore[word];
    for (DeviceWord rest = StartsOf(foreground, starts, word, wordOfRow); rest != 0; rest &= rest - 1)
    {
      labelOfRun[run++] = labels[voxel + __ffs(static_cast<int>(rest)) - 1];
    }
  }
}

} // namespace

template <typename TIndex>
std::uint64_t
BrickMerging(const DeviceProblem & problem, BrickMergingMemory<TIndex> & memory, cudaStream_t stream)
{
  const Extent & extent = problem.image.extent;
  if (extent.dimension > 3)
  {
    throw Unsupported("BrickMerging labels images of 1 to 3 dimensions; use RunMerging for " +
                      std::to_string(extent.dimension));
  }
  RunTable<TIndex> & table = memory.table;
  const WordGrid     grid(extent);
  const auto         voxels = extent.VoxelCount();
  PackForeground(problem, table, stream);
  memory.parent.Resize(static_cast<std::size_t>(voxels));
  memory.rootsBefore.Resize(static_cast<std::size_t>(grid.words) + 1);
  table.starts.Resize(static_cast<std::size_t>(grid.words));
  TIndex * parent = memory.parent.Data();

  const BrickShape     brick = BrickShapeFor(extent);
  const NeighbourSteps steps(problem.connectivity);
  std::int64_t         bricks[3];
  int                  levels = 0;
  for (int axis = 0; axis < 3; ++axis)
  {
    bricks[axis] = (extent.size[axis] - 1) / brick.size[axis] + 1;
    while ((std::int64_t{ 1 } << levels) < bricks[axis])
    {
      ++levels;
    }
  }
  const std::int64_t brickCount = bricks[0] * bricks[1] * bricks[2];
  VisitScalarType(problem.image.type, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    const Volume<T> volume{ static_cast<const T *>(problem.image.data),
                            ToVoxelRule<T>(problem.criterion, problem.image.channels),
                            extent,
                            grid.wordsPerRow,
                            table.foreground.Data() };
    const auto      brickVoxels = static_cast<unsigned>(brick.Voxels());
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
    for (int level = 0; level < levels; ++level)
    {
      const Borders borders(extent, brick, level);
      if (level > 0)
      {
        BRICKCCL_LAUNCH(
          FlattenBordersKernel<TIndex>, ShapeFor(borders.Voxels()), stream, extent, borders, parent);
      }
      BRICKCCL_LAUNCH(
        (MergeBordersKernel<T, TIndex>), ShapeFor(borders.Voxels()), stream, volume, steps, borders, parent);
    }
  });
  BRICKCCL_LAUNCH(FlattenAllKernel<TIndex>, ShapeFor(voxels), stream, voxels, parent);

  // Until the runs are wanted, the table's starts hold the roots.
  BRICKCCL_LAUNCH(MarkRootsKernel<TIndex>,
                  ShapeFor(grid.words + 1),
                  stream,
                  grid,
                  table.foreground.Data(),
                  parent,
                  memory.rootsBefore.Data(),
                  table.starts.Data());
  ExclusiveSum(memory.rootsBefore.Data(), memory.rootsBefore.Data(), grid.words + 1, table.scratch, stream);
  BRICKCCL_LAUNCH(NumberVoxelsKernel<TIndex>,
                  ShapeFor(voxels),
                  stream,
                  grid,
                  table.foreground.Data(),
                  table.starts.Data(),
                  memory.rootsBefore.Data(),
                  parent);
  return table.fetched.Fetch(memory.rootsBefore.Data() + grid.words, stream);
}

template <typename TIndex>
void
WriteLabels(const Extent & extent, const BrickMergingMemory<TIndex> & memory, void * labels, LabelType type, cudaStream_t stream)
{
  VisitLabelType(type, [&](auto tag) {
    using TLabel = typename decltype(tag)::Type;
    BRICKCCL_LAUNCH((WriteLabelsKernel<TIndex, TLabel>),
                    ShapeFor(extent.VoxelCount()),
                    stream,
                    extent.VoxelCount(),
                    memory.parent.Data(),
                    static_cast<TLabel *>(labels));
  });
}

template <typename TIndex>
void
LabelRuns(const DeviceProblem & problem, BrickMergingMemory<TIndex> & memory, cudaStream_t stream)
{
  RunTable<TIndex> & table = memory.table;
  FindRuns(problem, table, stream);
  const WordGrid grid(problem.image.extent);
  BRICKCCL_LAUNCH(LabelRunsKernel<TIndex>,
                  ShapeFor(grid.words),
                  stream,
                  grid,
                  table.foreground.Data(),
                  table.Starts(),
                  table.runsBefore.Data(),
                  memory.parent.Data(),
                  table.labelOfRun.Data());
}

#define BRICKCCL_INSTANTIATE(TIndex)                                                                        \
  template std::uint64_t BrickMerging<TIndex>(const DeviceProblem &, BrickMergingMemory<TIndex> &, cudaStream_t); \
  template void          WriteLabels<TIndex>(                                                               \
    const Extent &, const BrickMergingMemory<TIndex> &, void *, LabelType, cudaStream_t);          \
  template void LabelRuns<TIndex>(const DeviceProblem &, BrickMergingMemory<TIndex> &, cudaStream_t)
BRICKCCL_INSTANTIATE(unsigned);
BRICKCCL_INSTANTIATE(unsigned long long);
#undef BRICKCCL_INSTANTIATE

} // namespace brickccl::cuda
