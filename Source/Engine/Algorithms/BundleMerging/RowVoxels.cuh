// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_ALGORITHMS_BUNDLEMERGING_ROWVOXELS_CUH
#define BRICKCCL_ALGORITHMS_BUNDLEMERGING_ROWVOXELS_CUH

#include "BrickCCL/Algorithms/BundleMerging/RowArrays.cuh"

#include <type_traits>

/** The voxels of rows where values decide (equal values, tolerance). They are read and compared word by word. */
namespace brickccl::cuda
{

/** Four voxels of one channel that lie side by side. */
template <typename T>
struct Quad
{
  T values[4];
};

/** Voxels of four or eight bytes. A warp reads up to eight rows of a brick together. Each lane reads four voxels of
 *  each row, so that memory is read in its own order. Afterwards the lanes 4 r to 4 r + 3 have the words of row r. */
template <typename TProblem>
class LayerRows
{
public:
  using T = typename TProblem::Pixel;

  /** Whether all voxels of a word can be compared at once. */
  static constexpr bool comparesWords = true;
  /** If more voxels of a word than this are wanted, all are compared at once. */
  static constexpr int few = TuningOf<Tuned::LayerFew>;
  static constexpr int fewAcross = TuningOf<Tuned::LayerFewAcross>;

  /** Takes the rows from a bundle on, along y or along z. `word` is the brick's first word along x. */
  __device__
  LayerRows(const TProblem & problem, int word, int bundleY, int bundleZ, bool alongZ)
    : m_Problem(problem)
  {
    const BundleGrid & grid = problem.grid;
    const std::int64_t rows = alongZ ? std::int64_t{ grid.sizeZ } - bundleZ : std::int64_t{ grid.sizeY } - bundleY;
    const bool         isInside = bundleY < std::int64_t{ grid.sizeY } && bundleZ < std::int64_t{ grid.sizeZ };
    const std::int64_t x = std::int64_t{ word } * BitsPerDeviceWord + Lane() * 4;
    const std::int64_t left = grid.extent.RowLength() - x;
    m_Rows = !isInside ? 0 : rows < BundlesPerLayer ? static_cast<int>(rows) : BundlesPerLayer;
    m_Count = left < 0 ? 0 : left < 4 ? static_cast<int>(left) : 4;
    m_HasBefore = x > 0;
    m_HasAfter = left > 4;
    m_First = problem.VoxelAt(grid.RowsFurther(bundleY, bundleZ), x);
    m_Step = (alongZ ? grid.rowsPerZ : grid.rowsPerY) * grid.extent.RowLength();
  }

  /** Packs foreground and starts of this lane's word; `wanted` masks the foreground. */
  __device__ RowLayout::Kept
             Pack(DeviceWord wanted) const
  {
    const auto & rule = m_Problem.rule.foreground;
    Votes        foreground = {};
    Votes        joined = {};
#pragma unroll 2
    for (int r = 0; r < m_Rows; ++r)
    {
      const Quad<T> quad = Load(m_First + r * m_Step);
      T             before = ValueOfLane(quad.values[3], -1);
#pragma unroll
      for (int i = 0; i < 4; ++i)
      {
        foreground.Take(r, i, IsForeground(quad.values[i]));
        joined.Take(r, i, AreJoined(quad.values[i], before));
        before = quad.values[i];
      }
    }
    const DeviceWord bits = (foreground.Word() ^ (VotesAreInside && rule.outside ? 0xFFFFFFFFu : 0u)) & wanted;
    const DeviceWord bitsBefore = __shfl_up_sync(AllLanes, bits, 1);
    const DeviceWord carried = Lane() % WordsPerBrickRow > 0 ? bitsBefore >> 31 : 0u;
    return { { bits, bits & ~(joined.Word() & ((bits << 1) | carried)) } };
  }

  /** The bits of `wanted` whose voxel is joined to that at the same x of the row `rowsFurther` rows further on. All
   *  lanes must call. */
  __device__ DeviceWord
  JoinedTo(std::int64_t rowsFurther, DeviceWord wanted) const
  {
    Votes same = {};
    ForRows(wanted, rowsFurther, [&](int r, std::int64_t further) {
      const Quad<T> a = Load(m_First + r * m_Step);
      const Quad<T> b = Load(m_First + r * m_Step + further);
#pragma unroll
      for (int i = 0; i < 4; ++i)
      {
        same.Take(r, i, AreJoined(a.values[i], b.values[i]));
      }
    });
    return wanted & same.Word();
  }

