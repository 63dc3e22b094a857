// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_ALGORITHMS_BUNDLEMERGING_SOLVEROWS_CUH
#define BRICKCCL_ALGORITHMS_BUNDLEMERGING_SOLVEROWS_CUH

#include "BrickCCL/Algorithms/BundleMerging/BrickSolver.cuh"
#include "BrickCCL/Algorithms/BundleMerging/RowBrick.cuh"

/** Turns pixels into runs and runs into components, brick by brick, where values decide. */
namespace brickccl::cuda
{

/** A thread of the block that solves a brick of rows: it reads one word of a row. */
template <typename TProblem>
class RowAgent : BrickSolver
{
public:
  using Memory = RowBrickMemory<TProblem>;
  using Pixel = typename TProblem::Pixel;
  using Links = typename TProblem::Links;
  using Problem = TProblem;
  using ForBorders = RowArrays<Pixel>;
  static constexpr int blocks =
    TProblem::isTiled ? TuningOf<Tuned::SolveRowBlocks> : TuningOf<Tuned::SolveRowBlocksInMemory>;

  __device__
  RowAgent(const TProblem &    problem,
           const MaskBits &    mask,
           const BrickArrays & arrays,
           const ForBorders &  forBorders,
           Memory &            memory)
    : BrickSolver(problem.grid, arrays)
    , m_Problem(problem)
    , m_Mask(mask)
    , m_ForBorders(forBorders)
    , m_Memory(memory)
    , m_IsInside(grid.HasRow(bundleY, bundleZ, 0, m_RowNumber) && firstX < grid.rowLength)
    // A warp's lanes hold the layer's rows in turn.
    , m_Voxels(problem,
               memory.voxels,
               place.x * WordsPerBrickRow,
               bundleY - lane / WordsPerBrickRow,
               bundleZ,
               problem.VoxelAt(m_RowNumber * grid.rowLength + firstX))
  {}

  /** Turns the pixels of the word into bits, keeps those at the brick's ends for its borders, and clears
   *  the block's share of the marks. */
  __device__ __forceinline__ void
  Pack(const FirstMarks & marks)
  {
    if (self == 0)
    {
      m_Memory.components = 0;
    }
    const DeviceWord      wanted = m_IsInside ? m_Mask.Wanted(grid, m_RowNumber, firstX) : 0u;
    const RowLayout::Kept kept = m_Voxels.Pack(wanted);
    if constexpr (Memory::isTiled)
    {
      m_ForBorders.ends.Keep(blockIdx.x, self, m_Memory.voxels);
    }
    m_Own = { kept.rows[0], kept.rows[1] };
    starts = m_Own.starts;
    reinterpret_cast<RowLayout::Kept *>(bricks.bits)[index] = kept;
    marks.ClearShare<1>();
  }

  /** Numbers the runs within the brick. \return whether there are any */
  __device__ __forceinline__ bool
  FindRuns()
  {
    CountRuns(m_Memory.runsOfLayer);
    if (lane == 0)
    {
      m_Memory.listed[layer] = 0;
    }
    if (__syncthreads_or(m_Own.foreground != 0) == 0)
    {
      return false;
    }
    NumberRuns(m_Memory.runsOfLayer);
    if constexpr (Memory::keepsBeside)
    {
      const DeviceWord            own = m_Own.foreground;
      const BitWindow<DeviceWord> bits = { own, BitBefore(own), BitAfter(own) >> 31 };
      m_Window = { m_Own, bits.Left(), bits.Right(), starts >> 1 | BitAfter(starts) };
      m_Memory.words[self] = { m_Window, runsBefore };
    }
    else
    {
      m_Memory.words[self] = { m_Own, runsBefore };
    }
    if (self == 0)
    {
      m_Memory.words[WordsPerBrick] = {};
    }
    __syncthreads();
    return true;
  }

  /** Finds the links to the rows before this one. If all rows are alike and joined all along, the brick is published at
   *  once. \return whether there is more to do */
  __device__ __forceinline__ bool
  FindLinks()
  {
    FindStraightLinks();
    if (IsPlainBrick())
    {
      PublishAlike(m_Memory);
      return false;
    }
    FindOtherLinks();
    return true;
  }

