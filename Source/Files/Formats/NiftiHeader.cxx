#include "BrickCCL/Files/Formats/NiftiHeader.h"

#include "BrickCCL/Core/Error.h"

#include <cstdio>
#include <iterator>

namespace brickccl::files::nifti
{

Stored
StoredOf(std::int64_t code)
{
  switch (code)
  {
  case 2:
    return { ScalarType::UInt8, 1, false };
  case 4:
    return { ScalarType::Int16, 1, false };
  case 8:
    return { ScalarType::Int32, 1, false };
  case 16:
    return { ScalarType::Float32, 1, false };
  case 64:
    return { ScalarType::Float64, 1, false };
  case 128:
    return { ScalarType::UInt8, 3, false };
  case 256:
    return { ScalarType::Int8, 1, false };
  case 512:
    return { ScalarType::UInt16, 1, false };
  case 768:
    return { ScalarType::UInt32, 1, false };
  case 1024:
    return { ScalarType::Int64, 1, false };
  case 1280:
    return { ScalarType::UInt64, 1, false };
  case 2304:
    return { ScalarType::UInt8, 4, true };
  case 32:
  case 1792:
  case 2048:
    throw Unsupported("complex voxels are not supported; give their magnitude instead");
  default:
    throw Unsupported("its voxels have type code " + std::to_string(code) +
                      "; integers of 8 to 64 bits, float, double and RGB are read");
  }
}

std::int64_t
CodeOf(ScalarType type)
{
  constexpr std::int64_t codes[] = { 2, 4, 8, 16, 64, 256, 512, 768, 1024, 1280 };
  for (const std::int64_t code : codes)
  {
    if (StoredOf(code).type == type)
    {
      return code;
    }
  }
  throw Error("NIfTI cannot store voxels of this type");
}

void
CheckBits(const HeaderBytes &        header,
          int                        bitsOfType,
          std::int64_t               voxels,
          std::uint64_t              bytes,
          std::vector<std::string> & notes)
{
  const int bits = header.At<std::int16_t>(header.IsSecond() ? 14 : 72);
  if (bits == 0 || bits == bitsOfType)
  {
    return;
  }
  const std::string of = std::to_string(bitsOfType) + " by their type (datatype)";
  if (bits > 0 && bytes * 8 / static_cast<std::uint64_t>(bits) == static_cast<std::uint64_t>(voxels))
  {
    throw Error("its voxels have " + std::to_string(bits) + " bits (bitpix), which fits the file's size, but " + of +
                "; correct the one that is wrong");
  }
  notes.push_back("its voxels have " + std::to_string(bits) + " bits (bitpix), but " + of + ", which is used");
}

void
CheckSignature(const HeaderBytes & header, std::size_t size, std::vector<std::string> & notes)
{
  if (!header.IsKnown())
  {
    throw Error(size < SizeOfFirst ? "its header is truncated" : "its header is neither NIfTI nor Analyze");
  }
  constexpr unsigned char     right[] = { 0x0d, 0x0a, 0x1a, 0x0a };
  const unsigned char * const found = header.LineEnds();
  if (!header.IsSecond() || header.Magic().empty() || std::equal(right, right + 4, found))
  {
    return;
  }
  if (std::all_of(found, found + 4, [](unsigned char byte) { return byte == 0; }))
  {
    notes.push_back(
      "bytes 4 to 7 of its magic are 0 where NIfTI-2 has 0D 0A 1A 0A, so a transfer as text may have changed the file");
    return;
  }
  char text[12];
  std::snprintf(text, sizeof(text), "%02X %02X %02X %02X", found[0], found[1], found[2], found[3]);
  throw Error("bytes 4 to 7 of its magic are " + std::string(text) +
              " instead of 0D 0A 1A 0A: a transfer as text changed its line ends, or it is damaged; transfer it again "
              "in binary mode");
}

void
NoteCodesOfForms(const HeaderBytes & header, std::vector<std::string> & notes)
{
  constexpr std::int64_t largest = 5;
  for (const bool isMatrix : { false, true })
  {
    const std::int64_t code = isMatrix ? header.Code(254, 348) : header.Code(252, 344);
    if (code < 0 || code > largest)
    {
      const std::string form = isMatrix ? "sform" : "qform";
      notes.push_back("its " + form + "_code is " + std::to_string(code) + ", but the standard has 0 to " +
                      std::to_string(largest) +
                      (code < 0 ? "; 0 is assumed: the " + form + " is not used"
                                : "; the " + form + " is used, in an unknown coordinate system"));
    }
  }
}

} // namespace brickccl::files::nifti
