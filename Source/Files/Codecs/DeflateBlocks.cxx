// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Files/Codecs/DeflateBlocks.h"

#include "BrickCCL/Core/BitRow.h"

#include <cstring>

namespace brickccl::files
{

namespace
{

constexpr int MaximumPrecodeLengths = static_cast<int>(PrecodeOrder.size());
constexpr int LongestPrecode = 7;

/** Reads bits, the lowest ones of each byte first. Beyond the end there are zeros. */
class BitReader
{
public:
  BitReader(const unsigned char * data, std::size_t size, std::uint64_t bit)
    : m_Data(data)
    , m_Size(size)
    , m_Bit(bit)
  {}

  /** At least 57 bits, the next one lowest. */
  std::uint64_t
  Peek() const
  {
    const std::uint64_t byte = m_Bit / 8;
    std::uint64_t       bits = 0;
    if (byte + 8 <= m_Size)
    {
      std::memcpy(&bits, m_Data + byte, 8);
    }
    else if (byte < m_Size)
    {
      std::memcpy(&bits, m_Data + byte, static_cast<std::size_t>(m_Size - byte));
    }
    return bits >> (m_Bit % 8);
  }

  unsigned
  Take(int count)
  {
    const auto bits = static_cast<unsigned>(Peek() & ((std::uint64_t{ 1 } << count) - 1));
    m_Bit += static_cast<unsigned>(count);
    return bits;
  }

  std::uint64_t
  Position() const
  {
    return m_Bit;
  }

  bool
  IsBeyondEnd() const
  {
    return m_Bit > std::uint64_t{ 8 } * m_Size;
  }

private:
  const unsigned char * m_Data;
  std::size_t           m_Size;
  std::uint64_t         m_Bit;
};

/** A Huffman code as the lengths of its symbols' codes give it. */
class Code
{
public:
  Code(const unsigned char * lengths, int symbols, int longest)
    : m_Longest(longest)
  {
    for (int symbol = 0; symbol < symbols; ++symbol)
    {
      ++m_Counts[lengths[symbol]];
    }
    m_Counts[0] = 0;
    int offset = 0;
    for (int length = 1; length <= longest; ++length)
    {
      m_Offsets[static_cast<std::size_t>(length)] = offset;
      offset += m_Counts[static_cast<std::size_t>(length)];
    }
    m_Used = offset;
    auto next = m_Offsets;
    for (int symbol = 0; symbol < symbols; ++symbol)
    {
      if (lengths[symbol] != 0)
      {
        m_Symbols[static_cast<std::size_t>(next[lengths[symbol]]++)] = symbol;
      }
    }
  }

  /** Whether every sequence of bits means a symbol. */
  bool
  IsComplete() const
  {
    int left = 1;
    for (int length = 1; length <= m_Longest; ++length)
    {
      left = 2 * left - m_Counts[static_cast<std::size_t>(length)];
      if (left < 0)
      {
        return false;
      }
    }
    return left == 0;
  }

  int
  UsedSymbols() const
  {
    return m_Used;
  }

