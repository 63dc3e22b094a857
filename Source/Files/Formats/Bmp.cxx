// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Files/Formats.h"
#include "BrickCCL/Files/Settle.h"
#include "BrickCCL/Files/Voxels.h"

namespace brickccl::files
{

namespace
{

constexpr int ColorBytes = 4;

struct BmpHeader
{
  std::uint64_t pixels = 0;
  std::int64_t  width = 0;
  std::int64_t  height = 0;
  bool          isTopDown = false;
  int           bits = 0;
  std::int64_t  perMeterX = 0;
  std::int64_t  perMeterY = 0;
  std::uint64_t palette = 0;
  std::int64_t  colors = 0;
  std::uint64_t
  RowBytes() const
  {
    return (static_cast<std::uint64_t>(width) * static_cast<std::uint64_t>(bits) + 31) / 32 * 4;
  }
};

BmpHeader
ReadHeader(const FileBytes & file)
{
  BmpHeader           header;
  const std::uint64_t size = file.Number(14, 4);
  const auto          signedAt = [&](std::uint64_t place) { return static_cast<std::int32_t>(file.Number(place, 4)); };
  header.pixels = file.Number(10, 4);
  ThrowIf<Unsupported>(
    size != 40 && size != 52 && size != 56 && size != 64 && size != 108 && size != 124,
    "its header has " + std::to_string(size) +
      " bytes; BMP headers of 40, 52, 56, 64, 108 and 124 are read: save it as 24-bit BMP or as PNG");
  header.width = signedAt(18);
  header.height = signedAt(22);
  header.bits = static_cast<int>(file.Number(28, 2));
  header.perMeterX = signedAt(38);
  header.perMeterY = signedAt(42);
  header.colors = static_cast<std::int64_t>(file.Number(46, 4));
  const std::uint64_t compression = file.Number(30, 4);
  header.isTopDown = header.height < 0;
  header.height = std::llabs(header.height);
  header.palette = 14 + size;
  ThrowIf<Unsupported>(header.bits != 1 && header.bits != 8 && header.bits != 24,
                       "its pixels have " + std::to_string(header.bits) +
                         " bits; 1, 8 and 24 are read: save it as 24-bit BMP or as PNG");
  ThrowIf<Unsupported>(compression != 0,
                       "it is compressed (method " + std::to_string(compression) +
                         "); save it as uncompressed BMP or as PNG");
  ThrowIf(header.width < 1 || header.height < 1,
          "its size is " + std::to_string(header.width) + " x " + std::to_string(header.height) +
            "; there must be at least one pixel along each axis");
  if (header.bits <= 8)
  {
    const std::int64_t limit = std::int64_t{ 1 } << header.bits;
    header.colors = header.colors == 0 ? limit : header.colors;
    ThrowIf(header.colors > limit,
            "its palette has " + std::to_string(header.colors) + " colors; " + std::to_string(header.bits) +
              "-bit pixels have at most " + std::to_string(limit));
    file.Require(header.palette, static_cast<std::uint64_t>(header.colors * ColorBytes));
  }
  const auto colorBytes = static_cast<std::uint64_t>(header.bits <= 8 ? header.colors * ColorBytes : 0);
  ThrowIf(header.pixels < header.palette + colorBytes,
          "its pixels begin at byte " + std::to_string(header.pixels) + ", within its header: it is damaged");
  // This comes before the product, which might exceed 64 bits.
  RequireRoom(file.Size(),
              1,
              static_cast<double>(header.height) * static_cast<double>(header.RowBytes()),
              { header.width, header.height });
  file.Require(header.pixels, header.RowBytes() * static_cast<std::uint64_t>(header.height));
  return header;
}

/** Whether pixels are read as numbers of palette colors. \throws Unsupported for other palettes than gray ones */
bool
HasIndices(const FileBytes & file, const BmpHeader & header, bool asLabels)
{
  bool isGray = true;
  bool isPlain = true;
  for (std::int64_t i = 0; header.bits <= 8 && i < header.colors; ++i)
  {
    const unsigned char * const color = file.Data() + header.palette + i * ColorBytes;
    isGray = isGray && color[0] == color[1] && color[1] == color[2];
    isPlain = isPlain && color[0] == i;
  }
  ThrowIf<Unsupported>(!isGray && !asLabels, "it has a palette of colors; save it as 24-bit BMP or as PNG");
  return asLabels && !(isGray && isPlain);
}

} // namespace

bool
IsBmp(const FileBytes & file)
{
  // "BM" alone may begin any text.
  return file.Size() >= 26 && file.BeginsWith("BM", 2) && file.Data()[15] == 0 && file.Data()[16] == 0 &&
         file.Data()[17] == 0;
}

LoadedImage
ReadBmp(const FileBytes & file, const ReadOptions & options)
{
  const BmpHeader header = ReadHeader(file);
  const bool      hasIndices = HasIndices(file, header, options.asLabels);
  LoadedImage     image;
  image.type = ScalarType::UInt8;
  image.channels = header.bits == 24 ? 3 : 1;
  image.extent = SettleExtent({ header.width, header.height });
  image.spacingSource = "none";
  if (header.perMeterX > 0 && header.perMeterY > 0)
  {
    image.geometry.spacing[0] = 1000.0 / static_cast<double>(header.perMeterX);
    image.geometry.spacing[1] = 1000.0 / static_cast<double>(header.perMeterY);
    image.spacingSource = "file";
    image.notes.push_back(
      NoteOnResolution(static_cast<double>(header.perMeterX), static_cast<double>(header.perMeterY), "meter"));
  }
  image.meaning = hasIndices ? "numbers of palette colors" : "";
  NoteIf(hasIndices, "it has a palette; the voxels are numbers of colors, not brightness", image.notes);
  TellHeader(options, image);
  auto * output =
    reinterpret_cast<unsigned char *>(image.voxels.Resize(VoxelBytes(image.extent, image.channels, image.type)));
  for (std::int64_t y = 0; y < header.height; ++y)
  {
    const auto                  stored = static_cast<std::uint64_t>(header.isTopDown ? y : header.height - 1 - y);
    const unsigned char * const row = file.Data() + header.pixels + stored * header.RowBytes();
    for (std::int64_t x = 0; x < header.width; ++x)
    {
      if (header.bits == 24)
      {
        // Blue comes first.
        for (int channel = 2; channel >= 0; --channel)
        {
          *output++ = row[3 * x + channel];
        }
        continue;
      }
      const std::int64_t bit = x * header.bits;
      const int          index = (row[bit / 8] >> (8 - header.bits - bit % 8)) & ((1 << header.bits) - 1);
      if (index >= header.colors)
      {
        throw Error("a pixel has color number " + std::to_string(index) + " of a palette of " +
                    std::to_string(header.colors) + ": the file is damaged");
      }
      const std::uint64_t color = header.palette + static_cast<std::uint64_t>(index * ColorBytes);
      *output++ = hasIndices ? static_cast<unsigned char>(index) : file.Data()[color];
    }
  }
  return image;
}

} // namespace brickccl::files
