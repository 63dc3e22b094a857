#include "BrickCCL/Files/DeflateBlocks.h"

#include <array>
#include <cstring>

namespace brickccl::files
{

namespace
{

constexpr int MostPrecodeLengths = 19;
constexpr int LongestPrecode = 7;
constexpr int LongestCode = 15;

/** The order in which the lengths of the precode stand in a header. */
constexpr int PrecodeOrder[MostPrecodeLengths] = { 16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15 };

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
  int                              m_Longest;
  int                              m_Used = 0;
  std::array<int, LongestCode + 1> m_Counts = {};
  std::array<int, LongestCode + 1> m_Offsets = {};
  std::array<int, 320>             m_Symbols = {};
};

/** Whether a header may begin with these bits, of which there are at least 57. It looks at the numbers of codes and at
 *  the precode's first lengths, and lets nearly everything else fail. */
bool
MayBegin(std::uint64_t bits, std::uint64_t further)
{
  constexpr unsigned notLastWithOwnCodes = 4;
  if ((bits & 7) != notLastWithOwnCodes || ((bits >> 3) & 31) > 29 || ((bits >> 8) & 31) > 29)
  {
    return false;
  }
  const int     lengths = 4 + static_cast<int>((bits >> 13) & 15);
  unsigned      shares = 0;
  std::uint64_t next = further;
  for (int i = 0; i < lengths; ++i, next >>= 3)
  {
    const unsigned length = next & 7;
    shares += length == 0 ? 0 : 128u >> length;
  }
  return shares == 128;
}

/** Reads the lengths of both codes. \return whether they make sense. */
bool
HasSensibleCodes(BitReader reader)
{
  reader.Take(3);
  const int     literals = 257 + static_cast<int>(reader.Take(5));
  const int     distances = 1 + static_cast<int>(reader.Take(5));
  const int     precodes = 4 + static_cast<int>(reader.Take(4));
  unsigned char precode[MostPrecodeLengths] = {};
  for (int i = 0; i < precodes; ++i)
  {
    precode[PrecodeOrder[i]] = static_cast<unsigned char>(reader.Take(3));
  }
  const Code    code(precode, MostPrecodeLengths, LongestPrecode);
  unsigned char lengths[320] = {};
  for (int i = 0; i < literals + distances;)
  {
    const int symbol = code.Decode(reader);
    if (symbol < 0 || reader.IsBeyondEnd() || (symbol == 16 && i == 0))
    {
      return false;
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
    if (i + times > literals + distances)
    {
      return false;
    }
    std::memset(lengths + i, value, static_cast<std::size_t>(times));
    i += times;
  }
  constexpr int endOfBlock = 256;
  const Code    distanceCode(lengths + literals, distances, LongestCode);
  return lengths[endOfBlock] != 0 && Code(lengths, literals, LongestCode).IsComplete() &&
         (distanceCode.IsComplete() || distanceCode.UsedSymbols() <= 1);
}

} // namespace

std::optional<std::uint64_t>
FindDeflateBlock(const unsigned char * data, std::size_t size, std::uint64_t begin, std::uint64_t end)
{
  constexpr unsigned beforePrecode = 17;
  for (std::uint64_t bit = begin; bit < end; ++bit)
  {
    const BitReader reader(data, size, bit);
    if (MayBegin(reader.Peek(), BitReader(data, size, bit + beforePrecode).Peek()) && HasSensibleCodes(reader))
    {
      return bit;
    }
  }
  return std::nullopt;
}

} // namespace brickccl::files
