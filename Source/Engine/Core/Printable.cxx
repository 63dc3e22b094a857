// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Core/Printable.h"

#include <charconv>
#include <cmath>

namespace brickccl
{

std::size_t
ControlLength(const std::string & text, std::size_t at)
{
  const auto byte = static_cast<unsigned char>(text[at]);
  const auto next = static_cast<unsigned char>(at + 1 < text.size() ? text[at + 1] : ' ');
  // UTF-8 writes U+0080 to U+009F as 0xc2 and 0x80 to 0x9f.
  const bool isLong = byte == 0xc2 && next >= 0x80 && next < 0xa0;
  return isLong ? 2 : byte < ' ' || byte == 0x7f ? 1 : 0;
}

std::string
Printable(const std::string & text, const std::string & kept)
{
  constexpr const char * digits = "0123456789abcdef";
  const bool             isUtf8 = IsUtf8(text);
  std::string            printable;
  for (std::size_t at = 0; at < text.size(); ++at)
  {
    const auto byte = [&](std::size_t place) {
      return static_cast<unsigned char>(place < text.size() ? text[place] : ' ');
    };
    // Line separators and marks of direction (U+2028 to U+202E, U+2066 to U+2069), which reverse the text behind them,
    // and U+FFFE and U+FFFF, which XML forbids.
    const bool turns = byte(at) == 0xe2 && ((byte(at + 1) == 0x80 && byte(at + 2) >= 0xa8 && byte(at + 2) <= 0xae) ||
                                            (byte(at + 1) == 0x81 && byte(at + 2) >= 0xa6 && byte(at + 2) <= 0xa9));
    if (turns || (byte(at) == 0xef && byte(at + 1) == 0xbf && byte(at + 2) >= 0xbe))
    {
      for (const std::size_t end = at + 3; at < end; ++at)
      {
        printable += std::string("\\x") + digits[byte(at) / 16] + digits[byte(at) % 16];
      }
      --at;
      continue;
    }
    const std::size_t control = ControlLength(text, at);
    if ((control == 0 && (isUtf8 || byte(at) < 0x80)) || kept.find(text[at]) != std::string::npos)
    {
      printable += text[at];
      continue;
    }
    at += control == 2 ? 1 : 0;
    printable += std::string("\\x") + digits[byte(at) / 16] + digits[byte(at) % 16];
  }
  return printable;
}

bool
IsUtf8(const std::string & text)
{
  for (std::size_t at = 0; at < text.size();)
  {
    const auto byte = [&](std::size_t i) {
      return static_cast<unsigned char>(at + i < text.size() ? text[at + i] : 0);
    };
    const int         first = byte(0);
    const std::size_t length = first < 0x80 ? 1 : first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    // No character has two spellings, is half of a pair of UTF-16, or is above U+10FFFF.
    const int least = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
    const int most = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
    bool      isRight = length == 1 || (length > 1 && first < 0xf5 && byte(1) >= least && byte(1) <= most);
    for (std::size_t i = 2; i < length; ++i)
    {
      isRight = isRight && byte(i) >= 0x80 && byte(i) < 0xc0;
    }
    if (!isRight)
    {
      return false;
    }
    at += length;
  }
  return true;
}

std::string
Quoted(const std::string & name)
{
  return "'" + Printable(name) + "'";
}

std::string
Shortest(double value)
{
  const double size = std::abs(value);
  const bool   isPlain = size >= 1e-4 && size < 1e15;
  char         text[32];
  const auto   end = isPlain ? std::to_chars(text, text + sizeof(text), value, std::chars_format::fixed).ptr
                             : std::to_chars(text, text + sizeof(text), value).ptr;
  return std::string(text, end);
}

} // namespace brickccl
