#ifndef BRICKCCL_SIMD_WORDLIST_H
#define BRICKCCL_SIMD_WORDLIST_H

#include "BrickCCL/Core/BitRow.h"

#include <cstdint>

namespace brickccl::simd
{

/** A list of words that have bits: of each its bits, and the place 16 w + k of word w of a row and of the k-th kind of
 *  bits. So few bits are gone through without asking of every word whether it has any. */
struct WordList
{
  Word *       bits;
  Word *       places;
  std::int64_t count;
};

inline constexpr int  KindBits = 4;
inline constexpr Word PlacesPerWord = Word{ 1 } << KindBits;

/** Vector code writes so many words behind the last one of a list. */
inline constexpr std::int64_t WordListPadding = 8;

/** Adds word w of a row, if it has bits; there must be room for one more word either way. */
inline void
AppendWord(Word bits, std::int64_t w, int kind, WordList & list)
{
  list.bits[list.count] = bits;
  list.places[list.count] = (static_cast<Word>(w) << KindBits) + static_cast<Word>(kind);
  list.count += bits != 0 ? 1 : 0;
}

/** Lists of words of several rows give each row numbers of its own: to words, of which a row has fewer than 2^26. */
constexpr std::int64_t
WordInRows(std::int64_t row, std::int64_t w)
{
  return row << 26 | w;
}

/** The row, and the place in it, of a voxel that ForEachBit names in a list of words of several rows. */
struct VoxelInRows
{
  std::int64_t row;
  std::int64_t x;

  explicit VoxelInRows(std::int64_t voxel)
    : row(voxel >> 32)
    , x(voxel & 0xFFFFFFFF)
  {}
};

/** Calls `visit(kind, x, i)` for every bit of a list, at the voxel x of a row, in the list's i-th word. */
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

#endif
