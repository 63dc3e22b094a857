// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Files/Codecs/Decompress.h"

#include "BrickCCL/Core/Error.h"

#include <climits>

#ifdef BRICKCCL_USE_BLOSC
#  include <blosc.h>
#endif
#ifdef BRICKCCL_USE_LZ4
#  include <lz4.h>
#endif
#ifdef BRICKCCL_USE_ZSTD
#  include <zstd.h>
#endif

namespace brickccl::files
{

/** LZF has stretches of bytes, and copies: how many bytes, and from how far back. */
static std::size_t
DecompressLzf(const unsigned char * data, std::size_t size, unsigned char * output, std::size_t room)
{
  std::size_t done = 0;
  for (std::size_t i = 0; i < size;)
  {
    const unsigned    control = data[i++];
    const std::size_t more = control < 32 ? 0 : control < 224 ? 1 : 2;
    if (more > size - i)
    {
      return 0;
    }
    std::size_t       count = more == 0 ? control + 1 : (control >> 5) + 2 + (more == 2 ? data[i] : 0);
    const std::size_t back = more == 0 ? 0 : ((control & 31) << 8 | data[i + more - 1]) + 1;
    i += more;
    if (count > room - done || back > done || (back == 0 && count > size - i))
    {
      return 0;
    }
    for (; count > 0; --count, ++done)
    {
      output[done] = back == 0 ? data[i++] : output[done - back];
    }
  }
  return done;
}

std::size_t
Decompress(const std::string & compressor, const void * data, std::size_t size, void * output, std::size_t room)
{
  if (compressor == "lzf")
  {
    return DecompressLzf(static_cast<const unsigned char *>(data), size, static_cast<unsigned char *>(output), room);
  }
#ifdef BRICKCCL_USE_ZSTD
  if (compressor == "zstd")
  {
    const std::size_t bytes = ZSTD_decompress(output, room, data, size);
    return ZSTD_isError(bytes) != 0 ? 0 : bytes;
  }
#endif
#ifdef BRICKCCL_USE_BLOSC
  if (compressor == "blosc")
  {
    std::size_t bytes = 0;
    const bool  isWhole = blosc_cbuffer_validate(data, size, &bytes) == 0 && bytes <= room &&
                         blosc_decompress_ctx(data, output, room, 1) == static_cast<int>(bytes);
    return isWhole ? bytes : 0;
  }
#endif
#ifdef BRICKCCL_USE_LZ4
  if (compressor == "lz4")
  {
    const int bytes = size > INT_MAX || room > INT_MAX ? 0
                                                       : LZ4_decompress_safe(static_cast<const char *>(data),
                                                                             static_cast<char *>(output),
                                                                             static_cast<int>(size),
                                                                             static_cast<int>(room));
    return bytes < 0 ? 0 : static_cast<std::size_t>(bytes);
  }
#endif
  throw Unsupported("this program was built without " + compressor + ", by which its chunks are compressed");
}

} // namespace brickccl::files
