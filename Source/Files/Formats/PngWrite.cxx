// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Files/Codecs/Deflate.h"
#include "BrickCCL/Files/Formats.h"
#include "BrickCCL/Files/LostGeometry.h"
#include "BrickCCL/Files/Settle.h"
#include "BrickCCL/Files/Voxels.h"

#include <cmath>
#include <cstring>

#include <zlib.h>

namespace brickccl::files
{

namespace
{

void
Append(std::vector<unsigned char> & bytes, std::uint32_t number)
{
  for (int shift = 24; shift >= 0; shift -= 8)
  {
    bytes.push_back(static_cast<unsigned char>(number >> shift));
  }
}

void
WriteChunk(OutputFile & file, const char * name, const unsigned char * bytes, std::size_t size)
{
  std::vector<unsigned char> chunk;
  chunk.reserve(size + 12);
  Append(chunk, static_cast<std::uint32_t>(size));
  chunk.insert(chunk.end(), name, name + 4);
  chunk.insert(chunk.end(), bytes, bytes + size);
  Append(chunk, static_cast<std::uint32_t>(crc32_z(0, chunk.data() + 4, size + 4)));
  file.Write(chunk.data(), chunk.size());
}

/** The pixels per meter of a spacing if they are a whole number within a thousandth of a percent; else 0. */
std::uint32_t
PerMeter(double spacing)
{
  const double exact = 1000 / spacing;
  const double whole = std::round(exact);
  return whole >= 1 && whole < 2147483648.0 && std::fabs(whole - exact) <= 1e-5 * exact
         ? static_cast<std::uint32_t>(whole)
         : 0;
}

enum class Colors : unsigned char
{
  Gray = 0,
  RedGreenBlue = 2
};

/** Writes a PNG with rows of `rowBytes` bytes. `rows(begin, end, output)` makes them, high bytes first. */
template <typename TRows>
void
WritePngRows(const std::string & path,
             std::int64_t        width,
             std::int64_t        height,
             std::size_t         bits,
             Colors              colors,
             std::size_t         rowBytes,
             std::uint32_t       xPerMeter,
             std::uint32_t       yPerMeter,
             const HostContext & context,
             TRows               row)
{
  constexpr std::int64_t pixelLimit = 0x7fffffff;
  ThrowIf<Unsupported>(width > pixelLimit / 8 || height > pixelLimit,
                       "PNG files of " + std::to_string(width) + " x " + std::to_string(height) +
                         " pixels are too large; use .nrrd");
  OutputFile file(path);
  file.Write("\x89PNG\r\n\x1a\n", 8);
  std::vector<unsigned char> header;
  Append(header, static_cast<std::uint32_t>(width));
  Append(header, static_cast<std::uint32_t>(height));
  // Bits, colors, deflate, filters, no interlacing.
  header.insert(header.end(), { static_cast<unsigned char>(bits), static_cast<unsigned char>(colors), 0, 0, 0 });
  WriteChunk(file, "IHDR", header.data(), header.size());
  if (xPerMeter != 0 && yPerMeter != 0)
  {
    std::vector<unsigned char> resolution;
    Append(resolution, xPerMeter);
    Append(resolution, yPerMeter);
    resolution.push_back(1);
    WriteChunk(file, "pHYs", resolution.data(), resolution.size());
  }
  // Each row begins with the number of its filter, 0 for none.
  const std::uint64_t stride = rowBytes + 1;
  const std::uint64_t rowsPerPiece = std::max<std::uint64_t>(1, (std::uint64_t{ 1 } << 18) / stride);
  Deflate(
    Wrapper::Zlib,
    stride * static_cast<std::uint64_t>(height),
    stride * rowsPerPiece,
    [&](std::uint64_t begin, std::uint64_t end, unsigned char * output) {
      for (std::uint64_t number = begin / stride; number < end / stride; ++number, output += stride)
      {
        output[0] = 0;
        row(static_cast<std::int64_t>(number), output + 1);
      }
    },
    [&](const unsigned char * bytes, std::size_t count) { WriteChunk(file, "IDAT", bytes, count); },
    context);
  WriteChunk(file, "IEND", nullptr, 0);
  file.Close();
}

} // namespace

std::vector<std::string>
WritePng(const std::string & path, const ImageToWrite & image, const WriteOptions & options)
{
  const std::int64_t  width = image.extent.size[0];
  const std::size_t   size = SizeOf(image.type);
  const std::uint32_t x = PerMeter(image.geometry.spacing[0]);
  const std::uint32_t y = PerMeter(image.geometry.spacing[1]);
  HostContext         alone;
  alone.threads = 1;
  WritePngRows(path,
               width,
               image.extent.size[1],
               8 * size,
               Colors::Gray,
               static_cast<std::size_t>(width) * size,
               x,
               y,
               options.context,
               [&](std::int64_t row, unsigned char * output) {
                 image.rows(row, row + 1, output);
                 if (size > 1 && !HostIsBigEndian)
                 {
                   SwapBytes(output, size, static_cast<std::size_t>(width), alone);
                 }
               });

  auto notes = NotesOfLostPlace(image, "PNG");
  NoteIf(x == 0 || y == 0,
         "PNG files store spacing as whole pixels per meter, which " + Shortest(image.geometry.spacing[0]) + " x " +
           Shortest(image.geometry.spacing[1]) + " mm is not; it is lost",
         notes);
  return notes;
}

} // namespace brickccl::files

namespace brickccl
{

void
WriteColorPicture(const std::string & path, std::int64_t width, std::int64_t height, const unsigned char * pixels)
{
  const auto rowBytes = static_cast<std::size_t>(3 * width);
  files::WritePngRows(path,
                      width,
                      height,
                      8,
                      files::Colors::RedGreenBlue,
                      rowBytes,
                      0,
                      0,
                      {},
                      [&](std::int64_t row, unsigned char * output) {
                        std::memcpy(output, pixels + static_cast<std::size_t>(row) * rowBytes, rowBytes);
                      });
}

} // namespace brickccl
