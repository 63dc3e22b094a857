// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Batch/BatchFolder.h"
#include "BrickCCL/Batch/ProcessItem.h"

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace brickccl::batch
{

/** A message for a waiting user. */
struct BatchEvent
{
  std::string text;
  /** The number of items that are finished or failed, of `total`. */
  std::size_t done = 0;
  std::size_t total = 0;
  /** The seconds that the rest will take; below 0 while unknown. */
  double secondsLeft = -1;
};

struct BatchOptions
{
  /** The number of items that are worked on at the same time; 0: one for each processor. */
  int            jobs = 0;
  ProcessOptions process;
  bool           resume = false;
  /** Whether the caller writes the report afterwards. */
  bool writesReport = false;

  std::function<void(const BatchEvent &)> report;
};

struct BatchResult
{
  std::size_t passed = 0;
  std::size_t failed = 0;
  /** Items without rules. */
  std::size_t unjudged = 0;
  /** Items that could not be read or worked on. */
  std::size_t errors = 0;
  /** Items that an earlier run had finished. */
  std::size_t kept = 0;
  bool        wasInterrupted = false;
};

/** Does with all items what the recipe says, in processes of their own, one after another, and writes the folder
 *  (BatchFolder). An item that cannot be read, or whose process dies, ends no other. After an interrupt the items at
 *  work are dropped and the tables say what is finished. \throws Error, also if something cannot be written; what is
 *  finished by then stays. */
BatchResult RunBatch(const std::vector<BatchItem> & items,
                     const Recipe &                 recipe,
                     const std::string &            folder,
                     const BatchOptions &           options);

} // namespace brickccl::batch
