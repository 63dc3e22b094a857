// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_FILES_CODECS_DEFLATETOKENS_H
#define BRICKCCL_FILES_CODECS_DEFLATETOKENS_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace brickccl::files
{

/** A step of a deflate stream (RFC 1951): a byte, or a copy of bytes that came before. */
struct DeflateToken
{
  static constexpr std::uint32_t ShortestCopy = 3;
  static constexpr std::uint32_t LongestCopy = 258;
  static constexpr std::uint32_t LargestDistance = 32768;

  /** The bytes of the copy, or the byte. */
  std::uint16_t length = 0;
  /** How many bytes before them the copied bytes begin, or 0 for a byte. */
  std::uint16_t distance = 0;
};

/** \return how many bits follow the code of a distance. */
int BitsAfterDistanceCode(std::uint32_t distance);

/** Appends the tokens to `output` as blocks with Huffman codes of their own. They end at a byte border: after the last
 *  block of a stream, or else after an empty block. */
void AppendDeflateBlocks(const std::vector<DeflateToken> & tokens, bool isLast, std::vector<unsigned char> & output);

} // namespace brickccl::files

#endif
