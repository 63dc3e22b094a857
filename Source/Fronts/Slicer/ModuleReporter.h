// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_SLICER_MODULEREPORTER_H
#define BRICKCCL_SLICER_MODULEREPORTER_H

#include "BrickCCL/Cli/Report.h"
#include "BrickCCL/Slicer/ModuleWords.h"

#include <string>

namespace brickccl::slicer
{

/** Tells Slicer on the standard output how far the work is. Nothing goes to the error stream, all of which Slicer
 *  logs as errors. Each step is a filter for Slicer. All steps together go from 0 to 1, each with an equal share. */
class ModuleReporter : public cli::Reporter
{
public:
  /** \param title  the name of the filters in Slicer
   *  \param words  the words of the notes */
  ModuleReporter(const std::string & title, const ModuleWords & words);

  /** So many steps will come. */
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

} // namespace brickccl::slicer

#endif
