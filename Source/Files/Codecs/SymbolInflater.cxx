// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Files/Codecs/SymbolInflater.h"

#include <algorithm>
#include <iterator>

namespace brickccl::files
{

namespace
{

/** Entries of tables, from the lowest bit: 6 bits for the number of bits used, 1 for a literal, 1 for a second one, 1
 * for everything that is not a symbol, 2 for which of these it is, 4 for the length of the code, and from bit 16 on one
 *  or two literals, or the least length or distance, or where the table of longer codes begins. */
using Entry = std::uint32_t;
constexpr Entry    IsLiteral = 1u << 6;
constexpr Entry    IsPair = 1u << 7;
constexpr Entry    IsSpecial = 1u << 8;
constexpr Entry    IsEnd = IsSpecial | 1u << 9;
constexpr Entry    IsTable = IsSpecial | 2u << 9;
constexpr Entry    Special = IsSpecial | 3u << 9;
constexpr unsigned LengthShift = 11;
constexpr unsigned ValueShift = 16;

unsigned
UsedBits(Entry entry)
{
  return entry & 63;
}
unsigned
Value(Entry entry)
{
  return entry >> ValueShift;
}
/** The least length or distance and what the bits behind the code add. */
unsigned
ValueWithExtra(Entry entry, std::uint64_t bits)
{
  const unsigned length = entry >> LengthShift & 15;
  return Value(entry) +
         static_cast<unsigned>(bits >> length & ((std::uint64_t{ 1 } << (UsedBits(entry) - length)) - 1));
}

/** The entry of a value, with this many extra bits after the code. */
Entry
MakeEntry(unsigned value, unsigned extraBits)
{
  return Entry{ value } << ValueShift | extraBits;
}

/** The entry of a literal, the end or a length (RFC 1951, section 3.2.5), without the bits of its code. */
Entry
LiteralEntry(int symbol)
{
  constexpr int endOfBlock = 256;
  if (symbol < endOfBlock)
  {
    return MakeEntry(static_cast<unsigned>(symbol), 0) | IsLiteral;
  }
  if (symbol == endOfBlock)
  {
    return IsEnd;
  }
  const auto number = static_cast<unsigned>(symbol - 257);
  if (number >= 28)
  {
    return number == 28 ? MakeEntry(258, 0) : IsSpecial;
  }
  const unsigned extra = number < 8 ? 0 : number / 4 - 1;
  return MakeEntry(number < 8 ? 3 + number : 3 + ((4 + number % 4) << extra), extra);
}

Entry
DistanceEntry(int symbol)
{
  const auto number = static_cast<unsigned>(symbol);
  if (number >= 30)
  {
    return IsSpecial;
  }
  const unsigned extra = number < 4 ? 0 : number / 2 - 1;
  return MakeEntry(number < 4 ? 1 + number : 1 + ((2 + number % 2) << extra), extra);
}

unsigned
Reversed(unsigned code, int length)
{
  unsigned reversed = 0;
  for (int i = 0; i < length; ++i, code >>= 1)
  {
    reversed = 2 * reversed | (code & 1);
  }
  return reversed;
}

/** Writes the entries of a code that is complete, or has one symbol or none. */
template <int TableBits, std::size_t VSize>
void
FillTable(const unsigned char * lengths, int symbols, Entry (*entryOf)(int), std::array<Entry, VSize> & table)
{
  constexpr std::size_t first = std::size_t{ 1 } << TableBits;
  constexpr int         furtherBits = CodeLengths::Longest - TableBits;
  std::fill_n(table.begin(), first, IsSpecial);
  unsigned counts[CodeLengths::Longest + 1] = {};
  for (int symbol = 0; symbol < symbols; ++symbol)
  {
    ++counts[lengths[symbol]];
  }
  unsigned next[CodeLengths::Longest + 1] = {};
  counts[0] = 0;
  for (int length = 1; length <= CodeLengths::Longest; ++length)
  {
    next[length] = (next[length - 1] + counts[length - 1]) << 1;
  }
  std::size_t used = first;
  for (int symbol = 0; symbol < symbols; ++symbol)
  {
    const int length = lengths[symbol];
    if (length == 0)
    {
      continue;
    }
    const std::size_t code = Reversed(next[length]++, length);
    const Entry entry = (entryOf(symbol) + static_cast<unsigned>(length)) | static_cast<Entry>(length) << LengthShift;
    if (length <= TableBits)
    {
      for (std::size_t i = code; i < first; i += std::size_t{ 1 } << length)
      {
        table[i] = entry;
      }
      continue;
    }
    Entry & further = table[code % first];
    if ((further & Special) != IsTable)
    {
      further = IsTable | static_cast<Entry>(used) << ValueShift;
      std::fill_n(table.begin() + static_cast<std::ptrdiff_t>(used), std::size_t{ 1 } << furtherBits, IsSpecial);
      used += std::size_t{ 1 } << furtherBits;
    }
    for (std::size_t i = code >> TableBits; i < std::size_t{ 1 } << furtherBits;
         i += std::size_t{ 1 } << (length - TableBits))
    {
      table[Value(further) + i] = entry;
    }
  }
}

/** Puts two literals into an entry if the bits hold both. */
template <int TableBits, std::size_t VSize>
void
JoinLiterals(std::array<Entry, VSize> & table)
{
  // From the last entry on: a second literal is looked up at a smaller index, which still has one literal.
  for (std::size_t i = std::size_t{ 1 } << TableBits; i-- > 0;)
  {
    const Entry one = table[i];
    const Entry two = table[i >> UsedBits(one)];
    if ((one & IsLiteral) != 0 && (two & IsLiteral) != 0 && UsedBits(one) + UsedBits(two) <= TableBits)
    {
      table[i] = (one + UsedBits(two)) | IsPair | Value(two) << (ValueShift + 8);
    }
  }
}

/** Copies `length` symbols from `distance` before. Up to 7 more may be written. */
void
CopyMatch(std::uint16_t * to, std::size_t distance, std::size_t length)
{
  const std::uint16_t *       from = to - distance;
  const std::uint16_t * const end = to + length;
  constexpr std::size_t       together = 8;
  if (distance >= together)
  {
    for (; to < end; to += together, from += together)
    {
      std::memcpy(to, from, together * sizeof(*to));
    }
    return;
  }
  // The pattern repeats itself; each write begins with its first symbol.
  std::uint16_t     pattern[together];
  const std::size_t whole = together / distance * distance;
  for (std::size_t i = 0; i < together; ++i)
  {
    pattern[i] = i < distance ? from[i] : pattern[i - distance];
  }
  for (; to < end; to += whole)
  {
    std::memcpy(to, pattern, sizeof(pattern));
  }
}

/** The longest match, and what is written beyond the last symbol. */
constexpr std::size_t Slack = 258 + 32;

} // namespace

void
SymbolInflater::Begin(const unsigned char * data, std::size_t size, std::uint64_t bit)
{
  m_Input.data = data;
  m_Input.size = size;
  m_HasFinished = false;
  if (m_Symbols.size() < 2 * WindowSize)
  {
    m_Symbols.resize(std::size_t{ 1 } << 18);
    for (std::size_t i = 0; i < WindowSize; ++i)
    {
      m_Symbols[i] = static_cast<std::uint16_t>(FirstPlace + i);
    }
  }
  m_Written = WindowSize;
  m_Input.MoveTo(bit);
}

/** \return whether a match fits, within the most symbols. */
bool
SymbolInflater::MakeRoom(std::size_t maximum)
{
  if (Size() > maximum)
  {
    return false;
  }
  if (m_Written + Slack > m_Symbols.size())
  {
    m_Symbols.resize(std::min(2 * m_Symbols.size(), WindowSize + maximum + 2 * Slack));
  }
  return true;
}

void
SymbolInflater::PrepareTables(const CodeLengths & codes)
{
  FillTable<LiteralBits>(codes.lengths.data(), codes.literals, LiteralEntry, m_Literals);
  JoinLiterals<LiteralBits>(m_Literals);
  FillTable<DistanceBits>(codes.lengths.data() + codes.literals, codes.distances, DistanceEntry, m_Distances);
}

bool
SymbolInflater::ReadBlock(std::size_t maximum)
{
  m_Input.Refill();
  const bool isLast = (m_Input.bits & 1) != 0;
  const bool isThere = ReadAnyBlock(maximum);
  m_HasFinished = isThere && isLast;
  return isThere;
}

bool
SymbolInflater::ReadAnyBlock(std::size_t maximum)
{
  const auto kind = static_cast<unsigned>(m_Input.bits >> 1 & 3);
  if (kind == 2)
  {
    const auto codes = ReadCodeLengths(m_Input.data, m_Input.size, Position());
    if (!codes)
    {
      return false;
    }
    PrepareTables(*codes);
    m_Input.MoveTo(codes->end);
    return ReadCoded(maximum);
  }
  m_Input.Use(3);
  if (kind == 1)
  {
    CodeLengths fixed;
    fixed.literals = 288;
    fixed.distances = 32;
    for (int symbol = 0; symbol < fixed.literals; ++symbol)
    {
      const int length = symbol < 144 ? 8 : symbol < 256 ? 9 : symbol < 280 ? 7 : 8;
      fixed.lengths[static_cast<std::size_t>(symbol)] = static_cast<unsigned char>(length);
    }
    std::fill_n(fixed.lengths.begin() + fixed.literals, fixed.distances, static_cast<unsigned char>(5));
    PrepareTables(fixed);
    return ReadCoded(maximum);
  }
  return kind == 0 && ReadStored(maximum);
}

bool
SymbolInflater::ReadStored(std::size_t maximum)
{
  const unsigned char * const data = m_Input.data;
  std::size_t                 at = static_cast<std::size_t>((Position() + 7) / 8);
  if (at + 4 > m_Input.size)
  {
    return false;
  }
  const auto        two = [&](std::size_t place) { return data[place] + 256u * data[place + 1]; };
  const std::size_t length = two(at);
  if (length + two(at + 2) != 65535 || at + 4 + length > m_Input.size)
  {
    return false;
  }
  at += 4;
  for (std::size_t done = 0; done < length;)
  {
    if (!MakeRoom(maximum))
    {
      return false;
    }
    const std::size_t part = std::min(length - done, m_Symbols.size() - m_Written);
    std::copy_n(data + at + done, part, m_Symbols.data() + m_Written);
    m_Written += part;
    done += part;
  }
  m_Input.MoveTo(std::uint64_t{ 8 } * (at + length));
  return true;
}

bool
SymbolInflater::ReadCoded(std::size_t maximum)
{
  constexpr std::uint64_t literalMask = (std::uint64_t{ 1 } << LiteralBits) - 1;
  constexpr std::uint64_t distanceMask = (std::uint64_t{ 1 } << DistanceBits) - 1;
  constexpr std::uint64_t furtherMask = (std::uint64_t{ 1 } << CodeLengths::Longest) - 1;
  // Copies, which nothing that is written can be taken for.
  Input           input = m_Input;
  std::uint16_t * to = m_Symbols.data() + m_Written;
  // Both literals are written, also where there is one.
  const auto write = [&](Entry entry) {
    const std::uint32_t pair = (entry >> ValueShift & 255) | entry >> (ValueShift + 8) << 16;
    std::memcpy(to, &pair, sizeof(pair));
    to += (entry & IsPair) != 0 ? 2 : 1;
    input.Use(UsedBits(entry));
  };
  const std::uint16_t * room = to;
  while (input.next <= input.size + 8)
  {
    if (to >= room)
    {
      m_Written = static_cast<std::size_t>(to - m_Symbols.data());
      if (!MakeRoom(maximum))
      {
        return false;
      }
      to = m_Symbols.data() + m_Written;
      room = m_Symbols.data() + m_Symbols.size() - Slack + 1;
    }
    input.Refill();
    // 56 bits are enough for four codes that the first table holds and to look up a fifth one.
    Entry entry = m_Literals[input.bits & literalMask];
    for (int i = 0; i < 4 && (entry & IsLiteral) != 0; ++i)
    {
      write(entry);
      entry = m_Literals[input.bits & literalMask];
    }
    if ((entry & IsLiteral) != 0)
    {
      continue;
    }
    input.Refill();
    if ((entry & Special) == IsTable)
    {
      entry = m_Literals[Value(entry) + ((input.bits & furtherMask) >> LiteralBits)];
    }
    if ((entry & IsLiteral) != 0)
    {
      write(entry);
      continue;
    }
    if ((entry & IsSpecial) != 0)
    {
      input.Use(UsedBits(entry));
      m_Input = input;
      m_Written = static_cast<std::size_t>(to - m_Symbols.data());
      return (entry & Special) == IsEnd && Position() <= std::uint64_t{ 8 } * input.size;
    }
    const unsigned length = ValueWithExtra(entry, input.bits);
    input.Use(UsedBits(entry));
    entry = m_Distances[input.bits & distanceMask];
    if ((entry & Special) == IsTable)
    {
      entry = m_Distances[Value(entry) + ((input.bits & furtherMask) >> DistanceBits)];
    }
    if ((entry & IsSpecial) != 0)
    {
      return false;
    }
    CopyMatch(to, ValueWithExtra(entry, input.bits), length);
    to += length;
    input.Use(UsedBits(entry));
  }
  return false;
}

bool
SymbolInflater::IsSettled() const
{
  if (Size() < WindowSize)
  {
    return false;
  }
  const std::uint16_t * const end = m_Symbols.data() + m_Written;
  const auto                  isByte = [](std::uint16_t symbol) { return symbol < FirstPlace; };
  return std::all_of(std::make_reverse_iterator(end), std::make_reverse_iterator(end - WindowSize), isByte);
}

} // namespace brickccl::files
