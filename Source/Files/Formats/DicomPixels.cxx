// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Files/Formats/DicomPixels.h"

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/Printable.h"

#include <cmath>
#include <cstring>
#include <type_traits>
#include <vector>

namespace brickccl::files::dicom
{

/** Copies values and scales them. Bits outside the value are dropped. */
template <typename From, typename To>
static void
Convert(const PixelFormat & format, const unsigned char * from, std::int64_t count, const Scaling & scaling, To * to)
{
  constexpr int bits = 8 * sizeof(From);
  const int     up = bits - 1 - format.highBit;
  const int     down = bits - format.bitsStored;
  const auto    value = [=](std::int64_t i) {
    From number;
    std::memcpy(&number, from + static_cast<std::size_t>(i) * sizeof(From), sizeof(From));
    if constexpr (std::is_integral_v<From>)
    {
      // The shift to the right extends the sign of signed values.
      using U = std::make_unsigned_t<From>;
      number = static_cast<From>(static_cast<From>(static_cast<U>(static_cast<U>(number) << up)) >> down);
    }
    return number;
  };
  if constexpr (std::is_floating_point_v<To>)
  {
    for (std::int64_t i = 0; i < count; ++i)
    {
      to[i] = static_cast<To>(scaling.slope * static_cast<double>(value(i)) + scaling.intercept);
    }
  }
  else if constexpr (!std::is_floating_point_v<From>)
  {
    // The results fit into their type, so sums modulo 2^32 or 2^64 are right.
    using Sum = std::conditional_t<sizeof(To) == 8, std::uint64_t, std::uint32_t>;
    const auto slope = static_cast<Sum>(static_cast<std::int64_t>(scaling.slope));
    const auto intercept = static_cast<Sum>(static_cast<std::int64_t>(scaling.intercept));
    for (std::int64_t i = 0; i < count; ++i)
    {
      to[i] = static_cast<To>(static_cast<Sum>(value(i)) * slope + intercept);
    }
  }
}

static void
CheckColors(PixelFormat & format)
{
  const std::string & kind = format.photometric;
  if (format.samples == 1)
  {
    return;
  }
  ThrowIf<Unsupported>(format.samples != 3 || format.isSigned ||
                         (format.bitsAllocated != 8 && format.bitsAllocated != 16),
                       "it has " + std::to_string(format.samples) + " samples of " +
                         std::to_string(format.bitsAllocated) + (format.isSigned ? " signed" : "") +
                         " bits per pixel; 1 sample, or 3 unsigned ones of 8 or 16 bits, are supported");
  ThrowIf<Unsupported>(kind != "RGB" && !((kind == "YBR_RCT" || kind == "YBR_ICT") && format.encapsulated),
                       "its colors are stored as " + kind + "; RGB is supported: convert it, or save it as gray");
}

static void
CheckLength(const File & file, const PixelFormat & format)
{
  const double bits = static_cast<double>(format.PixelsOfFrame()) * static_cast<double>(format.frames) *
                      format.samples * format.bitsAllocated;
  if (format.encapsulated)
  {
    return;
  }
  const double needs = std::ceil(bits / 8);
  ThrowIf(static_cast<double>(file.pixels->size) < needs,
          "its pixel data are truncated: they have " + std::to_string(file.pixels->size) + " bytes, but " +
            std::to_string(format.columns) + " x " + std::to_string(format.rows) + " pixels" +
            (format.frames > 1 ? " in " + std::to_string(format.frames) + " frames" : "") + " of " +
            std::to_string(format.samples * format.bitsAllocated) + " bits need " + Shortest(needs));
}

double
PixelFormat::Lowest() const
{
  return isSigned ? -std::ldexp(1.0, bitsStored - 1) : 0;
}

double
PixelFormat::Highest() const
{
  return std::ldexp(1.0, isSigned ? bitsStored - 1 : bitsStored) - 1;
}

PixelFormat
ReadPixelFormat(const File & file)
{
  const DataSet & data = file.data;
  const auto      whole = [&](const Tag & tag, std::int64_t minimum, std::int64_t maximum, std::int64_t missing) {
    const std::optional<std::int64_t> value = data.Whole(tag);
    ThrowIf(!value && missing < minimum, "the header has no " + std::string(tag.keyword));
    const std::int64_t number = value.value_or(missing);
    ThrowIf(number < minimum || number > maximum,
            std::string(tag.keyword) + " is " + std::to_string(number) + "; it must be between " +
              std::to_string(minimum) + " and " + std::to_string(maximum));
    return number;
  };
  PixelFormat format;
  format.rows = whole(tags::Rows, 1, 65535, 0);
  format.columns = whole(tags::Columns, 1, 65535, 0);
  format.frames = whole(tags::Frames, 1, 1000000, 1);
  format.samples = static_cast<int>(whole(tags::Samples, 1, 4, 1));
  format.photometric = data.Text(tags::Photometric);
  format.encapsulated = file.pixels->undefinedLength;
  const std::string & syntax = file.transferSyntax;
  ThrowIf(!format.encapsulated && (syntax == RleSyntax || syntax.rfind("1.2.840.10008.1.2.4.", 0) == 0),
          "its transfer syntax (" + syntax + ") is for compressed pixel data, but its pixel data are stored as " +
            "uncompressed: its header is damaged; export it again");
  if (file.pixels->tag != tags::Pixels.number)
  {
    const bool isDouble = file.pixels->tag == tags::DoublePixels.number;
    format.bitsAllocated = isDouble ? 64 : 32;
    format.bitsStored = format.bitsAllocated;
    format.highBit = format.bitsAllocated - 1;
    format.type = isDouble ? ScalarType::Float64 : ScalarType::Float32;
    ThrowIf<Unsupported>(format.samples != 1 || format.encapsulated,
                         "its floating-point pixel data are compressed or in color, which is not supported");
    CheckLength(file, format);
    return format;
  }
  format.bitsAllocated = static_cast<int>(whole(tags::BitsAllocated, 1, 64, 0));
  format.isSigned = whole(tags::IsSigned, 0, 1, 0) == 1;
  const int bits = format.bitsAllocated;
  ThrowIf<Unsupported>(bits != 1 && bits != 8 && bits != 16 && bits != 32,
                       "BitsAllocated is " + std::to_string(bits) + "; 1, 8, 16 and 32 are supported");
  format.type = IntegerType(bits == 1 ? 1 : static_cast<std::size_t>(bits) / 8, format.isSigned);
  format.bitsStored = static_cast<int>(whole(tags::BitsStored, 1, format.bitsAllocated, format.bitsAllocated));
  format.highBit =
    static_cast<int>(whole(tags::HighBit, format.bitsStored - 1, format.bitsAllocated - 1, format.bitsStored - 1));
  format.planar = format.samples > 1 && whole(tags::Planar, 0, 1, 0) == 1;
  ThrowIf<Unsupported>(format.bitsAllocated == 1 && (format.samples != 1 || format.isSigned || format.encapsulated),
                       "its 1-bit values are signed, in color or compressed, which is not supported");
  CheckColors(format);
  CheckLength(file, format);
  return format;
}

void
WriteFrame(const PixelFormat &   format,
           const unsigned char * stored,
           std::int64_t          frame,
           const Scaling &       scaling,
           ScalarType            type,
           void *                voxels)
{
  const std::int64_t pixels = format.PixelsOfFrame();
  if (format.bitsAllocated == 1)
  {
    const auto                 first = static_cast<std::uint64_t>(frame) * static_cast<std::uint64_t>(pixels);
    std::vector<unsigned char> bits(static_cast<std::size_t>(pixels));
    for (std::size_t i = 0; i < bits.size(); ++i)
    {
      bits[i] = stored[(first + i) / 8] >> ((first + i) % 8) & 1;
    }
    PixelFormat bytes = format;
    bytes.bitsAllocated = bytes.bitsStored = 8;
    bytes.highBit = 7;
    WriteFrame(bytes, bits.data(), 0, scaling, type, voxels);
    return;
  }
  std::vector<unsigned char> interleaved;
  if (format.planar)
  {
    const auto size = static_cast<std::size_t>(format.bitsAllocated / 8);
    const auto samples = static_cast<std::size_t>(format.samples);
    interleaved.resize(format.BytesOfFrame());
    for (std::size_t sample = 0; sample < samples; ++sample)
    {
      for (std::size_t i = 0; i < static_cast<std::size_t>(pixels); ++i)
      {
        std::memcpy(&interleaved[(i * samples + sample) * size],
                    stored + (sample * static_cast<std::size_t>(pixels) + i) * size,
                    size);
      }
    }
    stored = interleaved.data();
  }
  const bool whole = format.bitsStored == format.bitsAllocated;
  if (type == format.type && scaling.IsIdentity() && whole)
  {
    std::memcpy(voxels, stored, format.BytesOfFrame());
  }
  else
  {
    VisitScalarType(format.type, [&](auto from) {
      VisitScalarType(type, [&](auto to) {
        using To = typename decltype(to)::Type;
        Convert<typename decltype(from)::Type>(format,
                                               stored,
                                               pixels * format.samples,
                                               scaling,
                                               static_cast<To *>(voxels));
      });
    });
  }
}

} // namespace brickccl::files::dicom
