// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_SPLITTING_SQUAREAGENT_CUH
#define BRICKCCL_SPLITTING_SQUAREAGENT_CUH

#include "BrickCCL/Cuda/Launch.cuh"
#include "BrickCCL/Geometry/DistanceTransform.h"

#include <cmath>
#include <cstdint>

namespace brickccl::cuda
{

// The steps, each with a kernel.
struct FillRoots
{};
struct FindBits
{};
struct AlongRow
{};
struct AcrossRows
{};

/** Calls `work(i)` for the numbers below a count, unrolled, so that arrays stay in registers. */
template <unsigned VCount, typename TWork>
__device__ __forceinline__ void
Unroll(const TWork & work)
{
#pragma unroll
  for (unsigned i = 0; i < VCount; ++i)
  {
    work(i);
  }
}

/** Squared distances to other labels, axis by axis. Between two axes a word has one square, or two of neighbors along x
 *  that are exact below 2^15 - 1. A bit of each says whether the labels of its voxel and of the one before along the
 *  next axis differ. */
template <typename T, typename TSquare>
struct SquareAgent
{
  static constexpr unsigned Bits = 8 * sizeof(TSquare);
  static constexpr unsigned PerWord = 32 / Bits;
  static constexpr unsigned Most = (1u << (Bits - 1)) - 1;
  /** Multiplies a square to fill a word. */
  static constexpr unsigned Fill = PerWord == 1 ? 1 : 0x10001;
  static constexpr unsigned Lanes = 16;
  /** How many words of a line a thread does, and how many steps it makes before it looks whether they suffice. */
  static constexpr unsigned Group = 8;
  static constexpr unsigned Steps = 2;
  /** More than a row's length. */
  static constexpr unsigned TooFar = 1u << 16;

  struct alignas(8 * sizeof(TSquare)) Eight
  {
    TSquare squares[8];
  };

  const T * labels;
  unsigned  sizes[3], weights[3];
  unsigned  rows, wordsPerRow, bitsPerRow;
  /** Bits of voxels that differ from those before along each axis, and of those that are not 0. */
  unsigned * bits[4];
  /** The words so far, and those along one more axis. */
  const unsigned * from;
  unsigned *       words;
  /** The last axis writes squares or distances. `roots` is a table of the distances of small squares. */
  unsigned *           squares;
  unsigned long long * isTooLarge;
  float *              distances, *roots;
  double               unit;
  /** Along this axis: the distance of voxels in rows, their number, and a step's square; the next axis, or 3. */
  unsigned stride, length, weight, nextAxis;

  __device__ static unsigned
  Lesser(unsigned a, unsigned b)
  {
    return a < b ? a : b;
  }
  __device__ static unsigned
  LesserSquares(unsigned cost, unsigned seen, unsigned best)
  {
    return PerWord == 1 ? Lesser(cost + seen, best) : __viaddmin_u16x2(cost, seen, best);
  }
  /** A word's squares, and 0 where a word says that labels differ. */
  __device__ static unsigned
  OrZero(unsigned word, unsigned differ)
  {
    const unsigned signs = differ & ~(Most * Fill);
    return word & Most * Fill & ~(signs - (signs >> (Bits - 1)));
  }
  /** The square of a way; the line is longer than all ways. */
  __device__ unsigned
  CostOf(unsigned way) const
  {
    const unsigned bounded = Lesser(way, length);
    return Lesser(bounded * bounded * weight, Most) * Fill;
  }
  __device__ float
  DistanceOf(unsigned square) const
  {
    return static_cast<float>((square == UnknownSquare<std::uint32_t> ? INFINITY : sqrt(static_cast<double>(square))) *
                              unit);
  }
  __device__ void
  Do(FillRoots, unsigned square) const
  {
    roots[square] = DistanceOf(square);
  }