  /** Unites the runs along the links that others do not imply. */
  __device__ __forceinline__ void
  UniteRuns()
  {
    FirstLinks(m_Memory, m_Links.same);
    if (m_Links.same.of[1] != 0)
    {
      const RowWord & other = m_Memory.RowAt(WordTo(1));
      m_Links.same.of[1] = WithoutImpliedPairs(m_Links.same.of[1],
                                               m_Own.foreground & other.foreground & ~(starts | other.starts),
                                               ImpliedAlongZ(m_Memory, m_Memory.joinedY[self]));
    }
    PreparePaths(m_Memory, m_Links.Count());
    if (m_IsListed)
    {
      UniteListed(m_Memory);
      BackwardLinks<2> alongAxes = { { m_Links.same.of[0], m_Links.same.of[1] } };
      UniteLeft(m_Memory, alongAxes);
    }
    else
    {
      UniteLeft(m_Memory, m_Links);
    }
  }

  /** Numbers the brick's components, and claims numbers for its runs. They are claimed before they are needed, so that
   *  no thread waits for memory. */
  __device__ __forceinline__ void
  Number()
  {
    const BrickBase forRuns = self == 0 ? bricks.Claim(0, runsOfBrick) : BrickBase{};
    __syncthreads();
    NumberRoots(m_Memory, [](unsigned, unsigned component) { return component; });
    if (self == 0)
    {
      m_Memory.base.run = forRuns.run;
    }
    __syncthreads();
  }

  /** Writes the components of the brick's runs, and the first voxels of components. */
  __device__ __forceinline__ void
  Publish()
  {
    const BrickBase forComponents = self == 0 ? bricks.Claim(m_Memory.components, 0) : BrickBase{};
    if (bricks.HasRuns(m_Memory.base, runsOfBrick))
    {
      // Several at a time, so that their loads are waited for once.
#pragma unroll 4
      for (unsigned run = static_cast<unsigned>(self); run < runsOfBrick; run += WordsPerBrick)
      {
        const unsigned node = m_Memory.forest[run];
        bricks.componentOfRun[m_Memory.base.run + run] =
          static_cast<unsigned short>(KeptOfRoot((node & RootBit) != 0 ? node : m_Memory.forest[node]));
      }
    }
    if (self == 0)
    {
      m_Memory.base.component = forComponents.component;
      bricks.bases[blockIdx.x] = m_Memory.base;
    }
    __syncthreads();
    if (bricks.HasComponents(m_Memory.base, m_Memory.components))
    {
      ForRoots(m_Memory, [&](unsigned run, int x) {
        SetFirst(m_Memory.base.component + KeptOfRoot(m_Memory.forest[run]), NumberAt(x));
      });
    }
  }

private:
  static constexpr bool isTransitive = TProblem::isTransitive;
  static constexpr bool isAlongAxes = TProblem::isAlongAxes;
  /** Links lead to this many rows. */
  static constexpr int backward = isAlongAxes ? 2 : BackwardBundles;
  /** If there is much code, several copies of it would not stay in the instruction cache. */
  static constexpr bool hasMuchCode = sizeof(Pixel) == 2 && !isTransitive;
  static constexpr int  straightUnroll = hasMuchCode ? TuningOf<Tuned::CodeUnroll> : TuningOf<Tuned::StraightUnroll>;
  static constexpr int  diagonalUnroll = hasMuchCode ? TuningOf<Tuned::CodeUnroll> : TuningOf<Tuned::DiagonalUnroll>;

