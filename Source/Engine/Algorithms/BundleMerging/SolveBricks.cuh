// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_ALGORITHMS_BUNDLEMERGING_SOLVEBRICKS_CUH
#define BRICKCCL_ALGORITHMS_BUNDLEMERGING_SOLVEBRICKS_CUH

#include "BrickCCL/Algorithms/BundleMerging/BrickSolver.cuh"

/** Turns pixels into bits, bits into runs and runs into components, brick by brick, where links follow the foreground.
 */
namespace brickccl::cuda
{

/** A brick in shared memory. */
template <Bundling VBundling>
struct BrickMemory
{
  /** Between bundles there are more links to unite, and FirstLinks and ShortenPaths do not keep all paths short. */
  using UnionAccess = std::conditional_t<VBundling == Bundling::Rows, ShortPathsAccess, BlockAccess>;

  static constexpr int RowCount = RowsOf(VBundling);
  static constexpr int RunsPerBrick = WordsPerBrick * BundleLayout<VBundling>::runsPerWord;

  union
  {
    /** Used until all links are united. */
    struct
    {
      RowWords<RowCount> rows[WordsPerBrick];
      DeviceWord         starts[WordsPerBrick];
      /** Bits of rows: bits 0-3 precede the word in its brick, bits 4-7 follow it. From bit 16 on is the number of runs
       * before the word. */
      unsigned edgesAndRuns[WordsPerBrick];
      /** Pairs of runs to unite, two runs in a word. */
      unsigned pairs[LayersPerBrick][TuningOf<Tuned::ListedLinks>];
      /** The bits whose run is linked to the run at the same x in the bundle before along y, and along z. */
      DeviceWord joinedY[WordsPerBrick];
      DeviceWord joinedZ[WordsPerBrick];
    };
    /** Used then: the component in the brick of each root. */
    unsigned short componentOf[RunsPerBrick];
  };
  unsigned  forest[RunsPerBrick];
  unsigned  runsOfLayer[LayersPerBrick];
  unsigned  components;
  BrickBase base;
  bool      fits;

  __device__ unsigned
  RunAt(int at, int x) const
  {
    return cuda::RunAt(edgesAndRuns[at] >> 16, starts[at], x);
  }
  __device__ unsigned
  RunWith(int at, DeviceWord bit) const
  {
    return cuda::RunWith(edgesAndRuns[at] >> 16, starts[at], bit);
  }
  /** A word with its adjacent bits in its brick. */
  __device__ BundleWindow<DeviceWord, RowCount>
             Window(int at) const
  {
    const RowWords<RowCount>           words = rows[at];
    BundleWindow<DeviceWord, RowCount> window;
#pragma unroll
    for (int r = 0; r < RowCount; ++r)
    {
      window.rows[r] = words.rows[r];
    }
    const unsigned edges = edgesAndRuns[at];
    window.before = edges & 0xFu;
    window.after = edges >> 4 & 0xFu;
    return window;
  }
};

/** A problem where links follow the foreground. Kernel argument.
 *  \tparam T  the pixels, of which a rule makes the foreground */
template <typename T, Bundling VBundling>
struct BitProblem
{
  using Pixel = T;
  static constexpr Bundling bundling = VBundling;

  const T *    voxels;
  VoxelRule<T> rule;
  BundleGrid   grid;
};

/** The same for a foreground of bits, which replace a mask's. Kernel argument. */
template <Bundling VBundling>
struct PackedProblem
{
  using Pixel = void;
  static constexpr Bundling bundling = VBundling;

  BundleGrid grid;
};

/** A thread of the block that solves a brick: it reads one word of a bundle's rows. */
template <typename TProblem>
class BrickAgent : BrickSolver
{
public:
  using Problem = TProblem;
  using Memory = BrickMemory<TProblem::bundling>;
  using ForBorders = typename BitLinks<TProblem::bundling>::ForBorders;
  static constexpr int blocks =
    TProblem::bundling == Bundling::Rows ? TuningOf<Tuned::SolveBlocksOfFaces> : TuningOf<Tuned::SolveBlocks>;

