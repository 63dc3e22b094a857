// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Files/Codecs/Deflate.h"
#include "BrickCCL/Files/Formats.h"
#include "BrickCCL/Files/LostGeometry.h"
#include "BrickCCL/Files/Formats/TiffHandle.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

namespace brickccl::files
{

namespace
{

struct Strips
{
  std::int64_t rowsPerPage;
  std::int64_t pages;
  std::size_t  rowBytes;
  std::int64_t rowsPerStrip;
  std::int64_t perPage;

  explicit Strips(const ImageToWrite & image)
    : rowsPerPage(image.extent.size[1])
    , pages(image.extent.size[2])
    , rowBytes(static_cast<std::size_t>(image.extent.RowLength()) * SizeOf(image.type))
  {
    // Strips are small enough for the caches and large enough to compress well.
    constexpr std::size_t stripBytes = std::size_t{ 1 } << 18;
    rowsPerStrip = std::clamp<std::int64_t>(static_cast<std::int64_t>(stripBytes / rowBytes), 1, rowsPerPage);
    perPage = (rowsPerPage + rowsPerStrip - 1) / rowsPerStrip;
  }
  std::int64_t
  Count() const
  {
    return perPage * pages;
  }
  /** The rows [begin, end) of a strip, numbered through the image. */
  std::int64_t
  Begin(std::int64_t strip) const
  {
    return strip / perPage * rowsPerPage + strip % perPage * rowsPerStrip;
  }
  std::int64_t
  End(std::int64_t strip) const
  {
    return std::min(Begin(strip) + rowsPerStrip, (strip / perPage + 1) * rowsPerPage);
  }
};

int
SampleFormatOf(ScalarType type)
{
  return VisitScalarType(type, [](auto tag) {
    using T = typename decltype(tag)::Type;
    return std::is_floating_point_v<T> ? SAMPLEFORMAT_IEEEFP
         : std::is_signed_v<T>         ? SAMPLEFORMAT_INT
                                       : SAMPLEFORMAT_UINT;
  });
}

/** Whether tifffile would read uncompressed pages as one block without directories: it does if this many bytes precede
 * the second page's directory. */
bool
LooksLikeOneBlock(const Strips & strips)
{
  constexpr std::size_t bytesOfDirectories = 4096;
  const std::size_t     pageBytes = static_cast<std::size_t>(strips.rowsPerPage) * strips.rowBytes;
  return strips.pages == 2 ||
         (strips.pages > 2 && static_cast<std::size_t>(strips.pages) * pageBytes < bytesOfDirectories);
}

/** Whether 1 / spacing can be a quotient of two 32-bit numbers with little loss. */
bool
FitsResolution(double spacing)
{
  return spacing > 1e-6 && spacing < 1e6;
}

/** Describes the stack as ImageJ does, which other programs understand, too. */
std::string
DescriptionOf(const ImageToWrite & image)
{
  std::string text = "ImageJ=1.53t\n";
  if (image.extent.size[2] > 1)
  {
    const std::string slices = std::to_string(image.extent.size[2]);
    text += "images=" + slices + "\nslices=" + slices + "\n";
  }
  // The unit is the centimeter. Readers other than ImageJ look at the tags, which have no millimeters.
  text += "unit=cm\n";
  text += image.extent.dimension > 2 ? "spacing=" + Shortest(image.geometry.spacing[2] / 10) + "\n" : "";
  return text + "loop=false\n";
}

void
SetFields(const TiffHandle & tiff, const ImageToWrite & image, const Strips & strips, bool compress, bool isFirst)
{
  TIFF * const file = tiff.Get();
  const auto & spacing = image.geometry.spacing;
  bool         done = TIFFSetField(file, TIFFTAG_IMAGEWIDTH, static_cast<std::uint32_t>(image.extent.size[0])) == 1;
  done = done && TIFFSetField(file, TIFFTAG_IMAGELENGTH, static_cast<std::uint32_t>(strips.rowsPerPage)) == 1;
  done = done && TIFFSetField(file, TIFFTAG_BITSPERSAMPLE, static_cast<int>(8 * SizeOf(image.type))) == 1;
  done = done && TIFFSetField(file, TIFFTAG_SAMPLESPERPIXEL, 1) == 1;
  done = done && TIFFSetField(file, TIFFTAG_SAMPLEFORMAT, SampleFormatOf(image.type)) == 1;
  done = done && TIFFSetField(file, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISBLACK) == 1;
  done = done && TIFFSetField(file, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG) == 1;
  // Without it ImageJ takes pages that are not compressed for one block without directories.
  done = done && TIFFSetField(file, TIFFTAG_ORIENTATION, ORIENTATION_TOPLEFT) == 1;
  done = done && TIFFSetField(file, TIFFTAG_ROWSPERSTRIP, static_cast<std::uint32_t>(strips.rowsPerStrip)) == 1;
  done = done && TIFFSetField(file, TIFFTAG_COMPRESSION, compress ? COMPRESSION_ADOBE_DEFLATE : COMPRESSION_NONE) == 1;
  if (FitsResolution(spacing[0]) && FitsResolution(spacing[1]))
  {
    done = done && TIFFSetField(file, TIFFTAG_RESOLUTIONUNIT, RESUNIT_CENTIMETER) == 1;
    done = done && TIFFSetField(file, TIFFTAG_XRESOLUTION, 10 / spacing[0]) == 1;
    done = done && TIFFSetField(file, TIFFTAG_YRESOLUTION, 10 / spacing[1]) == 1;
  }
  if (isFirst)
  {
    done = done && TIFFSetField(file, TIFFTAG_IMAGEDESCRIPTION, DescriptionOf(image).c_str()) == 1;
  }
  tiff.FailIf(!done, "the TIFF directory could not be made");
}

} // namespace

std::vector<std::string>
WriteTiff(const std::string & path, const ImageToWrite & image, const WriteOptions & options)
{
  const Extent & extent = image.extent;
  constexpr auto pixelLimit = std::int64_t{ 1 } << 31;
  ThrowIf<Unsupported>(extent.size[0] >= pixelLimit / 8 || extent.size[1] >= pixelLimit,
                       "TIFF pages of " + std::to_string(extent.size[0]) + " x " + std::to_string(extent.size[1]) +
                         " pixels are too large; use .nrrd");
  const Strips strips(image);
  const bool   compress = options.compress || LooksLikeOneBlock(strips);
  // The limit is below 4 GB, with room for directories and for strips that compression does not shrink.
  constexpr double maximumBytes = 3.9e9;
  const double     bytes = static_cast<double>(strips.rowBytes) * static_cast<double>(extent.RowCount()) +
                       1024.0 * static_cast<double>(strips.pages) + 64.0 * static_cast<double>(strips.Count());
  TiffHandle tiff(path, bytes > maximumBytes);

  const std::int64_t                      together = std::int64_t{ 4 } * EffectiveThreadCount(options.context.threads);
  std::vector<std::vector<unsigned char>> packed(static_cast<std::size_t>(together));
  for (std::int64_t first = 0; first < strips.Count(); first += together)
  {
    const std::int64_t count = std::min(together, strips.Count() - first);
    ParallelFor(count, options.context.Silent(), [&](std::int64_t i) {
      const std::int64_t         begin = strips.Begin(first + i);
      const std::int64_t         end = strips.End(first + i);
      std::vector<unsigned char> plain(static_cast<std::size_t>(end - begin) * strips.rowBytes);
      image.rows(begin, end, plain.data());
      packed[static_cast<std::size_t>(i)] = compress ? DeflateAlone(plain.data(), plain.size()) : std::move(plain);
    });
    for (std::int64_t i = 0; i < count; ++i)
    {
      const std::int64_t strip = (first + i) % strips.perPage;
      if (strip == 0)
      {
        SetFields(tiff, image, strips, compress, first + i == 0);
      }
      auto & data = packed[static_cast<std::size_t>(i)];
      tiff.FailIf(TIFFWriteRawStrip(tiff.Get(),
                                    static_cast<std::uint32_t>(strip),
                                    data.data(),
                                    static_cast<tmsize_t>(data.size())) != static_cast<tmsize_t>(data.size()) ||
                    (strip + 1 == strips.perPage && TIFFWriteDirectory(tiff.Get()) != 1),
                  "the file could not be written");
    }
    options.context.progress.Update(static_cast<double>(first + count) / static_cast<double>(strips.Count()));
  }
  tiff.Close();

  auto notes = NotesOfLostPlace(image, "TIFF");
  if (!FitsResolution(image.geometry.spacing[0]) || !FitsResolution(image.geometry.spacing[1]))
  {
    notes.push_back("TIFF files cannot store a spacing of " + Shortest(image.geometry.spacing[0]) + " x " +
                    Shortest(image.geometry.spacing[1]) + " mm");
  }
  return notes;
}

} // namespace brickccl::files
