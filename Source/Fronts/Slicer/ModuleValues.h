// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_SLICER_MODULEVALUES_H
#define BRICKCCL_SLICER_MODULEVALUES_H

#include "BrickCCL/Slicer/ModuleDescription.h"

#include <CLI/CLI.hpp>

#include <map>
#include <ostream>
#include <string>
#include <vector>

namespace brickccl::slicer
{

/** The values of a module's parameters, by their names. */
class ModuleValues
{
public:
  /** Adds an option or argument to the command line for each parameter except return values. Limits, help and default
   *  come from the description. Both must live as long as `app`. */
  void AddOptions(CLI::App & app, const ModuleDescription & module);

  /** The value as text; empty for a file that is not given. \throws Error for a name that the module does not have. */
  const std::string & Text(const std::string & name) const;

  /** The value as a number. \throws Error for a name that the module does not have. */
  double Number(const std::string & name) const;

  /** The points of a parameter that takes several, each as "x,y,z". \throws Error for another name. */
  const std::vector<std::string> & Points(const std::string & name) const;

  /** Whether a boolean is true. \throws Error unless the name is a boolean of the module. */
  bool IsOn(const std::string & name) const;

  /** \throws InvalidArgument if a file that is needed is not given, or if an output is the same file as an input,
   *  which is so in Slicer if one volume is chosen for both. \param returnFile  is an output as well; it may be
   *  empty. */
  void CheckFiles(const ModuleDescription & module, const std::string & returnFile) const;

  /** Writes all values, one a line. */
  void Echo(std::ostream & stream) const;

private:
  void AddFlag(CLI::App & app, const ModuleParameterGroup & group, const ModuleParameter & parameter);
  void AddPoints(CLI::App & app, const ModuleParameterGroup & group, const ModuleParameter & parameter);
  void AddOption(CLI::App & app, const ModuleParameterGroup & group, const ModuleParameter & parameter);

  std::map<std::string, std::string>              m_Texts;
  std::map<std::string, bool>                     m_Flags;
  std::map<std::string, std::vector<std::string>> m_Points;
};

} // namespace brickccl::slicer

#endif
