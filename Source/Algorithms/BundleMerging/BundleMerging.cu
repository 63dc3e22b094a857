#include "BrickCCL/Algorithms/BundleMerging/BundleMerging.cuh"

#include "BrickCCL/Forest/ForestDevice.cuh"

#include <algorithm>
#include <type_traits>

namespace brickccl::cuda
{

namespace
{

constexpr int WordsPerBrickRow = 4;
constexpr int WordsPerBrick = 256;
/** A word of 32 bits holds at most 16 runs. */
constexpr int RunsPerWord = 16;
constexpr int RunsPerBrick = WordsPerBrick * RunsPerWord;

/** How rows are bundled. All voxels of two neighbouring columns of a bundle must be neighbours of each other, so that a
 *  run of the bundle's united bits is connected. */
enum class Bundling
{
  /** One row: 4- and 6-connected. */
  Rows,
  /** Two rows along y: 8- and 18-connected. */
  Pairs,
  /** Two by two rows along y and z: 26-connected. */
  Squares
};

/** Rows in bundles in bricks; sizes are powers of two, given as shifts. Row r of a bundle is (y = r & 1, z = r >> 1). */
struct BundleGrid
{
  WordGrid     words;
  int          rowsShiftY;
  int          rowsShiftZ;
  int          bundlesShiftY;
  int          bundlesShiftZ;
  int          bundlesY;
  int          bundlesZ;
  int          bricksX;
  int          bricksY;
  int          bricksZ;
  std::int64_t bricks;

  BundleGrid(const Extent & extent, Bundling bundling)
    : words(extent)
  {
    const bool flat = extent.dimension < 3;
    rowsShiftY = bundling == Bundling::Rows ? 0 : 1;
    rowsShiftZ = bundling == Bundling::Squares ? 1 : 0;
    bundlesShiftY = flat ? 6 : 3;
    bundlesShiftZ = flat ? 0 : 3;
    const auto parts = [](std::int64_t size, int shift) {
      return static_cast<int>(((size - 1) >> shift) + 1);
    };
    bundlesY = parts(extent.size[1], rowsShiftY);
    bundlesZ = parts(extent.size[2], rowsShiftZ);
    bricksX = static_cast<int>((words.wordsPerRow + WordsPerBrickRow - 1) / WordsPerBrickRow);
    bricksY = parts(bundlesY, bundlesShiftY);
    bricksZ = parts(bundlesZ, bundlesShiftZ);
    bricks = std::int64_t{ bricksX } * bricksY * bricksZ;
  }
};

/** A word of a bundle: where it lies in the volume, in its brick and in the arrays of all bricks. */
struct Place
{
  int          word;
  int          bundleY;
  int          bundleZ;
  std::int64_t brick;
  int          local;

  /** \return false if there is no such word or bundle. */
  __device__ bool
  Set(const BundleGrid & grid, int atWord, int atY, int atZ)
  {
    if (atWord < 0 || atWord >= grid.words.wordsPerRow || atY < 0 || atY >= grid.bundlesY || atZ < 0 ||
        atZ >= grid.bundlesZ)
    {
      return false;
    }
    word = atWord;
    bundleY = atY;
    bundleZ = atZ;
    brick = (std::int64_t{ atZ >> grid.bundlesShiftZ } * grid.bricksY + (atY >> grid.bundlesShiftY)) * grid.bricksX +
            atWord / WordsPerBrickRow;
    const int y = atY & ((1 << grid.bundlesShiftY) - 1);
    const int z = atZ & ((1 << grid.bundlesShiftZ) - 1);
    local = ((z << grid.bundlesShiftY) + y) * WordsPerBrickRow + atWord % WordsPerBrickRow;
    return true;
  }

  __device__ std::int64_t
  Index() const
  {
    return brick * WordsPerBrick + local;
  }
};

/** The rows of one word of a bundle. */
struct RowWords
{
  DeviceWord row[4];

  __device__ DeviceWord
  United() const
  {
    return row[0] | row[1] | row[2] | row[3];
  }
};

__device__ inline std::int64_t
RowOf(const BundleGrid & grid, int bundleY, int bundleZ, int r)
{
  const std::int64_t y = (std::int64_t{ bundleY } << grid.rowsShiftY) + (r & 1);
  const std::int64_t z = (std::int64_t{ bundleZ } << grid.rowsShiftZ) + (r >> 1);
  const bool         inside = (r & 1) < (1 << grid.rowsShiftY) && (r >> 1) < (1 << grid.rowsShiftZ) &&
                      y < grid.words.extent.size[1] && z < grid.words.extent.size[2];
  return inside ? z * grid.words.extent.size[1] + y : -1;
}

__device__ inline RowWords
LoadRows(const BundleGrid & grid, const DeviceWord * foreground, int word, int bundleY, int bundleZ)
{
  RowWords rows;
#pragma unroll
  for (int r = 0; r < 4; ++r)
  {
    const std::int64_t row = RowOf(grid, bundleY, bundleZ, r);
    rows.row[r] = row < 0 ? 0u : foreground[row * grid.words.wordsPerRow + word];
  }
  return rows;
}

/** The four bundles before one in raster order of bundles. */
constexpr int BackwardBundles = 4;

__device__ inline void
BackwardBundle(int n, int & stepY, int & stepZ)
{
  stepY = n == 1 ? 0 : n == 3 ? 1 : -1;
  stepZ = n == 0 ? 0 : -1;
}

/** Links from bundle a to a bundle b before it, as bits of a: to the same x in b, to x - 1 and to x + 1. */
struct Links
{
  DeviceWord same;
  DeviceWord left;
  DeviceWord right;
};

/** A word and those before and after it in its row. */
struct Window
{
  DeviceWord before;
  DeviceWord word;
  DeviceWord after;