  /** Finds the bits of eight voxels. Places beyond the row's end count as its last voxel. */
  __device__ void
  Do(FindBits, unsigned index) const
  {
    const unsigned begin = index % (4 * bitsPerRow) * 8;
    const unsigned row = index / (4 * bitsPerRow);
    const T *      line = labels + row * sizes[0];
    const auto     at = [&](unsigned i) { return Lesser(begin + i, sizes[0] - 1); };
    const auto     differ = [&](const T & a, const T & b, unsigned i) { return a != b ? 1u << i : 0; };
    const bool     hasBefore[] = { weights[0] != 0 && begin < sizes[0],
                                   weights[1] != 0 && row % sizes[1] != 0,
                                   weights[2] != 0 && row / sizes[1] != 0 };
    unsigned       found[4] = {};
    T              own[8];
    Unroll<8>([&](unsigned i) {
      own[i] = line[at(i)];
      found[3] |= differ(own[i], T{}, i);
      found[0] |= differ(own[i], i > 0 ? own[i - 1] : line[at(0) > 0 ? at(0) - 1 : 0], i);
    });
    for (int axis = 1; axis < 3; ++axis)
    {
      const T * const before = line - (axis == 1 ? sizes[0] : sizes[0] * sizes[1]);
      if (hasBefore[axis])
      {
        Unroll<8>([&](unsigned i) { found[axis] |= differ(own[i], before[at(i)], i); });
      }
    }
    found[0] = hasBefore[0] ? found[0] : 0;
    Unroll<4>(
      [&](unsigned k) { reinterpret_cast<unsigned char *>(bits[k])[index] = static_cast<unsigned char>(found[k]); });
  }

  /** The squares of the ways along x to the nearest voxels of other labels, with their bits, for eight voxels. */
  __device__ void
  Do(AlongRow, unsigned index) const
  {
    const unsigned row = index * 8 / (wordsPerRow * PerWord);
    const unsigned begin = index * 8 % (wordsPerRow * PerWord);
    const auto     word = [&](unsigned k, unsigned place) { return bits[k][row * bitsPerRow + place]; };
    const auto     own = [&](unsigned k) { return word(k, begin / 32) >> begin % 32; };
    const unsigned starts = own(0);
    const unsigned areLabels = own(3);
    const unsigned differ = own(nextAxis);
    unsigned       low = begin / 32;
    unsigned       high = begin / 32;
    unsigned       before = word(0, low) & ((1u << begin % 32) - 1);
    unsigned       behind = word(0, high) & (0u - (256u << begin % 32));
    while (before == 0 && low > 0)
    {
      before = word(0, --low);
    }
    while (behind == 0 && high + 1 < bitsPerRow)
    {
      behind = word(0, ++high);
    }
    unsigned way = before != 0 ? begin - (low * 32 + 31 - __clz(static_cast<int>(before))) : TooFar;
    unsigned ways[8];
    Unroll<8>([&](unsigned i) { ways[i] = way = (starts >> i & 1u) != 0 ? 1 : way + 1; });
    way = behind != 0 ? high * 32 + __ffs(static_cast<int>(behind)) - 1 - (begin + 8) : TooFar;
    Eight found;
    Unroll<8>([&](unsigned k) {
      const unsigned i = 7 - k;
      way = i < 7 && (starts >> (i + 1) & 1u) != 0 ? 1 : way + 1;
      const unsigned least = Lesser(way, ways[i]);
      const unsigned square = least < TooFar ? Lesser(least * least * weight, Most) : Most;
      found.squares[i] = static_cast<TSquare>((areLabels >> i & 1u) * square | (differ >> i & 1u) * (Most + 1));
    });
    reinterpret_cast<Eight *>(words)[index] = found;
  }

  /** Writes a word with its bits, or what is found along the last axis. */
  __device__ void
  Write(unsigned row, unsigned word, unsigned found) const
  {
    const unsigned x = word * PerWord;
    if (nextAxis < 3)
    {
      const unsigned differ = x < sizes[0] ? bits[nextAxis][row * bitsPerRow + x / 32] >> x % 32 : 0;
      Unroll<PerWord>([&](unsigned i) { found |= (differ >> i & 1u) << (i * Bits + Bits - 1); });
      words[row * wordsPerRow + word] = found;
      return;
    }
    Unroll<PerWord>([&](unsigned i) {
      const unsigned square = found >> i * Bits & Most;
      const unsigned voxel = row * sizes[0] + x + i;
      if (x + i < sizes[0] && square == Most)
      {
        *isTooLarge = 1;
      }
      if (x + i < sizes[0] && distances == nullptr)
      {
        squares[voxel] = square;
      }
      else if (x + i < sizes[0])
      {
        distances[voxel] = PerWord > 1 ? roots[square] : DistanceOf(square);
      }
    });
  }

