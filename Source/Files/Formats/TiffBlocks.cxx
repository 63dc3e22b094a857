// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Files/Formats/TiffPages.h"

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Files/Codecs/Inflate.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace brickccl::files
{

namespace
{

/** Converts numbers of 16 bits to float32. */
void
HalfToFloat(const unsigned char * stored, float * values, std::size_t count)
{
  for (std::size_t i = 0; i < count; ++i)
  {
    std::uint16_t half;
    std::memcpy(&half, stored + 2 * i, 2);
    const int   exponent = (half >> 10) & 31;
    const int   mantissa = half & 1023;
    const float size = exponent == 31 ? (mantissa != 0 ? NAN : INFINITY)
                     : exponent > 0   ? std::ldexp(static_cast<float>(1024 + mantissa), exponent - 25)
                                      : std::ldexp(static_cast<float>(mantissa), -24);
    values[i] = (half & 0x8000) != 0 ? -size : size;
  }
}

/** Decodes blocks (strips or tiles) of any page. */
class BlockDecoder
{
public:
  BlockDecoder(const FileBytes & file, const std::vector<TiffPage> & pages)
    : m_File(file)
    , m_Pages(pages)
    , m_Handle(file, true)
  {}

  /** Decodes a block of a page to its place in the volume. */
  void
  Decode(std::size_t number, std::uint32_t block, unsigned char * voxels)
  {
    const TiffPage & page = m_Pages[number];
    GoTo(page);
    const std::uint32_t inPlane = block % page.BlocksPerPlane();
    const std::uint32_t row = inPlane / page.BlocksAcross() * page.blockHeight;
    const std::uint32_t rows = std::min(page.blockHeight, page.height - row);
    // A tile stores all its rows, also those below the page.
    const std::uint32_t storedRows = page.isTiled ? page.blockHeight : rows;
    Read(page, number, block, storedRows);
    for (std::uint32_t i = 0; i < rows; ++i)
    {
      PlaceRow(page, block, row + i, m_Stored + i * page.BlockRowBytes(), voxels);
    }
  }

private:
  void
  GoTo(const TiffPage & page)
  {
    if (m_Current == &page)
    {
      return;
    }
    m_Current = nullptr;
    m_Handle.FailIf(TIFFSetSubDirectory(m_Handle.Get(), page.place) != 1, "a TIFF directory is damaged");
    PrepareDecoding(m_Handle.Get(), page.compression, page.photometric);
    m_Current = &page;
  }

  [[noreturn]] void
  Fail(std::size_t number) const
  {
    m_Handle.Fail("the pixels of page " + std::to_string(number + 1) + " are damaged or truncated");
  }

  /** Sets m_Stored to a block's rows. Each begins at a whole byte and is in the machine's byte order. */
  void
  Read(const TiffPage & page, std::size_t number, std::uint32_t block, std::uint32_t rows)
  {
    const auto size = static_cast<std::size_t>(page.BlockRowBytes() * rows);
    const bool isPlain = page.compression == COMPRESSION_NONE;
    const bool isDeflated = page.compression == COMPRESSION_ADOBE_DEFLATE || page.compression == COMPRESSION_DEFLATE;
    const bool isSwapped = page.bits > 8 && page.IsWholeBytes() && TIFFIsByteSwapped(m_Handle.Get()) != 0;
    m_Block.resize(size);
    m_Stored = m_Block.data();
    if (!page.isFillReversed && (isPlain || isDeflated))
    {
      const std::uint64_t place = TIFFGetStrileOffset(m_Handle.Get(), block);
      const std::uint64_t bytes = TIFFGetStrileByteCount(m_Handle.Get(), block);
      if (m_Handle.HasError() || place == 0 || bytes == 0)
      {
        Fail(number);
      }
      m_File.Require(place, isPlain ? size : bytes);
      ThrowIf(isPlain && bytes < size,
              "page " + std::to_string(number + 1) + " has a strip or tile of " + std::to_string(bytes) +
                " bytes instead of " + std::to_string(size) + ": the file is damaged");
      if (isDeflated)
      {
        // libtiff, which swaps bytes and undoes the predictor, does not compare checksums.
        Inflate(page, m_File.Data() + place, static_cast<std::size_t>(bytes), size);
      }
      if (!isSwapped && !page.hasPredictor)
      {
        m_Stored = isPlain ? m_File.Data() + place : m_Stored;
        return;
      }
    }
    m_Handle.ForgetWarnings();
    const auto got = page.isTiled
                     ? (TIFFTileSize(m_Handle.Get()) == static_cast<tmsize_t>(size)
                          ? TIFFReadEncodedTile(m_Handle.Get(), block, m_Block.data(), static_cast<tmsize_t>(size))
                          : -1)
                     : (TIFFVStripSize(m_Handle.Get(), rows) == static_cast<tmsize_t>(size)
                          ? TIFFReadEncodedStrip(m_Handle.Get(), block, m_Block.data(), static_cast<tmsize_t>(size))
                          : -1);
    // A decoder that warns has filled in missing data. Only the warning about the old order of bits in LZW codes does
    // not mean this.
    const bool hasWarned = !m_Handle.Warning().empty() && m_Handle.Warning().find("Old-style LZW") == std::string::npos;
    if (got != static_cast<tmsize_t>(size) || m_Handle.HasError() || hasWarned)
    {
      Fail(number);
    }
  }

  void
  Inflate(const TiffPage & page, const unsigned char * data, std::size_t bytes, std::size_t size)
  {
    Inflater inflater(data, bytes, Wrapper::Zlib, "a strip");
    inflater.Read(m_Block.data(), size);
    // Some writers fill the last strip up.
    const auto whole = static_cast<std::size_t>(page.BlockRowBytes() * page.blockHeight);
    if (whole > size)
    {
      std::vector<unsigned char> beyond(whole - size);
      inflater.ReadSome(beyond.data(), beyond.size());
    }
    inflater.Finish();
  }

  /** Writes a row of a block as voxels; `y` counts from the page's first row. */
  void
  PlaceRow(const TiffPage &      page,
           std::uint32_t         block,
           std::uint32_t         y,
           const unsigned char * stored,
           unsigned char *       voxels)
  {
    const ScalarType    type = page.Type();
    const std::size_t   size = SizeOf(type);
    const std::uint32_t begin = block % page.BlocksPerPlane() % page.BlocksAcross() * page.blockWidth;
    const std::uint32_t width = std::min(page.blockWidth, page.width - begin);
    const auto          samples = static_cast<std::size_t>(page.SamplesPerBlock());
    if (page.bits == 1 || (page.bits == 16 && page.format == SAMPLEFORMAT_IEEEFP))
    {
      m_Row.resize(width * samples * size);
      if (page.bits == 16)
      {
        HalfToFloat(stored, reinterpret_cast<float *>(m_Row.data()), width * samples);
      }
      for (std::size_t i = 0; i < m_Row.size() && page.bits == 1; ++i)
      {
        m_Row[i] = stored[i / 8] >> (7 - i % 8) & 1;
      }
      stored = m_Row.data();
    }
    const auto channels = static_cast<std::ptrdiff_t>(page.channels.size());
    const auto pageWidth = static_cast<std::ptrdiff_t>(page.width);
    const auto pageHeight = static_cast<std::ptrdiff_t>(page.height);
    if (page.orientation == ORIENTATION_TOPLEFT && !page.isSeparate && page.channels.size() == samples)
    {
      std::memcpy(voxels + (static_cast<std::size_t>(y) * page.width + begin) * samples * size,
                  stored,
                  width * samples * size);
      return;
    }
    // The orientation says where pixel (x, y) of the file goes: from the first or the last row and column on.
    const auto           orientation = page.orientation;
    const bool           flipsColumns = orientation == ORIENTATION_TOPRIGHT || orientation == ORIENTATION_BOTRIGHT;
    const bool           flipsRows = orientation == ORIENTATION_BOTRIGHT || orientation == ORIENTATION_BOTLEFT;
    const auto           column = static_cast<std::ptrdiff_t>(begin);
    const std::ptrdiff_t first = flipsColumns ? pageWidth - 1 - column : column;
    const std::ptrdiff_t line =
      flipsRows ? pageHeight - 1 - static_cast<std::ptrdiff_t>(y) : static_cast<std::ptrdiff_t>(y);
    const std::ptrdiff_t step = flipsColumns ? -channels : channels;
    const std::ptrdiff_t start = (first + line * pageWidth) * channels;
    const auto           plane = block / page.BlocksPerPlane();
    for (std::ptrdiff_t channel = 0; channel < channels; ++channel)
    {
      const std::size_t sample = page.channels[static_cast<std::size_t>(channel)];
      if (page.isSeparate && sample != plane)
      {
        continue;
      }
      const unsigned char * from = stored + (page.isSeparate ? 0 : sample) * size;
      std::ptrdiff_t        to = start + channel;
      for (std::uint32_t x = 0; x < width; ++x, from += samples * size, to += step)
      {
        std::memcpy(voxels + static_cast<std::size_t>(to) * size, from, size);
      }
    }
  }

  const FileBytes &             m_File;
  const std::vector<TiffPage> & m_Pages;
  TiffHandle                    m_Handle;
  const TiffPage *              m_Current = nullptr;
  const unsigned char *         m_Stored = nullptr;
  std::vector<unsigned char>    m_Block;
  std::vector<unsigned char>    m_Row;
};

} // namespace

void
DecodeTiffPages(const FileBytes &             file,
                const std::vector<TiffPage> & pages,
                unsigned char *               voxels,
                const HostContext &           context)
{
  const TiffPage &  first = pages.front();
  const std::size_t pageBytes =
    static_cast<std::size_t>(first.width) * first.height * first.channels.size() * SizeOf(first.Type());
  std::vector<std::int64_t> begins;
  std::int64_t              blocks = 0;
  for (const TiffPage & page : pages)
  {
    begins.push_back(blocks);
    blocks += page.Blocks();
  }
  const Chunks chunks(blocks, 1, std::int64_t{ 8 } * EffectiveThreadCount(context.threads));
  ParallelFor(chunks.count, context, [&](std::int64_t chunk) {
    BlockDecoder decoder(file, pages);
    for (std::int64_t block = chunks.Begin(chunk); block < chunks.End(chunk); ++block)
    {
      const auto page =
        static_cast<std::size_t>(std::upper_bound(begins.begin(), begins.end(), block) - begins.begin() - 1);
      decoder.Decode(page, static_cast<std::uint32_t>(block - begins[page]), voxels + page * pageBytes);
    }
  });
}

} // namespace brickccl::files