  __device__ DeviceWord
  Left() const
  {
    return (word << 1) | (before >> 31);
  }
  __device__ DeviceWord
  Right() const
  {
    return (word >> 1) | (after << 31);
  }
};

/** Links between two facing rows (or united rows) of which all voxels in reach are neighbours. A diagonal link beside
 *  a straight one says nothing new: one of the two runs goes on to where the straight link joins it to the other. */
__device__ inline Links
LinksOfRows(const Window & a, const Window & b)
{
  return { a.word & b.word,
           a.word & b.Left() & ~b.word & ~a.Left(),
           a.word & b.Right() & ~b.word & ~a.Right() };
}

/** The rows of a bundle's word and of those before and after it. */
struct RowWindows
{
  RowWords before;
  RowWords word;
  RowWords after;

  __device__ Window
  Row(int r) const
  {
    return { before.row[r], word.row[r], after.row[r] };
  }
  __device__ Window
  Rows(int r, int q) const
  {
    return { before.row[r] | before.row[q], word.row[r] | word.row[q], after.row[r] | after.row[q] };
  }
};

/** Links from a bundle to its n-th backward bundle. */
template <Bundling VBundling>
__device__ inline Links
LinksTo(int n, const RowWindows & a, const RowWindows & b)
{
  if (VBundling == Bundling::Rows)
  {
    return { n < 2 ? a.word.row[0] & b.word.row[0] : 0u, 0u, 0u };
  }
  if (VBundling == Bundling::Pairs)
  {
    switch (n)
    {
      case 0:
        return LinksOfRows(a.Row(0), b.Row(1));
      case 1: {
        // Across z voxels are neighbours at the same x for every y, and at x - 1 and x + 1 for the same y.
        const Links low = LinksOfRows(a.Row(0), b.Row(0));
        const Links high = LinksOfRows(a.Row(1), b.Row(1));
        return { a.word.United() & b.word.United(), low.left | high.left, low.right | high.right };
      }
      case 2:
        return { a.word.row[0] & b.word.row[1], 0u, 0u };
      default:
        return { a.word.row[1] & b.word.row[0], 0u, 0u };
    }
  }
  switch (n)
  {
    case 0:
      return LinksOfRows(a.Rows(0, 2), b.Rows(1, 3));
    case 1:
      return LinksOfRows(a.Rows(0, 1), b.Rows(2, 3));
    case 2:
      return LinksOfRows(a.Row(0), b.Row(3));
    default:
      return LinksOfRows(a.Row(1), b.Row(2));
  }
}

/** Of the links between the united bits of a and b, one for each pair of runs that they join, or few more. */
__device__ inline Links
WithoutRepeats(const Links & links, DeviceWord unitedA, DeviceWord unitedB)
{
  // Where both bundles have a run, the pair of runs is the same along the whole stretch, so links are moved there.
  const DeviceWord both = unitedA & unitedB;
  const DeviceWord left = links.left & ~both;
  const DeviceWord right = links.right & ~both;
  const DeviceWord contacts = links.same | (links.left & both) | (links.right & both) |
                              ((left & (unitedA << 1)) >> 1) | ((right & (unitedA >> 1)) << 1);
  // The first contact of every stretch: a carry runs from the stretch's begin through the bits without contact.
  const DeviceWord begins = both & ~(both << 1);
  const DeviceWord none = both & ~contacts;
  const DeviceWord firsts = (((none + (begins & none)) & ~none) & contacts) | (begins & contacts);
  return { firsts & both, left & ~(unitedA << 1), right & ~(unitedA >> 1) };
}

/** The n-th run that starts in a word of a brick. Runs of equal n lie side by side, so that the threads of a warp, one
 *  word each, use different banks and neighbouring places. */
__device__ inline unsigned
RunId(int local, int n)
{
  return static_cast<unsigned>(n * WordsPerBrick + local);
}

/** The run, within its brick, that covers bit x of a word with run starts `starts`. */
__device__ inline unsigned
RunOf(DeviceWord starts, unsigned carried, int local, int x)
{
  const int count = __popc(starts & BitsUpToLane(x));
  return count > 0 ? RunId(local, count - 1) : carried;
}

/** Reads, packs and solves one brick per block. */
template <typename T, Bundling VBundling>
__global__ void
SolveBricksKernel(const T *                            voxels,
                  const __grid_constant__ VoxelRule<T> rule,
                  const __grid_constant__ BundleGrid   grid,
                  const DeviceWord *                   mask,
                  DeviceWord *                         foreground,
                  DeviceWord *                         starts,
                  unsigned short *                     carried,
                  unsigned short *                     componentOfRun,
                  unsigned *                           firstComponent,
                  unsigned                             capacity,
                  unsigned *                           parent,
                  unsigned *                           firstVoxel,
                  unsigned *                           componentCount)
{
  __shared__ RowWords       rows[WordsPerBrick];
  __shared__ DeviceWord     startsOf[WordsPerBrick];
  // The forest of the brick's runs; later, when it is not needed any more, the first voxel of each component.
  __shared__ unsigned       local[RunsPerBrick];
  __shared__ unsigned short componentOf[RunsPerBrick];
  __shared__ unsigned       count;
  __shared__ unsigned       base;
  __shared__ bool           isEmpty;

  const int          self = static_cast<int>(threadIdx.x);
  const int          word = self % WordsPerBrickRow;
  const int          bundle = self / WordsPerBrickRow;
  const int          y = bundle & ((1 << grid.bundlesShiftY) - 1);
  const int          z = bundle >> grid.bundlesShiftY;
  const std::int64_t brick = blockIdx.x;
  const int brickX = static_cast<int>(blockIdx.x % static_cast<unsigned>(grid.bricksX));
  const int brickRow = static_cast<int>(blockIdx.x / static_cast<unsigned>(grid.bricksX));
  const int atWord = brickX * WordsPerBrickRow + word;
  const int bundleY = (brickRow % grid.bricksY << grid.bundlesShiftY) + y;
  const int bundleZ = (brickRow / grid.bricksY << grid.bundlesShiftZ) + z;
  if (self == 0)
  {
    count = 0;
    isEmpty = true;
  }
  __syncthreads();

  // Pixels become bits.
  RowWords own = {};
  if (atWord < grid.words.wordsPerRow)
  {
#pragma unroll
    for (int r = 0; r < 4; ++r)
    {
      const std::int64_t row = RowOf(grid, bundleY, bundleZ, r);
      if (row >= 0)
      {
        const std::int64_t place = row * grid.words.wordsPerRow + atWord;
        own.row[r] = PackWord(voxels, rule, grid.words.extent, row, std::int64_t{ atWord } * BitsPerDeviceWord);
        own.row[r] &= mask != nullptr ? mask[place] : 0xFFFFFFFFu;
        foreground[place] = own.row[r];
      }
    }
  }
  rows[self] = own;
  const DeviceWord united = own.United();
  if (united != 0)
  {
    isEmpty = false;
  }
  __syncthreads();
  if (isEmpty)
  {
    return;
  }

  // Runs of united bits within the brick.
  const DeviceWord before = word > 0 ? rows[self - 1].United() : 0u;
  const DeviceWord ownStarts = united & ~((united << 1) | (before >> 31));
  startsOf[self] = ownStarts;
  for (int run = 0; run < __popc(ownStarts); ++run)
  {
    local[RunId(self, run)] = RunId(self, run);
  }
  __syncthreads();
  const auto carriedInto = [&](int at) {
    unsigned run = 0;
    for (int back = at - 1; back >= at - at % WordsPerBrickRow; --back)
    {
      if (startsOf[back] != 0)
      {
        run = RunId(back, __popc(startsOf[back]) - 1);
        break;
      }
    }
    return run;
  };
  const unsigned ownCarried = carriedInto(self);

  const auto windowsOf = [&](int at) {
    RowWindows windows = {};
    windows.word = rows[at];
    if (word > 0)
    {
      windows.before = rows[at - 1];
    }
    if (word < WordsPerBrickRow - 1)
    {
      windows.after = rows[at + 1];
    }
    return windows;
  };

  // Links to the bundles before this one, as far as they lie in the brick.
  if (united != 0)
  {
#pragma unroll
    for (int n = 0; n < BackwardBundles; ++n)
    {
      int stepY, stepZ;
      BackwardBundle(n, stepY, stepZ);
      if (y + stepY < 0 || y + stepY >= (1 << grid.bundlesShiftY) || z + stepZ < 0)
      {
        continue;
      }
      const int        other = self + (stepZ * (1 << grid.bundlesShiftY) + stepY) * WordsPerBrickRow;
      const RowWords & b = rows[other];
      const Links      all = LinksTo<VBundling>(n, windowsOf(self), windowsOf(other));
      if ((all.same | all.left | all.right) == 0)
      {
        continue;
      }
      const Links    links = WithoutRepeats(all, united, b.United());
      const unsigned carriedB = carriedInto(other);
      for (DeviceWord rest = links.same; rest != 0; rest &= rest - 1)
      {
        const int x = __ffs(static_cast<int>(rest)) - 1;
        Unite<BlockAccess>(local, RunOf(ownStarts, ownCarried, self, x), RunOf(startsOf[other], carriedB, other, x));
      }
      for (DeviceWord rest = links.left; rest != 0; rest &= rest - 1)
      {
        const int x = __ffs(static_cast<int>(rest)) - 1;
        Unite<BlockAccess>(local,
              RunOf(ownStarts, ownCarried, self, x),
              x > 0 ? RunOf(startsOf[other], carriedB, other, x - 1)
                    : RunOf(startsOf[other - 1], carriedInto(other - 1), other - 1, 31));
      }
      for (DeviceWord rest = links.right; rest != 0; rest &= rest - 1)
      {
        const int x = __ffs(static_cast<int>(rest)) - 1;
        Unite<BlockAccess>(local,
              RunOf(ownStarts, ownCarried, self, x),
              x < 31 ? RunOf(startsOf[other], carriedB, other, x + 1)
                     : RunOf(startsOf[other + 1], carriedInto(other + 1), other + 1, 0));
      }
    }
  }
  __syncthreads();

  // Components of the brick, in any order: their final order is that of their first voxels.
  const int ownRuns = __popc(ownStarts);
  for (int run = 0; run < ownRuns; ++run)
  {
    const unsigned id = RunId(self, run);
    const unsigned root = PeekRoot<BlockAccess>(local, id);
    if (root == id)
    {
      componentOf[id] = static_cast<unsigned short>(atomicAdd(&count, 1u));
    }
    else
    {
      BlockAccess::Store(local + id, root);
    }
  }
  __syncthreads();
  const std::int64_t index = brick * WordsPerBrick + self;
  if (self == 0)
  {
    base = atomicAdd(componentCount, count);
    firstComponent[brick] = base;
  }
  starts[index] = ownStarts;
  carried[index] = static_cast<unsigned short>(ownCarried);
  for (int run = 0; run < ownRuns; ++run)
  {
    const unsigned       id = RunId(self, run);
    const unsigned short component = componentOf[local[id]];
    componentOf[id] = component;
    componentOfRun[brick * RunsPerBrick + id] = component;
  }
  __syncthreads();
  for (unsigned component = static_cast<unsigned>(self); component < count; component += WordsPerBrick)
  {
    local[component] = 0xFFFFFFFFu;
  }
  __syncthreads();
  // First voxels: of each stretch of united bits the first voxel of its first row that has one.
  for (DeviceWord rest = united; rest != 0;)
  {
    const int        x = __ffs(static_cast<int>(rest)) - 1;
    const DeviceWord carry = rest + (rest & (0u - rest));
    const DeviceWord stretch = rest & ~carry;
    rest &= carry;
    const unsigned component = componentOf[RunOf(ownStarts, ownCarried, self, x)];
#pragma unroll
    for (int r = 3; r >= 0; --r)
    {
      const DeviceWord bits = own.row[r] & stretch;
      // Only the first row that has a voxel here can tell: later ones are overwritten by it.
      if (bits != 0 && (r == 0 || ((own.row[0] | (r > 1 ? own.row[1] : 0u) | (r > 2 ? own.row[2] : 0u)) & stretch) == 0))
      {
        const std::int64_t voxel = RowOf(grid, bundleY, bundleZ, r) * grid.words.extent.RowLength() +
                                   std::int64_t{ atWord } * BitsPerDeviceWord + __ffs(static_cast<int>(bits)) - 1;
        if (BlockAccess::Load(local + component) > static_cast<unsigned>(voxel))
        {
          atomicMin(local + component, static_cast<unsigned>(voxel));
        }
      }
    }
  }
  __syncthreads();
  if (base + count <= capacity)
  {
    for (unsigned component = static_cast<unsigned>(self); component < count; component += WordsPerBrick)
    {
      parent[base + component] = base + component;
      firstVoxel[base + component] = local[component];
    }
  }
}

/** What the arrays of all bricks say of runs. */
struct BrickRuns
{
  const DeviceWord *     starts;
  const unsigned short * carried;
  const unsigned short * componentOfRun;
  const unsigned *       firstComponent;