  /** The next symbol, or -1. */
  int
  Decode(BitReader & reader) const
  {
    int code = 0, first = 0;
    for (int length = 1; length <= m_Longest; ++length)
    {
      code |= static_cast<int>(reader.Take(1));
      const int count = m_Counts[static_cast<std::size_t>(length)];
      if (code - first < count)
      {
        return m_Symbols[static_cast<std::size_t>(m_Offsets[static_cast<std::size_t>(length)] + code - first)];
      }
      first = 2 * (first + count);
      code *= 2;
    }
    return -1;
  }

private:
  int                                       m_Longest;
  int                                       m_Used = 0;
  std::array<int, CodeLengths::Longest + 1> m_Counts = {};
  std::array<int, CodeLengths::Longest + 1> m_Offsets = {};
  std::array<int, 320>                      m_Symbols = {};
};

/** How much of all codes four symbols of a precode take, in 128ths, by their lengths of 3 bits. */
constexpr std::array<std::uint16_t, 4096>
MakeShares()
{
  std::array<std::uint16_t, 4096> shares = {};
  for (unsigned lengths = 0; lengths < shares.size(); ++lengths)
  {
    unsigned share = 0;
    for (unsigned left = lengths; left != 0; left >>= 3)
    {
      share += (left & 7) == 0 ? 0 : 128u >> (left & 7);
    }
    shares[lengths] = static_cast<std::uint16_t>(share);
  }
  return shares;
}
constexpr auto Shares = MakeShares();

/** Whether a precode is complete. \param lengths  4 bits that say how many there are \param bits  the lengths */
bool
IsCompletePrecode(unsigned lengths, std::uint64_t bits)
{
  unsigned shares = 0;
  for (std::uint64_t left = bits & ((std::uint64_t{ 1 } << 3 * (4 + lengths)) - 1); left != 0; left >>= 12)
  {
    shares += Shares[left & 4095];
  }
  return shares == 128;
}

/** The bits among the lowest 48 where the header of a block may begin that is not the last one, has codes of its own,
 *  and not more of them than there are. */
std::uint64_t
MayBegin(std::uint64_t bits)
{
  const auto allSet = [bits](int first) {
    const std::uint64_t pairs = bits & bits >> 1;
    return (pairs & pairs >> 2) >> first;
  };
  constexpr int secondBitOfLiterals = 4, secondBitOfDistances = 9;
  const auto    isKind = ~bits & ~(bits >> 1) & bits >> 2;
  return isKind & ~allSet(secondBitOfLiterals) & ~allSet(secondBitOfDistances) & ((std::uint64_t{ 1 } << 48) - 1);
}

} // namespace

std::optional<CodeLengths>
ReadCodeLengths(const unsigned char * data, std::size_t size, std::uint64_t bit)
{
  BitReader reader(data, size, bit);
  reader.Take(3);
  CodeLengths result;
  result.literals = 257 + static_cast<int>(reader.Take(5));
  result.distances = 1 + static_cast<int>(reader.Take(5));
  if (result.literals > 286 || result.distances > 30)
  {
    return std::nullopt;
  }
  const int     precodes = 4 + static_cast<int>(reader.Take(4));
  unsigned char precode[MaximumPrecodeLengths] = {};
  for (int i = 0; i < precodes; ++i)
  {
    precode[PrecodeOrder[i]] = static_cast<unsigned char>(reader.Take(3));
  }
  const Code            code(precode, MaximumPrecodeLengths, LongestPrecode);
  unsigned char * const lengths = result.lengths.data();
  const int             count = result.literals + result.distances;
  for (int i = 0; i < count;)
  {
    const int symbol = code.Decode(reader);
    if (symbol < 0 || reader.IsBeyondEnd() || (symbol == 16 && i == 0))
    {
      return std::nullopt;
    }
    if (symbol < 16)
    {
      lengths[i++] = static_cast<unsigned char>(symbol);
      continue;
    }
    const unsigned char value = symbol == 16 ? lengths[i - 1] : static_cast<unsigned char>(0);
    const int           times = symbol == 16 ? 3 + static_cast<int>(reader.Take(2))
                              : symbol == 17 ? 3 + static_cast<int>(reader.Take(3))
                                             : 11 + static_cast<int>(reader.Take(7));
    if (i + times > count)
    {
      return std::nullopt;
    }
    std::memset(lengths + i, value, static_cast<std::size_t>(times));
    i += times;
  }
  constexpr int endOfBlock = 256;
  const Code    distanceCode(lengths + result.literals, result.distances, CodeLengths::Longest);
  if (lengths[endOfBlock] == 0 || !Code(lengths, result.literals, CodeLengths::Longest).IsComplete() ||
      !(distanceCode.IsComplete() || distanceCode.UsedSymbols() <= 1))
  {
    return std::nullopt;
  }
  result.end = reader.Position();
  return result;
}

std::optional<std::uint64_t>
FindDeflateBlock(const unsigned char * data, std::size_t size, std::uint64_t begin, std::uint64_t end)
{
  constexpr unsigned together = 48, beforePrecode = 17;
  for (std::uint64_t first = begin; first < end; first += together)
  {
    // The bits of the first one and of the headers that begin at the others.
    const std::uint64_t bits = BitReader(data, size, first).Peek();
    const std::uint64_t further = BitReader(data, size, first + together).Peek();
    for (std::uint64_t left = MayBegin(bits | further << together); left != 0; left &= left - 1)
    {
      const std::uint64_t bit = first + static_cast<std::uint64_t>(LowestBit(left));
      const auto          precodes = static_cast<unsigned>(BitReader(data, size, bit + 13).Peek() & 15);
      if (bit < end && IsCompletePrecode(precodes, BitReader(data, size, bit + beforePrecode).Peek()) &&
          ReadCodeLengths(data, size, bit))
      {
        return bit;
      }
    }
  }
  return std::nullopt;
}

} // namespace brickccl::files
