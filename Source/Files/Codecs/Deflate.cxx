// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Files/Codecs/Deflate.h"

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Files/Codecs/ClearRegisters.h"

#include <algorithm>

#include <isa-l/crc.h>
#include <isa-l/igzip_lib.h>
#include <zlib.h>

namespace brickccl::files
{

namespace
{

/** The most bytes that the libraries get at once. */
constexpr std::size_t LargestPart = std::size_t{ 1 } << 30;

/** Compresses pieces one after the other. Each becomes whole bytes and does not refer to the pieces before it. */
class PieceCompressor
{
public:
  PieceCompressor() = default;
  PieceCompressor(const PieceCompressor &) = delete;
  PieceCompressor & operator=(const PieceCompressor &) = delete;

  void
  Compress(const unsigned char * bytes, std::size_t size, bool isLast, std::vector<unsigned char> & output)
  {
    m_LevelMemory.resize(ISAL_DEF_LVL1_DEFAULT);
    isal_deflate_init(&m_Stream);
    m_Stream.level = 1;
    m_Stream.level_buf = m_LevelMemory.data();
    m_Stream.level_buf_size = static_cast<std::uint32_t>(m_LevelMemory.size());
    m_Stream.gzip_flag = IGZIP_DEFLATE;
    std::size_t taken = 0;
    if (size > OpeningBytes)
    {
      Take(bytes, OpeningBytes, SYNC_FLUSH, false, output);
      taken = OpeningBytes;
    }
    do
    {
      // The library counts in 32 bits.
      const std::size_t part = std::min(size - taken, LargestPart);
      const bool        isEnd = taken + part == size;
      Take(bytes + taken, part, isEnd && !isLast ? FULL_FLUSH : NO_FLUSH, isEnd && isLast, output);
      taken += part;
    } while (taken < size);
  }

private:
  /** This many bytes of a piece become a block of their own. ISA-L 2.30 puts the third byte of an input into its table
   *  of matches by a hash of the stream's address, so the bytes written would differ between processes
   *  (igzip_icf_body_h1_gr_bt.asm, .write_first_byte; later releases are right). Its code for inputs this short is
   *  right. */
  static constexpr std::size_t OpeningBytes = 16;

  void
  Take(const unsigned char * bytes, std::size_t size, int flush, bool isEnd, std::vector<unsigned char> & output)
  {
    m_Stream.flush = static_cast<std::uint16_t>(flush);
    m_Stream.end_of_stream = isEnd ? 1 : 0;
    m_Stream.next_in = const_cast<unsigned char *>(bytes);
    m_Stream.avail_in = static_cast<std::uint32_t>(size);
    std::size_t done = output.size();
    do
    {
      output.resize(std::max(done + 4096, output.size() + size / 4));
      m_Stream.next_out = output.data() + done;
      m_Stream.avail_out = static_cast<std::uint32_t>(std::min(output.size() - done, LargestPart));
      const int status = isal_deflate(&m_Stream);
      ClearRegisters();
      ThrowIf(status != COMP_OK, "the data could not be compressed");
      done = static_cast<std::size_t>(m_Stream.next_out - output.data());
    } while (m_Stream.avail_out == 0);
    output.resize(done);
  }

