// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_FILES_CODECS_BLOCKINFLATER_H
#define BRICKCCL_FILES_CODECS_BLOCKINFLATER_H

#include "BrickCCL/Files/Codecs/ClearRegisters.h"
#include "BrickCCL/Files/Codecs/SymbolInflater.h"
#include "BrickCCL/Host/UninitializedVector.h"

#include <isa-l/igzip_lib.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

/** The helpers of the threads of InflateOnThreads. */
namespace brickccl::files
{

using Bytes = UninitializedVector<unsigned char>;

/** Decompresses blocks from a bit on. */
class BlockInflater
{
public:
  /** \param window  the bytes before, at most WindowSize */
  void
  Begin(const unsigned char * data,
        std::size_t           size,
        std::uint64_t         bit,
        const unsigned char * window,
        std::size_t           length)
  {
    m_Data = data;
    m_Size = size;
    m_IsBad = false;
    m_IsAtEnd = false;
    isal_inflate_init(&m_State);
    m_State.crc_flag = ISAL_DEFLATE;
    m_State.next_in = const_cast<unsigned char *>(data + bit / 8);
    if (const auto used = static_cast<int>(bit % 8); used != 0)
    {
      m_State.read_in = *m_State.next_in >> used;
      m_State.read_in_length = 8 - used;
      ++m_State.next_in;
    }
    isal_inflate_set_dict(&m_State, const_cast<unsigned char *>(window), static_cast<std::uint32_t>(length));
  }

  /** Decompresses up to `room` bytes of what comes before the bit `end`. \return their number. */
  std::size_t
  Read(unsigned char * output, std::size_t room, std::uint64_t end)
  {
    constexpr std::size_t largestPart = std::size_t{ 1 } << 30;
    const auto            taken = static_cast<std::size_t>(m_State.next_in - m_Data);
    const auto            given = std::min<std::size_t>(m_Size, static_cast<std::size_t>((end + 7) / 8)) - taken;
    const std::size_t     part = std::min(room, largestPart);
    m_State.avail_in = static_cast<std::uint32_t>(std::min(given, largestPart));
    m_State.next_out = output;
    m_State.avail_out = static_cast<std::uint32_t>(part);
    m_IsBad = m_IsBad || isal_inflate(&m_State) < 0;
    ClearRegisters();
    const std::size_t made = part - m_State.avail_out;
    m_IsAtEnd = m_IsBad || HasFinished() || (m_State.avail_out > 0 && given <= largestPart);
    return made;
  }

  /** Whether there is nothing more before the end that was given. */
  bool
  IsAtEnd() const
  {
    return m_IsAtEnd;
  }
  bool
  IsBad() const
  {
    return m_IsBad;
  }
  /** Whether the last block has ended. */
  bool
  HasFinished() const
  {
    return m_State.block_state == ISAL_BLOCK_FINISH;
  }
  /** Whether a block has just ended, and another one begins at the bit. */
  bool
  IsBetweenBlocksAt(std::uint64_t bit) const
  {
    return !m_IsBad && (m_State.block_state == ISAL_BLOCK_NEW_HDR || m_State.block_state == ISAL_BLOCK_HDR) &&
           Position() == bit;
  }
  /** The first bit that has not been used. */
  std::uint64_t
  Position() const
  {
    return 8 * static_cast<std::uint64_t>(m_State.next_in - m_Data) -
           static_cast<std::uint64_t>(m_State.read_in_length + 8 * m_State.tmp_in_size);
  }

private:
  const unsigned char * m_Data = nullptr;
  std::size_t           m_Size = 0;
  bool                  m_IsBad = false;
  bool                  m_IsAtEnd = false;
  inflate_state         m_State = {};
};

/** A chunk that was decompressed outside the output: symbols as long as they may refer to the window before, then
 *  bytes. */
struct Guess
{
  SymbolInflater symbols;
  Bytes          bytes;
  std::size_t    byteCount = 0;

  std::size_t
  Size() const
  {
    return symbols.Size() + byteCount;
  }

  /** Writes the bytes [begin, end). \param window  the bytes before the chunk */
  void
  Settle(std::size_t begin, std::size_t end, const Bytes & window, unsigned char * output) const
  {
    const std::size_t unsettled = std::clamp(symbols.Size(), begin, end);
    if (unsettled > begin)
    {
      std::array<unsigned char, SymbolInflater::FirstPlace + WindowSize> meaning;
      for (std::size_t byte = 0; byte < SymbolInflater::FirstPlace; ++byte)
      {
        meaning[byte] = static_cast<unsigned char>(byte);
      }
      std::memcpy(meaning.data() + SymbolInflater::FirstPlace, window.data(), WindowSize);
      Translate(symbols.Symbols() + begin, unsettled - begin, meaning.data(), output);
    }
    if (end > unsettled)
    {
      std::memcpy(output + (unsettled - begin), bytes.data() + (unsettled - symbols.Size()), end - unsettled);
    }
  }

private:
  static void
  Translate(const std::uint16_t * symbols, std::size_t size, const unsigned char * meaning, unsigned char * output)
  {
    constexpr std::size_t together = 32;
    std::size_t           i = 0;
    for (; i + together <= size; i += together)
    {
      std::uint16_t all = 0;
      for (std::size_t k = 0; k < together; ++k)
      {
        all = static_cast<std::uint16_t>(all | symbols[i + k]);
      }
      const bool areBytes = all < SymbolInflater::FirstPlace;
      for (std::size_t k = 0; areBytes && k < together; ++k)
      {
        output[i + k] = static_cast<unsigned char>(symbols[i + k]);
      }
      for (std::size_t k = 0; !areBytes && k < together; ++k)
      {
        output[i + k] = meaning[symbols[i + k]];
      }
    }
    for (; i < size; ++i)
    {
      output[i] = meaning[symbols[i]];
    }
  }
};

} // namespace brickccl::files

#endif
