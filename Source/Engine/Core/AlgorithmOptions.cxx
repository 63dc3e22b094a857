// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Core/AlgorithmOptions.h"

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/NearestName.h"
#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Core/TextLists.h"

#include <algorithm>
#include <charconv>

namespace brickccl
{

/** Reads `text` as a value of the option into `value`. \return whether it is one. */
static bool
ParseValue(const AlgorithmOption & option, const std::string & text, std::int64_t & value)
{
  if (option.words.empty())
  {
    const char * end = text.data() + text.size();
    const auto [stopped, error] = std::from_chars(text.data(), end, value);
    return error == std::errc() && stopped == end && value >= option.minimum && value <= option.maximum;
  }
  const auto found = std::find(option.words.begin(), option.words.end(), text);
  value = found - option.words.begin();
  return found != option.words.end();
}

std::string
AlgorithmOption::ValueText(std::int64_t value) const
{
  return words.empty() ? std::to_string(value) : words[static_cast<std::size_t>(value)];
}

std::string
AlgorithmOption::Syntax() const
{
  const std::string values = Joined(words, "|", [](const char * word) { return word; });
  return std::string(name) + '=' + (words.empty() ? std::to_string(minimum) + ".." + std::to_string(maximum) : values);
}

AlgorithmText::AlgorithmText(const std::string & text)
  : name(text.substr(0, text.find(':')))
  , options(name.size() == text.size() ? std::string() : text.substr(name.size() + 1))
{}

OptionValues
ParseOptions(const std::string & algorithm, const std::vector<AlgorithmOption> & options, const std::string & text)
{
  OptionValues values;
  std::string  valid;
  for (const AlgorithmOption & option : options)
  {
    values.push_back(option.preset);
    valid += (valid.empty() ? "" : ", ") + option.Syntax();
  }
  for (std::size_t begin = 0; begin < text.size();)
  {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string setting = text.substr(begin, end - begin);
    const std::size_t equals = std::min(setting.find('='), setting.size());
    const auto        option = std::find_if(options.begin(), options.end(), [&](const AlgorithmOption & candidate) {
      return setting.compare(0, equals, candidate.name) == 0;
    });
    if (option == options.end())
    {
      const std::string name = setting.substr(0, equals);
      throw InvalidArgument("algorithm " + algorithm + " has no option " + Quoted(name) +
                            DidYouMean(name, NameList(options)) + "; it has " + (valid.empty() ? "none" : valid));
    }
    const std::string value = equals < setting.size() ? setting.substr(equals + 1) : std::string();
    ThrowIf<InvalidArgument>(!ParseValue(*option, value, values[static_cast<std::size_t>(option - options.begin())]),
                             Quoted(setting) + " sets no value of algorithm " + algorithm + "; write " +
                               option->Syntax());
    begin = end + 1;
  }
  return values;
}

} // namespace brickccl
