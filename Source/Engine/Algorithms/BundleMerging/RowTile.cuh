// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_ALGORITHMS_BUNDLEMERGING_ROWTILE_CUH
#define BRICKCCL_ALGORITHMS_BUNDLEMERGING_ROWTILE_CUH

#include "BrickCCL/Algorithms/BundleMerging/RowVoxels.cuh"

/** The voxels of a brick's rows in shared memory, where values decide. */
namespace brickccl::cuda
{

/** Voxels of up to four bytes, word by word in pieces of 16 bytes. The pieces of a word are permuted. So lanes find
 *  pieces in different banks, both when they read the same piece of neighboring words and when they write all pieces
 *  of one word. */
template <typename T>
class RowTile
{
public:
  static constexpr unsigned perPiece = 16 / sizeof(T);
  static constexpr unsigned pieces = BitsPerDeviceWord / perPiece;

  __device__ uint4 &
  Piece(unsigned word, unsigned piece)
  {
    return *reinterpret_cast<uint4 *>(m_Bytes + (Begin(word) ^ piece * sizeof(uint4)));
  }
  __device__ const uint4 &
  Piece(unsigned word, unsigned piece) const
  {
    return *reinterpret_cast<const uint4 *>(m_Bytes + (Begin(word) ^ piece * sizeof(uint4)));
  }
  __device__ T &
  At(unsigned word, unsigned x)
  {
    return *reinterpret_cast<T *>(m_Bytes + (Begin(word) ^ x * sizeof(T)));
  }
  __device__ T
  At(unsigned word, unsigned x) const
  {
    return *reinterpret_cast<const T *>(m_Bytes + (Begin(word) ^ x * sizeof(T)));
  }

private:
  static constexpr unsigned bytesPerWord = BitsPerDeviceWord * sizeof(T);

  /** The place of a word's first voxel in bytes. The place of another voxel of the word is the exclusive or of this and
   *  of its bytes from the first voxel on. */
  __device__ static unsigned
  Begin(unsigned word)
  {
    static_assert(pieces <= 8);
    const unsigned turn = word / (8 / pieces) % pieces;
    return word * bytesPerWord | turn * static_cast<unsigned>(sizeof(uint4));
  }

  alignas(16) unsigned char m_Bytes[WordsPerBrick * bytesPerWord];
};

/** The four voxels of a piece, where a voxel has four bytes. */
template <typename T>
__device__ inline Quad<T>
QuadOf(uint4 piece)
{
  Quad<T> quad;
  static_assert(sizeof(quad) == sizeof(piece));
  memcpy(&quad, &piece, sizeof(piece));
  return quad;
}

/** Reads the rows of a warp's layer into a tile, as far as they are in the volume. All lanes must call.
 *  \param word              the brick's first word along x
 *  \param bundleY, bundleZ  the layer's first row */
template <typename TProblem>
__device__ inline void
ReadLayer(const TProblem & problem, RowTile<typename TProblem::Pixel> & tile, int word, int bundleY, int bundleZ)
{
  using T = typename TProblem::Pixel;
  using Tile = RowTile<T>;
  static_assert(sizeof(T) == 4);
  const BundleGrid & grid = problem.grid;
  const unsigned     lane = threadIdx.x % 32;
  const unsigned     first = threadIdx.x - lane;
  const unsigned     x = static_cast<unsigned>(word) * BitsPerDeviceWord;
  const unsigned     left = grid.rowLength - x;
  const int          below = static_cast<int>(grid.sizeY) - bundleY;
  const int          rows = bundleZ >= static_cast<int>(grid.sizeZ) || below < 0 ? 0
                          : below < BundlesPerLayer                              ? below
                                                                                 : BundlesPerLayer;
  const T *          place = problem.VoxelAt(grid.RowsFurther(bundleY, bundleZ), x);
  if (problem.isAligned)
  {
    constexpr int together = TuningOf<Tuned::WideRowsLoadedTogether>;
    place += 4 * lane;
    // The permutations repeat every two rows.
    static_assert(2 * WordsPerBrickRow == Tile::pieces);
    uint4 * const even = &tile.Piece(first + lane / 8, lane % 8);
    uint4 * const odd = &tile.Piece(first + WordsPerBrickRow + lane / 8, lane % 8);
#pragma unroll
    for (int from = 0; from < BundlesPerLayer; from += together)
    {
      uint4 pieces[together];
#pragma unroll
      for (int r = 0; r < together; ++r)
      {
        pieces[r] = {};
        if (from + r < rows && 4 * lane < left)
        {
          pieces[r] = *reinterpret_cast<const uint4 *>(place);
        }
        place += std::size_t{ grid.rowLength } * grid.rowsPerY;
      }
#pragma unroll
      for (int r = 0; r < together; ++r)
      {
        ((r & 1) == 0 ? even : odd)[(from + r) / 2 * 2 * WordsPerBrickRow * Tile::pieces] = pieces[r];
      }
    }
  }
  else
  {
    for (unsigned r = 0; r < static_cast<unsigned>(rows); ++r, place += std::size_t{ grid.rowLength } * grid.rowsPerY)
    {
#pragma unroll
      for (unsigned i = 0; i < WordsPerBrickRow; ++i)
      {
        const unsigned at = i * BitsPerDeviceWord + lane;
        tile.At(first + r * WordsPerBrickRow + i, lane) = at < left ? place[at] : T{};
      }
    }
  }
  __syncwarp();
}

/** A warp's words in a tile, into which each warp reads the rows of a layer. Other words may be asked for when all
 * warps have packed. */
template <typename TProblem>
class TileVoxels
{
public:
  using T = typename TProblem::Pixel;
  using Storage = RowTile<T>;

