// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_ALGORITHMS_BUNDLEMERGING_BUNDLEBRICKS_CUH
#define BRICKCCL_ALGORITHMS_BUNDLEMERGING_BUNDLEBRICKS_CUH

#include "BrickCCL/Algorithms/BundleMerging/BundleGrid.cuh"
#include "BrickCCL/Algorithms/BundleMerging/BundleMergingTuning.h"
#include "BrickCCL/Cuda/WarpSums.cuh"

/** The bricks of BundleMerging and what is kept of them: bits, runs and components. */
namespace brickccl::cuda
{

/** One word of all rows of a bundle. It is loaded and stored at once. */
template <int N>
struct alignas(N * sizeof(DeviceWord)) RowWords
{
  DeviceWord rows[N];

  __device__ DeviceWord
  United() const
  {
    DeviceWord united = rows[0];
#pragma unroll
    for (int r = 1; r < N; ++r)
    {
      united |= rows[r];
    }
    return united;
  }
  /** Bit r is the last bit of row r. */
  __device__ DeviceWord
  LastBits() const
  {
    DeviceWord bits = 0;
#pragma unroll
    for (int r = 0; r < N; ++r)
    {
      bits |= (rows[r] >> 31) << r;
    }
    return bits;
  }
  /** Bit r is the first bit of row r. */
  __device__ DeviceWord
  FirstBits() const
  {
    DeviceWord bits = 0;
#pragma unroll
    for (int r = 0; r < N; ++r)
    {
      bits |= (rows[r] & 1u) << r;
    }
    return bits;
  }
};

/** The data of a word if links follow the foreground: the bits of the bundle's rows. The starts of runs follow
 *  from them. */
template <Bundling VBundling>
struct BundleLayout
{
  static constexpr Bundling bundling = VBundling;
  static constexpr int      rowCount = RowsOf(VBundling);
  static constexpr bool     keepsStarts = false;
  /** At most every other bit starts a run. */
  static constexpr int runsPerWord = BitsPerDeviceWord / 2;
  using Kept = RowWords<rowCount>;

  __device__ static RowWords<rowCount>
  Rows(const Kept & kept)
  {
    return kept;
  }
  /** The starts of the word's runs. `unitedBefore` are the united bits before it in its brick. */
  __device__ static DeviceWord
  Starts(const Kept & kept, DeviceWord unitedBefore)
  {
    const DeviceWord united = kept.United();
    return united & ~((united << 1) | (unitedBefore >> 31));
  }
};

/** The data of a word if values decide: the foreground and the starts of runs. */
struct RowLayout
{
  static constexpr Bundling bundling = Bundling::Rows;
  static constexpr int      rowCount = 1;
  static constexpr bool     keepsStarts = true;
  static constexpr int      runsPerWord = BitsPerDeviceWord;
  using Kept = RowWords<2>;

  __device__ static RowWords<1>
  Rows(const Kept & kept)
  {
    return { { kept.rows[0] } };
  }
  __device__ static DeviceWord
  Starts(const Kept & kept, DeviceWord)
  {
    return kept.rows[1];
  }
};

/** The number of words of all rows of all bricks. */
inline std::size_t
RowWordsOf(const BundleGrid & grid)
{
  return static_cast<std::size_t>(grid.bricks) * WordsPerBrick << grid.rowsShiftY << grid.rowsShiftZ;
}

inline LaunchShape
OneBlockPerBrick(const BundleGrid & grid, int threads)
{
  return ShapeFor(grid.bricks * threads, static_cast<unsigned>(threads));
}

/** The position of a brick, in bricks. */
struct BrickPlace
{
  int x;
  int y;
  int z;

