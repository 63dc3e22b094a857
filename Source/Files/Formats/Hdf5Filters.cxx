// SPDX-License-Identifier: Apache-2.0
// Filters that HDF5 has as plugins. They only decode.
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Files/Codecs/Decompress.h"
#include "BrickCCL/Files/Disk/FileBytes.h"
#include "BrickCCL/Files/Formats/Hdf5Library.h"

#include <algorithm>
#include <cstring>

namespace brickccl::files
{

#ifdef BRICKCCL_USE_HDF5

namespace
{

/** Undoes bitshuffle for a multiple of 8 elements, whose first bits were stored first, then the second ones. */
void
Unshuffle(const unsigned char * from, std::size_t bytes, std::size_t element, unsigned char * output)
{
  const std::size_t groups = bytes / element / 8;
  for (std::size_t byte = 0; byte < element; ++byte)
  {
    for (std::size_t group = 0; group < groups; ++group)
    {
      std::uint64_t bits = 0;
      for (std::size_t row = 0; row < 8; ++row)
      {
        bits |= std::uint64_t{ from[(8 * byte + row) * groups + group] } << 8 * row;
      }
      // Transposes 8 x 8 bits: single ones, then squares of 2 x 2 and of 4 x 4.
      for (const auto & [shift, mask] : { std::pair{ 7, 0x00AA00AA00AA00AAULL },
                                          std::pair{ 14, 0x0000CCCC0000CCCCULL },
                                          std::pair{ 28, 0x00000000F0F0F0F0ULL } })
      {
        const std::uint64_t swapped = (bits ^ bits >> shift) & mask;
        bits ^= swapped ^ swapped << shift;
      }
      for (std::size_t each = 0; each < 8; ++each)
      {
        output[(8 * group + each) * element + byte] = static_cast<unsigned char>(bits >> 8 * each);
      }
    }
  }
}

/** Decodes blocks. Two numbers come first: the bytes of all blocks and of one. A number of stored bytes comes before
 * each block. The filter LZ4 stores a block uncompressed if that takes no more room. A block of bitshuffle has a whole
 * number of groups of 8 elements; bytes behind the last group are uncompressed. Without compression there are no
 * numbers. \param element  the bytes of an element; 0: LZ4 */
std::size_t
DecodeBlocks(const FileBytes &   from,
             std::size_t         element,
             std::size_t         elements,
             const std::string & compressor,
             unsigned char *     output,
             std::size_t         room)
{
  const bool        isPacked = !compressor.empty();
  const std::size_t group = element == 0 ? 1 : 8 * element;
  const std::size_t usual = element == 0 ? 0 : std::max<std::size_t>(128, 8192 / element / 8 * 8);
  const std::size_t bytes = isPacked ? from.Number(0, 8, true) : from.Size();
  const std::size_t block = isPacked ? from.Number(8, 4, true) : (elements > 0 ? elements : usual) * element;
  std::size_t       place = isPacked ? 12 : 0;
  std::size_t       done = 0;
  ThrowIf(bytes > room || block == 0 || block % group != 0 || element > 8, "its blocks are damaged");
  std::vector<unsigned char> shuffled(element > 0 ? std::min(block, bytes) : 0);
  for (std::size_t size = 0; (size = std::min(block, (bytes - done) / group * group)) > 0; done += size)
  {
    const std::size_t stored = isPacked ? from.Number(place, 4, true) : size;
    unsigned char *   to = element > 0 ? shuffled.data() : output + done;
    place += isPacked ? 4 : 0;
    from.Require(place, stored);
    const bool        isCopied = !isPacked || (element == 0 && stored == size);
    const std::size_t decoded = isCopied ? size : Decompress(compressor, from.Data() + place, stored, to, size);
    ThrowIf(decoded != size, "its block is damaged");
    isCopied ? std::memcpy(to, from.Data() + place, size) : nullptr;
    element > 0 ? Unshuffle(to, size, element, output + done) : void();
    place += stored;
  }
  ThrowIf(from.Size() - place != bytes - done, "it has more or fewer bytes than its blocks");
  std::memcpy(output + done, from.Data() + place, bytes - done);
  return bytes;
}

constexpr std::pair<H5Z_filter_t, const char *> OwnFilters[] = {
  { 32000, "lzf" },
#  if defined(BRICKCCL_USE_BLOSC) && defined(BRICKCCL_USE_LZ4) && defined(BRICKCCL_USE_ZSTD)
  { 32001, "blosc" }, { 32004, "lz4" }, { 32008, "bitshuffle" }, { 32015, "zstd" },
#  endif
};

/** A filter of HDF5: replaces the bytes in a buffer. \param values  its parameters, with what it needs in addition
 *  \return how many bytes there are; 0 if they are damaged */
std::size_t
Decode(unsigned, std::size_t count, const unsigned * values, std::size_t bytes, std::size_t * room, void ** buffer)
{
  const Hdf5Library & h5 = Hdf5Library::Get();
  if (count < 2 || values[count - 1] >= std::size(OwnFilters))
  {
    return 0;
  }
  // Other filters may have added checksums.
  const std::size_t most = values[count - 2] + std::size_t{ 64 };
  const std::string name = OwnFilters[values[count - 1]].second;
  const auto        value = [&](std::size_t i) { return i < count - 2 ? values[i] : 0; };
  auto * const      output = static_cast<unsigned char *>(h5.H5allocate_memory(most, false));
  std::size_t       size = 0;
  try
  {
    const FileBytes   from = FileBytes::FromMemory("", *buffer, bytes);
    const std::string packing = name == "lz4" || value(4) == 2 ? "lz4" : value(4) == 3 ? "zstd" : "";
    const bool        areBlocks = name == "lz4" || name == "bitshuffle";
    size = output == nullptr || (name == "bitshuffle" && value(2) == 0) ? 0
         : areBlocks ? DecodeBlocks(from, name == "lz4" ? 0 : value(2), value(3), packing, output, most)
                     : Decompress(name, from.Data(), from.Size(), output, most);
  }
  catch (const std::exception &)
  {
    size = 0;
  }
  h5.H5free_memory(size == 0 ? output : *buffer);
  *buffer = size == 0 ? *buffer : output;
  *room = size == 0 ? *room : most;
  return size;
}

} // namespace

void
RegisterHdf5Filters(const Hdf5Library & h5)
{
  for (const auto & [number, name] : OwnFilters)
  {
    const H5Z_class2_t filter = { H5Z_CLASS_T_VERS, number, 1, 1, name, nullptr, nullptr, Decode };
    h5.H5Zregister(&filter);
  }
}

void
CompleteHdf5Filter(H5Z_filter_t filter, unsigned bytes, std::vector<unsigned> & values)
{
  for (std::size_t i = 0; i < std::size(OwnFilters); ++i)
  {
    filter == OwnFilters[i].first ? void(values.insert(values.end(), { bytes, static_cast<unsigned>(i) })) : void();
  }
}

#endif

} // namespace brickccl::files
