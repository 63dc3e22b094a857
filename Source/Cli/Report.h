#ifndef BRICKCCL_CLI_REPORT_H
#define BRICKCCL_CLI_REPORT_H

#include "BrickCCL/Measuring/ColumnGroups.h"
#include "BrickCCL/Tables/ComponentTable.h"
#include "BrickCCL/Host/Progress.h"
#include "BrickCCL/Host/System.h"

#include <nlohmann/json.hpp>

#include <chrono>
#include <cstdint>
#include <string>

namespace brickccl::cli
{

/** Tells a person how far the work is: on a terminal a bar, else a line per step, on the error stream. */
class Reporter
{
public:
  explicit Reporter(bool quiet);
  ~Reporter();

  /** Begins a step, "labeling" say. */
  void Step(const std::string & name);
  void Note(const std::string & text);
  /** Hooks that move the bar of the current step and stop the work on an interrupt. */
  ProgressHooks Hooks();

private:
  void ClearLine();

  bool        m_Quiet;
  bool        m_Terminal;
  std::string m_Step;
  int         m_Shown = -1;
};

/** \throws Cancelled after an interrupt. */
void ThrowIfInterrupted();

/** Seconds since the last call, or since the construction. */
class Stopwatch
{
public:
  double
  Lap()
  {
    const auto   now = std::chrono::steady_clock::now();
    const double seconds = std::chrono::duration<double>(now - m_Begin).count();
    m_Begin = now;
    return seconds;
  }

private:
  std::chrono::steady_clock::time_point m_Begin = std::chrono::steady_clock::now();
};

/** JSON as text; bytes of file names that are no UTF-8 are replaced. */
inline std::string
ToText(const nlohmann::ordered_json & value)
{
  return value.dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
}

/** Groups of columns from their names. \throws InvalidArgument for other names, and for columns of intensities without
 * an image of these. */
ColumnGroups ParseColumns(const std::string & names, bool hasIntensity);

/** The type of a label map whose largest label is `largest`: the smallest, or the one asked for. \throws LabelOverflow
 * if that is too small, which begins with `what`: "300 components do". */
LabelType ResolveLabelType(LabelType requested, std::uint64_t largest, const std::string & what);

/** ".csv" of "table.csv"; empty where there is none. */
std::string ExtensionOf(const std::string & path);

/** \throws InvalidArgument unless the extension is .csv, .tsv or .json. */
void CheckTableName(const std::string & path);

/** Writes a component table in the format of its extension, all or nothing. */
void WriteTable(const std::string & path, const ComponentTable & table);

} // namespace brickccl::cli

#endif