  /** How many threads do the words across rows. */
  std::int64_t
  GroupThreads() const
  {
    const std::int64_t columns = std::int64_t{ wordsPerRow } * (rows / length);
    return (columns + Lanes - 1) / Lanes * Lanes * ((length + Group - 1) / Group);
  }
  /** The smallest sums of a square on a line and the square of the way there. The first voxel of another label counts
   *  as 0; those beyond it are too far away to matter, and so is a line's last word in the place of those beyond. */
  __device__ void
  Do(AcrossRows, unsigned index) const
  {
    const unsigned groups = (length + Group - 1) / Group;
    const unsigned column = index / Lanes / groups * Lanes + index % Lanes;
    const unsigned line = column / wordsPerRow;
    if (line >= rows / length)
    {
      return;
    }
    const unsigned   begin = index / Lanes % groups * Group;
    const unsigned   word = column % wordsPerRow;
    const unsigned   row = line / stride * stride * length + line % stride;
    const unsigned * origin = from + row * wordsPerRow + word;
    unsigned         own[Group], best[Group];
    unsigned         any = 0;
    Unroll<Group>([&](unsigned i) {
      own[i] = origin[Lesser(begin + i, length - 1) * stride * wordsPerRow];
      best[i] = own[i] & Most * Fill;
      any |= best[i];
    });
    if (any != 0)
    {
      Unroll<Group>([&](unsigned at) {
        Unroll<Group>([&](unsigned to) {
          const unsigned seen = OrZero(own[at], own[at < to ? at + 1 : at]);
          const unsigned cost = CostOf(at < to ? to - at : at - to);
          best[to] = at == to ? best[to] : LesserSquares(cost, seen, best[to]);
        });
      });
      LookAround(origin, begin, own[0], best);
    }
    Unroll<Group>([&](unsigned i) {
      if (begin + i < length)
      {
        Write(row + (begin + i) * stride, word, best[i]);
      }
    });
  }

  __device__ void
  LookAround(const unsigned * origin, unsigned begin, unsigned first, unsigned (&best)[Group]) const
  {
    const unsigned step = stride * wordsPerRow;
    unsigned       low = begin * step;
    unsigned       high = Lesser(begin + Group - 1, length - 1) * step;
    // The squares of the ways from the group's ends to its words.
    unsigned costs[Group + Steps];
    Unroll<Group>([&](unsigned i) { costs[i] = CostOf(i + 1); });
    for (unsigned way = 1; way < length; way += Steps)
    {
      bool isOpen = false;
      Unroll<Group>(
        [&](unsigned i) { isOpen |= LesserSquares(costs[i < Group / 2 ? i : Group - 1 - i], 0, best[i]) != best[i]; });
      if (!isOpen)
      {
        break;
      }
      unsigned seen[Steps][2];
      Unroll<Steps>([&](unsigned k) {
        low = low > step ? low - step : 0;
        high = Lesser(high + step, (length - 1) * step);
        seen[k][0] = origin[low];
        seen[k][1] = origin[high];
        costs[Group + k] = CostOf(way + Group + k);
      });
      Unroll<Steps>([&](unsigned k) {
        const unsigned ofLow = OrZero(seen[k][0], first);
        const unsigned ofHigh = OrZero(seen[k][1], seen[k][1]);
        first = seen[k][0];
        Unroll<Group>([&](unsigned i) {
          best[i] = LesserSquares(costs[k + i], ofLow, best[i]);
          best[i] = LesserSquares(costs[k + Group - 1 - i], ofHigh, best[i]);
        });
      });
      Unroll<Group>([&](unsigned i) { costs[i] = costs[i + Steps]; });
    }
  }
};

} // namespace brickccl::cuda

#endif
