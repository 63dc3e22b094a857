// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_SLICER_MODULEWORDS_H
#define BRICKCCL_SLICER_MODULEWORDS_H

#include "BrickCCL/Slicer/ModuleDescription.h"

#include <map>
#include <string>

namespace brickccl::slicer
{

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

#endif
