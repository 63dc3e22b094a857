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

/** Links between two facing rows (or united rows) of which all voxels in reach are neighbours. */
__device__ inline Links
LinksOfRows(DeviceWord a, DeviceWord before, DeviceWord b, DeviceWord after)
{
  return { a & b, a & ((b << 1) | (before >> 31)), a & ((b >> 1) | (after << 31)) };
}

/** Links to the n-th backward bundle, whose words before and after the one at the same x are given too. */
template <Bundling VBundling>
__device__ inline Links
LinksTo(int n, const RowWords & a, const RowWords & before, const RowWords & b, const RowWords & after)
{
  if (VBundling == Bundling::Rows)
  {
    return { n < 2 ? a.row[0] & b.row[0] : 0u, 0u, 0u };
  }
  if (VBundling == Bundling::Pairs)
  {
    switch (n)
    {
      case 0:
        return LinksOfRows(a.row[0], before.row[1], b.row[1], after.row[1]);
      case 1: {
        // Across z voxels are neighbours at the same x for every y, and at x - 1 and x + 1 for the same y.
        const Links low = LinksOfRows(a.row[0], before.row[0], b.row[0], after.row[0]);
        const Links high = LinksOfRows(a.row[1], before.row[1], b.row[1], after.row[1]);
        return { a.United() & b.United(), low.left | high.left, low.right | high.right };
      }
      case 2:
        return { a.row[0] & b.row[1], 0u, 0u };
      default:
        return { a.row[1] & b.row[0], 0u, 0u };
    }
  }
  switch (n)
  {
    case 0:
      return LinksOfRows(a.row[0] | a.row[2],
                         before.row[1] | before.row[3],
                         b.row[1] | b.row[3],
                         after.row[1] | after.row[3]);
    case 1:
      return LinksOfRows(a.row[0] | a.row[1],
                         before.row[2] | before.row[3],
                         b.row[2] | b.row[3],
                         after.row[2] | after.row[3]);
    case 2:
      return LinksOfRows(a.row[0], before.row[3], b.row[3], after.row[3]);
    default:
      return LinksOfRows(a.row[1], before.row[2], b.row[2], after.row[2]);
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

/** The run, within its brick, that covers bit x of a word with run starts `starts`. */
__device__ inline unsigned
RunOf(DeviceWord starts, unsigned carried, int local, int x)
{
  const int count = __popc(starts & BitsUpToLane(x));
  return count > 0 ? static_cast<unsigned>(local * RunsPerWord + count - 1) : carried;
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
  __shared__ unsigned       local[RunsPerBrick];
  __shared__ unsigned       first[RunsPerBrick];
  __shared__ unsigned short componentOf[RunsPerBrick];
  __shared__ unsigned       count;
  __shared__ unsigned       base;

  const int self = static_cast<int>(threadIdx.x);
  const int word = self % WordsPerBrickRow;
  const int bundle = self / WordsPerBrickRow;
  const int y = bundle & ((1 << grid.bundlesShiftY) - 1);
  const int z = bundle >> grid.bundlesShiftY;
  for (std::int64_t brick = blockIdx.x; brick < grid.bricks; brick += gridDim.x)
  {
    const int brickX = static_cast<int>(brick % grid.bricksX);
    const int brickY = static_cast<int>(brick / grid.bricksX % grid.bricksY);
    const int brickZ = static_cast<int>(brick / grid.bricksX / grid.bricksY);
    const int atWord = brickX * WordsPerBrickRow + word;
    const int bundleY = (brickY << grid.bundlesShiftY) + y;
    const int bundleZ = (brickZ << grid.bundlesShiftZ) + z;

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
    if (self == 0)
    {
      count = 0;
    }
    const DeviceWord united = own.United();
    __syncthreads();

    // Runs of united bits within the brick.
    const DeviceWord before = word > 0 ? rows[self - 1].United() : 0u;
    const DeviceWord ownStarts = united & ~((united << 1) | (before >> 31));
    startsOf[self] = ownStarts;
    for (int run = 0; run < __popc(ownStarts); ++run)
    {
      local[self * RunsPerWord + run] = static_cast<unsigned>(self * RunsPerWord + run);
    }
    __syncthreads();
    const auto carriedInto = [&](int at) {
      unsigned run = 0;
      for (int back = at - 1; back >= at - at % WordsPerBrickRow; --back)
      {
        if (startsOf[back] != 0)
        {
          run = static_cast<unsigned>(back * RunsPerWord + __popc(startsOf[back]) - 1);
          break;
        }
      }
      return run;
    };
    const unsigned ownCarried = carriedInto(self);

    // Links to the bundles before this one, as far as they lie in the brick.
    if (united != 0)
    {
      for (int n = 0; n < BackwardBundles; ++n)
      {
        int stepY, stepZ;
        BackwardBundle(n, stepY, stepZ);
        if (y + stepY < 0 || y + stepY >= (1 << grid.bundlesShiftY) || z + stepZ < 0)
        {
          continue;
        }
        const int        other = self + ((stepZ << grid.bundlesShiftY) + stepY) * WordsPerBrickRow;
        const RowWords   nothing = {};
        const RowWords & b = rows[other];
        const Links      all = LinksTo<VBundling>(n,
                                             own,
                                             word > 0 ? rows[other - 1] : nothing,
                                             b,
                                             word < WordsPerBrickRow - 1 ? rows[other + 1] : nothing);
        if ((all.same | all.left | all.right) == 0)
        {
          continue;
        }
        const Links    links = WithoutRepeats(all, united, b.United());
        const unsigned carriedB = carriedInto(other);
        for (DeviceWord rest = links.same; rest != 0; rest &= rest - 1)
        {
          const int x = __ffs(static_cast<int>(rest)) - 1;
          Unite(local, RunOf(ownStarts, ownCarried, self, x), RunOf(startsOf[other], carriedB, other, x));
        }
        for (DeviceWord rest = links.left; rest != 0; rest &= rest - 1)
        {
          const int x = __ffs(static_cast<int>(rest)) - 1;
          Unite(local,
                RunOf(ownStarts, ownCarried, self, x),
                x > 0 ? RunOf(startsOf[other], carriedB, other, x - 1)
                      : RunOf(startsOf[other - 1], carriedInto(other - 1), other - 1, 31));
        }
        for (DeviceWord rest = links.right; rest != 0; rest &= rest - 1)
        {
          const int x = __ffs(static_cast<int>(rest)) - 1;
          Unite(local,
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
      const unsigned id = static_cast<unsigned>(self * RunsPerWord + run);
      if (Load(local + id) == id)
      {
        const unsigned component = atomicAdd(&count, 1u);
        componentOf[id] = static_cast<unsigned short>(component);
        first[component] = 0xFFFFFFFFu;
      }
    }
    __syncthreads();
    if (self == 0)
    {
      base = atomicAdd(componentCount, count);
      firstComponent[brick] = base;
    }
    const std::int64_t index = brick * WordsPerBrick + self;
    starts[index] = ownStarts;
    carried[index] = static_cast<unsigned short>(ownCarried);
    for (int run = 0; run < ownRuns; ++run)
    {
      const unsigned id = static_cast<unsigned>(self * RunsPerWord + run);
      componentOfRun[brick * RunsPerBrick + id] = componentOf[PeekRoot(local, id)];
    }
    // First voxels: of each stretch of united bits the first voxel of its first row that has one.
    for (DeviceWord rest = united; rest != 0;)
    {
      const int        x = __ffs(static_cast<int>(rest)) - 1;
      const DeviceWord carry = rest + (rest & (0u - rest));
      const DeviceWord stretch = rest & ~carry;
      rest &= carry;
      const unsigned component = componentOf[PeekRoot(local, RunOf(ownStarts, ownCarried, self, x))];
      for (int r = 0; r < 4; ++r)
      {
        const DeviceWord bits = own.row[r] & stretch;
        if (bits != 0)
        {
          const std::int64_t voxel = RowOf(grid, bundleY, bundleZ, r) * grid.words.extent.RowLength() +
                                     std::int64_t{ atWord } * BitsPerDeviceWord + __ffs(static_cast<int>(bits)) - 1;
          atomicMin(first + component, static_cast<unsigned>(voxel));
          break;
        }
      }
    }
    __syncthreads();
    if (base + count <= capacity)
    {
      for (unsigned component = static_cast<unsigned>(self); component < count; component += WordsPerBrick)
      {
        parent[base + component] = base + component;
        firstVoxel[base + component] = first[component];
      }
    }
    __syncthreads();
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

/** Unites components of bricks across their borders: one thread per word of a bundle, most of which leave at once. */
template <Bundling VBundling>
__global__ void
MergeBordersKernel(const __grid_constant__ BundleGrid grid,
                   const DeviceWord *                 foreground,
                   const __grid_constant__ BrickRuns  runs,
                   unsigned *                         parent)
{
  const std::int64_t count = std::int64_t{ grid.bundlesY } * grid.bundlesZ * grid.words.wordsPerRow;
  for (std::int64_t i = ThreadIndex(); i < count; i += ThreadCount())
  {
    // Fewer than 2^32 voxels: 32 bits hold all of these numbers.
    const auto wordsPerRow = static_cast<unsigned>(grid.words.wordsPerRow);
    const auto bundle = static_cast<unsigned>(i) / wordsPerRow;
    const int  word = static_cast<int>(static_cast<unsigned>(i) - bundle * wordsPerRow);
    const int  bundleY = static_cast<int>(bundle % static_cast<unsigned>(grid.bundlesY));
    const int  bundleZ = static_cast<int>(bundle / static_cast<unsigned>(grid.bundlesY));
    const bool firstWord = word % WordsPerBrickRow == 0;
    const bool lastWord = word % WordsPerBrickRow == WordsPerBrickRow - 1;
    const int  maskY = (1 << grid.bundlesShiftY) - 1;
    const int  maskZ = (1 << grid.bundlesShiftZ) - 1;
    const bool onSide = (bundleY & maskY) == 0 || (bundleY & maskY) == maskY || (bundleZ & maskZ) == 0;
    if (!firstWord && !lastWord && !onSide)
    {
      continue;
    }
    const RowWords   a = LoadRows(grid, foreground, word, bundleY, bundleZ);
    const DeviceWord united = a.United();
    if (united == 0)
    {
      continue;
    }
    Place here;
    here.Set(grid, word, bundleY, bundleZ);
    // The same bundle, in the brick before along x.
    if (firstWord && word > 0 && (united & 1u) != 0 &&
        (LoadRows(grid, foreground, word - 1, bundleY, bundleZ).United() >> 31) != 0)
    {
      Place there;
      there.Set(grid, word - 1, bundleY, bundleZ);
      Unite(parent, runs.ComponentAt(here, 0), runs.ComponentAt(there, 31));
    }
    for (int n = 0; n < BackwardBundles; ++n)
    {
      int stepY, stepZ;
      BackwardBundle(n, stepY, stepZ);
      Place there;
      if (!there.Set(grid, word, bundleY + stepY, bundleZ + stepZ))
      {
        continue;
      }
      const bool       sameBrick = there.brick == here.brick;
      const bool       useBefore = word > 0 && (!sameBrick || firstWord);
      const bool       useAfter = word + 1 < grid.words.wordsPerRow && (!sameBrick || lastWord);
      if (sameBrick && !(useBefore && (united & 1u)) && !(useAfter && (united >> 31)))
      {
        continue;
      }
      const RowWords nothing = {};
      const RowWords b = LoadRows(grid, foreground, word, there.bundleY, there.bundleZ);
      Links          links =
        LinksTo<VBundling>(n,
                           a,
                           useBefore ? LoadRows(grid, foreground, word - 1, there.bundleY, there.bundleZ) : nothing,
                           b,
                           useAfter ? LoadRows(grid, foreground, word + 1, there.bundleY, there.bundleZ) : nothing);
      if (sameBrick)
      {
        // Only what leads into the neighbouring brick along x is left to do.
        links = { 0u, useBefore ? links.left & 1u : 0u, useAfter ? links.right & 0x80000000u : 0u };
      }
      else
      {
        links = WithoutRepeats(links, united, b.United());
      }
      for (DeviceWord rest = links.same; rest != 0; rest &= rest - 1)
      {
        const int x = __ffs(static_cast<int>(rest)) - 1;
        Unite(parent, runs.ComponentAt(here, x), runs.ComponentAt(there, x));
      }
      for (DeviceWord rest = links.left; rest != 0; rest &= rest - 1)
      {
        const int x = __ffs(static_cast<int>(rest)) - 1;
        Place     at = there;
        if (x == 0)
        {
          at.Set(grid, word - 1, there.bundleY, there.bundleZ);
        }
        Unite(parent, runs.ComponentAt(here, x), runs.ComponentAt(at, (x + 31) % 32));
      }
      for (DeviceWord rest = links.right; rest != 0; rest &= rest - 1)
      {
        const int x = __ffs(static_cast<int>(rest)) - 1;
        Place     at = there;
        if (x == 31)
        {
          at.Set(grid, word + 1, there.bundleY, there.bundleZ);
        }
        Unite(parent, runs.ComponentAt(here, x), runs.ComponentAt(at, (x + 1) % 32));
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
    const unsigned root = PeekRoot(parent, static_cast<unsigned>(node));
    if (root != static_cast<unsigned>(node))
    {
      Store(parent + node, root);
      if (Load(firstVoxel + root) > firstVoxel[node])
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

/** As ExpandKernel of RunTable.cuh: four voxels per thread and step. */
template <typename TLabel>
__global__ void
WriteLabelsKernel(const __grid_constant__ BundleGrid grid,
                  const DeviceWord *                 foreground,
                  const __grid_constant__ BrickRuns  runs,
                  const unsigned *                   labelOf,
                  TLabel *                           labels)
{
  constexpr int      perThread = 4;
  constexpr int      threadsPerWord = BitsPerDeviceWord / perThread;
  const std::int64_t pieces = grid.words.words * threadsPerWord;
  for (std::int64_t piece = ThreadIndex(); piece < pieces; piece += ThreadCount())
  {
    const std::int64_t word = piece / threadsPerWord;
    std::int64_t       row, wordOfRow;
    grid.words.Locate(word, row, wordOfRow);
    const int          begin = static_cast<int>(piece % threadsPerWord) * perThread;
    const std::int64_t x = wordOfRow * BitsPerDeviceWord + begin;
    const std::int64_t left = grid.words.extent.RowLength() - x;
    if (left <= 0)
    {
      continue;
    }
    const DeviceWord bits = (foreground[word] >> begin) & 0xFu;
    TLabel           values[perThread] = {};
    if (bits != 0)
    {
      const auto z = static_cast<unsigned>(row) / static_cast<unsigned>(grid.words.extent.size[1]);
      const auto y = static_cast<unsigned>(row) - z * static_cast<unsigned>(grid.words.extent.size[1]);
      Place      place;
      place.Set(grid,
                static_cast<int>(wordOfRow),
                static_cast<int>(y >> grid.rowsShiftY),
                static_cast<int>(z >> grid.rowsShiftZ));
      const std::int64_t index = place.Index();
      const DeviceWord   starts = runs.starts[index];
      unsigned           previousRun = 0xFFFFFFFFu;
      TLabel             previous = 0;
      for (int i = 0; i < perThread; ++i)
      {
        if ((bits >> i) & 1u)
        {
          const unsigned run = RunOf(starts, runs.carried[index], place.local, begin + i);
          if (run != previousRun)
          {
            previousRun = run;
            previous = static_cast<TLabel>(
              labelOf[runs.firstComponent[place.brick] + runs.componentOfRun[place.brick * RunsPerBrick + run]]);
          }
          values[i] = previous;
        }
      }
    }
    TLabel * place = labels + row * grid.words.extent.RowLength() + x;
    if (sizeof(TLabel) == 4 && left >= perThread && reinterpret_cast<std::uintptr_t>(place) % 16 == 0)
    {
      __stcs(reinterpret_cast<uint4 *>(place),
             make_uint4(static_cast<unsigned>(values[0]),
                        static_cast<unsigned>(values[1]),
                        static_cast<unsigned>(values[2]),
                        static_cast<unsigned>(values[3])));
    }
    else
    {
      for (int i = 0; i < perThread && i < left; ++i)
      {
        place[i] = values[i];
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
    BRICKCCL_LAUNCH(MergeBordersKernel<kind>,
                    ShapeFor(std::int64_t{ grid.bundlesY } * grid.bundlesZ * grid.words.wordsPerRow),
                    stream,
                    grid,
                    memory.table.foreground.Data(),
                    RunsOf(memory),
                    memory.parent.Data());
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
    BRICKCCL_LAUNCH(WriteLabelsKernel<TLabel>,
                    ShapeFor(grid.words.words * 8),
                    stream,
                    grid,
                    memory.table.foreground.Data(),
                    RunsOf(memory),
                    memory.parent.Data(),
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