  /** The component, among those of all bricks, that covers bit x of a word. */
  __device__ unsigned
  ComponentAt(const Place & place, int x) const
  {
    const std::int64_t index = place.Index();
    const unsigned     run = RunOf(starts[index], carried[index], place.local, x);
    return firstComponent[place.brick] + componentOfRun[place.brick * RunsPerBrick + run];
  }
};

/** Unites what a link of a bundle's word joins, for one link of each direction. */
struct BorderUnions
{
  const BundleGrid & grid;
  const BrickRuns &  runs;
  unsigned *         parent;

  __device__ void
  Unite(const Place & a, int x, const Place & b, int xInB) const
  {
    cuda::Unite<CachedAccess>(parent, runs.ComponentAt(a, x), runs.ComponentAt(b, xInB));
  }
  /** Unites across all links to a bundle whose word at the same x is `b`. */
  __device__ void
  UniteAll(const Links & links, const Place & a, const Place & b) const
  {
    for (DeviceWord rest = links.same; rest != 0; rest &= rest - 1)
    {
      const int x = __ffs(static_cast<int>(rest)) - 1;
      Unite(a, x, b, x);
    }
    for (DeviceWord rest = links.left; rest != 0; rest &= rest - 1)
    {
      const int x = __ffs(static_cast<int>(rest)) - 1;
      Place     at = b;
      if (x == 0)
      {
        at.Set(grid, b.word - 1, b.bundleY, b.bundleZ);
      }
      Unite(a, x, at, (x + 31) % 32);
    }
    for (DeviceWord rest = links.right; rest != 0; rest &= rest - 1)
    {
      const int x = __ffs(static_cast<int>(rest)) - 1;
      Place     at = b;
      if (x == 31)
      {
        at.Set(grid, b.word + 1, b.bundleY, b.bundleZ);
      }
      Unite(a, x, at, (x + 1) % 32);
    }
  }
};

__device__ inline RowWindows
LoadWindows(const BundleGrid & grid, const DeviceWord * foreground, int word, int bundleY, int bundleZ)
{
  RowWindows windows = {};
  windows.word = LoadRows(grid, foreground, word, bundleY, bundleZ);
  if (word > 0)
  {
    windows.before = LoadRows(grid, foreground, word - 1, bundleY, bundleZ);
  }
  if (word + 1 < grid.words.wordsPerRow)
  {
    windows.after = LoadRows(grid, foreground, word + 1, bundleY, bundleZ);
  }
  return windows;
}

/** Unites components across the borders of bricks along y and z: one thread per word of the bundles there. */
template <Bundling VBundling>
__global__ void
MergeSidesKernel(const __grid_constant__ BundleGrid grid,
                 const DeviceWord *                 foreground,
                 const __grid_constant__ BrickRuns  runs,
                 unsigned *                         parent)
{
  const int      maskY = (1 << grid.bundlesShiftY) - 1;
  const int      maskZ = (1 << grid.bundlesShiftZ) - 1;
  const auto     wordsPerRow = static_cast<unsigned>(grid.words.wordsPerRow);
  const auto     bundlesY = static_cast<unsigned>(grid.bundlesY);
  // First the bundles at the lower border along z, then, of all, those at the lower and the upper border along y.
  const unsigned planesZ = static_cast<unsigned>(grid.bricksZ);
  const unsigned planesY = 2 * static_cast<unsigned>(grid.bricksY);
  const unsigned first = planesZ * bundlesY * wordsPerRow;
  const unsigned count = first + planesY * static_cast<unsigned>(grid.bundlesZ) * wordsPerRow;
  for (std::int64_t i = ThreadIndex(); i < count; i += ThreadCount())
  {
    const bool     acrossZ = i < first;
    const unsigned at = static_cast<unsigned>(i) - (acrossZ ? 0u : first);
    const int      word = static_cast<int>(at % wordsPerRow);
    const unsigned bundle = at / wordsPerRow;
    int            bundleY, bundleZ;
    if (acrossZ)
    {
      bundleY = static_cast<int>(bundle % bundlesY);
      bundleZ = static_cast<int>(bundle / bundlesY) << grid.bundlesShiftZ;
    }
    else
    {
      const auto plane = static_cast<int>(bundle % planesY);
      bundleY = (plane / 2 << grid.bundlesShiftY) + (plane % 2) * maskY;
      bundleZ = static_cast<int>(bundle / planesY);
      // Those at the border along z have been taken; a plane may lie past the volume, or be both planes of a brick.
      if ((bundleZ & maskZ) == 0 || bundleY >= grid.bundlesY || (maskY == 0 && plane % 2 == 1))
      {
        continue;
      }
    }
    const RowWindows a = LoadWindows(grid, foreground, word, bundleY, bundleZ);
    if (a.word.United() == 0)
    {
      continue;
    }
    Place here;
    here.Set(grid, word, bundleY, bundleZ);
    const BorderUnions unions{ grid, runs, parent };
#pragma unroll
    for (int n = 0; n < BackwardBundles; ++n)
    {
      int stepY, stepZ;
      BackwardBundle(n, stepY, stepZ);
      Place there;
      if (!there.Set(grid, word, bundleY + stepY, bundleZ + stepZ) || there.brick == here.brick)
      {
        continue;
      }
      const RowWindows b = LoadWindows(grid, foreground, word, there.bundleY, there.bundleZ);
      const Links      links = LinksTo<VBundling>(n, a, b);
      if ((links.same | links.left | links.right) != 0)
      {
        unions.UniteAll(WithoutRepeats(links, a.word.United(), b.word.United()), here, there);
      }
    }
  }
}

/** Unites components across the borders of bricks along x: one thread per bundle there. */
template <Bundling VBundling>
__global__ void
MergeEndsKernel(const __grid_constant__ BundleGrid grid,
                const DeviceWord *                 foreground,
                const __grid_constant__ BrickRuns  runs,
                unsigned *                         parent)
{
  const auto     bundles = static_cast<unsigned>(grid.bundlesY) * static_cast<unsigned>(grid.bundlesZ);
  const unsigned count = bundles * static_cast<unsigned>(grid.bricksX - 1);
  for (std::int64_t i = ThreadIndex(); i < count; i += ThreadCount())
  {
    const unsigned bundle = static_cast<unsigned>(i) % bundles;
    const int      right = (static_cast<int>(static_cast<unsigned>(i) / bundles) + 1) * WordsPerBrickRow;
    const int      bundleY = static_cast<int>(bundle % static_cast<unsigned>(grid.bundlesY));
    const int      bundleZ = static_cast<int>(bundle / static_cast<unsigned>(grid.bundlesY));
    const RowWords leftRows = LoadRows(grid, foreground, right - 1, bundleY, bundleZ);
    const RowWords rightRows = LoadRows(grid, foreground, right, bundleY, bundleZ);
    const bool     endsLeft = (leftRows.United() >> 31) != 0;
    const bool     beginsRight = (rightRows.United() & 1u) != 0;
    if (!endsLeft && !beginsRight)
    {
      continue;
    }
    Place atLeft, atRight;
    atLeft.Set(grid, right - 1, bundleY, bundleZ);
    atRight.Set(grid, right, bundleY, bundleZ);
    const BorderUnions unions{ grid, runs, parent };
    if (endsLeft && beginsRight)
    {
      unions.Unite(atRight, 0, atLeft, 31);
    }
    if (VBundling == Bundling::Rows)
    {
      continue;
    }
    // Diagonal links within the same bricks' rows; those to other bricks are MergeSidesKernel's.
    const RowWords nothing = {};
#pragma unroll
    for (int n = 0; n < BackwardBundles; ++n)
    {
      int stepY, stepZ;
      BackwardBundle(n, stepY, stepZ);
      Place thereLeft, thereRight;
      if (!thereLeft.Set(grid, right - 1, bundleY + stepY, bundleZ + stepZ) || thereLeft.brick != atLeft.brick)
      {
        continue;
      }
      thereRight.Set(grid, right, bundleY + stepY, bundleZ + stepZ);
      const RowWords   otherLeft = LoadRows(grid, foreground, right - 1, thereLeft.bundleY, thereLeft.bundleZ);
      const RowWords   otherRight = LoadRows(grid, foreground, right, thereLeft.bundleY, thereLeft.bundleZ);
      const RowWindows aRight{ leftRows, rightRows, nothing };
      const RowWindows bRight{ otherLeft, otherRight, nothing };
      if (beginsRight && (LinksTo<VBundling>(n, aRight, bRight).left & 1u) != 0)
      {
        unions.Unite(atRight, 0, thereLeft, 31);
      }
      const RowWindows aLeft{ nothing, leftRows, rightRows };
      const RowWindows bLeft{ nothing, otherLeft, otherRight };
      if (endsLeft && (LinksTo<VBundling>(n, aLeft, bLeft).right >> 31) != 0)
      {
        unions.Unite(atLeft, 31, thereRight, 0);
      }
    }
  }
}

/** Points every component at its root, which learns the first of their first voxels. */
__global__ void
FlattenKernel(const unsigned * componentCount, unsigned * parent, unsigned * firstVoxel)
{
  for (std::int64_t node = ThreadIndex(); node < *componentCount; node += ThreadCount())
  {
    const unsigned root = PeekRoot<GlobalAccess>(parent, static_cast<unsigned>(node));
    if (root != static_cast<unsigned>(node))
    {
      GlobalAccess::Store(parent + node, root);
      if (GlobalAccess::Load(firstVoxel + root) > firstVoxel[node])
      {
        atomicMin(firstVoxel + root, firstVoxel[node]);
      }
    }
  }
}

__global__ void
MarkFirstsKernel(const unsigned * componentCount, const unsigned * parent, const unsigned * firstVoxel, DeviceWord * isFirst)
{
  for (std::int64_t node = ThreadIndex(); node < *componentCount; node += ThreadCount())
  {
    if (parent[node] == static_cast<unsigned>(node))
    {
      atomicOr(isFirst + firstVoxel[node] / BitsPerDeviceWord, 1u << (firstVoxel[node] % BitsPerDeviceWord));
    }
  }
}

__global__ void
CountFirstsKernel(std::int64_t words, const DeviceWord * isFirst, unsigned * counts)
{
  for (std::int64_t word = ThreadIndex(); word <= words; word += ThreadCount())
  {
    counts[word] = word < words ? static_cast<unsigned>(__popc(isFirst[word])) : 0u;
  }
}

/** Replaces each component's root by the number of the root's first voxel among all first voxels. */
__global__ void
NumberKernel(const unsigned *   componentCount,
             const unsigned *   firstVoxel,
             const DeviceWord * isFirst,
             const unsigned *   firstsBefore,
             unsigned *         parent)
{
  for (std::int64_t node = ThreadIndex(); node < *componentCount; node += ThreadCount())
  {
    const unsigned voxel = firstVoxel[parent[node]];
    const unsigned word = voxel / BitsPerDeviceWord;
    parent[node] = firstsBefore[word] +
                   static_cast<unsigned>(__popc(isFirst[word] & BitsUpToLane(static_cast<int>(voxel % BitsPerDeviceWord))));
  }
}

constexpr unsigned VoxelsPerThread = 4;
constexpr unsigned RowsPerThread = 4;

/** Four voxels of a row, on their way to labels. */
struct Quad
{
  unsigned         bits;
  unsigned         begin;
  unsigned         local;
  std::size_t      brick;
  DeviceWord       starts;
  unsigned         carried;
  const unsigned * labelOfBrick;
};

/** The label map: four voxels per thread and row, so that 16 bytes are written at once, and four rows per thread, so
 *  that the chains of loads from bits to labels overlap. */
template <typename TLabel>
__global__ void
WriteLabelsKernel(const __grid_constant__ BundleGrid   grid,
                  const DeviceWord * __restrict__      foreground,
                  const __grid_constant__ BrickRuns    runs,
                  const unsigned * __restrict__        labelOf,
                  unsigned                             threadsPerRow,
                  TLabel * __restrict__                labels)
{
  const auto     rowLength = static_cast<unsigned>(grid.words.extent.RowLength());
  const auto     rowCount = static_cast<unsigned>(grid.words.extent.RowCount());
  const auto     sizeY = static_cast<unsigned>(grid.words.extent.size[1]);
  const auto     wordsPerRow = static_cast<unsigned>(grid.words.wordsPerRow);
  const unsigned firstRow = (blockIdx.x * (blockDim.x / threadsPerRow) + threadIdx.x / threadsPerRow) * RowsPerThread;
  for (unsigned x = threadIdx.x % threadsPerRow * VoxelsPerThread; x < rowLength; x += threadsPerRow * VoxelsPerThread)
  {
    const unsigned word = x / BitsPerDeviceWord;
    Quad           quads[RowsPerThread];
#pragma unroll
    for (unsigned k = 0; k < RowsPerThread; ++k)
    {
      const unsigned row = firstRow + k;
      quads[k].begin = x % BitsPerDeviceWord;
      quads[k].bits =
        row < rowCount ? (__ldg(foreground + std::size_t{ row } * wordsPerRow + word) >> quads[k].begin) & 0xFu : 0u;
    }
#pragma unroll
    for (unsigned k = 0; k < RowsPerThread; ++k)
    {
      if (quads[k].bits != 0)
      {
        const unsigned row = firstRow + k;
        const unsigned z = row / sizeY;
        const unsigned bundleY = (row - z * sizeY) >> grid.rowsShiftY;
        const unsigned bundleZ = z >> grid.rowsShiftZ;
        quads[k].brick = ((bundleZ >> grid.bundlesShiftZ) * static_cast<unsigned>(grid.bricksY) +
                          (bundleY >> grid.bundlesShiftY)) *
                           static_cast<unsigned>(grid.bricksX) +
                         word / WordsPerBrickRow;
        quads[k].local = (((bundleZ & ((1u << grid.bundlesShiftZ) - 1)) << grid.bundlesShiftY) +
                          (bundleY & ((1u << grid.bundlesShiftY) - 1))) *
                           WordsPerBrickRow +
                         word % WordsPerBrickRow;
        const std::size_t index = quads[k].brick * WordsPerBrick + quads[k].local;
        quads[k].starts = __ldg(runs.starts + index);
        quads[k].carried = __ldg(runs.carried + index);
        quads[k].labelOfBrick = labelOf + __ldg(runs.firstComponent + quads[k].brick);
      }
    }
    TLabel values[RowsPerThread][VoxelsPerThread] = {};
#pragma unroll
    for (unsigned k = 0; k < RowsPerThread; ++k)
    {
      if (quads[k].bits != 0)
      {
        const Quad & quad = quads[k];
        const auto   labelAt = [&](unsigned i) {
          const unsigned run =
            RunOf(quad.starts, quad.carried, static_cast<int>(quad.local), static_cast<int>(quad.begin + i));
          return static_cast<TLabel>(
            __ldg(quad.labelOfBrick + __ldg(runs.componentOfRun + quad.brick * RunsPerBrick + run)));
        };
        const auto   low = static_cast<unsigned>(__ffs(static_cast<int>(quad.bits)) - 1);
        const TLabel label = labelAt(low);
        // Most often all four voxels lie in one run: none starts after the first of them.
        const bool oneRun = (quad.starts & BitsUpToLane(static_cast<int>(quad.begin + VoxelsPerThread) - 1) &
                             ~BitsUpToLane(static_cast<int>(quad.begin + low))) == 0;
#pragma unroll
        for (unsigned i = 0; i < VoxelsPerThread; ++i)
        {
          values[k][i] = ((quad.bits >> i) & 1u) == 0 ? TLabel(0) : oneRun || i == low ? label : labelAt(i);
        }
      }
    }
#pragma unroll
    for (unsigned k = 0; k < RowsPerThread; ++k)
    {
      TLabel * place = labels + std::size_t{ firstRow + k } * rowLength + x;
      if (firstRow + k >= rowCount)
      {
        break;
      }
      if (sizeof(TLabel) == 4 && x + VoxelsPerThread <= rowLength && reinterpret_cast<std::uintptr_t>(place) % 16 == 0)
      {
        __stcs(reinterpret_cast<uint4 *>(place),
               make_uint4(static_cast<unsigned>(values[k][0]),
                          static_cast<unsigned>(values[k][1]),
                          static_cast<unsigned>(values[k][2]),
                          static_cast<unsigned>(values[k][3])));
      }
      else
      {
        for (unsigned i = 0; i < VoxelsPerThread && x + i < rowLength; ++i)
        {
          place[i] = values[k][i];
        }
      }
    }
  }
}

/** Gives every run of a row the label of its first voxel. */
__global__ void
LabelRunsKernel(const __grid_constant__ BundleGrid grid,
                const DeviceWord *                 foreground,
                const __grid_constant__ BrickRuns  runs,
                const unsigned *                   labelOf,
                const unsigned *                   runsBefore,
                unsigned *                         labelOfRun)
{
  for (std::int64_t word = ThreadIndex(); word < grid.words.words; word += ThreadCount())
  {
    std::int64_t row, wordOfRow;
    grid.words.Locate(word, row, wordOfRow);
    const auto z = static_cast<unsigned>(row) / static_cast<unsigned>(grid.words.extent.size[1]);
    const auto y = static_cast<unsigned>(row) - z * static_cast<unsigned>(grid.words.extent.size[1]);
    Place      place;
    place.Set(grid,
              static_cast<int>(wordOfRow),
              static_cast<int>(y >> grid.rowsShiftY),
              static_cast<int>(z >> grid.rowsShiftZ));
    unsigned run = runsBefore[word];
    for (DeviceWord rest = StartsOf(foreground, nullptr, word, wordOfRow); rest != 0; rest &= rest - 1)
    {
      labelOfRun[run++] = labelOf[runs.ComponentAt(place, __ffs(static_cast<int>(rest)) - 1)];
    }
  }
}

Bundling
BundlingFor(const Connectivity & connectivity)
{
  return connectivity.Rank() == 1 ? Bundling::Rows : connectivity.Rank() == 2 ? Bundling::Pairs : Bundling::Squares;
}

BrickRuns
RunsOf(const BundleMergingMemory & memory)
{
  return { memory.starts.Data(), memory.carried.Data(), memory.componentOfRun.Data(), memory.firstComponent.Data() };
}

/** A grid that fills any device, for kernels over a count that only the device knows. */
LaunchShape
ShapeForUnknown()
{
  return { dim3(1024), dim3(ThreadsPerBlock) };
}

template <typename TFunction>
void
VisitBundling(Bundling bundling, TFunction && function)
{
  switch (bundling)
  {
    case Bundling::Rows:
      return function(std::integral_constant<Bundling, Bundling::Rows>{});
    case Bundling::Pairs:
      return function(std::integral_constant<Bundling, Bundling::Pairs>{});
    case Bundling::Squares:
      return function(std::integral_constant<Bundling, Bundling::Squares>{});
  }
}

} // namespace

std::uint64_t
BundleMerging(const DeviceProblem & problem, BundleMergingMemory & memory, cudaStream_t stream)
{
  const Extent &   extent = problem.image.extent;
  const Bundling   bundling = BundlingFor(problem.connectivity);
  const BundleGrid grid(extent, bundling);
  const auto       words = static_cast<std::size_t>(grid.words.words);
  const auto       bricks = static_cast<std::size_t>(grid.bricks);
  memory.table.foreground.Resize(words);
  memory.starts.Resize(bricks * WordsPerBrick);
  memory.carried.Resize(bricks * WordsPerBrick);
  memory.componentOfRun.Resize(bricks * RunsPerBrick);
  memory.firstComponent.Resize(bricks);
  memory.componentCount.Resize(1);
  const auto voxelWords = static_cast<std::int64_t>((extent.VoxelCount() - 1) / BitsPerDeviceWord + 1);
  memory.isFirst.Resize(static_cast<std::size_t>(voxelWords));
  memory.firstsBefore.Resize(static_cast<std::size_t>(voxelWords) + 1);
  memory.capacity = std::max(memory.capacity, static_cast<std::size_t>(extent.VoxelCount() / 32 + 1024));

  DeviceWord * mask = nullptr;
  if (problem.mask)
  {
    PackForeground<unsigned>(*problem.mask, Criterion::Foreground(0), nullptr, memory.table.foreground.Data(), stream);
    mask = memory.table.foreground.Data();
  }
  for (;;)
  {
    memory.parent.Resize(memory.capacity);
    memory.firstVoxel.Resize(memory.capacity);
    BRICKCCL_CUDA_CHECK(cudaMemsetAsync(memory.componentCount.Data(), 0, sizeof(unsigned), stream));
    VisitBundling(bundling, [&](auto tag) {
      constexpr Bundling kind = decltype(tag)::value;
      VisitScalarType(problem.image.type, [&](auto typeTag) {
        using T = typename decltype(typeTag)::Type;
        BRICKCCL_LAUNCH_BLOCKS((SolveBricksKernel<T, kind>),
                               ShapeFor(grid.bricks * WordsPerBrick, WordsPerBrick),
                               stream,
                               static_cast<const T *>(problem.image.data),
                               ToVoxelRule<T>(problem.criterion, problem.image.channels),
                               grid,
                               mask,
                               memory.table.foreground.Data(),
                               memory.starts.Data(),
                               memory.carried.Data(),
                               memory.componentOfRun.Data(),
                               memory.firstComponent.Data(),
                               static_cast<unsigned>(memory.capacity),
                               memory.parent.Data(),
                               memory.firstVoxel.Data(),
                               memory.componentCount.Data());
      });
    });
    // Room for one component of a brick in 32 voxels is enough for all but noise; noise is solved once more.
    const std::size_t found = memory.table.fetched.Fetch(memory.componentCount.Data(), stream);
    if (found <= memory.capacity)
    {
      break;
    }
    memory.capacity = found;
  }
  BRICKCCL_CUDA_CHECK(
    cudaMemsetAsync(memory.isFirst.Data(), 0, static_cast<std::size_t>(voxelWords) * sizeof(DeviceWord), stream));
  VisitBundling(bundling, [&](auto tag) {
    constexpr Bundling kind = decltype(tag)::value;
    const std::int64_t sides = grid.words.wordsPerRow * (std::int64_t{ grid.bricksZ } * grid.bundlesY +
                                                         std::int64_t{ 2 } * grid.bricksY * grid.bundlesZ);
    BRICKCCL_LAUNCH(MergeSidesKernel<kind>,
                    ShapeFor(sides),
                    stream,
                    grid,
                    memory.table.foreground.Data(),
                    RunsOf(memory),
                    memory.parent.Data());
    const std::int64_t ends = std::int64_t{ grid.bundlesY } * grid.bundlesZ * (grid.bricksX - 1);
    if (ends > 0)
    {
      BRICKCCL_LAUNCH(MergeEndsKernel<kind>,
                      ShapeFor(ends),
                      stream,
                      grid,
                      memory.table.foreground.Data(),
                      RunsOf(memory),
                      memory.parent.Data());
    }
  });
  BRICKCCL_LAUNCH(FlattenKernel,
                  ShapeForUnknown(),
                  stream,
                  memory.componentCount.Data(),
                  memory.parent.Data(),
                  memory.firstVoxel.Data());
  BRICKCCL_LAUNCH(MarkFirstsKernel,
                  ShapeForUnknown(),
                  stream,
                  memory.componentCount.Data(),
                  memory.parent.Data(),
                  memory.firstVoxel.Data(),
                  memory.isFirst.Data());
  BRICKCCL_LAUNCH(CountFirstsKernel,
                  ShapeFor(voxelWords + 1),
                  stream,
                  voxelWords,
                  memory.isFirst.Data(),
                  memory.firstsBefore.Data());
  ExclusiveSum(memory.firstsBefore.Data(), memory.firstsBefore.Data(), voxelWords + 1, memory.table.scratch, stream);
  BRICKCCL_LAUNCH(NumberKernel,
                  ShapeForUnknown(),
                  stream,
                  memory.componentCount.Data(),
                  memory.firstVoxel.Data(),
                  memory.isFirst.Data(),
                  memory.firstsBefore.Data(),
                  memory.parent.Data());
  return memory.table.fetched.Fetch(memory.firstsBefore.Data() + voxelWords, stream);
}

void
WriteLabels(const DeviceProblem &       problem,
            const BundleMergingMemory & memory,
            void *                      labels,
            LabelType                   type,
            cudaStream_t                stream)
{
  const BundleGrid grid(problem.image.extent, BundlingFor(problem.connectivity));
  VisitLabelType(type, [&](auto tag) {
    using TLabel = typename decltype(tag)::Type;
    // As many threads per row as it has quads of voxels, up to a block.
    const Extent & extent = problem.image.extent;
    unsigned       threadsPerRow = ThreadsPerBlock;
    while (threadsPerRow > 32 && VoxelsPerThread * threadsPerRow / 2 >= extent.RowLength())
    {
      threadsPerRow /= 2;
    }
    const std::int64_t rowsPerBlock = RowsPerThread * (ThreadsPerBlock / threadsPerRow);
    BRICKCCL_LAUNCH(WriteLabelsKernel<TLabel>,
                    ShapeFor((extent.RowCount() + rowsPerBlock - 1) / rowsPerBlock * ThreadsPerBlock),
                    stream,
                    grid,
                    memory.table.foreground.Data(),
                    RunsOf(memory),
                    memory.parent.Data(),
                    threadsPerRow,
                    static_cast<TLabel *>(labels));
  });
}

void
LabelRuns(const DeviceProblem & problem, BundleMergingMemory & memory, cudaStream_t stream)
{
  const BundleGrid grid(problem.image.extent, BundlingFor(problem.connectivity));
  FindRuns(problem, memory.table, stream);
  BRICKCCL_LAUNCH(LabelRunsKernel,
                  ShapeFor(grid.words.words),
                  stream,
                  grid,
                  memory.table.foreground.Data(),
                  RunsOf(memory),
                  memory.parent.Data(),
                  memory.table.runsBefore.Data(),
                  memory.table.labelOfRun.Data());
}

} // namespace brickccl::cuda
