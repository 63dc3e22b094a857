// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Cli/FrontEnd.h"
#include "BrickCCL/Cli/Report.h"
#include "BrickCCL/Slicer/ModuleDescription.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace brickccl::slicer
{

class ModuleValues
{
public:
  /** Adds each parameter except return values, as its description says. Both must live as long as `app`. */
  void AddOptions(CLI::App & app, const ModuleDescription & module);

  // The values of parameters, whose names the module's XML must have: as text, empty for a file that is not given; as a
  // number; as points "x,y,z" or regions; and whether a boolean is true.
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

  /** \throws InvalidArgument if a file that is needed is not given, or if an output is the same file as an input, which
   *  is so in Slicer if one volume is chosen for both. \param returnFile  is an output as well; it may be empty. */
  void CheckFiles(const ModuleDescription & module, const std::string & returnFile) const;

  void Echo(std::ostream & stream) const;

private:
  void AddOption(CLI::App & app, const ModuleParameter & parameter);

  std::map<std::string, std::string>              m_Texts;
  std::map<std::string, bool>                     m_Flags;
  std::map<std::string, std::vector<std::string>> m_Points;
};

/** Tells Slicer on the standard output how far the work is. Nothing goes to the error stream, all of which Slicer
 *  logs as errors. Each step is a filter for Slicer. All steps together go from 0 to 1, each with an equal share. */
class ModuleReporter : public cli::Reporter
{
public:
  /** \param title  the name of the filters in Slicer
   *  \param words  the words of the notes */
  ModuleReporter(const std::string & title, const ModuleWords & words);

  void
  Expect(int steps)
  {
    m_Steps = steps;
  }

  void          Step(const std::string & name) override;
  void          Note(const std::string & text) override;
  ProgressHooks Hooks() override;

  /** Ends the last step. Without it, the work is taken to have failed. */
  void Finish();

private:
  void EndStep();
  void ShowProgress(double stage);

  std::string         m_Title;
  const ModuleWords & m_Words;
  int                 m_Steps = 1;
  int                 m_Begun = 0;
  double              m_Shown = -1;
  Stopwatch           m_Watch;
};

/** One run of a module: its values, the command that does its work, and what it returns. */
class ModuleRun
{
public:
  const ModuleValues &                             values;
  std::vector<std::pair<std::string, std::string>> returned;
  ModuleRun(const ModuleDescription &       module,
            const ModuleValues &            inputs,
            const ModuleWords &             words,
            std::shared_ptr<ModuleReporter> reporter)
    : values(inputs)
    , m_Module(module)
    , m_Words(words)
    , m_Reporter(std::move(reporter))
  {}

  /** A number that no command checks (XML constraints make sliders). \throws InvalidArgument below 0, above `most`. */
  void RequireFromZero(const std::string & name, double most = std::numeric_limits<double>::infinity()) const;

  /** Runs a subcommand of `brickccl`, whose progress and notes go to Slicer.
   *  \param add        what adds it to the command line (Cli/Commands.h)
   *  \param arguments  its name, and what follows it on the command line
   *  \param steps      the number of its steps, each of which gets an equal share of the progress
   *  \return its summary. \throws Error in the words of the module. */
  nlohmann::ordered_json
  RunCommand(void (*add)(CLI::App &, const cli::FrontEnd &), std::vector<std::string> arguments, int steps);

  /** Sets a return value. \throws Error for a name that the module's XML has no return value of. */
  void Return(const std::string & name, const nlohmann::ordered_json & value);

  /** Returns `componentCount` and `componentVolume`. \param summary  of a command. */
  void ReturnTotals(const nlohmann::ordered_json & summary);

private:
  const ModuleDescription &       m_Module;
  const ModuleWords &             m_Words;
  std::shared_ptr<ModuleReporter> m_Reporter;
};

struct Module
{
  const char *                     name;
  const char *                     xml;
  std::function<void(ModuleRun &)> work;
  /** The parameters of options that are called otherwise. */
  ModuleWords::ParametersOfOptions parametersOfOptions;
};

/** The whole program of a module. \return the exit code: 0 only if everything was done and written. */
int RunModule(const Module & module, int argc, char ** argv);

struct CommandArguments
{
  std::vector<std::string> list;

  CommandArguments &
  Add(const std::string & option, const std::vector<std::string> & values)
  {
    list.push_back(option);
    list.insert(list.end(), values.begin(), values.end());
    return *this;
  }

  /** Adds an option with its value unless the value is `none`. */
  CommandArguments &
  AddUnless(const std::string & none, const std::string & option, const std::string & value)
  {
    return value == none ? *this : Add(option, { value });
  }

  CommandArguments &
  AddIf(bool holds, const std::string & option, const std::vector<std::string> & values = {})
  {
    return holds ? Add(option, values) : *this;
  }
};

/** The member of `sizes` whose name is `start` and what sizes are called in images of the summary's dimension:
 *  "largest_volume_mm3". */
double
SizeIn(const nlohmann::ordered_json & summary, const nlohmann::ordered_json & sizes, const std::string & start = "");

/** Adds a box for each region of interest, "X,Y,Z,RX,RY,RZ": its center and half its lengths. More numbers are the
 * matrix of a rotated region. \throws InvalidArgument unless its axes are parallel to the axes of space. */
void AddBoxes(CommandArguments & arguments, const std::vector<std::string> & regions);

void AddTable(CommandArguments & arguments, const std::string & option, const std::string & path);

} // namespace brickccl::slicer
