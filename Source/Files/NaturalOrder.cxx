// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Files/NaturalOrder.h"

#include <cstddef>

namespace brickccl::files
{

namespace
{

bool
IsDigit(char letter)
{
  return letter >= '0' && letter <= '9';
}

/** The digits from `place` on, without leading zeros. `place` moves behind them. */
std::string
DigitsAt(const std::string & text, std::size_t & place)
{
  std::size_t end = place;
  while (end < text.size() && IsDigit(text[end]))
  {
    ++end;
  }
  while (place + 1 < end && text[place] == '0')
  {
    ++place;
  }
  std::string digits = text.substr(place, end - place);
  place = end;
  return digits;
}

} // namespace

bool
NaturallyBefore(const std::string & a, const std::string & b)
{
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a.size() && j < b.size())
  {
    if (IsDigit(a[i]) && IsDigit(b[j]))
    {
      const std::string first = DigitsAt(a, i);
      const std::string second = DigitsAt(b, j);
      if (first != second)
      {
        return first.size() != second.size() ? first.size() < second.size() : first < second;
      }
    }
    else if (a[i] != b[j])
    {
      return static_cast<unsigned char>(a[i]) < static_cast<unsigned char>(b[j]);
    }
    else
    {
      ++i;
      ++j;
    }
  }
  const std::size_t restOfA = a.size() - i;
  const std::size_t restOfB = b.size() - j;
  return restOfA != restOfB ? restOfA < restOfB : a < b;
}

} // namespace brickccl::files