  /** Finds the links to the rows before this one along y and z, as far as these are in the brick. */
  __device__ __forceinline__ void
  FindStraightLinks()
  {
#pragma unroll
    for (int n = 0; n < backward; ++n)
    {
      m_Reach |= HasBefore(n) ? 1u << n : 0u;
    }
    m_IsEmpty = !__any_sync(AllLanes, m_Own.foreground != 0);
    m_Unlike = m_IsEmpty ? ~0u : 0u;
    if constexpr (Memory::comparesBoth)
    {
      FindBothStraight();
    }
    else
    {
#pragma unroll straightUnroll
      for (int n = 0; n < 2; ++n)
      {
        FindStraightTo(n);
      }
    }
    if constexpr (!isTransitive)
    {
      m_Unlike |= starts & m_Window.left;
    }
    m_Memory.joinedY[self] = m_Joined[0];
    m_Memory.joinedZ[self] = m_Joined[1];
    if constexpr (TProblem::keepsJoined)
    {
      m_ForBorders.joined.Keep(grid, blockIdx.x, self, y, z, m_Joined[0], m_Joined[1]);
    }
  }
  /** All voxels of both rows are compared at once. */
  __device__ __forceinline__ void
  FindBothStraight()
  {
    if (m_IsEmpty)
    {
      return;
    }
    const unsigned at[2] = { static_cast<unsigned>(IsInBrick(0) ? WordBefore<backward>(0) : self),
                             static_cast<unsigned>(IsInBrick(1) ? WordBefore<backward>(1) : self) };
    m_Voxels.JoinedTo(at[0], at[1], m_Joined[0], m_Joined[1]);
#pragma unroll
    for (int n = 0; n < 2; ++n)
    {
      const DeviceWord inBrick = IsInBrick(n) ? ~0u : 0u;
      const RowWord &  other = m_Memory.RowAt(static_cast<int>(at[n]));
      m_Joined[n] &= m_Own.foreground & other.foreground & inBrick;
      m_Links.same.of[n] = m_Joined[n] & (starts | other.starts);
      m_Unlike |= UnlikeBits(n, m_Joined[n], other);
    }
  }
  __device__ __forceinline__ void
  FindStraightTo(int n)
  {
    if (m_IsEmpty || !__any_sync(AllLanes, IsInBrick(n)))
    {
      return;
    }
    const int           to = WordTo(n);
    const RowWord &     other = m_Memory.RowAt(to);
    const StraightLinks found = Links::FindStraight(m_Voxels.Facing(n, to), m_Own, other, {});
    m_Links.same.Set(n, found.same);
    (n == 0 ? m_Joined[0] : m_Joined[1]) = found.joined;
    m_Unlike |= UnlikeBits(n, found.joined, other);
  }
  /** The bits at which the word is not like the n-th backward one, or not joined to it. */
  __device__ __forceinline__ DeviceWord
  UnlikeBits(int n, DeviceWord joined, const RowWord & other) const
  {
    const DeviceWord unlike = (joined ^ m_Own.foreground) | (joined ^ other.foreground) | (starts ^ other.starts);
    return IsInBrick(n) ? unlike : 0u;
  }
  /** Whether all rows of the brick are alike and joined all along, so that links across imply nothing new. */
  __device__ __forceinline__ bool
  IsPlainBrick()
  {
    m_IsPlainLayer = __any_sync(AllLanes, m_Unlike != 0) == 0;
    if (lane == 0)
    {
      m_Memory.isPlainLayer[layer] = m_IsPlainLayer;
    }
    return __syncthreads_or(m_Unlike != 0) == 0;
  }
  /** Finds the other links. There are none between rows of two layers that are alike and joined all along. */
  __device__ __forceinline__ void
  FindOtherLinks()
  {
    if constexpr (!isAlongAxes)
    {
      if (!m_IsEmpty && !(m_IsPlainLayer && (z == 0 || m_Memory.isPlainLayer[layer - 1])))
      {
        if constexpr (isTransitive)
        {
          m_IsListed = m_Memory.runsOfLayer[layer] <= TuningOf<Tuned::FewRuns> &&
                       ListUndecidedLinks(m_Problem,
                                          m_Memory,
                                          m_Own,
                                          IsInBrick(0),
                                          IsInBrick(1),
                                          m_Joined[0],
                                          m_Joined[1],
                                          [&](unsigned a, unsigned b) { return m_Voxels.AreJoined(a, b); });
        }
        if (!m_IsListed)
        {
          FindDiagonals();
        }
      }
      __syncthreads();
    }
  }
  __device__ __forceinline__ void
  FindDiagonals()
  {
    if constexpr (!Memory::keepsBeside)
    {
      m_Window = m_Memory.WindowAt(self);
    }
#pragma unroll diagonalUnroll
    for (int n = 0; n < backward; ++n)
    {
      if (__any_sync(AllLanes, IsInBrick(n)))
      {
        FindDiagonalsTo(n);
      }
    }
    if (isTransitive && __any_sync(AllLanes, (m_Links.left.Any() | m_Links.right.Any()) != 0))
    {
      LookAtDiagonals();
    }
  }
  /** Finds the links to the n-th backward row, if it is before this one along both y and z, and those to x - 1 and
   *  x + 1 of it. With equal values the latter are undecided yet. */
  __device__ __forceinline__ void
  FindDiagonalsTo(int n)
  {
    const int         to = WordTo(n);
    const RunWindow & other = m_Memory.WindowAt(to);
    DeviceWord        joinedTo = n == 0 ? m_Joined[0] : m_Joined[1];
    if (n >= 2)
    {
      const KnownLinks    known = IsInBrick(n) ? KnownAcross(n) : KnownLinks{};
      const StraightLinks found = Links::FindStraight(m_Voxels.Facing(n, to), m_Window, other, known);
      m_Links.same.Set(n, found.same);
      joinedTo = found.joined;
    }
    if (m_Problem.HasDiagonals(n))
    {
      const BundleLinks<DeviceWord> undecided = Links::UndecidedAcross(m_Window, other, joinedTo);
      m_Links.SetAcross(n, isTransitive ? undecided : FindAcross<Links>(m_Voxels.Facing(n, to), undecided));
    }
  }
  /** With equal values few voxels must be compared. One piece of code does it for all rows. */
  __device__ __forceinline__ void
  LookAtDiagonals()
  {
#pragma unroll 1
    for (int n = 0; n < backward; ++n)
    {
      const BundleLinks<DeviceWord> undecided = m_Links.Across(n);
      if (__any_sync(AllLanes, (undecided.left | undecided.right) != 0))
      {
        m_Links.SetAcross(n, FindAcross<Links>(m_Voxels.Facing(n, WordTo(n)), undecided));
      }
    }
  }
  /** The decisions of straight links along y and z on the n-th backward row, which is before this one along both axes.
   * With equal values they also decide where the two rows differ. The row must be in the brick. */
  __device__ __forceinline__ KnownLinks
  KnownAcross(int n) const
  {
    const SquareLinks square = SquareTo(m_Memory, n);
    KnownLinks        known = { square.Across(), 0 };
    if constexpr (isTransitive)
    {
      const DeviceWord between = m_Memory.RowAt(self + BackwardStepY(n) * WordsPerBrickRow).foreground;
      const DeviceWord below = m_Memory.RowAt(self - (WordsPerBrickRow << grid.bundlesShiftY)).foreground;
      known.separated = (between & (square.ab ^ square.bc)) | (below & (square.da ^ square.cd));
    }
    return known;
  }
  /** Whether the n-th backward row is in the brick. */
  __device__ __forceinline__ bool
  IsInBrick(int n) const
  {
    return (m_Reach >> n & 1u) != 0;
  }
  /** The word of the n-th backward row, or the empty word if that row is in another brick. */
  __device__ __forceinline__ int
  WordTo(int n) const
  {
    return IsInBrick(n) ? WordBefore<backward>(n) : WordsPerBrick;
  }

  const TProblem &   m_Problem;
  const MaskBits &   m_Mask;
  const ForBorders & m_ForBorders;
  Memory &           m_Memory;
  /** The word's row in the image, if it has one. */
  unsigned                      m_RowNumber = 0;
  bool                          m_IsInside;
  const typename Memory::Voxels m_Voxels;
  /** The word, and its adjacent bits if needed. */
  RowWord   m_Own = {};
  RunWindow m_Window = {};
  /** Bit n: the n-th backward row is in the brick. */
  unsigned m_Reach = 0;
  /** Whether the warp's layer has no foreground. */
  bool m_IsEmpty = false;
  /** The bits at which the word is not like those before it along y and z, or not joined to them. */
  DeviceWord m_Unlike = 0;
  /** Whether no word of the layer has such bits. */
  bool m_IsPlainLayer = false;
  /** Whether links across are listed already, so that they are not among these links. */
  bool                    m_IsListed = false;
  BackwardLinks<backward> m_Links = {};
  /** The bits at which the word is linked to those before it along y and z. */
  DeviceWord m_Joined[2] = {};
};

} // namespace brickccl::cuda

#endif
