// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Files/Codecs/Checksum.h"

#include "BrickCCL/Files/Codecs/ClearRegisters.h"

#include <zlib.h>
#ifdef BRICKCCL_USE_ISAL
#  include <isa-l/crc.h>
#  include <isa-l/igzip_lib.h>
#endif

namespace brickccl::files
{

std::uint32_t
Checksum(Wrapper wrapper, const unsigned char * bytes, std::size_t size)
{
#ifdef BRICKCCL_USE_ISAL
  const std::uint32_t checksum =
    wrapper == Wrapper::Gzip ? crc32_gzip_refl(0, bytes, size) : isal_adler32(1, bytes, size);
  ClearRegisters();
  return checksum;
#else
  return static_cast<std::uint32_t>(wrapper == Wrapper::Gzip ? crc32_z(0, bytes, size) : adler32_z(1, bytes, size));
#endif
}

std::uint32_t
CombinedChecksum(Wrapper wrapper, std::uint32_t first, std::uint32_t second, std::uint64_t secondSize)
{
  const auto length = static_cast<z_off_t>(secondSize);
  return static_cast<std::uint32_t>(wrapper == Wrapper::Gzip ? crc32_combine(first, second, length)
                                                             : adler32_combine(first, second, length));
}

} // namespace brickccl::files
