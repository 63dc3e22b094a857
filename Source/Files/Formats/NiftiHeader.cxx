// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Files/Formats/NiftiHeader.h"

#include "BrickCCL/Core/Error.h"

namespace brickccl::files::nifti
{

namespace
{

constexpr struct
{
  std::int64_t code;
  Stored       stored;
} Types[] = { { 2, { ScalarType::UInt8, 1 } },    { 4, { ScalarType::Int16, 1 } },
              { 8, { ScalarType::Int32, 1 } },    { 16, { ScalarType::Float32, 1 } },
              { 64, { ScalarType::Float64, 1 } }, { 128, { ScalarType::UInt8, 3 } },
              { 256, { ScalarType::Int8, 1 } },   { 512, { ScalarType::UInt16, 1 } },
              { 768, { ScalarType::UInt32, 1 } }, { 1024, { ScalarType::Int64, 1 } },
              { 1280, { ScalarType::UInt64, 1 } } };

} // namespace

Stored
StoredOf(std::int64_t code)
{
  for (const auto & known : Types)
  {
    if (known.code == code)
    {
      return known.stored;
    }
  }
  throw Unsupported(
    "its voxels are of the type with the code " + std::to_string(code) +
    "; integers of 8 to 64 bits, float, double and RGB are read (give the magnitude of complex voxels)");
}

std::int64_t
CodeOf(ScalarType type)
{
  for (const auto & known : Types)
  {
    if (known.stored.type == type)
    {
      return known.code;
    }
  }
  throw Error("NIfTI has no code for a type of voxels");
}

void
CheckBits(const HeaderBytes & header, int bitsOfType)
{
  const int bits = header.At<std::int16_t>(header.isSecond ? 14 : 72);
  ThrowIf(bits != 0 && bits != bitsOfType,
          "its voxels have " + std::to_string(bits) + " bits (bitpix), but " + std::to_string(bitsOfType) +
            " by their type (datatype); correct the one that is wrong");
}

void
CheckSignature(const HeaderBytes & header, std::size_t size)
{
  ThrowIf(!header.isKnown, size < SizeOfFirst ? "its header is truncated" : "its header is neither NIfTI nor Analyze");
  // Some programs leave them at 0.
  const std::string ends(header.LineEnds(), header.LineEnds() + 4);
  ThrowIf(header.isSecond && !header.Magic().empty() && ends != "\r\n\x1a\n" && ends != std::string(4, '\0'),
          "bytes 4 to 7 of its magic are not 0D 0A 1A 0A: a transfer as text has changed the line ends in it, or "
          "it is damaged; transfer it again, as binary");
}

} // namespace brickccl::files::nifti
