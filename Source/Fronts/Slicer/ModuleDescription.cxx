// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Slicer/ModuleDescription.h"

#include "BrickCCL/Core/Error.h"

#include <pugixml.hpp>

#include <algorithm>

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

} // namespace brickccl::slicer