  __device__
  BrickAgent(const TProblem &    problem,
             const MaskBits &    mask,
             const BrickArrays & arrays,
             const ForBorders &,
             Memory & memory)
    : BrickSolver(problem.grid, arrays)
    , m_Problem(problem)
    , m_Mask(mask)
    , m_Memory(memory)
  {}

  /** Turns the pixels of the word into bits, and clears the block's share of the marks. */
  __device__ __forceinline__ void
  Pack(const FirstMarks & marks)
  {
    if (self == 0)
    {
      m_Memory.components = 0;
    }
    if (firstX < grid.rowLength)
    {
      if constexpr (isPacked)
      {
        m_Own = AllBits();
      }
      else
      {
        PackVoxels();
      }
      if (isPacked || m_Mask.words != nullptr)
      {
        ApplyMask();
      }
    }
    reinterpret_cast<RowWords<rowCount> *>(bricks.bits)[index] = m_Own;
    marks.ClearShare<rowCount>();
  }

  /** Finds the runs of the united bits within the brick. \return whether there are any */
  __device__ __forceinline__ bool
  FindRuns()
  {
    m_United = m_Own.United();
    const DeviceWord lastBefore = __shfl_up_sync(AllLanes, m_United, 1);
    starts = BundleLayout<bundling>::Starts(m_Own, word > 0 ? lastBefore : 0u);
    CountRuns(m_Memory.runsOfLayer);
    m_Memory.rows[self] = m_Own;
    m_Memory.starts[self] = starts;
    if (__syncthreads_or(m_United != 0) == 0)
    {
      return false;
    }
    NumberRuns(m_Memory.runsOfLayer);
    // Links only along the axes do not use the bits adjacent to a word.
    const unsigned edges = bundling == Bundling::Rows ? 0u : EdgesBeside(m_Own.FirstBits(), m_Own.LastBits());
    m_Memory.edgesAndRuns[self] = edges | runsBefore << 16;
    __syncthreads();
    return true;
  }

  /** Finds the links to the bundles before this one, as far as these are in the brick. First links become parents.
   *  \return whether there is more to do */
  __device__ __forceinline__ bool
  FindLinks()
  {
    if (m_United != 0)
    {
      const Window window = m_Memory.Window(self);
#pragma unroll
      for (int n = 0; n < backward; ++n)
      {
        if (HasBefore(n))
        {
          const Window there = m_Memory.Window(WordBefore<backward>(n));
          m_Links.Set(n, BitLinks<bundling>::Find(n, window, there, m_Joined.of[n]));
        }
      }
    }
    m_Memory.joinedY[self] = m_Joined.of[0];
    m_Memory.joinedZ[self] = m_Joined.of[1];
    // Drops links of runs that continue from the word before and are linked there.
#pragma unroll
    for (int n = 0; n < backward; ++n)
    {
      m_Links.same.of[n] &= ~BitBefore(m_Joined.of[n]);
    }
    FirstLinks(m_Memory, m_Links.same);
    __syncthreads();
    return true;
  }

  /** Unites the runs along the links that are left and that others do not imply. */
  __device__ __forceinline__ void
  UniteRuns()
  {
    ShortenPaths(m_Memory);
#pragma unroll
    for (int n = 1; n < backward; ++n)
    {
      if (m_Links.same.of[n] != 0)
      {
        m_Links.same.of[n] =
          WithoutImplied(m_Links.same.of[n],
                         m_Joined.of[n],
                         n == 1 ? ImpliedAlongZ(m_Memory, m_Joined.of[0]) : SquareTo(m_Memory, n).Across());
      }
    }
    UniteLeft(m_Memory, m_Links);
    __syncthreads();
  }

  /** Numbers the brick's components, claims numbers for them and their runs, and finds the first voxels. */
  __device__ __forceinline__ void
  Number()
  {
    NumberRoots(m_Memory, [&](unsigned root, unsigned component) {
      m_Memory.componentOf[root] = static_cast<unsigned short>(component);
      return NoVoxel;
    });
    __syncthreads();
    if (self == 0)
    {
      m_Memory.base = bricks.Claim(m_Memory.components, runsOfBrick);
      m_Memory.fits =
        bricks.HasComponents(m_Memory.base, m_Memory.components) && bricks.HasRuns(m_Memory.base, runsOfBrick);
      bricks.bases[blockIdx.x] = m_Memory.base;
    }
    if constexpr (!rootIsFirst)
    {
      FindFirstVoxels();
    }
    __syncthreads();
  }