  isal_zstream               m_Stream = {};
  std::vector<unsigned char> m_LevelMemory;
};

std::vector<unsigned char>
HeaderOf(Wrapper wrapper)
{
  // There is no name and no time, so that an image always gives the same bytes.
  return wrapper == Wrapper::Gzip ? std::vector<unsigned char>{ 0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255 }
                                  : std::vector<unsigned char>{ 0x78, 0x01 };
}

std::vector<unsigned char>
TrailerOf(Wrapper wrapper, std::uint32_t checksum, std::uint64_t size)
{
  std::vector<unsigned char> bytes;
  for (int i = 0; i < 4; ++i)
  {
    bytes.push_back(static_cast<unsigned char>(checksum >> (wrapper == Wrapper::Gzip ? 8 * i : 24 - 8 * i)));
  }
  for (int i = 0; i < 4 && wrapper == Wrapper::Gzip; ++i)
  {
    bytes.push_back(static_cast<unsigned char>(size >> (8 * i)));
  }
  return bytes;
}

struct Piece
{
  std::vector<unsigned char> plain;
  std::vector<unsigned char> packed;
  std::uint32_t              checksum = 0;
  PieceCompressor            compressor;
};

} // namespace

std::uint32_t
Checksum(Wrapper wrapper, const unsigned char * bytes, std::size_t size)
{
  const std::uint32_t checksum =
    wrapper == Wrapper::Gzip ? crc32_gzip_refl(0, bytes, size) : isal_adler32(1, bytes, size);
  ClearRegisters();
  return checksum;
}

std::uint32_t
CombinedChecksum(Wrapper wrapper, std::uint32_t first, std::uint32_t second, std::uint64_t secondSize)
{
  const auto length = static_cast<z_off_t>(secondSize);
  return static_cast<std::uint32_t>(wrapper == Wrapper::Gzip ? crc32_combine(first, second, length)
                                                             : adler32_combine(first, second, length));
}

std::uint64_t
Deflate(Wrapper                            wrapper,
        std::uint64_t                      size,
        std::uint64_t                      pieceBytes,
        const ByteSource &                 source,
        const ByteSink &                   sink,
        const HostContext &                context,
        const std::vector<unsigned char> & first)
{
  const auto header = HeaderOf(wrapper);
  sink(header.data(), header.size());
  std::uint64_t       written = header.size();
  std::uint32_t       checksum = Checksum(wrapper, nullptr, 0);
  const std::uint64_t before = first.empty() ? 0 : 1;
  const std::uint64_t pieces = std::max<std::uint64_t>(1, before + (size + pieceBytes - 1) / pieceBytes);
  // So many pieces are compressed at once.
  const auto         threads = static_cast<std::uint64_t>(EffectiveThreadCount(context.threads));
  const auto         together = static_cast<std::size_t>(std::min(pieces, 4 * threads));
  std::vector<Piece> room(together);
  for (std::uint64_t next = 0; next < pieces; next += together)
  {
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(together, pieces - next));
    ParallelFor(static_cast<std::int64_t>(count), context.Silent(), [&](std::int64_t i) {
      Piece &             piece = room[static_cast<std::size_t>(i)];
      const std::uint64_t number = next + static_cast<std::uint64_t>(i);
      if (number < before)
      {
        piece.plain = first;
      }
      else
      {
        const std::uint64_t begin = (number - before) * pieceBytes;
        const std::uint64_t end = std::min(size, begin + pieceBytes);
        piece.plain.resize(static_cast<std::size_t>(end - begin));
        if (begin < end)
        {
          source(begin, end, piece.plain.data());
        }
      }
      piece.checksum = Checksum(wrapper, piece.plain.data(), piece.plain.size());
      piece.packed.clear();
      piece.compressor.Compress(piece.plain.data(), piece.plain.size(), number + 1 == pieces, piece.packed);
    });
    for (std::size_t i = 0; i < count; ++i)
    {
      const Piece & piece = room[i];
      checksum = CombinedChecksum(wrapper, checksum, piece.checksum, piece.plain.size());
      sink(piece.packed.data(), piece.packed.size());
      written += piece.packed.size();
    }
    context.progress.Update(static_cast<double>(next + count) / static_cast<double>(pieces));
  }
  const auto trailer = TrailerOf(wrapper, checksum, size + first.size());
  sink(trailer.data(), trailer.size());
  return written + trailer.size();
}

std::vector<unsigned char>
DeflateAlone(const unsigned char * bytes, std::size_t size)
{
  static thread_local PieceCompressor compressor;
  std::vector<unsigned char>          packed = HeaderOf(Wrapper::Zlib);
  compressor.Compress(bytes, size, true, packed);
  const auto trailer = TrailerOf(Wrapper::Zlib, Checksum(Wrapper::Zlib, bytes, size), size);
  packed.insert(packed.end(), trailer.begin(), trailer.end());
  return packed;
}

} // namespace brickccl::files
