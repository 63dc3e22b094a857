// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_STREAMING_FILESAMPLE_H
#define BRICKCCL_STREAMING_FILESAMPLE_H

#include <cstdint>
#include <string>

namespace brickccl
{

/** The number of bytes of one image's files that are read to detect changes. */
constexpr std::uint64_t SampledBytes = std::uint64_t{ 1 } << 22;

/** A checksum of equally spaced parts of a file, or of all of a small file. \param wanted  about the number of bytes
 *  to read
 *  \throws Error if the file cannot be read. */
std::string SampleOf(const std::string & path, std::uint64_t wanted);

} // namespace brickccl

#endif
