#ifndef BRICKCCL_STREAMING_FILESAMPLE_H
#define BRICKCCL_STREAMING_FILESAMPLE_H

#include <cstdint>
#include <string>

namespace brickccl
{

/** Of the files of one image so many bytes are read to tell whether they are still the same. */
constexpr std::uint64_t SampledBytes = std::uint64_t{ 1 } << 22;

/** A checksum of parts of a file, which lie at equal distances from its beginning to its end: of all of a small file.
 *  \param wanted  so many bytes are read about
 *  \throws Error if the file cannot be read. */
std::string SampleOf(const std::string & path, std::uint64_t wanted);

} // namespace brickccl

#endif