  __device__
  BrickPlace(const BundleGrid & grid, unsigned brick)
  {
    const unsigned row = grid.byBricksX.Quotient(brick);
    x = static_cast<int>(brick - row * static_cast<unsigned>(grid.bricksX));
    z = static_cast<int>(grid.byBricksY.Quotient(row));
    y = static_cast<int>(row - static_cast<unsigned>(z) * static_cast<unsigned>(grid.bricksY));
  }
};

/** The position of a bundle's word in its brick and in the arrays of all bricks. */
struct BrickWord
{
  unsigned brick;
  int      local;

  BrickWord() = default;
  __device__
  BrickWord(unsigned ofBrick, int inBrick)
    : brick(ofBrick)
    , local(inBrick)
  {}
  /** \param word  counted along x from the volume's edge */
  __device__
  BrickWord(const BundleGrid & grid, int word, int bundleY, int bundleZ)
    : brick(static_cast<unsigned>(((bundleZ >> grid.bundlesShiftZ) * grid.bricksY + (bundleY >> grid.bundlesShiftY)) *
                                    grid.bricksX +
                                  word / WordsPerBrickRow))
    , local((((bundleZ & grid.MaskZ()) << grid.bundlesShiftY) + (bundleY & grid.MaskY())) * WordsPerBrickRow +
            word % WordsPerBrickRow)
  {}
  __device__ std::size_t
             Index() const
  {
    return std::size_t{ brick } * WordsPerBrick + static_cast<unsigned>(local);
  }
  /** The word before (-1) or behind (1) it in its row, in this brick or in the next one. */
  __device__ BrickWord
  Beside(int step) const
  {
    const int inRow = local % WordsPerBrickRow + step;
    const int bricks = inRow < 0 ? -1 : inRow / WordsPerBrickRow;
    return { brick + static_cast<unsigned>(bricks), local + step - bricks * WordsPerBrickRow };
  }
};

/** The numbers of a brick's first component and first run in all bricks. */
struct alignas(8) BrickBase
{
  unsigned component;
  unsigned run;
};

/** Marks of the components' first voxels: one bit for each voxel. Marks are counted by groups of words, and by parts of
 *  as many groups as a block counts. */
struct FirstMarks
{
  static constexpr unsigned wordsPerGroup = TuningOf<Tuned::MarkWordsPerGroup>;
  static constexpr unsigned groupsPerThread = TuningOf<Tuned::MarkGroupsPerThread>;
  static constexpr unsigned groupsPerPart = ThreadsPerBlock * groupsPerThread;
  /** The distance between the counts of two parts: side by side in one cache line they would wait for each other. */
  static constexpr unsigned partStep = TuningOf<Tuned::MarkPartStep>;

  DeviceWord * words;
  /** The marks in a group; later those before it. */
  unsigned * inGroup;
  unsigned * inPart;

  /** Clears the share of a block in which each of WordsPerBrick threads solves a word of VRows rows. */
  template <int VRows>
  __device__ void
  ClearShare() const
  {
    constexpr unsigned groups = WordsPerBrick * VRows / wordsPerGroup;
    reinterpret_cast<RowWords<VRows> *>(words)[std::size_t{ blockIdx.x } * WordsPerBrick + threadIdx.x] = {};
    if (threadIdx.x < groups)
    {
      inGroup[std::size_t{ blockIdx.x } * groups + threadIdx.x] = 0;
    }
    // There are no more parts than bricks.
    if (threadIdx.x == 0)
    {
      inPart[std::size_t{ blockIdx.x } * partStep] = 0;
    }
  }
};

/** A call's report to the host. A kernel writes it to page-locked memory, and the host may read it before that
 *  kernel has ended: each number is complete as soon as it is not `awaited`. */
struct BundleReport
{
  static constexpr unsigned long long awaited = ~0ull;

  unsigned long long found = awaited;
  unsigned long long components = awaited;

