// SPDX-License-Identifier: Apache-2.0
// Feeds the reader of one format (FORMAT, its name in Formats.h) with the inputs that libFuzzer makes. Every input must
// end in an image or in an Error. The image must not depend on what fresh memory holds.

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

/** Corrects the checksums of a PNG's chunks, so that the code behind the checks is reached. */
void
MendChunks(std::vector<unsigned char> & bytes)
{
  std::size_t place = 8;
  while (place + 12 <= bytes.size())
  {
    const std::size_t length =
      static_cast<std::size_t>(bytes[place]) << 24 | bytes[place + 1] << 16 | bytes[place + 2] << 8 | bytes[place + 3];
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

/** The outcome of reading: all voxels, and their layout. */
struct Outcome
{
  bool                       isImage = false;
  Extent                     extent;
  std::vector<unsigned char> voxels;
};

/** Reads with fresh memory that is filled with `pattern`. */
Outcome
Read(const std::vector<unsigned char> & bytes, const ReadOptions & options, unsigned char pattern)
{
  PoisonPattern = pattern;
  Outcome outcome;
  try
  {
    const auto file =
      files::FileBytes::FromMemory(std::string("/nowhere/fuzzed") + FUZZED_EXTENSION, bytes.data(), bytes.size());
    if (!files::BRICKCCL_NAME(Is, FORMAT)(file))
    {
      return outcome;
    }
    const LoadedImage image = files::BRICKCCL_NAME(Read, FORMAT)(file, options);
    if (image.voxels.Size() < image.ByteCount())
    {
      __builtin_trap();
    }
    const auto * const voxels = reinterpret_cast<const unsigned char *>(image.voxels.Data());
    outcome.voxels.assign(voxels, voxels + image.ByteCount());
    outcome.extent = image.extent;
    outcome.isImage = true;
  }
  catch (const Error &)
  {
    // A faulty file ends in this.
  }
  catch (const std::bad_alloc &)
  {
    // The image does not fit into memory.
  }
  return outcome;
}

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
  const Outcome first = Read(bytes, options, 0x5A);
  if (first.isImage)
  {
    // Unwritten voxels would differ.
    const Outcome second = Read(bytes, options, 0xA5);
    if (!second.isImage || second.extent != first.extent || second.voxels != first.voxels)
    {
      __builtin_trap();
    }
  }
  return 0;
}
