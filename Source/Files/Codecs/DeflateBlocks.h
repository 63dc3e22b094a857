// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_FILES_CODECS_DEFLATEBLOCKS_H
#define BRICKCCL_FILES_CODECS_DEFLATEBLOCKS_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace brickccl::files
{

/** In this order stand the lengths of the code with which a block's other codes are written (RFC 1951, section 3.2.7).
 */
inline constexpr std::array<unsigned char, 19> PrecodeOrder = { 16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                                                11, 4,  12, 3, 13, 2, 14, 1, 15 };

/** The lengths of the Huffman codes of a block's symbols. */
struct CodeLengths
{
  static constexpr int Longest = 15;

  /** Codes of literals and lengths, then codes of distances. */
  std::array<unsigned char, 320> lengths = {};
  int                            literals = 0;
  int                            distances = 0;
  /** The first bit after them. */
  std::uint64_t end = 0;
};

/** Reads the codes of a block that has codes of its own (RFC 1951, section 3.2.7).
 *  \param bit  where the block begins, with its three bits of kind
 *  \return nothing if they are invalid: every code must be complete, only the code of distances may have one symbol
 *  or none, and there must be a code for the end of the block. */
std::optional<CodeLengths> ReadCodeLengths(const unsigned char * data, std::size_t size, std::uint64_t bit);

/** Looks for the first place among the bits [begin, end) where a deflate block may begin that has Huffman codes of its
 *  own and is not the last one (RFC 1951, section 3.2.7): its header makes sense, all three codes are complete. Such a
 *  place is hardly ever none, but only whoever decodes the bits before it knows.
 *  \return the place, in bits from `data` on. */
std::optional<std::uint64_t>
FindDeflateBlock(const unsigned char * data, std::size_t size, std::uint64_t begin, std::uint64_t end);

} // namespace brickccl::files

#endif
