// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Files/Codecs/Inflate.h"
#include "BrickCCL/Host/Parallel.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace brickccl::files
{

/** Writes the bytes [begin, end) of what is to be compressed. Several threads call it at once. */
using ByteSource = std::function<void(std::uint64_t begin, std::uint64_t end, unsigned char * output)>;
/** Takes bytes in their order, on the calling thread. */
using ByteSink = std::function<void(const unsigned char * bytes, std::size_t size)>;

/** Compresses `size` bytes as one gzip member or zlib stream, which every reader accepts. Threads compress pieces of
 *  `pieceBytes` bytes each. The result is the same for every number of threads. \param first  bytes that come before (a
 *  header in the same stream); they are a piece of their own. \return the number of compressed bytes. \throws Canceled,
 *  and whatever source and sink throw. */
std::uint64_t Deflate(Wrapper                            wrapper,
                      std::uint64_t                      size,
                      std::uint64_t                      pieceBytes,
                      const ByteSource &                 source,
                      const ByteSink &                   sink,
                      const HostContext &                context,
                      const std::vector<unsigned char> & first = {});

/** The checksum of a wrapper: CRC-32 of gzip, Adler-32 of zlib. */
std::uint32_t Checksum(Wrapper wrapper, const unsigned char * bytes, std::size_t size);

/** The checksum of bytes that follow others, from the checksums of both. */
std::uint32_t CombinedChecksum(Wrapper wrapper, std::uint32_t first, std::uint32_t second, std::uint64_t secondSize);

/** Compresses bytes as a zlib stream of their own (a strip of a TIFF file). */
std::vector<unsigned char> DeflateAlone(const unsigned char * bytes, std::size_t size);

} // namespace brickccl::files
