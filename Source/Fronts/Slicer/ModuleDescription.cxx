// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Slicer/ModuleDescription.h"

#include "BrickCCL/Core/Error.h"

#include <pugixml.hpp>

#include <set>

namespace brickccl::slicer
{

namespace
{

/** A letter or an underscore, then also digits: what Slicer takes as the name of a parameter. */
bool
IsIdentifier(const std::string & text)
{
  const std::string letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
  return !text.empty() && letters.find(text[0]) != std::string::npos &&
         text.find_first_not_of(letters + "0123456789") == std::string::npos;
}

/** \throws Error unless Slicer takes the parameter. */
void
CheckParameter(const ModuleParameter & parameter)
{
  const auto refuse = [&](const std::string & what) {
    throw Error("the module's XML is wrong: parameter '" + parameter.name + "' " + what);
  };
  if (!IsIdentifier(parameter.name))
  {
    refuse("needs a name of letters, digits and underscores");
  }
  if (parameter.IsReturnValue())
  {
    if (parameter.index || !parameter.longFlag.empty())
    {
      refuse("is a return value and has an index or a flag");
    }
    return;
  }
  if (parameter.index ? !parameter.longFlag.empty() : !IsIdentifier(parameter.longFlag))
  {
    refuse("must have either an index, or a longflag of letters, digits and underscores");
  }
  if (parameter.IsFile() && parameter.channel != "input" && parameter.channel != "output")
  {
    refuse("is a file and must have the channel input or output");
  }
  if (parameter.tag == "boolean" && parameter.defaultValue != "false")
  {
    refuse("is a boolean, whose default must be false");
  }
}

ModuleParameter
ReadParameter(const pugi::xml_node & node)
{
  static const std::set<std::string> tags = {
    "image", "table", "boolean", "integer", "double", "string", "point", "integer-enumeration", "string-enumeration"
  };
  ModuleParameter parameter;
  parameter.tag = node.name();
  if (tags.count(parameter.tag) == 0)
  {
    throw Error("the module's XML is wrong: <" + parameter.tag + "> is not a known kind of parameter");
  }
  parameter.name = node.child_value("name");
  parameter.label = node.child_value("label");
  parameter.description = node.child_value("description");
  parameter.longFlag = node.child_value("longflag");
  parameter.channel = node.child_value("channel");
  parameter.defaultValue = node.child_value("default");
  if (node.child("index"))
  {
    parameter.index = node.child("index").text().as_int();
  }
  for (const pugi::xml_node & element : node.children("element"))
  {
    parameter.choices.push_back(element.child_value());
  }
  parameter.minimum = node.child("constraints").child_value("minimum");
  parameter.maximum = node.child("constraints").child_value("maximum");
  CheckParameter(parameter);
  return parameter;
}

} // namespace

const ModuleParameter *
ModuleDescription::Find(const std::string & name) const
{
  for (const ModuleParameterGroup & group : groups)
  {
    for (const ModuleParameter & parameter : group.parameters)
    {
      if (parameter.name == name)
      {
        return &parameter;
      }
    }
  }
  return nullptr;
}

ModuleDescription
ParseModuleDescription(const char * xml)
{
  pugi::xml_document           document;
  const pugi::xml_parse_result result = document.load_string(xml);
  const pugi::xml_node         root = document.child("executable");
  if (!result || !root)
  {
    throw Error(std::string("the module's XML is wrong: ") +
                (result ? "it is not an <executable>" : result.description()));
  }
  ModuleDescription module;
  module.title = root.child_value("title");
  module.description = root.child_value("description");
  module.version = root.child_value("version");
  for (const pugi::xml_node & node : root.children("parameters"))
  {
    module.groups.emplace_back();
    module.groups.back().label = node.child_value("label");
    for (const pugi::xml_node & child : node.children())
    {
      const std::string name = child.name();
      if (name != "label" && name != "description")
      {
        ModuleParameter parameter = ReadParameter(child);
        if (module.Find(parameter.name) != nullptr)
        {
          throw Error("the module's XML is wrong: there are two parameters '" + parameter.name + "'");
        }
        module.groups.back().parameters.push_back(std::move(parameter));
      }
    }
  }
  return module;
}

} // namespace brickccl::slicer
