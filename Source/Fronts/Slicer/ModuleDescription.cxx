// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Slicer/ModuleDescription.h"

#include "BrickCCL/Core/Error.h"

#include <pugixml.hpp>

namespace brickccl::slicer
{

namespace
{

ModuleParameter
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
        module.groups.back().parameters.push_back(ReadParameter(child));
      }
    }
  }
  return module;
}

} // namespace brickccl::slicer
