// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Slicer/ModuleDescription.h"

#include "BrickCCL/Core/Error.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <regex>
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
  // A command line, words that are not options, and an option with its placeholders.
  static const std::regex words("`[^`]*`?|---[a-z-]*|[A-Za-z0-9][A-Za-z0-9-]*|"
                                "(--[a-z][a-z-]*)(?: [A-Z]+(?![A-Za-z0-9]))*");
  std::string             translated;
  bool                    hasOthers = false;
  auto                    rest = message.begin();
  for (std::sregex_iterator word(message.begin(), message.end(), words), end; word != end; ++word)
  {
    const std::string option = word->str(1);
    const std::string label = option.empty() ? "" : LabelOf(option);
    translated += word->prefix().str() + (label.empty() ? word->str() : label);
    hasOthers = hasOthers || (!option.empty() && label.empty());
    rest = (*word)[0].second;
  }
  translated.append(rest, message.end());
  return translated + (hasOthers ? " (options with -- belong to the command `brickccl`)" : "");
}

} // namespace brickccl::slicer
