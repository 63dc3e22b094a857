// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Files/Codecs/InflateOnThreads.h"

#include "BrickCCL/Files/Codecs/Checksum.h"
#include "BrickCCL/Files/Codecs/DeflateBlocks.h"

#ifdef BRICKCCL_USE_ISAL
#  include "BrickCCL/Files/Codecs/BlockInflater.h"
#endif

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstring>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace brickccl::files
{

#ifdef BRICKCCL_USE_ISAL

namespace
{

/** A chunk has at least this many compressed bytes; fewer are not worth several threads. */
constexpr std::size_t MinimumChunk = std::size_t{ 1 } << 16;
constexpr std::size_t MaximumChunk = std::size_t{ 1 } << 20;
/** A larger chunk is not kept outside the output. */
constexpr std::size_t MaximumChunkOutput = std::size_t{ 24 } << 20;
/** A buffer outside the output grows by this. */
constexpr std::size_t PartSize = std::size_t{ 1 } << 18;

struct Chunk
{
  /** The bit where it begins. */
  std::uint64_t begin = 0;
  std::uint32_t checksum = 0;
  std::uint64_t size = 0;
};

/** One decompression on several threads. */
class ThreadedInflater
{
public:
  /** \param firstBit  where the blocks begin */
  ThreadedInflater(const unsigned char * data,
                   std::size_t           size,
                   std::uint64_t         firstBit,
                   Wrapper               wrapper,
                   std::uint64_t         skip,
                   std::byte *           output,
                   std::size_t           outputSize)
    : m_Data(data)
    , m_Size(size)
    , m_FirstBit(firstBit)
    , m_Wrapper(wrapper)
    , m_Skip(skip)
    , m_Output(reinterpret_cast<unsigned char *>(output))
    , m_OutputSize(outputSize)
    , m_Window(WindowSize)
  {}

  /** \return whether all went well; then the blocks end before EndOfBlocks(). */
  bool
  Run(const HostContext & context)
  {
    // With fewer chunks, threads would wait for each other.
    constexpr std::size_t fewestChunks = 4;
    const int             threads = EffectiveThreadCount(context.threads);
    if (threads < 2 || !FindChunks(context) || m_Chunks.size() < fewestChunks)
    {
      return false;
    }
    // Only the calling thread may report progress.
    const auto caller = std::this_thread::get_id();
    ParallelFor(threads, context.Silent(), [&](std::int64_t) {
      WorkThroughChunks(std::this_thread::get_id() == caller ? context.progress : Progress());
    });
    return !m_HasFailed && m_HasFinished && m_Done == m_Skip + m_OutputSize;
  }

  /** The first byte after the blocks. */
  std::size_t
  EndOfBlocks() const
  {
    return m_EndOfBlocks;
  }

  std::uint32_t
  TotalChecksum() const
  {
    std::uint32_t total = Checksum(m_Wrapper, nullptr, 0);
    for (const Chunk & chunk : m_Chunks)
    {
      total = CombinedChecksum(m_Wrapper, total, chunk.checksum, chunk.size);
    }
    return total;
  }

private:
  /** \return whether there are several. */
  bool
  FindChunks(const HostContext & context)
  {
    // They become about 4 MB each, which a cache holds.
    constexpr double      usualOutput = 4e6;
    constexpr std::size_t manyChunks = 8;
    const std::size_t     bytes = m_Size - static_cast<std::size_t>(m_FirstBit / 8);
    const double          ratio = static_cast<double>(bytes) / static_cast<double>(m_Skip + m_OutputSize + 1);
    const std::size_t     wanted = static_cast<std::size_t>(usualOutput * std::min(ratio, 1.0));
    const std::size_t     step = std::clamp(std::min(wanted, bytes / manyChunks), MinimumChunk, MaximumChunk);
    const auto            count = static_cast<std::int64_t>(bytes / step) - 1;
    if (count < 1)
    {
      return false;
    }
    std::vector<std::optional<std::uint64_t>> places(static_cast<std::size_t>(count));
    ParallelFor(count, context.Silent(), [&](std::int64_t i) {
      const std::uint64_t begin = m_FirstBit + 8 * static_cast<std::uint64_t>(step) * static_cast<std::uint64_t>(i + 1);
      places[static_cast<std::size_t>(i)] = FindDeflateBlock(m_Data, m_Size, begin, begin + 8 * step);
    });
    m_Chunks.push_back({ m_FirstBit, 0, 0 });
    for (const auto & place : places)
    {
      if (place)
      {
        m_Chunks.push_back({ *place, 0, 0 });
      }
    }
    return true;
  }

  void
  WorkThroughChunks(const Progress & progress)
  {
    try
    {
      const auto inflater = std::make_unique<BlockInflater>();
      const auto guess = std::make_unique<Guess>();
      for (std::size_t i = m_Next++; i < m_Chunks.size() && !m_HasFailed; i = m_Next++)
      {
        if (IsTurn(i))
        {
          InflateInPlace(i, *inflater);
        }
        else
        {
          InflateBeside(i, *inflater, *guess);
        }
        progress.Update(static_cast<double>(i + 1) / static_cast<double>(m_Chunks.size()));
      }
    }
    catch (const std::bad_alloc &)
    {
      Fail();
    }
    catch (...)
    {
      Fail();
      throw;
    }
  }

  std::uint64_t
  EndOf(std::size_t chunk) const
  {
    return chunk + 1 < m_Chunks.size() ? m_Chunks[chunk + 1].begin : std::uint64_t{ 8 } * m_Size;
  }

  bool
  IsTurn(std::size_t chunk)
  {
    const std::lock_guard lock(m_Mutex);
    return m_Turn == chunk;
  }

  /** \return whether the turn has come, and nothing has failed. */
  bool
  WaitForTurn(std::size_t chunk)
  {
    std::unique_lock lock(m_Mutex);
    m_Changed.wait(lock, [&] { return m_Turn == chunk || m_HasFailed; });
    return !m_HasFailed;
  }

  void
  Fail()
  {
    {
      const std::lock_guard lock(m_Mutex);
      m_HasFailed = true;
    }
    m_Changed.notify_all();
  }

  /** Whether the chunk, whose turn it is, ended as it must: between blocks where the next one begins, or at the end. */
  bool
  EndsWell(std::size_t chunk, const BlockInflater & inflater) const
  {
    return chunk + 1 == m_Chunks.size() ? !inflater.IsBad() && inflater.HasFinished()
                                        : inflater.IsBetweenBlocksAt(EndOf(chunk));
  }

  /** Gives the turn to the next chunk.
   *  \param position  the first bit after this one
   *  \param last      its last bytes, as many as a window has or all */
  void
  PassTurn(std::size_t chunk, std::uint64_t position, const unsigned char * last, std::size_t size)
  {
    const std::size_t fromChunk = std::min(size, WindowSize);
    std::memmove(m_Window.data(), m_Window.data() + fromChunk, WindowSize - fromChunk);
    std::memcpy(m_Window.data() + WindowSize - fromChunk, last, fromChunk);
    m_Known = std::min(WindowSize, m_Known + size);
    m_Done += size;
    m_Chunks[chunk].size = size;
    if (chunk + 1 == m_Chunks.size())
    {
      m_HasFinished = true;
      m_EndOfBlocks = static_cast<std::size_t>((position + 7) / 8);
    }
    {
      const std::lock_guard lock(m_Mutex);
      m_Turn = chunk + 1;
    }
    m_Changed.notify_all();
  }

  /** Decompresses a chunk whose turn it is. */
  void
  InflateInPlace(std::size_t chunk, BlockInflater & inflater)
  {
    inflater.Begin(m_Data, m_Size, m_Chunks[chunk].begin, m_Window.data() + WindowSize - m_Known, m_Known);
    const std::uint64_t end = EndOf(chunk);
    Bytes               skipped(static_cast<std::size_t>(chunk == 0 ? m_Skip : 0));
    std::size_t         skippedSize = 0;
    while (skippedSize < skipped.size() && !inflater.IsAtEnd())
    {
      skippedSize += inflater.Read(skipped.data() + skippedSize, skipped.size() - skippedSize, end);
    }
    const auto            offset = static_cast<std::size_t>(m_Done + skipped.size() - m_Skip);
    unsigned char * const begin = m_Output + offset;
    std::size_t           size = 0;
    unsigned char         beyond = 0;
    while (!inflater.IsAtEnd())
    {
      const std::size_t room = m_OutputSize - offset - size;
      const std::size_t made = inflater.Read(room > 0 ? begin + size : &beyond, std::max<std::size_t>(room, 1), end);
      if (made > room)
      {
        Fail();
        return;
      }
      size += made;
    }
    // Later bytes may refer to dropped ones, but these are few, and a chunk is larger than a window.
    if (skippedSize < skipped.size() || size < WindowSize || !EndsWell(chunk, inflater))
    {
      Fail();
      return;
    }
    PassTurn(chunk, inflater.Position(), begin + size - WindowSize, skipped.size() + size);
    m_Chunks[chunk].checksum = CombinedChecksum(m_Wrapper,
                                                Checksum(m_Wrapper, skipped.data(), skipped.size()),
                                                Checksum(m_Wrapper, begin, size),
                                                size);
  }

  /** Decompresses a chunk before the window is known, and waits for its turn. */
  void
  InflateBeside(std::size_t chunk, BlockInflater & inflater, Guess & guess)
  {
    const auto end = MakeGuess(chunk, inflater, guess);
    if (!WaitForTurn(chunk))
    {
      return;
    }
    if (!end)
    {
      InflateInPlace(chunk, inflater);
      return;
    }
    const std::size_t size = guess.Size();
    if (size < WindowSize || m_Done + size > m_Skip + m_OutputSize)
    {
      Fail();
      return;
    }
    const auto  offset = static_cast<std::size_t>(m_Done - m_Skip);
    const Bytes window = m_Window;
    Bytes       last(WindowSize);
    guess.Settle(size - WindowSize, size, window, last.data());
    PassTurn(chunk, *end, last.data(), size);
    unsigned char * const begin = m_Output + offset;
    guess.Settle(0, size, window, begin);
    m_Chunks[chunk].checksum = Checksum(m_Wrapper, begin, size);
  }

  /** \return the first bit after the chunk, whose bytes are there. Nothing if they are too many, or if the supposed
   * block is not a block. */
  std::optional<std::uint64_t>
  MakeGuess(std::size_t chunk, BlockInflater & inflater, Guess & guess)
  {
    const bool          isLast = chunk + 1 == m_Chunks.size();
    const std::uint64_t end = EndOf(chunk);
    SymbolInflater &    symbols = guess.symbols;
    guess.byteCount = 0;
    symbols.Begin(m_Data, m_Size, m_Chunks[chunk].begin);
    do
    {
      if (m_HasFailed || !symbols.ReadBlock(MaximumChunkOutput))
      {
        return std::nullopt;
      }
      if (symbols.HasFinished() || symbols.Position() >= end)
      {
        const bool endsWell = symbols.HasFinished() ? isLast : symbols.Position() == end;
        return endsWell ? std::optional(symbols.Position()) : std::nullopt;
      }
    } while (!symbols.IsSettled());
    Bytes window(WindowSize);
    std::copy_n(symbols.Symbols() + symbols.Size() - WindowSize, WindowSize, window.data());
    inflater.Begin(m_Data, m_Size, symbols.Position(), window.data(), WindowSize);
    while (!inflater.IsAtEnd())
    {
      if (m_HasFailed || guess.Size() > MaximumChunkOutput)
      {
        return std::nullopt;
      }
      if (guess.bytes.size() < guess.byteCount + PartSize)
      {
        guess.bytes.resize(std::max(2 * guess.bytes.size(), guess.byteCount + PartSize));
      }
      guess.byteCount += inflater.Read(guess.bytes.data() + guess.byteCount, PartSize, end);
    }
    return EndsWell(chunk, inflater) ? std::optional(inflater.Position()) : std::nullopt;
  }

  const unsigned char * m_Data;
  std::size_t           m_Size;
  std::uint64_t         m_FirstBit;
  Wrapper               m_Wrapper;
  std::uint64_t         m_Skip;
  unsigned char *       m_Output;
  std::size_t           m_OutputSize;
  std::vector<Chunk>    m_Chunks;

  std::atomic<std::size_t> m_Next{ 0 };
  std::atomic<bool>        m_HasFailed{ false };
  std::mutex               m_Mutex;
  std::condition_variable  m_Changed;
  /** The chunk whose turn it is. Only it may change the following members. */
  std::size_t   m_Turn = 0;
  Bytes         m_Window;
  std::size_t   m_Known = 0;
  std::uint64_t m_Done = 0;
  bool          m_HasFinished = false;
  std::size_t   m_EndOfBlocks = 0;
};

/** Where the blocks begin, in bytes; 0 for a header that is left to others. */
std::size_t
SizeOfHeader(const unsigned char * data, std::size_t size, Wrapper wrapper)
{
  if (wrapper == Wrapper::Zlib)
  {
    // RFC 1950: deflate, a check, no dictionary.
    const bool isPlain = (data[0] & 15) == 8 && (256 * data[0] + data[1]) % 31 == 0 && (data[1] & 32) == 0;
    return isPlain ? 2 : 0;
  }
  inflate_state    state = {};
  isal_gzip_header header = {};
  isal_inflate_init(&state);
  isal_gzip_header_init(&header);
  state.next_in = const_cast<unsigned char *>(data);
  state.avail_in = static_cast<std::uint32_t>(std::min(size, MinimumChunk));
  const bool isRead = isal_read_gzip_header(&state, &header) == ISAL_DECOMP_OK && !HasReservedFlags(data, size);
  return isRead ? static_cast<std::size_t>(state.next_in - data) : 0;
}

/** Whether the checksum and, of gzip, the size stand at `end`, and nothing but zeros follow. */
bool
IsTrailer(const unsigned char * data,
          std::size_t           size,
          std::size_t           end,
          Wrapper               wrapper,
          std::uint32_t         checksum,
          std::uint64_t         outputSize)
{
  const bool        isGzip = wrapper == Wrapper::Gzip;
  const std::size_t length = isGzip ? 8 : 4;
  if (end + length > size)
  {
    return false;
  }
  bool isRight = true;
  for (std::size_t i = 0; i < 4; ++i)
  {
    isRight = isRight && data[end + i] == static_cast<unsigned char>(checksum >> (isGzip ? 8 * i : 24 - 8 * i));
    isRight = isRight && (!isGzip || data[end + 4 + i] == static_cast<unsigned char>(outputSize >> (8 * i)));
  }
  return isRight && std::all_of(data + end + length, data + size, [](unsigned char byte) { return byte == 0; });
}

} // namespace

bool
InflateOnThreads(const unsigned char * data,
                 std::size_t           size,
                 Wrapper               wrapper,
                 std::uint64_t         skip,
                 std::byte *           output,
                 std::size_t           outputSize,
                 const HostContext &   context)
{
  if (wrapper == Wrapper::None || size < 4 * MinimumChunk || skip > WindowSize)
  {
    return false;
  }
  const std::size_t header = SizeOfHeader(data, size, wrapper);
  if (header == 0)
  {
    return false;
  }
  ThreadedInflater inflater(data, size, std::uint64_t{ 8 } * header, wrapper, skip, output, outputSize);
  return inflater.Run(context) &&
         IsTrailer(data, size, inflater.EndOfBlocks(), wrapper, inflater.TotalChecksum(), skip + outputSize);
}

#else

bool
InflateOnThreads(const unsigned char *,
                 std::size_t,
                 Wrapper,
                 std::uint64_t,
                 std::byte *,
                 std::size_t,
                 const HostContext &)
{
  return false;
}

#endif

void
InflateAll(const unsigned char * data,
           std::size_t           size,
           Wrapper               wrapper,
           const std::string &   name,
           std::uint64_t         skip,
           std::byte *           output,
           std::size_t           outputSize,
           const HostContext &   context)
{
  // Bytes that are mostly copies of others, as masks are, come so fast from one thread that two cannot beat it
  // (Testing/Benchmarks/DECISIONS.md).
  constexpr std::size_t highRatio = 16;
  const int             fewestThreads = outputSize / highRatio > size ? 4 : 2;
  if (EffectiveThreadCount(context.threads) >= fewestThreads &&
      InflateOnThreads(data, size, wrapper, skip, output, outputSize, context))
  {
    return;
  }
  Inflater          inflater(data, size, wrapper, name);
  std::vector<char> skipped(std::size_t{ 1 } << 16);
  for (std::uint64_t left = skip; left > 0;)
  {
    const auto part = std::min<std::uint64_t>(left, skipped.size());
    inflater.Read(skipped.data(), static_cast<std::size_t>(part));
    left -= part;
  }
  constexpr std::size_t partSize = std::size_t{ 1 } << 22;
  for (std::size_t done = 0; done < outputSize; done += partSize)
  {
    context.progress.Update(static_cast<double>(done) / static_cast<double>(outputSize));
    const std::size_t part = std::min(partSize, outputSize - done);
    inflater.Read(output + done, part);
  }
  inflater.Finish();
}

} // namespace brickccl::files