  /** Whether all voxels of a word can be compared at once. */
  static constexpr bool comparesWords = true;
  /** If more voxels of a word than this are wanted, all are compared at once. `fewAcross` is the same for voxels whose
   *  neighbors at x - 1 and x + 1 are wanted. */
  static constexpr int few = sizeof(T) > 1          ? TuningOf<Tuned::TileFew>
                           : TProblem::isTransitive ? TuningOf<Tuned::TileFewOfEqualBytes>
                                                    : TuningOf<Tuned::TileFewOfBytes>;
  static constexpr int fewAcross =
    sizeof(T) == 1 ? TuningOf<Tuned::TileFewAcrossOfBytes> : TuningOf<Tuned::TileFewAcross>;

  /** \param word              the brick's first word along x
   *  \param bundleY, bundleZ  the first row of the warp's layer
   *  \param voxel             the first voxel of this thread's word, if that is in the volume */
  __device__
  TileVoxels(const TProblem & problem, Storage & tile, int word, int bundleY, int bundleZ, const T * voxel)
    : m_Problem(problem)
    , m_Tile(tile)
    , m_Word(word)
    , m_BundleY(bundleY)
    , m_BundleZ(bundleZ)
    , m_Voxel(voxel)
  {}

  /** Packs foreground and starts of this thread's word; `wanted` masks the foreground. All lanes must call. */
  __device__ RowLayout::Kept
             Pack(DeviceWord wanted) const
  {
    const bool isFirst = threadIdx.x % WordsPerBrickRow == 0;
    DeviceWord foreground = 0;
    DeviceWord separated = 0;
    if constexpr (sizeof(T) == 4)
    {
      ReadLayer(m_Problem, m_Tile, m_Word, m_BundleY, m_BundleZ);
      PackWide(isFirst, foreground, separated);
    }
    else
    {
      PackSmall(wanted != 0, foreground, separated);
    }
    const DeviceWord bits = foreground & wanted;
    const DeviceWord before = __shfl_up_sync(AllLanes, bits, 1);
    return { { bits, bits & (separated | ~((bits << 1) | (isFirst ? 0u : before >> 31))) } };
  }
  /** The same words, facing the n-th backward row, where this lane's word faces number `other` of the brick.
   */
  __device__ TileVoxels
  Facing(int, int other) const
  {
    TileVoxels facing = *this;
    facing.m_Other = static_cast<unsigned>(other);
    return facing;
  }
  /** Whether the voxel at x is joined to the voxel of the other row at x + step, within the brick. */
  __device__ bool
  operator()(int x, int step) const
  {
    const T a = m_Tile.At(threadIdx.x, static_cast<unsigned>(x));
    const T b = step == 0 ? m_Tile.At(m_Other, static_cast<unsigned>(x)) : Other(x + step);
    return m_Problem.AreJoined(&a, &b);
  }

