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
  /** The parameter, by its name, that stands for an option, with the choice if it is one of several:
   *  {"--mask", "maskVolume"}, {"--equal-value", "joining=EqualValues"}. */
  using ParametersOfOptions = std::map<std::string, std::string>;

  /** \param others  options whose parameter is not called as the option is: minimumSize stands for --minimum-size
   *  anyway. \throws Error if the module has no such parameter or choice. */
  ModuleWords(const ModuleDescription & module, ParametersOfOptions others);

  /** The message with the labels of parameters, as the GUI shows them, in the places of options and of the
   *  placeholders behind them: --range LO HI. Command lines in `...` stay. If there are options that the module does
   * not have, it says so. */
  std::string Translate(const std::string & message) const;

private:
  /** What stands for an option, in quotes; empty if the module does not have it. */
  std::string LabelOf(const std::string & option) const;

  const ModuleDescription & m_Module;
  ParametersOfOptions       m_Others;
};

} // namespace brickccl::slicer

#endif
