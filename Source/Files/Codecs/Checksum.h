// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_FILES_CODECS_CHECKSUM_H
#define BRICKCCL_FILES_CODECS_CHECKSUM_H

#include "BrickCCL/Files/Codecs/Inflate.h"

#include <cstddef>
#include <cstdint>

namespace brickccl::files
{

/** The checksum of a wrapper: CRC-32 of gzip, Adler-32 of zlib. */
std::uint32_t Checksum(Wrapper wrapper, const unsigned char * bytes, std::size_t size);

/** The checksum of bytes that follow others, from the checksums of both. */
std::uint32_t CombinedChecksum(Wrapper wrapper, std::uint32_t first, std::uint32_t second, std::uint64_t secondSize);

} // namespace brickccl::files

#endif
