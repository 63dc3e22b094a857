// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Files/Formats/NiftiHeader.h"

#include "BrickCCL/Core/Error.h"

namespace brickccl::files::nifti
{

Stored
StoredOf(std::int64_t code)
{
  switch (code)
  {
  case 2:
    return { ScalarType::UInt8, 1 };
  case 4:
    return { ScalarType::Int16, 1 };
  case 8:
    return { ScalarType::Int32, 1 };
  case 16:
    return { ScalarType::Float32, 1 };
  case 64:
    return { ScalarType::Float64, 1 };
  case 128:
    return { ScalarType::UInt8, 3 };
  case 256:
    return { ScalarType::Int8, 1 };
  case 512:
    return { ScalarType::UInt16, 1 };
  case 768:
    return { ScalarType::UInt32, 1 };
  case 1024:
    return { ScalarType::Int64, 1 };
  case 1280:
    return { ScalarType::UInt64, 1 };
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
CheckBits(const HeaderBytes & header, int bitsOfType)
{
  const int bits = header.At<std::int16_t>(header.IsSecond() ? 14 : 72);
  if (bits != 0 && bits != bitsOfType)
  {
    throw Error("its voxels have " + std::to_string(bits) + " bits (bitpix), but " + std::to_string(bitsOfType) +
                " by their type (datatype); correct the one that is wrong");
  }
}

void
CheckSignature(const HeaderBytes & header, std::size_t size)
{
  if (!header.IsKnown())
  {
    throw Error(size < SizeOfFirst ? "its header is truncated" : "its header is neither NIfTI nor Analyze");
  }
  // Some programs leave them at 0.
  const std::string ends(header.LineEnds(), header.LineEnds() + 4);
  if (header.IsSecond() && !header.Magic().empty() && ends != "\r\n\x1a\n" && ends != std::string(4, '\0'))
  {
    throw Error("bytes 4 to 7 of its magic are not 0D 0A 1A 0A: a transfer as text has changed the line ends in it, or "
                "it is damaged; transfer it again, as binary");
  }
}

} // namespace brickccl::files::nifti
