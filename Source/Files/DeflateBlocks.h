#ifndef BRICKCCL_FILES_DEFLATEBLOCKS_H
#define BRICKCCL_FILES_DEFLATEBLOCKS_H

#include <cstddef>
#include <cstdint>
#include <optional>

namespace brickccl::files
{

/** Looks for the first place among the bits [begin, end) where a deflate block may begin that has Huffman codes of its
 *  own and is not the last one (RFC 1951, section 3.2.7): its header makes sense, all three codes are complete. Such a
 *  place is hardly ever none, but only whoever decodes the bits before it knows.
 *  \return the place, in bits from `data` on. */
std::optional<std::uint64_t>
FindDeflateBlock(const unsigned char * data, std::size_t size, std::uint64_t begin, std::uint64_t end);

} // namespace brickccl::files

#endif