  /** The same for x - 1 and x + 1. */
  __device__ BundleLinks<DeviceWord>
             JoinedAcross(std::int64_t rowsFurther, DeviceWord wantedLeft, DeviceWord wantedRight) const
  {
    Votes left = {};
    Votes right = {};
    ForRows(wantedLeft | wantedRight, rowsFurther, [&](int r, std::int64_t further) {
      const T * const other = m_First + r * m_Step + further;
      const Quad<T>   a = Load(m_First + r * m_Step);
      const Quad<T>   b = Load(other);
      T               values[6] = { ValueOfLane(b.values[3], -1), b.values[0], b.values[1], b.values[2], b.values[3],
                                    ValueOfLane(b.values[0], 1) };
      if (Lane() == 0 && m_HasBefore)
      {
        values[0] = other[-1];
      }
      if (Lane() == 31 && m_HasAfter)
      {
        values[5] = other[4];
      }
#pragma unroll
      for (int i = 0; i < 4; ++i)
      {
        left.Take(r, i, AreJoined(a.values[i], values[i]));
        right.Take(r, i, AreJoined(a.values[i], values[i + 2]));
      }
    });
    return { 0, wantedLeft & left.Word(), wantedRight & right.Word() };
  }

private:
  /** The warp's votes on each of the lanes' four voxels, for this lane's row. */
  struct Votes
  {
    unsigned of[4];

    __device__ void
    Take(int row, int i, bool vote)
    {
      const unsigned votes = __ballot_sync(AllLanes, vote);
      of[i] = Lane() / WordsPerBrickRow == row ? votes : of[i];
    }
    /** This lane's word. It interleaves eight lanes' votes on each of four voxels. */
    __device__ DeviceWord
    Word() const
    {
      DeviceWord word = 0;
#pragma unroll
      for (int i = 0; i < 4; ++i)
      {
        unsigned bits = (of[i] >> (Lane() % WordsPerBrickRow * 8)) & 0xFFu;
        bits = (bits | bits << 12) & 0x000F000Fu;
        bits = (bits | bits << 6) & 0x03030303u;
        bits = (bits | bits << 3) & 0x11111111u;
        word |= bits << i;
      }
      return word;
    }
  };

  __device__ static int
  Lane()
  {
    return static_cast<int>(threadIdx.x % 32);
  }
  __device__ static T
  ValueOfLane(T value, int step)
  {
    return step < 0 ? __shfl_up_sync(AllLanes, value, 1) : __shfl_down_sync(AllLanes, value, 1);
  }
  /** Whether votes on the foreground ask for the range only. An integer is either inside or outside of it. */
  static constexpr bool VotesAreInside = std::is_integral_v<T>;

  __device__ bool
  IsForeground(T value) const
  {
    const auto & rule = m_Problem.rule.foreground;
    if constexpr (VotesAreInside)
    {
      return value >= rule.low && value <= rule.high;
    }
    else
    {
      return rule(value);
    }
  }
  __device__ bool
  AreJoined(T a, T b) const
  {
    return m_Problem.AreJoined(&a, &b);
  }
  /** Calls the function with each row that a lane needs, and with the distance to the other row in voxels. */
  template <typename TFunction>
  __device__ void
  ForRows(DeviceWord wanted, std::int64_t rowsFurther, const TFunction & function) const
  {
    constexpr unsigned lanesOfRow = (1u << WordsPerBrickRow) - 1;
    for (unsigned lanes = __ballot_sync(AllLanes, wanted != 0); lanes != 0;)
    {
      const int lane = LowestBit(lanes);
      const int r = lane / WordsPerBrickRow;
      lanes &= ~(lanesOfRow << r * WordsPerBrickRow);
      function(r, __shfl_sync(AllLanes, rowsFurther, lane) * m_Problem.grid.extent.RowLength());
    }
  }
  __device__ Quad<T>
             Load(const T * place) const
  {
    union
    {
      Quad<T> quad;
      uint4   four[2];
    };
    four[0] = {};
    four[1] = {};
    if (!m_Problem.isAligned)
    {
#pragma unroll
      for (int i = 0; i < 4; ++i)
      {
        quad.values[i] = i < m_Count ? place[i] : T{};
      }
    }
    else if (m_Count > 0)
    {
#pragma unroll
      for (unsigned i = 0; i < sizeof(T) / 4; ++i)
      {
        four[i] = reinterpret_cast<const uint4 *>(place)[i];
      }
    }
    return quad;
  }

  const TProblem & m_Problem;
  /** This lane's voxels in the first row. */
  const T *    m_First;
  std::int64_t m_Step;
  int          m_Rows;
  /** The number of this lane's voxels in the volume, and whether their neighbors along x are. */
  int  m_Count;
  bool m_HasBefore;
  bool m_HasAfter;
};

/** The same for voxels of one or two bytes. Each lane reads its own word. */
template <typename TProblem>
class WordRows
{
public:
  using T = typename TProblem::Pixel;

