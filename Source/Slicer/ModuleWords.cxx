#include "BrickCCL/Slicer/ModuleWords.h"

#include "BrickCCL/Core/Error.h"

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

} // namespace

ModuleWords::ModuleWords(const ModuleDescription & module, ParametersOfOptions others)
  : m_Module(module)
  , m_Others(std::move(others))
{
  for (const auto & [option, name] : m_Others)
  {
    if (module.Find(name) == nullptr)
    {
      throw Error("the module's XML has no parameter '" + name + "', which should stand for " + option);
    }
  }
}

std::string
ModuleWords::Translate(const std::string & message) const
{
  std::string translated;
  bool        hasOthers = false;
  for (std::size_t place = 0; place < message.size();)
  {
    std::size_t end = place;
    while (end < message.size() && IsOfOption(message[end]))
    {
      ++end;
    }
    const std::string word = message.substr(place, end - place);
    const bool        isWithin = place > 0 && std::isalnum(static_cast<unsigned char>(message[place - 1])) != 0;
    if (isWithin || word.size() < 3 || word.compare(0, 2, "--") != 0 || word[2] == '-')
    {
      end = end == place ? place + 1 : end;
      translated += message.substr(place, end - place);
      place = end;
      continue;
    }
    const auto                    other = m_Others.find(word);
    const ModuleParameter * const parameter =
      m_Module.Find(other == m_Others.end() ? InCamelCase(word) : other->second);
    translated += parameter == nullptr ? word : "'" + parameter->label + "'";
    hasOthers = hasOthers || parameter == nullptr;
    place = end;
  }
  return translated + (hasOthers ? " (options with -- are those of the command `brickccl`)" : "");
}

} // namespace brickccl::slicer
