// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Batch/JsonText.h"
#include "BrickCCL/Job/Findings.h"
#include "BrickCCL/Measuring/Measuring.h"
#include "BrickCCL/Tables/ComponentTable.h"
#include "BrickCCL/Host/Progress.h"
#include "BrickCCL/Host/Stopwatch.h"

#include <nlohmann/json.hpp>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>

namespace brickccl::cli
{

/** "90 s left", "3 min left". */
std::string TimeLeft(double seconds);

/** Shows progress on the error stream: a bar on a terminal, or the seconds since a step began if the work does not
 *  report; else a line for each step. */
class Reporter
{
public:
  explicit Reporter(bool quiet);
  virtual ~Reporter();
  Reporter(const Reporter &) = delete;
  Reporter & operator=(const Reporter &) = delete;

  virtual void Step(const std::string & name);
  virtual void Note(const std::string & text);
  /** Ends the steps with an empty line, if there were any. */
  void
  EndSteps()
  {
    if (!m_Step.empty())
    {
      Note("");
    }
  }
  /** Hooks that move the bar of the current step, and stop the work on an interrupt. */
  virtual ProgressHooks Hooks();

private:
  void ClearLine();
  /** Shows the step and how far it is. The caller holds the mutex. */
  void Show();
  /** Updates the step while nothing else does, until the end. */
  void Tick();
  /** ", 12 s left", as soon as it can be said. */
  std::string TimeLeft() const;

  using Clock = std::chrono::steady_clock;

  bool m_Quiet;
  bool m_Terminal;

  std::mutex        m_Mutex;
  Clock::time_point m_Begin = Clock::now();
  Clock::time_point m_LastShown = Clock::now();
  std::string       m_Step;
  /** Whether the last line belongs to a step. */
  bool   m_IsShown = false;
  double m_Fraction = 0;

  std::condition_variable m_End;
  bool                    m_IsEnding = false;
  std::thread             m_Ticker;
};

/** \throws Canceled after an interrupt. */
void ThrowIfInterrupted();

using batch::JsonText;

/** \throws InvalidArgument for other names, and for columns of intensities without an intensity image. */
ColumnGroups ParseColumns(const std::string & names, bool hasIntensity);

/** The type of a label map whose largest label is `largest`: the one that is asked for, or else the smallest that fits.
 *  \throws LabelOverflow if the one asked for is too small, or all up to `widest` are; its message begins with `what`:
 *  "300 components do". */
LabelType ResolveLabelType(LabelType           requested,
                           std::uint64_t       largest,
                           const std::string & what,
                           LabelType           widest = LabelType::UInt64);

/** The extension of a path in small letters: ".csv" of "table.CSV". Empty if there is none. */
std::string ExtensionOf(const std::string & path);

/** \throws InvalidArgument unless the extension is .csv, .tsv or .json, or .xlsx where that may be; not for "". */
void CheckTableName(const std::string & path, bool mayBeWorkbook = false);

/** Writes rows, JSON objects with the same members, to a file that CheckTableName accepts. */
void WriteRows(const std::string & path, const nlohmann::ordered_json & rows);

/** Writes a color table for 3D Slicer: the number, the name and the color of each label. */
void WriteColorTable(const std::string & path, std::uint64_t labels);

} // namespace brickccl::cli