  static constexpr bool comparesWords = true;
  static constexpr int  few = TProblem::isTransitive ? TuningOf<Tuned::WordFewOfEqual> : TuningOf<Tuned::WordFew>;
  static constexpr int  fewAcross =
    TProblem::isTransitive ? TuningOf<Tuned::WordFewAcrossOfEqual> : TuningOf<Tuned::WordFewAcross>;

  __device__
  WordRows(const TProblem & problem, int word, int bundleY, int bundleZ, bool alongZ)
    : m_Problem(problem)
    , m_Difference(problem.rule.difference)
    , m_End(problem.end)
  {
    const int          lane = static_cast<int>(threadIdx.x % 32);
    const int          step = lane / WordsPerBrickRow;
    const std::int64_t x = std::int64_t{ word + lane % WordsPerBrickRow } * BitsPerDeviceWord;
    const std::int64_t row = problem.grid.RowOf(bundleY + (alongZ ? 0 : step), bundleZ + (alongZ ? step : 0), 0);
    m_First = problem.VoxelAt(row, x);
  }

  __device__ DeviceWord
  JoinedTo(std::int64_t rowsFurther, DeviceWord wanted) const
  {
    if (wanted == 0)
    {
      return 0;
    }
    const T * const other = m_First + rowsFurther * m_Problem.grid.extent.RowLength();
    DeviceWord      separated = 0;
    ForGroups(
      [&](int x) { Group(m_First + x, m_End).AppendSeparated(separated, Group(other + x, m_End), m_Difference); });
    return wanted & ~separated;
  }

  __device__ BundleLinks<DeviceWord>
             JoinedAcross(std::int64_t rowsFurther, DeviceWord wantedLeft, DeviceWord wantedRight) const
  {
    if ((wantedLeft | wantedRight) == 0)
    {
      return {};
    }
    const T * const other = m_First + rowsFurther * m_Problem.grid.extent.RowLength();
    DeviceWord      left = 0;
    DeviceWord      right = 0;
    ForGroups([&](int x) {
      const Group own(m_First + x, m_End);
      const Group others(other + x, m_End);
      own.AppendSeparatedLeft(left, others, VoxelAt(other + x - 1), m_Difference);
      own.AppendSeparatedRight(right, others, VoxelAt(other + x + Group::count), m_Difference);
    });
    return { 0, wantedLeft & ~left, wantedRight & ~right };
  }

private:
  using Group = VoxelGroup<T>;

  /** Calls the function for the first voxel of each group of a word, the last group first. It is not unrolled, so that
   *  the code stays in the instruction cache. */
  template <typename TFunction>
  __device__ static void
  ForGroups(const TFunction & function)
  {
#pragma unroll 1
    for (int x = BitsPerDeviceWord - Group::count; x >= 0; x -= Group::count)
    {
      function(x);
    }
  }
  /** The voxel, or zero where the volume has none. */
  __device__ T
  VoxelAt(const T * place) const
  {
    return place >= m_Problem.voxels && place < m_End ? *place : T{};
  }

  const TProblem &                              m_Problem;
  RegisterDifference<T, TProblem::isTransitive> m_Difference;
  const T *                                     m_End;
  /** The first voxel of this lane's word. */
  const T * m_First;
};

/** Voxels of several channels. They are compared one by one. */
template <typename TProblem>
class ChannelRows
{
public:
  static constexpr bool comparesWords = false;
  static constexpr int  few = 0;
  static constexpr int  fewAcross = 0;

  __device__
  ChannelRows(const TProblem & problem, int word, int bundleY, int bundleZ, bool)
    : m_Problem(problem)
    , m_InBrick(static_cast<int>(threadIdx.x) % WordsPerBrickRow * BitsPerDeviceWord)
    , m_First(
        problem.VoxelAt(problem.grid.RowOf(bundleY + static_cast<int>(threadIdx.x % 32) / WordsPerBrickRow, bundleZ, 0),
                        std::int64_t{ word } * BitsPerDeviceWord + m_InBrick))
  {}

