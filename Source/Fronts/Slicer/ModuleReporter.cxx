// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Slicer/ModuleReporter.h"

#include "BrickCCL/Pictures/Drawing.h"

#include <algorithm>
#include <iostream>

namespace brickccl::slicer
{

ModuleReporter::ModuleReporter(const std::string & title, const ModuleWords & words)
  : cli::Reporter(true)
  , m_Title(EscapeXml(title))
  , m_Words(words)
{}

void
ModuleReporter::Step(const std::string & name)
{
  cli::ThrowIfInterrupted();
  EndStep();
  // If there are more steps than were promised, the last share of the progress is theirs.
  m_Begun = std::min(m_Begun + 1, m_Steps);
  m_Watch.Lap();
  std::cout << "<filter-start>\n<filter-name>" << m_Title << "</filter-name>\n<filter-comment>" << EscapeXml(name)
            << "</filter-comment>\n</filter-start>" << std::endl;
  ShowProgress(0);
}

void
ModuleReporter::Note(const std::string & text)
{
  if (!text.empty())
  {
    std::cout << m_Words.Translate(text) << std::endl;
  }
}

ProgressHooks
ModuleReporter::Hooks()
{
  ProgressHooks hooks;
  hooks.canceled = WasInterrupted;
  hooks.report = [this](double fraction) { ShowProgress(fraction); };
  return hooks;
}

void
ModuleReporter::ShowProgress(double stage)
{
  constexpr double leastStep = 0.005;
  const double     done = std::min(1.0, (m_Begun - 1 + stage) / m_Steps);
  if (done >= m_Shown + leastStep || (done > m_Shown && stage == 1))
  {
    m_Shown = done;
    std::cout << "<filter-progress>" << done << "</filter-progress>\n<filter-stage-progress>" << stage
              << "</filter-stage-progress>" << std::endl;
  }
}

void
ModuleReporter::EndStep()
{
  if (m_Begun > 0)
  {
    ShowProgress(1);
    std::cout << "<filter-end>\n<filter-name>" << m_Title << "</filter-name>\n<filter-time>" << m_Watch.Lap()
              << "</filter-time>\n</filter-end>" << std::endl;
  }
}

void
ModuleReporter::Finish()
{
  m_Begun = m_Begun > 0 ? m_Steps : 0;
  EndStep();
  m_Begun = 0;
}

} // namespace brickccl::slicer
