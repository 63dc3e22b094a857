// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace brickccl
{

/** A row of voxels as bits: bit b of word w belongs to the voxel x = 64 w + b; bits past the row's end are 0. */
using Word = std::uint64_t;

inline constexpr int BitsPerWord = 64;

inline std::int64_t
WordsForBits(std::int64_t bits)
{
  return (bits + BitsPerWord - 1) / BitsPerWord;
}

inline int
LowestBit(Word word)
{
  return __builtin_ctzll(word);
}

inline int
CountBits(Word word)
{
  return __builtin_popcountll(word);
}

/** The bits 0..bit. */
inline Word
BitsUpTo(int bit)
{
  return ~Word{ 0 } >> (BitsPerWord - 1 - bit);
}

/** The bits moved by one voxel to higher x: bit x of the result is bit x - 1 of the row. `previous` is the word
 *  before. */
inline Word
FromLeft(Word word, Word previous)
{
  return (word << 1) | (previous >> (BitsPerWord - 1));
}

/** The bits moved by one voxel to lower x: bit x of the result is bit x + 1 of the row. `next` is the word after. */
inline Word
FromRight(Word word, Word next)
{
  return (word >> 1) | (next << (BitsPerWord - 1));
}

} // namespace brickccl
