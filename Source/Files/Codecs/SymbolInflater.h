// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_FILES_CODECS_SYMBOLINFLATER_H
#define BRICKCCL_FILES_CODECS_SYMBOLINFLATER_H

#include "BrickCCL/Files/Codecs/DeflateBlocks.h"
#include "BrickCCL/Host/UninitializedVector.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace brickccl::files
{

/** How far back a block may refer. */
inline constexpr std::size_t WindowSize = 32768;

/** Decompresses blocks from a bit on without knowing the bytes before them, into symbols of 16 bits: a byte, or the
 *  place of a byte in the unknown window. (pugz, Kerbiriou and Chikhi 2019, and rapidgzip, Knespel and Brunst 2023,
 *  introduced such symbols.) */
class SymbolInflater
{
public:
  /** The symbol of the first byte of the window before. Smaller ones are bytes. */
  static constexpr std::uint16_t FirstPlace = 256;

  /** Begins at a bit where a block may begin. */
  void Begin(const unsigned char * data, std::size_t size, std::uint64_t bit);

  /** Decompresses a block. \param maximum  the largest number of symbols in all blocks
   *  \return whether there was one. If not, the bits are invalid, or there are too many symbols. */
  bool ReadBlock(std::size_t maximum);

  /** All symbols since the beginning. */
  const std::uint16_t *
  Symbols() const
  {
    return m_Symbols.data() + WindowSize;
  }
  std::size_t
  Size() const
  {
    return m_Written - WindowSize;
  }

  /** Whether the last symbols, as many as a window has, are bytes. The rest no longer needs the window before. */
  bool IsSettled() const;

  /** Whether the last block has been read. */
  bool
  HasFinished() const
  {
    return m_HasFinished;
  }

  /** The first bit that has not been used. */
  std::uint64_t
  Position() const
  {
    return m_Input.Position();
  }

private:
  /** Tables are indexed with this many bits. Longer codes with the same first bits have their own table at the end. */
  static constexpr int LiteralBits = 11;
  static constexpr int DistanceBits = 9;
  /** How many entries a table has at most. Two codes at the least have the same first bits, so that there are half as
   *  many tables of longer codes as symbols. */
  template <int VBits, std::size_t VSymbols>
  using Table =
    std::array<std::uint32_t, (std::size_t{ 1 } << VBits) + (VSymbols / 2 << (CodeLengths::Longest - VBits))>;

  /** The bits to come, lowest first. Beyond the end there are zeros. */
  struct Input
  {
    const unsigned char * data = nullptr;
    std::size_t           size = 0;
    /** The next byte to take bits from. */
    std::size_t   next = 0;
    std::uint64_t bits = 0;
    unsigned      count = 0;

    /** Takes bytes until there are 56 bits or more. */
    void
    Refill()
    {
      if (next + 8 <= size)
      {
        std::uint64_t bytes = 0;
        std::memcpy(&bytes, data + next, 8);
        bits |= bytes << count;
        next += (63 - count) / 8;
        count |= 56;
        return;
      }
      for (; count < 56; count += 8, ++next)
      {
        bits |= next < size ? static_cast<std::uint64_t>(data[next]) << count : 0;
      }
    }

    void
    Use(unsigned used)
    {
      bits >>= used;
      count -= used;
    }

    void
    MoveTo(std::uint64_t bit)
    {
      next = static_cast<std::size_t>(bit / 8);
      bits = 0;
      count = 0;
      Refill();
      Use(static_cast<unsigned>(bit % 8));
    }

    std::uint64_t
    Position() const
    {
      return 8 * static_cast<std::uint64_t>(next) - count;
    }
  };

  bool MakeRoom(std::size_t maximum);
  void PrepareTables(const CodeLengths & codes);
  bool ReadAnyBlock(std::size_t maximum);
  bool ReadStored(std::size_t maximum);
  bool ReadCoded(std::size_t maximum);

  Input m_Input;
  bool  m_HasFinished = false;

  /** The window's places come first. */
  UninitializedVector<std::uint16_t> m_Symbols;
  std::size_t                        m_Written = 0;

  Table<LiteralBits, 288> m_Literals = {};
  Table<DistanceBits, 32> m_Distances = {};
};

} // namespace brickccl::files

#endif
