// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_SLICER_MODULEDESCRIPTION_H
#define BRICKCCL_SLICER_MODULEDESCRIPTION_H

#include <optional>
#include <string>
#include <vector>

namespace brickccl::slicer
{

/** One parameter of a module, as its XML describes it. Texts are as they stand there. */
struct ModuleParameter
{
  /** The label of the group that the GUI shows it in. */
  std::string group;
  /** The name of its element: "image", "table", "boolean", "double" ... */
  std::string tag;
  std::string name;
  std::string label;
  std::string description;
  /** Without dashes; empty for a parameter with an index, and for a return value. */
  std::string        longFlag;
  std::optional<int> index;
  /** "input", "output" or empty. */
  std::string              channel;
  std::string              defaultValue;
  std::vector<std::string> choices;
  std::string              minimum;
  std::string              maximum;

  bool
  IsFile() const
  {
    return tag == "image" || tag == "table";
  }
  /** Whether the module reports this value at its end. */
  bool
  IsReturnValue() const
  {
    return channel == "output" && !IsFile();
  }
};

/** A module's XML: the single source of its arguments, its help and its GUI. */
struct ModuleDescription
{
  std::string                  title;
  std::string                  description;
  std::string                  version;
  std::vector<ModuleParameter> parameters;

  /** The parameter of a name; null if there is none. */
  const ModuleParameter * Find(const std::string & name) const;
};

/** Reads a module's XML. \throws Error for elements that modules of BrickCCL do not have, and for parameters that
 *  Slicer would refuse. */
ModuleDescription ParseModuleDescription(const char * xml);

} // namespace brickccl::slicer

#endif
