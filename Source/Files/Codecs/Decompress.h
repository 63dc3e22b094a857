// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_FILES_CODECS_DECOMPRESS_H
#define BRICKCCL_FILES_CODECS_DECOMPRESS_H

#include <cstddef>
#include <string>

namespace brickccl::files
{

/** Decompresses a chunk that "zstd", "blosc" (version 1), "lz4" (a block) or "lzf" compressed. All but zstd have no
 *  checksum. \param room  the most bytes to write \return how many bytes there are; 0 if they are damaged, truncated or
 *  more \throws Unsupported if this program was built without the library */
std::size_t
Decompress(const std::string & compressor, const void * data, std::size_t size, void * output, std::size_t room);

} // namespace brickccl::files

#endif