  /** Writes the components of the brick's runs, and the first voxels of components. */
  __device__ __forceinline__ void
  Publish() const
  {
    if (!m_Memory.fits)
    {
      return;
    }
#pragma unroll 1
    for (unsigned run = static_cast<unsigned>(self); run < runsOfBrick; run += WordsPerBrick)
    {
      const unsigned       node = m_Memory.forest[run];
      const unsigned short component = m_Memory.componentOf[node & 0xFFFFu];
      bricks.componentOfRun[m_Memory.base.run + run] = component;
      if (!rootIsFirst && (node & RootBit) != 0)
      {
        SetFirst(m_Memory.base.component + component, NumberAtPlace(KeptOfRoot(node)));
      }
    }
    if constexpr (rootIsFirst)
    {
      ForRoots(m_Memory, [&](unsigned run, int x) {
        SetFirst(m_Memory.base.component + m_Memory.componentOf[run], NumberAt(x));
      });
    }
  }

private:
  using T = typename TProblem::Pixel;
  static constexpr Bundling bundling = TProblem::bundling;
  static constexpr int      rowCount = RowsOf(bundling);
  /** Links lead to this many bundles. */
  static constexpr int backward = bundling == Bundling::Rows ? 2 : BackwardBundles;
  /** If a bundle is a row, runs come in raster order, and a root is the first run of its component. */
  static constexpr bool rootIsFirst = bundling == Bundling::Rows;
  using Window = typename BitLinks<bundling>::Window;
  static constexpr bool isPacked = std::is_void_v<T>;

