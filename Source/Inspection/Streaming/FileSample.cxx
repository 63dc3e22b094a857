// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Streaming/FileSample.h"

#include "BrickCCL/Bricks/ByteStream.h"
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/Printable.h"

#include <algorithm>
#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace brickccl
{

std::string
SampleOf(const std::string & path, std::uint64_t wanted)
{
  // Disks read so much as fast as less.
  constexpr std::uint64_t block = std::uint64_t{ 1 } << 15;
  std::ifstream           stream(std::filesystem::path(path), std::ios::binary | std::ios::ate);
  const auto              size = stream ? static_cast<std::uint64_t>(stream.tellg()) : 0;
  const std::uint64_t     parts = std::max<std::uint64_t>(2, wanted / block);
  const std::uint64_t     count = std::min(parts, (size + block - 1) / block);
  Bytes                   sampled;
  for (std::uint64_t part = 0; part < count; ++part)
  {
    // The last one ends with the file.
    const std::uint64_t last = size - std::min(size, block);
    const std::uint64_t begin = count == 1 ? 0 : last / (count - 1) * part + last % (count - 1) * part / (count - 1);
    const std::size_t   room = sampled.size();
    sampled.resize(room + static_cast<std::size_t>(std::min(block, size - begin)));
    stream.seekg(static_cast<std::streamoff>(begin));
    stream.read(reinterpret_cast<char *>(sampled.data() + room), static_cast<std::streamsize>(sampled.size() - room));
  }
  if (!stream)
  {
    throw Error("cannot read " + Quoted(path) + ": " + std::strerror(errno));
  }
  char text[20];
  std::snprintf(text, sizeof(text), "%016" PRIx64, Crc64(sampled.data(), sampled.size()));
  return text;
}

} // namespace brickccl
