#ifndef BRICKCCL_FILES_TIFFLZW_H
#define BRICKCCL_FILES_TIFFLZW_H

#include <cstddef>

namespace brickccl::files
{

/** The number of bytes beyond the output's end that DecodeLzw may write. */
inline constexpr std::size_t LzwSlack = 16;

/** Decodes a strip or tile of TIFF's LZW (TIFF 6.0, section 13) to exactly `bytes` bytes. The table keeps of a string
 *  its first bytes and its earlier place in the output. This takes less time than libtiff's chains.
 *  \param output  room for `bytes` + LzwSlack bytes.
 *  \return whether there were so many bytes. It is false for damaged codes and for the old order of bits, about which
 *  libtiff can say more. */
bool DecodeLzw(const unsigned char * data, std::size_t size, unsigned char * output, std::size_t bytes);

} // namespace brickccl::files

#endif