  __device__ RowLayout::Kept
             Pack(DeviceWord wanted) const
  {
    const auto & rule = m_Problem.rule;
    DeviceWord   foreground = 0;
    DeviceWord   joined = 0;
    for (DeviceWord rest = wanted; rest != 0; rest &= rest - 1)
    {
      const int          x = LowestBit(rest);
      const auto * const voxel = m_First + x * rule.channels;
      foreground |= static_cast<DeviceWord>(rule.IsForeground(voxel)) << x;
      joined |= static_cast<DeviceWord>(m_InBrick + x > 0 && rule.AreJoined(voxel, voxel - rule.channels)) << x;
    }
    const DeviceWord before = __shfl_up_sync(AllLanes, foreground, 1);
    return { { foreground, foreground & ~(joined & ((foreground << 1) | (m_InBrick > 0 ? before >> 31 : 0u))) } };
  }

private:
  const TProblem &                 m_Problem;
  int                              m_InBrick;
  const typename TProblem::Pixel * m_First;
};

/** How the rows of a problem are read. */
template <typename TProblem>
using ReaderOf = std::conditional_t<
  !TProblem::isOneChannel,
  ChannelRows<TProblem>,
  std::conditional_t<sizeof(typename TProblem::Pixel) <= 2, WordRows<TProblem>, LayerRows<TProblem>>>;

/** A warp's words with their voxels in memory: in bricks of larger voxels and of several channels, and at borders.
 *  Works as TileVoxels. */
template <typename TProblem>
class MemoryVoxels
{
public:
  using T = typename TProblem::Pixel;
  using Reader = ReaderOf<TProblem>;
  struct Storage
  {};

  static constexpr bool comparesWords = Reader::comparesWords;
  static constexpr int  few = Reader::few;
  static constexpr int  fewAcross = Reader::fewAcross;

  /** \param word              the first word of the warp's rows along x
   *  \param bundleY, bundleZ  the first of its rows
   *  \param voxel             the first voxel of this lane's word, if that is in the volume
   *  \param alongZ            whether the other rows follow along z */
  __device__
  MemoryVoxels(const TProblem & problem, int word, int bundleY, int bundleZ, const T * voxel, bool alongZ)
    : m_Problem(problem)
    , m_Reader(problem, word, bundleY, bundleZ, alongZ)
    , m_Voxel(voxel)
  {}
  /** The rows of a brick. */
  __device__
  MemoryVoxels(const TProblem & problem, Storage &, int word, int bundleY, int bundleZ, const T * voxel)
    : MemoryVoxels(problem, word, bundleY, bundleZ, voxel, false)
  {}

  __device__ RowLayout::Kept
             Pack(DeviceWord wanted) const
  {
    return m_Reader.Pack(wanted);
  }
  __device__ MemoryVoxels
  Facing(int n, int) const
  {
    const BundleGrid & grid = m_Problem.grid;
    MemoryVoxels       facing = *this;
    // Choices take fewer registers than products.
    facing.m_RowsFurther = (BackwardStepZ(n) == 0 ? 0 : -std::int64_t{ grid.rowsPerZ }) +
                           (BackwardStepY(n) == 0  ? 0
                            : BackwardStepY(n) < 0 ? -std::int64_t{ grid.rowsPerY }
                                                   : std::int64_t{ grid.rowsPerY });
    return facing;
  }
  __device__ bool
  operator()(int x, int step) const
  {
    const int    channels = m_Problem.Channels();
    const auto * voxel = m_Voxel + x * channels;
    return m_Problem.AreJoined(voxel, voxel + (m_RowsFurther * m_Problem.grid.extent.RowLength() + step) * channels);
  }
  __device__ DeviceWord
  JoinedTo(DeviceWord wanted) const
  {
    return m_Reader.JoinedTo(m_RowsFurther, wanted);
  }
  __device__ BundleLinks<DeviceWord>
             JoinedAcross(DeviceWord wantedLeft, DeviceWord wantedRight) const
  {
    return m_Reader.JoinedAcross(m_RowsFurther, wantedLeft, wantedRight);
  }
  __device__ bool
  AreJoined(unsigned a, unsigned b) const
  {
    return m_Problem.AreJoined(VoxelAt(a), VoxelAt(b));
  }

private:
  /** The voxel at a place of the brick. */
  __device__ const T *
  VoxelAt(unsigned place) const
  {
    const BundleGrid & grid = m_Problem.grid;
    const auto         stepY = [&](unsigned bundle) { return static_cast<int>(bundle) & grid.MaskY(); };
    const auto         stepZ = [&](unsigned bundle) { return static_cast<int>(bundle) >> grid.bundlesShiftY; };
    const unsigned     own = threadIdx.x / WordsPerBrickRow;
    const unsigned     bundle = place / VoxelsPerBrickRow;
    const std::int64_t rows = grid.RowsFurther(stepY(bundle) - stepY(own), stepZ(bundle) - stepZ(own));
    const auto x = static_cast<int>(place - threadIdx.x * BitsPerDeviceWord - (bundle - own) * VoxelsPerBrickRow);
    return m_Voxel + (rows * grid.extent.RowLength() + x) * m_Problem.Channels();
  }

  const TProblem & m_Problem;
  Reader           m_Reader;
  const T *        m_Voxel;
  /** The facing row's number less this row's number, in the volume. */
  std::int64_t m_RowsFurther = 0;
};

} // namespace brickccl::cuda

#endif
