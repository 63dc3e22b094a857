// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace brickccl::slicer
{

/** One parameter of a module, as its XML describes it. Texts are as they stand there. */
struct ModuleParameter
{
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

/** \throws Error for elements that BrickCCL's modules do not have, and parameters that Slicer would refuse. */
ModuleDescription ParseModuleDescription(const char * xml);

/** Messages of a command, in the words of the module that runs it. */
class ModuleWords
{
public:
  /** The name of the parameter for an option, with the choice if it is one of several:
   *  {"--mask", "maskVolume"}, {"--equal-value", "joining=EqualValues"}. */
  using ParametersOfOptions = std::map<std::string, std::string>;

  /** \param others  options whose parameter has another name; minimumSize matches --minimum-size anyway. \throws
   *  Error if the module has no such parameter or choice. */
  ModuleWords(const ModuleDescription & module, ParametersOfOptions others);

  /** The message with the labels of parameters, as in the GUI, instead of options and their placeholders: --range LO
   *  HI. Command lines in `...` stay. It mentions options that the module lacks. */
  std::string Translate(const std::string & message) const;

private:
  /** The label for an option, in quotes; empty if the module lacks it. */
  std::string LabelOf(const std::string & option) const;

  const ModuleDescription & m_Module;
  ParametersOfOptions       m_Others;
};

} // namespace brickccl::slicer
