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
struct FindBits
{};
struct AlongRow
{};
struct AcrossRows
{};
struct FillRoots
{};

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
  /** How many words a thread does, and how many steps it makes before it looks whether they suffice. */
  static constexpr unsigned Group = 8;
  static constexpr unsigned Steps = 2;
  /** More than a row's length. */
  static constexpr unsigned TooFar = 1u << 16;

  struct alignas(8 * sizeof(TSquare)) Eight
  {
    TSquare squares[8];
  };

  const T * labels;
  unsigned  sizes[3];
  unsigned  weights[3];
  unsigned  rows, wordsPerRow, bitsPerRow;
  /** Bits of voxels that differ from those before along each axis, and of those that are not 0. */
  unsigned * bits[4];
  /** The words so far, and those along one more axis. */
  const unsigned * from;
  unsigned *       words;
  /** What is written along the last axis: squares, or distances, of which a table has those of small squares. */
  unsigned * squares;
  float *    distances;
  float *    roots;
  double     unit;
  /** Whether a square is larger than a word can hold. */
  unsigned * isTooLarge;
  /** Along this axis: the distance of voxels in rows, their number, and a step's square; the next axis, or 3. */
  unsigned stride, length, weight, nextAxis;

  __device__ static unsigned
  Lesser(unsigned a, unsigned b)
  {
    return a < b ? a : b;
  }
  __device__ static unsigned
  LesserSquares(unsigned cost, unsigned squares, unsigned best)
  {
    if constexpr (PerWord == 1)
    {
      return Lesser(cost + squares, best);
    }
    else
    {
      return __viaddmin_u16x2(cost, squares, best);
    }
  }
  /** A word's squares, and 0 where a word says that labels differ. */
  __device__ static unsigned
  OrZero(unsigned word, unsigned differ)
  {
    const unsigned bits = differ & ~(Most * Fill);
    return word & Most * Fill & ~(bits - (bits >> (Bits - 1)));
  }
  /** The square of a way; the line is longer than all ways. */
  __device__ unsigned
  CostOf(unsigned way) const
  {
    const unsigned bounded = Lesser(way, length);
    return Lesser(bounded * bounded * weight, Most) * Fill;
  }

  __device__ void
  Do(FillRoots, unsigned square) const
  {
    roots[square] = DistanceOf(square);
  }
  __device__ float
  DistanceOf(unsigned square) const
  {
    const double root = square == UnknownSquare<std::uint32_t> ? INFINITY : sqrt(static_cast<double>(square));
    return static_cast<float>(root * unit);
  }

  /** The bits of eight voxels. */
  __device__ void
  Do(FindBits, unsigned index) const
  {
    const unsigned begin = index % (4 * bitsPerRow) * 8;
    const unsigned row = index / (4 * bitsPerRow);
    const unsigned places[] = { begin, row % sizes[1], row / sizes[1] };
    const T *      line = labels + row * sizes[0];
    unsigned       found[4] = {};
#pragma unroll
    for (unsigned i = 0; i < 8; ++i)
    {
      const unsigned x = begin + i;
      const T        own = x < sizes[0] ? line[x] : T{};
      found[3] |= own != 0 ? 1u << i : 0;
      unsigned before = 1;
#pragma unroll
      for (int axis = 0; axis < 3; ++axis)
      {
        const bool hasBefore = x < sizes[0] && weights[axis] != 0 && places[axis] + (axis == 0 ? i : 0) > 0;
        found[axis] |= hasBefore && *(line + x - before) != own ? 1u << i : 0;
        before *= sizes[axis];
      }
    }
#pragma unroll
    for (int k = 0; k < 4; ++k)
    {
      reinterpret_cast<unsigned char *>(bits[k])[index] = static_cast<unsigned char>(found[k]);
    }
  }

  /** The squares of the ways along x to the nearest voxels of other labels, for eight voxels. */
  __device__ void
  Do(AlongRow, unsigned index) const
  {
    const unsigned         row = index * 8 / (wordsPerRow * PerWord);
    const unsigned         begin = index * 8 % (wordsPerRow * PerWord);
    const unsigned * const ofRow = bits[0] + row * bitsPerRow;
    const unsigned         at = begin / 32;
    unsigned               low = at;
    unsigned               high = at;
    const auto             own = [&](const unsigned * all) { return all[row * bitsPerRow + at] >> begin % 32; };
    const unsigned         starts = own(bits[0]);
    const unsigned         areLabels = own(bits[3]);
    const unsigned         differ = own(bits[nextAxis]);
    unsigned               before = ofRow[at] & ((1u << begin % 32) - 1);
    unsigned               behind = ofRow[at] & (0u - (256u << begin % 32));
    while (before == 0 && low > 0)
    {
      before = ofRow[--low];
    }
    while (behind == 0 && high + 1 < bitsPerRow)
    {
      behind = ofRow[++high];
    }
    unsigned way = before != 0 ? begin - (low * 32 + 31 - __clz(static_cast<int>(before))) : TooFar;
    unsigned ways[8];
#pragma unroll
    for (unsigned i = 0; i < 8; ++i)
    {
      way = (starts >> i & 1u) != 0 ? 1 : way + 1;
      ways[i] = way;
    }
    way = behind != 0 ? high * 32 + __ffs(static_cast<int>(behind)) - 1 - (begin + 8) : TooFar;
    Eight found;
#pragma unroll
    for (unsigned i = 8; i-- > 0;)
    {
      way = i < 7 && (starts >> (i + 1) & 1u) != 0 ? 1 : way + 1;
      const unsigned least = Lesser(way, ways[i]);
      const unsigned square = least < TooFar ? Lesser(least * least * weights[0], Most) : Most;
      found.squares[i] =
        static_cast<TSquare>(((areLabels >> i & 1u) != 0 ? square : 0) | (differ >> i & 1u) * (Most + 1));
    }
    reinterpret_cast<Eight *>(words)[index] = found;
  }

  /** Writes a word with its bits, or what is found along the last axis. */
  __device__ void
  Write(unsigned row, unsigned word, unsigned found) const
  {
    const unsigned x = word * PerWord;
    if (nextAxis != 3)
    {
      const unsigned differ = x < sizes[0] ? bits[nextAxis][row * bitsPerRow + x / 32] >> x % 32 : 0;
#pragma unroll
      for (unsigned i = 0; i < PerWord; ++i)
      {
        found |= (differ >> i & 1u) << (i * Bits + Bits - 1);
      }
      words[row * wordsPerRow + word] = found;
      return;
    }
#pragma unroll
    for (unsigned i = 0; i < PerWord; ++i)
    {
      if (x + i < sizes[0])
      {
        Finish(row * sizes[0] + x + i, found >> i * Bits & Most);
      }
    }
  }
  __device__ void
  Finish(unsigned voxel, unsigned square) const
  {
    if (square == Most)
    {
      *isTooLarge = 1;
    }
    if (distances == nullptr)
    {
      squares[voxel] = square;
    }
    else
    {
      distances[voxel] = PerWord > 1 ? roots[square] : DistanceOf(square);
    }
  }

  /** How many threads do the words across rows. */
  std::int64_t
  GroupThreads() const
  {
    const std::int64_t columns = std::int64_t{ wordsPerRow } * (rows / length);
    return (columns + Lanes - 1) / Lanes * Lanes * ((length + Group - 1) / Group);
  }
  /** The smallest sums of a square on a line and the square of the way there. The first voxel of another label counts
   * as 0; those beyond it are too far away to matter, and so is a line's last word in the place of those beyond. */
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
    unsigned         own[Group];
    unsigned         best[Group];
    unsigned         any = 0;
