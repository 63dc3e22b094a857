// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_CLI_CHOSENLABELS_H
#define BRICKCCL_CLI_CHOSENLABELS_H

#include "BrickCCL/Cli/FileOptions.h"
#include "BrickCCL/Measuring/Measuring.h"
#include "BrickCCL/Tables/ComponentTable.h"
#include "BrickCCL/Tables/Condition.h"

#include <CLI/CLI.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace brickccl::cli
{

/** The options to choose the components of a label map to draw or write. */
struct ChosenLabels
{
  std::string labels;
  std::string where;

  /** Finds before the long work starts what is certain to fail. \throws InvalidArgument. */
  void Check() const;

  /** The columns that the condition names, in mm, with commas between. */
  std::string ColumnNames() const;

  /** The places in the table of the components that are chosen, at least one.
   *  \param file  the label map, for messages
   *  \param what  what becomes of them: "make a mesh of"
   *  \throws InvalidArgument for a label that the table does not have, and if none is left. */
  std::vector<std::size_t>
  PlacesIn(const ComponentTable & table, const std::string & file, const std::string & what) const;
};

void AddChosenLabels(CLI::App & command, ChosenLabels & chosen);

} // namespace brickccl::cli

#endif
