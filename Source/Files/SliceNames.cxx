// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Files/SliceNames.h"

#include "BrickCCL/Core/Printable.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <set>

namespace brickccl::files
{

static bool
IsDigit(char letter)
{
  return letter >= '0' && letter <= '9';
}

/** The digits from `place` on, without leading zeros. `place` moves behind them. */
static std::string
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

namespace
{

/** A name as the texts between its numbers, and the numbers. */
struct SliceName
{
  std::string                name;
  std::vector<std::string>   texts = { "" };
  std::vector<std::string>   digits;
  std::vector<std::uint64_t> numbers;

  explicit SliceName(const std::string & path)
    : name(std::filesystem::path(path).filename().string())
  {
    // A longer number is not a slice number.
    constexpr std::size_t maximumDigits = 18;
    const auto            isDigit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
    for (auto place = name.begin(); place != name.end();)
    {
      const auto begin = place;
      const bool isNumber = isDigit(*begin);
      place = std::find_if(begin, name.end(), [&](char c) { return isDigit(c) != isNumber; });
      const std::string piece(begin, place);
      if (isNumber && piece.size() <= maximumDigits)
      {
        digits.push_back(piece);
        numbers.push_back(std::stoull(piece));
        texts.emplace_back();
      }
      else
      {
        texts.back() += piece;
      }
    }
  }

  /** The name with another number in place of its own. */
  std::string
  WithNumber(std::size_t place, std::uint64_t number) const
  {
    std::string text = std::to_string(number);
    const bool  isPadded = digits[place].size() > 1 && digits[place][0] == '0';
    if (isPadded && text.size() < digits[place].size())
    {
      text.insert(0, digits[place].size() - text.size(), '0');
    }
    std::string whole = texts[0];
    for (std::size_t i = 0; i < digits.size(); ++i)
    {
      whole += (i == place ? text : digits[i]) + texts[i + 1];
    }
    return whole;
  }
};

std::string
ProblemOfNumbers(const std::vector<SliceName> & names, std::size_t place)
{
  const auto    stepTo = [&](std::size_t i) { return names[i].numbers[place] - names[i - 1].numbers[place]; };
  std::uint64_t least = stepTo(1);
  for (std::size_t i = 1; i < names.size(); ++i)
  {
    if (names[i].numbers[place] <= names[i - 1].numbers[place])
    {
      return Quoted(names[i - 1].name) + " and " + Quoted(names[i].name) + " do not have rising numbers";
    }
    least = std::min(least, stepTo(i));
  }
  for (std::size_t i = 1; i < names.size(); ++i)
  {
    if (stepTo(i) != least)
    {
      return Quoted(names[i].WithNumber(place, names[i - 1].numbers[place] + least)) + " is missing between " +
             Quoted(names[i - 1].name) + " and " + Quoted(names[i].name);
    }
  }
  return {};
}

} // namespace

std::string
ProblemOfSliceNames(const std::vector<std::string> & paths)
{
  const std::vector<SliceName> names(paths.begin(), paths.end());
  std::set<std::size_t>        changing;
  for (const SliceName & name : names)
  {
    if (name.texts != names[0].texts)
    {
      return Quoted(names[0].name) + " and " + Quoted(name.name) + " have names of different kinds";
    }
    for (std::size_t i = 0; i < name.numbers.size(); ++i)
    {
      if (name.numbers[i] != names[0].numbers[i])
      {
        changing.insert(i);
      }
    }
  }
  if (names.size() < 2)
  {
    return {};
  }
  if (changing.size() > 1)
  {
    return "in " + Quoted(names.front().name) + " to " + Quoted(names.back().name) + ", more than one number changes";
  }
  return ProblemOfNumbers(names, changing.empty() ? 0 : *changing.begin());
}

} // namespace brickccl::files
