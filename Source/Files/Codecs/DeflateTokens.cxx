// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Files/Codecs/DeflateTokens.h"

#include "BrickCCL/Files/Codecs/DeflateBlocks.h"

#include <algorithm>
#include <array>
#include <utility>

namespace brickccl::files
{

namespace
{

/** So many tokens share their codes. */
constexpr std::size_t TokensOfBlock = 65536;

constexpr int EndOfBlock = 256;
constexpr int LiteralCount = 286;
constexpr int DistanceCount = 30;

std::array<unsigned char, 256>
MakeFloorsOfLog2()
{
  std::array<unsigned char, 256> floors = {};
  for (std::size_t value = 2; value < floors.size(); ++value)
  {
    floors[value] = static_cast<unsigned char>(floors[value / 2] + 1);
  }
  return floors;
}

/** For values from 1 to 32767. */
int
FloorOfLog2(std::uint32_t value)
{
  static const auto floors = MakeFloorsOfLog2();
  return value < floors.size() ? floors[value] : 7 + floors[value >> 7];
}

/** A symbol with bits after its code (RFC 1951, section 3.2.5). */
struct Symbol
{
  int           code = 0;
  std::uint32_t rest = 0;
  int           restBits = 0;
};

/** Lengths from 3 to 257 come in groups of four codes, whose bits grow by one from group to group; 258 has its own
 * group. */
std::array<Symbol, DeflateToken::LongestCopy + 1>
MakeLengthSymbols()
{
  std::array<Symbol, DeflateToken::LongestCopy + 1> symbols;
  std::uint32_t                                     length = DeflateToken::ShortestCopy;
  for (int code = 0; code < 28; ++code)
  {
    const int bits = code < 8 ? 0 : code / 4 - 1;
    for (std::uint32_t rest = 0; rest < 1u << bits && length < symbols.size(); ++rest)
    {
      symbols[length++] = { EndOfBlock + 1 + code, rest, bits };
    }
  }
  symbols.back() = { LiteralCount - 1, 0, 0 };
  return symbols;
}

const Symbol &
LengthSymbol(std::uint32_t length)
{
  static const auto symbols = MakeLengthSymbols();
  return symbols[length];
}

/** Distances from 1 come in groups of two codes. */
Symbol
DistanceSymbol(std::uint32_t distance)
{
  if (distance <= 2)
  {
    return { static_cast<int>(distance) - 1, 0, 0 };
  }
  const int           log = FloorOfLog2(distance - 1);
  const int           bits = log - 1;
  const std::uint32_t half = ((distance - 1) >> bits) & 1;
  return { 2 * log + static_cast<int>(half), (distance - 1) & ((1u << bits) - 1), bits };
}

/** A Huffman code for the symbols 0, 1, ... */
struct HuffmanCode
{
  std::vector<int>           lengths;
  std::vector<std::uint32_t> codes;
};

/** The lengths of the codes of symbols with these counts, without a limit.
 *  \param counts  counts of the symbols that occur, at least two, from the rarest
 *  \return the lengths in the same order. */
std::vector<int>
UnlimitedLengths(const std::vector<std::uint64_t> & counts)
{
  // Trees are joined from the lightest on; those joined come in the order of their weights, as the symbols do.
  const std::size_t          symbols = counts.size();
  std::vector<std::uint64_t> weights = counts;
  std::vector<std::size_t>   parents(2 * symbols - 1);
  std::size_t                symbol = 0;
  std::size_t                joined = symbols;
  const auto                 takeLightest = [&] {
    const bool isSymbol = symbol < symbols && (joined == weights.size() || weights[symbol] <= weights[joined]);
    return isSymbol ? symbol++ : joined++;
  };
  while (weights.size() < parents.size())
  {
    const std::size_t one = takeLightest();
    const std::size_t other = takeLightest();
    parents[one] = weights.size();
    parents[other] = weights.size();
    weights.push_back(weights[one] + weights[other]);
  }
  std::vector<int> depths(parents.size(), 0);
  for (std::size_t node = parents.size() - 1; node-- > 0;)
  {
    depths[node] = depths[parents[node]] + 1;
  }
  depths.resize(symbols);
  return depths;
}

/** \return the lengths of codes for all symbols, 0 for those that do not occur. Rare symbols count as often as it takes
 *  for no code to be longer than `limit`. */
std::vector<int>
CodeLengthsFor(const std::vector<std::uint64_t> & counts, int limit)
{
  std::vector<std::pair<std::uint64_t, std::size_t>> present;
  for (std::size_t symbol = 0; symbol < counts.size(); ++symbol)
  {
    if (counts[symbol] > 0)
    {
      present.emplace_back(counts[symbol], symbol);
    }
  }
  std::vector<int> lengths(counts.size(), 0);
  if (present.size() < 2)
  {
    lengths[present.empty() ? 0 : present.front().second] = 1;
    return lengths;
  }
  std::sort(present.begin(), present.end());
  for (std::uint64_t least = 1;; least *= 2)
  {
    std::vector<std::uint64_t> sorted;
    for (const auto & [count, symbol] : present)
    {
      sorted.push_back(std::max(count, least));
    }
    const std::vector<int> depths = UnlimitedLengths(sorted);
    if (*std::max_element(depths.begin(), depths.end()) <= limit)
    {
      for (std::size_t i = 0; i < depths.size(); ++i)
      {
        lengths[present[i].second] = depths[i];
      }
      return lengths;
    }
  }
}

/** Codes follow from their lengths (RFC 1951, section 3.2.2). They are mirrored, since their first bit is written
 *  first. */
HuffmanCode
MakeCode(const std::vector<std::uint64_t> & counts, int limit)
{
  HuffmanCode   code{ CodeLengthsFor(counts, limit), std::vector<std::uint32_t>(counts.size(), 0) };
  std::uint32_t next = 0;
  for (int length = 1; length <= limit; ++length)
  {
    next *= 2;
    for (std::size_t symbol = 0; symbol < counts.size(); ++symbol)
    {
      if (code.lengths[symbol] == length)
      {
        std::uint32_t mirrored = 0;
        for (int bit = 0; bit < length; ++bit)
        {
          mirrored |= ((next >> bit) & 1) << (length - 1 - bit);
        }
        code.codes[symbol] = mirrored;
        ++next;
      }
    }
  }
  return code;
}

/** Appends bits, the lowest first. */
class BitWriter
{
public:
  explicit BitWriter(std::vector<unsigned char> & output)
    : m_Output(output)
  {}

