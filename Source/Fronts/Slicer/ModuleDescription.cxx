// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Slicer/ModuleDescription.h"

#include "BrickCCL/Core/Error.h"

#include <pugixml.hpp>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <regex>
#include <utility>

namespace brickccl::slicer
{

static ModuleParameter
ReadParameter(const pugi::xml_node & node)
{
  ModuleParameter parameter;
  parameter.tag = node.name();
  parameter.name = node.child_value("name");
  parameter.label = node.child_value("label");
  parameter.description = node.child_value("description");
  parameter.longFlag = node.child_value("longflag");
  parameter.channel = node.child_value("channel");
  parameter.defaultValue = node.child_value("default");
  parameter.index = node.child("index") ? node.child("index").text().as_int() : parameter.index;
  for (const pugi::xml_node & element : node.children("element"))
  {
    parameter.choices.push_back(element.child_value());
  }
  parameter.minimum = node.child("constraints").child_value("minimum");
  parameter.maximum = node.child("constraints").child_value("maximum");
  return parameter;
}

const ModuleParameter *
ModuleDescription::Find(const std::string & name) const
{
  const auto found =
    std::find_if(parameters.begin(), parameters.end(), [&](const auto & parameter) { return parameter.name == name; });
  return found == parameters.end() ? nullptr : &*found;
}

ModuleDescription
ParseModuleDescription(const char * xml)
{
  pugi::xml_document           document;
  const pugi::xml_parse_result result = document.load_string(xml);
  const pugi::xml_node         root = document.child("executable");
  ThrowIf(!result || !root,
          std::string("the module's XML is wrong: ") + (result ? "it is not an <executable>" : result.description()));
  ModuleDescription module;
  module.title = root.child_value("title");
  module.description = root.child_value("description");
  module.version = root.child_value("version");
  for (const pugi::xml_node & node : root.children("parameters"))
  {
    for (const pugi::xml_node & child : node.children())
    {
      const std::string name = child.name();
      if (name != "label" && name != "description")
      {
        module.parameters.push_back(ReadParameter(child));
        module.parameters.back().group = node.child_value("label");
      }
    }
  }
  return module;
}

/** "minimumSize" for "--minimum-size". */
static std::string
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

ModuleWords::ModuleWords(const ModuleDescription & module, ParametersOfOptions others)
  : m_Module(module)
  , m_Others(std::move(others))
{
  for (const auto & [option, name] : m_Others)
  {
    ThrowIf(LabelOf(option).empty(), "the module's XML has no parameter '" + name + "', which should set " + option);
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
