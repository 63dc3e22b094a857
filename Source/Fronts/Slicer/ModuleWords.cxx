// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Slicer/ModuleWords.h"

#include "BrickCCL/Core/Error.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <utility>

namespace brickccl::slicer
{

namespace
{

/** "minimumSize" for "--minimum-size". */
std::string
InCamelCase(const std::string & option)
{
  std::string name;
  bool        isStart = false;
  for (const char c : option.substr(2))
  {
    name += isStart ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
    isStart = c == '-';
    name.resize(name.size() - (isStart ? 1 : 0));
  }
  return name;
}

bool
IsOfOption(char c)
{
  return (c >= 'a' && c <= 'z') || c == '-';
}

/** The place behind placeholders, as " LO HI". */
std::size_t
PastPlaceholders(const std::string & message, std::size_t place)
{
  const auto isOf = [&](std::size_t at, int (*kind)(int)) {
    return at < message.size() && kind(static_cast<unsigned char>(message[at])) != 0;
  };
  for (std::size_t end = place + 1; place < message.size() && message[place] == ' '; end = place + 1)
  {
    while (isOf(end, std::isupper))
    {
      ++end;
    }
    if (end == place + 1 || isOf(end, std::isalnum))
    {
      break;
    }
    place = end;
  }
  return place;
}

} // namespace

ModuleWords::ModuleWords(const ModuleDescription & module, ParametersOfOptions others)
  : m_Module(module)
  , m_Others(std::move(others))
{
  for (const auto & [option, name] : m_Others)
  {
    if (LabelOf(option).empty())
    {
      throw Error("the module's XML has no parameter '" + name + "', which should set " + option);
    }
  }
}

std::string
ModuleWords::LabelOf(const std::string & option) const
{
  const auto                    other = m_Others.find(option);
  const std::string             name = other == m_Others.end() ? InCamelCase(option) : other->second;
  const std::size_t             equals = std::min(name.find('='), name.size());
  const std::string             choice = name.substr(std::min(equals + 1, name.size()));
  const ModuleParameter * const parameter = m_Module.Find(name.substr(0, equals));
  if (parameter == nullptr ||
      (!choice.empty() && std::count(parameter->choices.begin(), parameter->choices.end(), choice) == 0))
  {
    return "";
  }
  return "'" + parameter->label + (choice.empty() ? "'" : ": " + choice + "'");
}

std::string
ModuleWords::Translate(const std::string & message) const
{
  std::string translated;
  bool        hasOthers = false;
  bool        isCommandLine = false;
  for (std::size_t place = 0; place < message.size();)
  {
    std::size_t end = place;
    while (end < message.size() && IsOfOption(message[end]))
    {
      ++end;
    }
    isCommandLine = isCommandLine != (message[place] == '`');
    const std::string word = message.substr(place, end - place);
    const bool        isWithin = place > 0 && std::isalnum(static_cast<unsigned char>(message[place - 1])) != 0;
    if (isCommandLine || isWithin || word.size() < 3 || word.compare(0, 2, "--") != 0 || word[2] == '-')
    {
      end = end == place ? place + 1 : end;
      translated += message.substr(place, end - place);
      place = end;
      continue;
    }
    const std::string label = LabelOf(word);
    translated += label.empty() ? word : label;
    hasOthers = hasOthers || label.empty();
    place = label.empty() ? end : PastPlaceholders(message, end);
  }
  return translated + (hasOthers ? " (options with -- belong to the command `brickccl`)" : "");
}

} // namespace brickccl::slicer