  __device__ void
  Tell(unsigned long long allFound, unsigned allComponents) volatile
  {
    found = allFound;
    components = allComponents;
  }
  bool
  IsThere() const volatile
  {
    return found != awaited && components != awaited;
  }
};

/** The data of all bricks, as kernel argument. */
struct BrickArrays
{
  /** A layout's data of every word of every brick. */
  DeviceWord * bits;
  /** How many runs of the brick start before a word. */
  unsigned short * runsBefore;
  /** The component in the brick of each run. */
  unsigned short * componentOfRun;
  BrickBase *      bases;
  /** The counts so far: components of bricks in the upper half, runs of bricks in the lower half. */
  unsigned long long * found;
  /** The forest of components, and later their labels. */
  unsigned * parent;
  unsigned * firstVoxel;
  unsigned   componentCapacity;
  unsigned   runCapacity;

  /** The component of a run, numbered over all bricks. */
  __device__ unsigned
  ComponentOf(const BrickBase & base, unsigned run) const
  {
    return base.component + componentOfRun[base.run + run];
  }
  /** Claims numbers for the components and runs of a brick. A thread waits for memory only
   *  when it uses the result. \return the first numbers */
  __device__ BrickBase
  Claim(unsigned ofComponents, unsigned ofRuns) const
  {
    const unsigned long long before = atomicAdd(found, static_cast<unsigned long long>(ofComponents) << 32 | ofRuns);
    return { static_cast<unsigned>(before >> 32), static_cast<unsigned>(before) };
  }
  /** Whether there is room for this many components, or runs, of a brick. */
  __device__ bool
  HasComponents(const BrickBase & base, unsigned count) const
  {
    return base.component + count <= componentCapacity;
  }
  __device__ bool
  HasRuns(const BrickBase & base, unsigned count) const
  {
    return base.run + count <= runCapacity;
  }
  __device__ unsigned
  Components() const
  {
    return static_cast<unsigned>(*found >> 32);
  }
  /** Whether there was room for all that was found. If not, only the counts can be used. */
  __device__ bool
  Fit() const
  {
    const unsigned long long all = *found;
    return static_cast<unsigned>(all >> 32) <= componentCapacity && static_cast<unsigned>(all) <= runCapacity;
  }
  template <typename TLayout>
  __device__ typename TLayout::Kept
  Kept(std::size_t index) const
  {
    return reinterpret_cast<const typename TLayout::Kept *>(bits)[index];
  }
  template <typename TLayout>
  __device__ RowWords<TLayout::rowCount>
             Rows(std::size_t index) const
  {
    return TLayout::Rows(Kept<TLayout>(index));
  }
};

/** The run that covers bit x of a word: the last one that starts at or before it. */
__device__ inline unsigned
RunAt(unsigned runsBefore, DeviceWord starts, int x)
{
  return runsBefore + static_cast<unsigned>(__popc(starts & BitsUpToLane(x))) - 1;
}

/** The run that covers the bit of a word that is set in `bit`. */
__device__ inline unsigned
RunWith(unsigned runsBefore, DeviceWord starts, DeviceWord bit)
{
  return runsBefore + static_cast<unsigned>(__popc(starts & (bit | (bit - 1)))) - 1;
}

__device__ inline int
LowestBit(DeviceWord bits)
{
  return __ffs(static_cast<int>(bits)) - 1;
}

/** The component that covers bit x of a word, numbered over all bricks. */
template <typename TLayout>
__device__ inline unsigned
ComponentAt(const BrickArrays & bricks, const BrickWord & word, int x)
{
  const std::size_t index = word.Index();
  const bool        hasBefore = !TLayout::keepsStarts && word.local % WordsPerBrickRow > 0;
  const DeviceWord  before = hasBefore ? bricks.Rows<TLayout>(index - 1).United() : 0u;
  const DeviceWord  starts = TLayout::Starts(bricks.Kept<TLayout>(index), before);
  return bricks.ComponentOf(bricks.bases[word.brick], RunAt(bricks.runsBefore[index], starts, x));
}

} // namespace brickccl::cuda

#endif