  __device__ static RowWords<rowCount>
  AllBits()
  {
    RowWords<rowCount> all;
#pragma unroll
    for (DeviceWord & row : all.rows)
    {
      row = 0xFFFFFFFFu;
    }
    return all;
  }
  __device__ __forceinline__ void
  PackVoxels()
  {
    if (sizeof(T) == 1 && m_Problem.rule.channels == 1 && grid.rowLength % 16 == 0 &&
        reinterpret_cast<std::uintptr_t>(m_Problem.voxels) % 16 == 0)
    {
      PackWhole();
    }
    else
    {
      PackRowByRow();
    }
  }
  /** Packs bytes aligned so that 16 of them are loaded at once. */
  __device__ __forceinline__ void
  PackWhole()
  {
    // Two rows are loaded first, so that their latencies overlap. More rows would take too many registers.
    constexpr int most = TuningOf<Tuned::RowsLoadedTogether>;
    constexpr int together = rowCount < most ? rowCount : most;
    const bool    isWhole = grid.rowLength - firstX >= BitsPerDeviceWord;
#pragma unroll
    for (int first = 0; first < rowCount; first += together)
    {
      bool  hasRow[together];
      uint4 halves[together][2];
#pragma unroll
      for (int r = 0; r < together; ++r)
      {
        unsigned row = 0;
        hasRow[r] = grid.HasRow(bundleY, bundleZ, first + r, row);
        const auto * place =
          reinterpret_cast<const uint4 *>(m_Problem.voxels + (hasRow[r] ? row * grid.rowLength + firstX : 0u));
        halves[r][0] = place[0];
        halves[r][1] = place[isWhole ? 1 : 0];
      }
#pragma unroll
      for (int r = 0; r < together; ++r)
      {
        const uint4    low = halves[r][0];
        const uint4    high = halves[r][1];
        const unsigned words[8] = { low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w };
        if constexpr (sizeof(T) == 1)
        {
          m_Own.rows[first + r] =
            hasRow[r] ? PackBytes(words, m_Problem.rule.foreground) & (isWhole ? 0xFFFFFFFFu : 0xFFFFu) : 0u;
        }
      }
    }
  }
  __device__ __forceinline__ void
  PackRowByRow()
  {
#pragma unroll 1
    for (int r = 0; r < rowCount; ++r)
    {
      const std::int64_t row = grid.RowOf(bundleY, bundleZ, r);
      const DeviceWord   packed = row < 0 ? 0u : PackWord(m_Problem.voxels, m_Problem.rule, grid.extent, row, firstX);
#pragma unroll
      for (int k = 0; k < rowCount; ++k)
      {
        m_Own.rows[k] = k == r ? packed : m_Own.rows[k];
      }
    }
  }
  __device__ __forceinline__ void
  ApplyMask()
  {
    for (int r = 0; r < rowCount; ++r)
    {
      const std::int64_t row = grid.RowOf(bundleY, bundleZ, r);
      m_Own.rows[r] &= row < 0 ? 0u : m_Mask.Of(row, firstX / BitsPerDeviceWord);
    }
  }
  /** Lets the root of each run keep its lowest voxel. A stretch of united bits gives the first voxel of its first row
   *  that has one. */
  __device__ __forceinline__ void
  FindFirstVoxels()
  {
    const unsigned placeOfWord =
      static_cast<unsigned>(z << grid.rowsShiftZ << ShiftZ() | y << grid.rowsShiftY << 7 | word * BitsPerDeviceWord);
    for (DeviceWord rest = m_United; rest != 0;)
    {
      const int        x = LowestBit(rest);
      const DeviceWord carry = rest + (rest & (0u - rest));
      const DeviceWord stretch = rest & ~carry;
      rest &= carry;
      DeviceWord bits = m_Own.rows[0] & stretch;
      unsigned   placeOfRow = placeOfWord;
#pragma unroll
      for (int r = 1; r < rowCount; ++r)
      {
        const bool isEmpty = bits == 0;
        placeOfRow = isEmpty ? placeOfWord + static_cast<unsigned>((r & 1) << 7 | (r >> 1) << ShiftZ()) : placeOfRow;
        bits = isEmpty ? m_Own.rows[r] & stretch : bits;
      }
      const unsigned root = BlockAccess::Load(m_Memory.forest + RunAt(runsBefore, starts, x)) & 0xFFFFu;
      const unsigned candidate = RootWord(root, placeOfRow + static_cast<unsigned>(LowestBit(bits)));
      if (BlockAccess::Load(m_Memory.forest + root) > candidate)
      {
        atomicMin(m_Memory.forest + root, candidate);
      }
    }
  }
  /** The number in the volume of the voxel at a place of the brick. */
  __device__ __forceinline__ unsigned
  NumberAtPlace(unsigned placeInBrick) const
  {
    const int rowZ = (place.z << grid.bundlesShiftZ << grid.rowsShiftZ) + static_cast<int>(placeInBrick >> ShiftZ());
    const int rowY = (place.y << grid.bundlesShiftY << grid.rowsShiftY) +
                     static_cast<int>((placeInBrick >> 7) & ((1u << (ShiftZ() - 7)) - 1));
    return grid.NumberAt(static_cast<unsigned>(place.x) * VoxelsPerBrickRow + (placeInBrick & 127u), rowY, rowZ);
  }
  /** A voxel's place in the brick has 7 bits for x, then those for y and, from this one on, those for z. So places are
   *  in raster order. */
  __device__ int
  ShiftZ() const
  {
    return 7 + grid.rowsShiftY + grid.bundlesShiftY;
  }
  /** No place comes after it. With bundles of four rows it is that of the brick's last voxel, for which it is right. */
  static constexpr unsigned NoVoxel = 0x7FFFu;

  const TProblem & m_Problem;
  const MaskBits & m_Mask;
  Memory &         m_Memory;
  /** The word's bits, row by row and united. */
  RowWords<rowCount> m_Own = {};
  DeviceWord         m_United = 0;
  /** The links to the backward bundles, and the bits whose run is linked to a run of each of them. */
  BackwardLinks<backward> m_Links = {};
  BackwardWords<backward> m_Joined = {};
};

} // namespace brickccl::cuda

#endif
