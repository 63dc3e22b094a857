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

  // The values of parameters, whose names the module's XML must have: as text, empty for a file that is not given; as a
  // number; as points, each "x,y,z"; and whether a boolean is true.
  const std::string &
  Text(const std::string & name) const
  {
    return m_Texts.at(name);
  }
  double Number(const std::string & name) const;
  const std::vector<std::string> &
  Points(const std::string & name) const
  {
    return m_Points.at(name);
  }
  bool
  IsOn(const std::string & name) const
  {
    return m_Flags.at(name);
  }

  /** \throws InvalidArgument if a file that is needed is not given, or if an output is the same file as an input,
   *  which is so in Slicer if one volume is chosen for both. \param returnFile  is an output as well; it may be
   *  empty. */
  void CheckFiles(const ModuleDescription & module, const std::string & returnFile) const;

  /** Writes all values, one a line. */
  void Echo(std::ostream & stream) const;

private:
  void AddOption(CLI::App & app, const ModuleParameter & parameter);

  std::map<std::string, std::string>              m_Texts;
  std::map<std::string, bool>                     m_Flags;
  std::map<std::string, std::vector<std::string>> m_Points;
};

} // namespace brickccl::slicer

#endif
