// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Core/BitRow.h"

#include <cstdint>

namespace brickccl::simd
{

/** The words that have bits, so that a few bits are found fast. Each has the place 16 w + k: word w, bits of kind k. */
struct WordList
{
  Word *       bits;
  Word *       places;
  std::int64_t count;
};

inline constexpr int  KindBits = 4;
inline constexpr Word PlacesPerWord = Word{ 1 } << KindBits;

/** Vector code writes up to this many words after the last one of a list. */
inline constexpr std::int64_t WordListPadding = 8;

/** Appends word w of a row if it has bits. There must be room for one more word in any case. */
inline void
AppendWord(Word bits, std::int64_t w, int kind, WordList & list)
{
  list.bits[list.count] = bits;
  list.places[list.count] = (static_cast<Word>(w) << KindBits) + static_cast<Word>(kind);
  list.count += bits != 0 ? 1 : 0;
}

/** Numbers the words of several rows in one list. A row must have fewer than 2^26 words. */
constexpr std::int64_t
WordInRows(std::int64_t row, std::int64_t w)
{
  return row << 26 | w;
}

/** The row and the x of a voxel that ForEachBit names in a list of words of several rows. */
struct VoxelInRows
{
  std::int64_t row;
  std::int64_t x;

  explicit VoxelInRows(std::int64_t voxel)
    : row(voxel >> 32)
    , x(voxel & 0xFFFFFFFF)
  {}
};

/** Calls `visit(kind, x, i)` for every bit of a list: at voxel x of its row, in the i-th word of the list. */
template <typename TVisit>
inline void
ForEachBit(const WordList & list, TVisit visit)
{
  for (std::int64_t i = 0; i < list.count; ++i)
  {
    const auto first = static_cast<std::int64_t>(list.places[i] >> KindBits) * BitsPerWord;
    const auto kind = static_cast<int>(list.places[i] % PlacesPerWord);
    for (Word rest = list.bits[i]; rest != 0; rest &= rest - 1)
    {
      visit(kind, first + LowestBit(rest), i);
    }
  }
}

} // namespace brickccl::simd