  /** At most 32 bits at once. */
  void
  Put(std::uint32_t bits, int count)
  {
    m_Bits |= static_cast<std::uint64_t>(bits) << m_Count;
    m_Count += count;
    while (m_Count >= 8)
    {
      m_Output.push_back(static_cast<unsigned char>(m_Bits & 255));
      m_Bits >>= 8;
      m_Count -= 8;
    }
  }

  void
  Put(const HuffmanCode & code, int symbol)
  {
    Put(code.codes[static_cast<std::size_t>(symbol)], code.lengths[static_cast<std::size_t>(symbol)]);
  }

  void
  ToByteBorder()
  {
    Put(0, (8 - m_Count) % 8);
  }

private:
  std::vector<unsigned char> & m_Output;
  std::uint64_t                m_Bits = 0;
  int                          m_Count = 0;
};

/** Repeats that the lengths of codes are written with. */
enum LengthSymbols
{
  RepeatLast = 16,
  ShortZeros = 17,
  LongZeros = 18
};

/** Appends symbols for `count` equal lengths. */
void
AppendEqualLengths(int length, int count, std::vector<Symbol> & symbols)
{
  if (length != 0)
  {
    symbols.push_back({ length, 0, 0 });
    --count;
  }
  const int longest = length != 0 ? 6 : 138;
  while (count >= 3)
  {
    const int part = std::min(count, longest);
    if (length != 0)
    {
      symbols.push_back({ RepeatLast, static_cast<std::uint32_t>(part - 3), 2 });
    }
    else if (part > 10)
    {
      symbols.push_back({ LongZeros, static_cast<std::uint32_t>(part - 11), 7 });
    }
    else
    {
      symbols.push_back({ ShortZeros, static_cast<std::uint32_t>(part - 3), 3 });
    }
    count -= part;
  }
  symbols.insert(symbols.end(), static_cast<std::size_t>(count), Symbol{ length, 0, 0 });
}

/** Writes the lengths of both codes (RFC 1951, section 3.2.7). */
void
WriteCodes(const HuffmanCode & literals, const HuffmanCode & distances, BitWriter & writer)
{
  const auto countWithoutZeros = [](const std::vector<int> & lengths, std::size_t least) {
    std::size_t count = lengths.size();
    while (count > least && lengths[count - 1] == 0)
    {
      --count;
    }
    return count;
  };
  const std::size_t literalCount = countWithoutZeros(literals.lengths, EndOfBlock + 1);
  const std::size_t distanceCount = countWithoutZeros(distances.lengths, 1);
  std::vector<int>  all(literals.lengths.begin(), literals.lengths.begin() + static_cast<std::ptrdiff_t>(literalCount));
  all.insert(all.end(),
             distances.lengths.begin(),
             distances.lengths.begin() + static_cast<std::ptrdiff_t>(distanceCount));
  std::vector<Symbol> symbols;
  for (std::size_t begin = 0, end = 0; begin < all.size(); begin = end)
  {
    while (end < all.size() && all[end] == all[begin])
    {
      ++end;
    }
    AppendEqualLengths(all[begin], static_cast<int>(end - begin), symbols);
  }
  std::vector<std::uint64_t> counts(PrecodeOrder.size(), 0);
  for (const Symbol & symbol : symbols)
  {
    ++counts[static_cast<std::size_t>(symbol.code)];
  }
  const HuffmanCode code = MakeCode(counts, 7);
  std::size_t       shown = PrecodeOrder.size();
  while (shown > 4 && code.lengths[PrecodeOrder[shown - 1]] == 0)
  {
    --shown;
  }
  writer.Put(static_cast<std::uint32_t>(literalCount - (EndOfBlock + 1)), 5);
  writer.Put(static_cast<std::uint32_t>(distanceCount - 1), 5);
  writer.Put(static_cast<std::uint32_t>(shown - 4), 4);
  for (std::size_t i = 0; i < shown; ++i)
  {
    writer.Put(static_cast<std::uint32_t>(code.lengths[PrecodeOrder[i]]), 3);
  }
  for (const Symbol & symbol : symbols)
  {
    writer.Put(code, symbol.code);
    writer.Put(symbol.rest, symbol.restBits);
  }
}

void
WriteBlock(const DeflateToken * begin, const DeflateToken * end, bool isLast, BitWriter & writer)
{
  std::vector<std::uint64_t> literalCounts(LiteralCount, 0);
  std::vector<std::uint64_t> distanceCounts(DistanceCount, 0);
  literalCounts[EndOfBlock] = 1;
  for (const DeflateToken * token = begin; token != end; ++token)
  {
    if (token->distance == 0)
    {
      ++literalCounts[token->length];
    }
    else
    {
      ++literalCounts[static_cast<std::size_t>(LengthSymbol(token->length).code)];
      ++distanceCounts[static_cast<std::size_t>(DistanceSymbol(token->distance).code)];
    }
  }
  const HuffmanCode literals = MakeCode(literalCounts, 15);
  const HuffmanCode distances = MakeCode(distanceCounts, 15);
  writer.Put(isLast ? 1 : 0, 1);
  writer.Put(2, 2);
  WriteCodes(literals, distances, writer);
  for (const DeflateToken * token = begin; token != end; ++token)
  {
    if (token->distance == 0)
    {
      writer.Put(literals, token->length);
      continue;
    }
    const Symbol & length = LengthSymbol(token->length);
    const Symbol   distance = DistanceSymbol(token->distance);
    writer.Put(literals, length.code);
    writer.Put(length.rest, length.restBits);
    writer.Put(distances, distance.code);
    writer.Put(distance.rest, distance.restBits);
  }
  writer.Put(literals, EndOfBlock);
}

} // namespace

int
BitsAfterDistanceCode(std::uint32_t distance)
{
  return distance <= 2 ? 0 : FloorOfLog2(distance - 1) - 1;
}

void
AppendDeflateBlocks(const std::vector<DeflateToken> & tokens, bool isLast, std::vector<unsigned char> & output)
{
  BitWriter   writer(output);
  std::size_t done = 0;
  do
  {
    const std::size_t end = std::min(tokens.size(), done + TokensOfBlock);
    WriteBlock(tokens.data() + done, tokens.data() + end, isLast && end == tokens.size(), writer);
    done = end;
  } while (done < tokens.size());
  if (!isLast)
  {
    // An empty stored block: no bit more, then to a byte border, then its length and the length's complement.
    writer.Put(0, 3);
    writer.ToByteBorder();
    writer.Put(0xffff0000u, 32);
  }
  writer.ToByteBorder();
}

} // namespace brickccl::files
