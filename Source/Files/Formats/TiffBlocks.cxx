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

/** Decodes blocks (strips or tiles) of any page. */
class BlockDecoder
{
public:
  BlockDecoder(const FileBytes & file, const std::vector<TiffPage> & pages)
    : m_File(file)
    , m_Pages(pages)
    , m_Handle(file, true)
  {}

  void
  Decode(std::size_t number, std::uint32_t block, unsigned char * voxels)
  {
    const TiffPage & page = m_Pages[number];
    GoTo(page);
    const std::uint32_t row = block / page.BlocksAcross() * page.blockHeight;
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
    const std::size_t   size = SizeOf(page.Type());
    const std::uint32_t begin = block % page.BlocksAcross() * page.blockWidth;
    const std::uint32_t width = std::min(page.blockWidth, page.width - begin);
    unsigned char *     to = voxels + (static_cast<std::size_t>(y) * page.width + begin) * page.channels.size() * size;
    if (page.bits == 1)
    {
      m_Row.resize(std::size_t{ width } * page.samples);
      for (std::size_t i = 0; i < m_Row.size(); ++i)
      {
        m_Row[i] = stored[i / 8] >> (7 - i % 8) & 1;
      }
      stored = m_Row.data();
    }
    if (page.channels.size() == page.samples)
    {
      std::memcpy(to, stored, std::size_t{ width } * page.samples * size);
      return;
    }
    for (std::uint32_t x = 0; x < width; ++x, stored += page.samples * size)
    {
      for (const std::uint16_t sample : page.channels)
      {
        std::memcpy(to, stored + sample * size, size);
        to += size;
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