  /** The bits of `wanted` whose voxel is joined to that at the same x of the other row. */
  __device__ DeviceWord
  JoinedTo(DeviceWord wanted) const
  {
    if (wanted == 0)
    {
      return 0;
    }
    if constexpr (sizeof(T) < 4)
    {
      DeviceWord separated = 0;
      const auto difference = Difference();
      ForPieces([&](unsigned i) {
        Group(m_Tile.Piece(threadIdx.x, i)).AppendSeparated(separated, Group(m_Tile.Piece(m_Other, i)), difference);
      });
      return wanted & ~separated;
    }
    else
    {
      DeviceWord joined = 0;
      ForPieces([&](unsigned i) {
        const Quad<T> a = QuadOf<T>(m_Tile.Piece(threadIdx.x, i));
        const Quad<T> b = QuadOf<T>(m_Tile.Piece(m_Other, i));
#pragma unroll
        for (int k = 3; k >= 0; --k)
        {
          joined = joined << 1 | (m_Problem.AreJoined(a.values + k, b.values + k) ? 1u : 0u);
        }
      });
      return wanted & joined;
    }
  }

  /** The same for x - 1 and x + 1. */
  __device__ BundleLinks<DeviceWord>
             JoinedAcross(DeviceWord wantedLeft, DeviceWord wantedRight) const
  {
    if ((wantedLeft | wantedRight) == 0)
    {
      return {};
    }
    constexpr auto count = static_cast<int>(RowTile<T>::perPiece);
    const auto     before = [&](unsigned i) { return Other(static_cast<int>(i) * count - 1); };
    const auto     after = [&](unsigned i) { return Other(static_cast<int>(i) * count + count); };
    if constexpr (sizeof(T) < 4)
    {
      DeviceWord left = 0;
      DeviceWord right = 0;
      const auto difference = Difference();
      ForPieces([&](unsigned i) {
        const Group own(m_Tile.Piece(threadIdx.x, i));
        const Group others(m_Tile.Piece(m_Other, i));
        own.AppendSeparatedLeft(left, others, before(i), difference);
        own.AppendSeparatedRight(right, others, after(i), difference);
      });
      return { 0, wantedLeft & ~left, wantedRight & ~right };
    }
    else
    {
      DeviceWord left = 0;
      DeviceWord right = 0;
      ForPieces([&](unsigned i) {
        const Quad<T> own = QuadOf<T>(m_Tile.Piece(threadIdx.x, i));
        const Quad<T> others = QuadOf<T>(m_Tile.Piece(m_Other, i));
        const T       values[6] = { before(i),        others.values[0], others.values[1],
                                    others.values[2], others.values[3], after(i) };
#pragma unroll
        for (int k = 3; k >= 0; --k)
        {
          left = left << 1 | (m_Problem.AreJoined(own.values + k, values + k) ? 1u : 0u);
          right = right << 1 | (m_Problem.AreJoined(own.values + k, values + k + 2) ? 1u : 0u);
        }
      });
      return { 0, wantedLeft & left, wantedRight & right };
    }
  }
  /** The bits at which this thread's word is joined to each of two others of the brick. */
  __device__ void
  JoinedTo(unsigned one, unsigned other, DeviceWord & toOne, DeviceWord & toOther) const
  {
    const auto difference = Difference();
    DeviceWord separated[2] = {};
#pragma unroll
    for (unsigned i = Storage::pieces; i-- > 0;)
    {
      const Group own(m_Tile.Piece(threadIdx.x, i));
      own.AppendSeparated(separated[0], Group(m_Tile.Piece(one, i)), difference);
      own.AppendSeparated(separated[1], Group(m_Tile.Piece(other, i)), difference);
    }
    toOne = ~separated[0];
    toOther = ~separated[1];
  }
  /** Whether two voxels of the brick are joined. Each word has 32 voxels. */
  __device__ bool
  AreJoined(unsigned a, unsigned b) const
  {
    const T one = m_Tile.At(a / BitsPerDeviceWord, a % BitsPerDeviceWord);
    const T other = m_Tile.At(b / BitsPerDeviceWord, b % BitsPerDeviceWord);
    return m_Problem.AreJoined(&one, &other);
  }

private:
  using Group = VoxelGroup<T>;

