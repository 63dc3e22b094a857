// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Cli/Report.h"
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/VolumeView.h"
#include "BrickCCL/Job/Job.h"

#include <nlohmann/json.hpp>

#include <functional>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace brickccl::cli
{

/** Files, each with the name of the option or argument that names it. An empty path is not a file. */
using NamedFiles = std::vector<std::pair<std::string, std::string>>;

/** Receives a command's progress, notes and summary: the command line by default, or a Slicer module. */
struct FrontEnd
{
  std::function<std::shared_ptr<Reporter>(bool quiet)> makeReporter = [](bool quiet) {
    return std::make_shared<Reporter>(quiet);
  };
  /** Gets the summary that --json asks for. */
  std::function<void(const nlohmann::ordered_json &)> takeSummary = [](const nlohmann::ordered_json & summary) {
    std::cout << JsonText(summary) << std::endl;
  };
  /** Label maps of a wider type are an error. */
  LabelType widestLabels = LabelType::UInt64;
  /** Writes the record that --record asks for. Empty: there is no such option. */
  std::function<void(const job::Job & job, std::vector<std::string> inputs, const NamedFiles & outputs)> record;
  /** Moves outputs, and the record, into the folder of `rerun`, if `rerun` has started the command. */
  std::function<void(const std::vector<std::string *> & outputs, std::string & record)> redirect;
  /** Whether totals are in the summary also where no table is asked for. */
  bool alwaysMeasures = false;

  /** \throws Unsupported if labels of a type are wider than the widest. */
  void
  CheckType(ScalarType type) const
  {
    ThrowIf<Unsupported>((type == ScalarType::Int64 || type == ScalarType::UInt64) && widestLabels != LabelType::UInt64,
                         std::string("labels of type ") + NameOf(type) +
                           " cannot be written here; the widest type is " + NameOf(widestLabels));
  }
};

/** Adds what ends every summary: notes, seconds and memory, and as the last line of the text what can be done with a
 *  label map (empty: there is none) and a table. */
void AddRun(job::Findings &                  findings,
            const std::vector<std::string> & notes,
            const nlohmann::ordered_json &   seconds,
            const std::string &              labelMap,
            bool                             hasTable);

/** Ends a command: prints what it found, as it is asked for. */
void PrintFindings(const job::Findings & findings,
                   const job::Running &  running,
                   Reporter &            reporter,
                   const FrontEnd &      frontEnd = {});

} // namespace brickccl::cli
