// Feeds the reader of one format (FORMAT, its name in Formats.h) with whatever libFuzzer makes. Every input must end as an
// image, all of whose voxels can be read, or as an Error.

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Files/Formats.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <stdexcept>
#include <vector>

#include <zlib.h>

#define BRICKCCL_JOINED(a, b) a##b
#define BRICKCCL_NAME(a, b) BRICKCCL_JOINED(a, b)

namespace
{

using namespace brickccl;

/** Makes the check sums of a PNG's chunks right, so that what lies behind them is reached. */
void
MendChunks(std::vector<unsigned char> & bytes)
{
  std::size_t place = 8;
  while (place + 12 <= bytes.size())
  {
    const std::size_t length = static_cast<std::size_t>(bytes[place]) << 24 | bytes[place + 1] << 16 |
                               bytes[place + 2] << 8 | bytes[place + 3];
    if (length > bytes.size() - place - 12)
    {
      return;
    }
    const auto sum = static_cast<std::uint32_t>(crc32(0, bytes.data() + place + 4, static_cast<uInt>(length + 4)));
    for (std::size_t i = 0; i < 4; ++i)
    {
      bytes[place + 8 + length + i] = static_cast<unsigned char>(sum >> (24 - 8 * i));
    }
    place += length + 12;
  }
}

volatile unsigned lookedAt = 0;

} // namespace

extern "C" int
LLVMFuzzerTestOneInput(const std::uint8_t * data, std::size_t size)
{
  std::vector<unsigned char> bytes(data, data + size);
  if (std::strcmp(FUZZED_EXTENSION, ".png") == 0 && size % 4 != 0)
  {
    MendChunks(bytes);
  }
  ReadOptions options;
  options.threads = 1;
  options.acceptSheared = size % 2 != 0;
  options.acceptIrregularSlices = size % 2 != 0;
  options.asLabels = size % 3 == 0;
  try
  {
    const auto file = files::FileBytes::FromMemory(std::string("/nowhere/fuzzed") + FUZZED_EXTENSION, bytes.data(), size);
    if (!files::BRICKCCL_NAME(Is, FORMAT)(file))
    {
      return 0;
    }
    const LoadedImage image = files::BRICKCCL_NAME(Read, FORMAT)(file, options);
    if (image.voxels.Size() < image.ByteCount())
    {
      __builtin_trap();
    }
    unsigned sum = 0;
    for (std::size_t i = 0; i < image.ByteCount(); ++i)
    {
      sum += static_cast<unsigned>(image.voxels.Data()[i]);
    }
    lookedAt = sum;
  }
  catch (const Error &)
  {
    // What a file that is wrong ends in.
  }
  catch (const std::bad_alloc &)
  {
    // "It does not fit into memory".
  }
  return 0;
}