  /** Calls the function for the pieces of a word, the last one first. It is not unrolled, so that the code stays in the
   *  instruction cache. */
  template <typename TFunction>
  __device__ static void
  ForPieces(const TFunction & function)
  {
#pragma unroll 1
    for (unsigned i = RowTile<T>::pieces; i-- > 0;)
    {
      function(i);
    }
  }
  __device__ RegisterDifference<T, TProblem::isTransitive>
             Difference() const
  {
    return RegisterDifference<T, TProblem::isTransitive>(m_Problem.rule.difference);
  }
  /** A voxel of the other row, from one before the word to one behind it. Past the brick's end it is any voxel. */
  __device__ T
  Other(int x) const
  {
    // The words of a row follow each other.
    const unsigned at = (m_Other * BitsPerDeviceWord + static_cast<unsigned>(x)) % (WordsPerBrick * BitsPerDeviceWord);
    return m_Tile.At(at / BitsPerDeviceWord, at % BitsPerDeviceWord);
  }

  __device__ void
  PackWide(bool isFirst, DeviceWord & foreground, DeviceWord & separated) const
  {
    const unsigned self = threadIdx.x;
    const auto &   rule = m_Problem.rule.foreground;
    constexpr bool asksInside = std::is_integral_v<T>;
    T              before = m_Tile.At(isFirst ? self : self - 1, 31);
#pragma unroll
    for (unsigned i = 0; i < Storage::pieces; ++i)
    {
      const Quad<T> own = QuadOf<T>(m_Tile.Piece(self, i));
#pragma unroll
      for (unsigned k = 0; k < 4; ++k)
      {
        const T    value = own.values[k];
        const auto bit = DeviceWord{ 1 } << (i * 4 + k);
        bool       isForeground;
        if constexpr (asksInside)
        {
          isForeground = value >= rule.low && value <= rule.high;
        }
        else
        {
          isForeground = rule(value);
        }
        foreground |= isForeground ? bit : 0u;
        separated |= m_Problem.AreJoined(&value, &before) ? 0u : bit;
        before = value;
      }
    }
    foreground ^= asksInside && rule.outside ? 0xFFFFFFFFu : 0u;
  }
  /** Each lane reads its own word into the tile, if it is wanted. */
  __device__ __forceinline__ void
  ReadPieces(bool isWanted, uint4 (&pieces)[Storage::pieces]) const
  {
    if (isWanted)
    {
      if (m_Problem.end - m_Voxel >= BitsPerDeviceWord &&
          reinterpret_cast<std::uintptr_t>(m_Voxel) % sizeof(uint4) == 0)
      {
#pragma unroll
        for (unsigned i = 0; i < Storage::pieces; ++i)
        {
          pieces[i] = reinterpret_cast<const uint4 *>(m_Voxel)[i];
        }
      }
      else
      {
#pragma unroll
        for (unsigned i = 0; i < Storage::pieces; ++i)
        {
          pieces[i] = Group::Read(m_Voxel + i * Group::count, m_Problem.end);
        }
      }
    }
#pragma unroll
    for (unsigned i = 0; i < Storage::pieces; ++i)
    {
      m_Tile.Piece(threadIdx.x, i) = pieces[i];
    }
  }
  __device__ void
  PackSmall(bool isWanted, DeviceWord & foreground, DeviceWord & separated) const
  {
    const auto & rule = m_Problem.rule.foreground;
    const auto   difference = Difference();
    uint4        pieces[Storage::pieces] = {};
    ReadPieces(isWanted, pieces);
    const auto lastOf = [](const uint4 & piece) { return piece.w >> (32 - Group::bitsPerVoxel); };
    const auto before = static_cast<T>(__shfl_up_sync(AllLanes, lastOf(pieces[Storage::pieces - 1]), 1));
    DeviceWord outside = 0;
#pragma unroll
    for (int i = int{ Storage::pieces } - 1; i >= 0; --i)
    {
      const Group own(pieces[i]);
      own.AppendOutside(outside, rule.low, rule.high);
      own.AppendSeparatedLeft(separated,
                              own,
                              i > 0 ? static_cast<T>(lastOf(pieces[i > 0 ? i - 1 : 0])) : before,
                              difference);
    }
    const DeviceWord inside = rule.low <= rule.high ? ~outside : 0u;
    foreground = rule.outside ? ~inside : inside;
  }

  const TProblem & m_Problem;
  Storage &        m_Tile;
  int              m_Word;
  int              m_BundleY;
  int              m_BundleZ;
  const T *        m_Voxel;
  /** The word of the facing row. */
  unsigned m_Other = 0;
};

} // namespace brickccl::cuda

#endif
