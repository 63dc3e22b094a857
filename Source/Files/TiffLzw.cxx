#include "BrickCCL/Files/TiffLzw.h"

#include <cstdint>
#include <cstring>
#include <limits>

namespace brickccl::files
{

namespace
{

constexpr unsigned Clear = 256;
constexpr unsigned End = 257;
constexpr unsigned FirstString = 258;
constexpr unsigned MaximumStrings = 4096;
constexpr unsigned FewestBits = 9;
constexpr unsigned MaximumBits = 12;

/** Codes of 9 to 12 bits, the highest bit first. */
class Codes
{
public:
  Codes(const unsigned char * data, std::size_t size)
    : m_Data(data)
    , m_Bits(std::uint64_t{ size } * 8)
    , m_Size(size)
  {}

  /** The next code; End if there are no more. */
  unsigned
  Next(unsigned bits)
  {
    if (m_At + bits > m_Bits)
    {
      return End;
    }
    const auto    byte = static_cast<std::size_t>(m_At / 8);
    std::uint64_t window = 0;
    if (byte + sizeof(window) <= m_Size)
    {
      std::memcpy(&window, m_Data + byte, sizeof(window));
    }
    else
    {
      std::memcpy(&window, m_Data + byte, m_Size - byte);
    }
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    window = __builtin_bswap64(window);
#endif
    const auto code = static_cast<unsigned>((window << (m_At % 8)) >> (64 - bits));
    m_At += bits;
    return code;
  }

private:
  const unsigned char * m_Data;
  std::uint64_t         m_Bits;
  std::size_t           m_Size;
  std::uint64_t         m_At = 0;
};

/** Copies `length` bytes and up to LzwSlack - 1 more. The first of them lies `distance` before `to`. */
void
CopyString(unsigned char * to, std::size_t distance, std::size_t length)
{
  const unsigned char * const from = to - distance;
  if (distance < LzwSlack)
  {
    for (std::size_t i = 0; i < length; ++i)
    {
      to[i] = from[i];
    }
    return;
  }
  for (std::size_t done = 0; done < length; done += LzwSlack)
  {
    unsigned char part[LzwSlack];
    std::memcpy(part, from + done, LzwSlack);
    std::memcpy(to + done, part, LzwSlack);
  }
}

/** The strings that codes stand for. */
struct Strings
{
  /** The first eight bytes of each string, the first one lowest. */
  std::uint64_t heads[MaximumStrings];
  /** The place in the output where each string has been written, and its length. */
  std::uint32_t begins[MaximumStrings];
  std::uint16_t lengths[MaximumStrings];

  Strings()
  {
    for (unsigned code = 0; code < Clear; ++code)
    {
      heads[code] = code;
      begins[code] = 0;
      lengths[code] = 1;
    }
  }
};

void
StoreHead(unsigned char * to, std::uint64_t head)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  head = __builtin_bswap64(head);
#endif
  std::memcpy(to, &head, sizeof(head));
}

} // namespace

bool
DecodeLzw(const unsigned char * data, std::size_t size, unsigned char * output, std::size_t bytes)
{
  // The old order of bits begins with the same code, its lowest bit first.
  const bool isOld = size >= 2 && data[0] == 0 && (data[1] & 1) != 0;
  if (isOld || bytes > std::numeric_limits<std::uint32_t>::max())
  {
    return false;
  }
  Strings     strings;
  Codes       codes(data, size);
  unsigned    bits = FewestBits;
  unsigned    count = FirstString;
  std::size_t done = 0;
  // The previous code and the length of its string, which is 0 if the table has just been cleared.
  unsigned    before = 0;
  std::size_t beforeLength = 0;
  while (done < bytes)
  {
    const unsigned code = codes.Next(bits);
    if (code == Clear)
    {
      bits = FewestBits;
      count = FirstString;
      beforeLength = 0;
      continue;
    }
    if (code == End || code > count || (code == count && beforeLength == 0))
    {
      return false;
    }
    if (beforeLength != 0 && count < MaximumStrings)
    {
      // The previous string and the first byte of this one lie side by side in the output. The code may be that of the
      // string that is being made here, which begins like the previous one.
      const std::uint64_t first = strings.heads[code == count ? before : code] & 0xff;
      const std::uint64_t head = strings.heads[before];
      strings.heads[count] = beforeLength < 8 ? head | first << (8 * beforeLength) : head;
      strings.begins[count] = static_cast<std::uint32_t>(done - beforeLength);
      strings.lengths[count] = static_cast<std::uint16_t>(beforeLength + 1);
      ++count;
      // Codes become longer one string before they must.
      bits += count + 1 == (1u << bits) && bits < MaximumBits ? 1 : 0;
    }
    const std::size_t length = strings.lengths[code];
    if (length > bytes - done)
    {
      return false;
    }
    if (length <= 8)
    {
      StoreHead(output + done, strings.heads[code]);
    }
    else
    {
      CopyString(output + done, done - strings.begins[code], length);
    }
    before = code;
    beforeLength = length;
    done += length;
  }
  return true;
}

} // namespace brickccl::files