#pragma unroll
    for (unsigned i = 0; i < Group; ++i)
    {
      own[i] = origin[Lesser(begin + i, length - 1) * stride * wordsPerRow];
      best[i] = own[i] & Most * Fill;
      any |= best[i];
    }
    if (any != 0)
    {
#pragma unroll
      for (unsigned i = 0; i < Group * Group; ++i)
      {
        const unsigned at = i / Group;
        const unsigned to = i % Group;
        if (at != to)
        {
          const unsigned seen = OrZero(own[at], own[at < to ? at + 1 : at]);
          best[to] = LesserSquares(CostOf(at < to ? to - at : at - to), seen, best[to]);
        }
      }
      LookAround(origin, begin, own[0], best);
    }
#pragma unroll
    for (unsigned i = 0; i < Group; ++i)
    {
      if (begin + i < length)
      {
        Write(row + (begin + i) * stride, word, best[i]);
      }
    }
  }

  __device__ void
  LookAround(const unsigned * origin, unsigned begin, unsigned first, unsigned (&best)[Group]) const
  {
    const unsigned step = stride * wordsPerRow;
    const unsigned last = (length - 1) * step;
    auto           low = static_cast<int>(begin * step);
    unsigned       high = Lesser(begin + Group - 1, length - 1) * step;
    // The squares of the ways from the group's ends to its words.
    unsigned costs[Group + Steps];
#pragma unroll
    for (unsigned i = 0; i < Group; ++i)
    {
      costs[Steps + i] = CostOf(i + 1);
    }
    for (unsigned way = 1; way < length; way += Steps)
    {
      bool isOpen = false;
#pragma unroll
      for (unsigned i = 0; i < Group; ++i)
      {
        costs[i] = costs[i + Steps];
      }
#pragma unroll
      for (unsigned i = 0; i < Group; ++i)
      {
        isOpen |= LesserSquares(costs[i < Group / 2 ? i : Group - 1 - i], 0, best[i]) != best[i];
      }
      if (!isOpen)
      {
        break;
      }
      unsigned seen[Steps][2];
#pragma unroll
      for (unsigned k = 0; k < Steps; ++k)
      {
        low = low > static_cast<int>(step) ? low - static_cast<int>(step) : 0;
        high = Lesser(high + step, last);
        seen[k][0] = origin[low];
        seen[k][1] = origin[high];
        costs[Group + k] = CostOf(way + Group + k);
      }
#pragma unroll
      for (unsigned k = 0; k < Steps; ++k)
      {
        const unsigned ofLow = OrZero(seen[k][0], first);
        const unsigned ofHigh = OrZero(seen[k][1], seen[k][1]);
        first = seen[k][0];
#pragma unroll
        for (unsigned i = 0; i < Group; ++i)
        {
          best[i] = LesserSquares(costs[k + i], ofLow, best[i]);
          best[i] = LesserSquares(costs[k + Group - 1 - i], ofHigh, best[i]);
        }
      }
    }
  }
};

} // namespace brickccl::cuda

#endif
