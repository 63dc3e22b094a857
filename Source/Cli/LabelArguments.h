#ifndef BRICKCCL_CLI_LABELARGUMENTS_H
#define BRICKCCL_CLI_LABELARGUMENTS_H

#include "BrickCCL/Cli/CriterionOptions.h"
#include "BrickCCL/Cli/FileOptions.h"
#include "BrickCCL/Cli/FilterOptions.h"
#include "BrickCCL/Cli/FrontEnd.h"
#include "BrickCCL/Cli/NeighbourOptions.h"
#include "BrickCCL/Cli/TableOptions.h"

#include <cstdint>
#include <limits>
#include <string>

namespace brickccl::cli
{

/** What `label` asks. */
struct LabelArguments
{
  std::string        input;
  std::string        output;
  std::string        outputFallback;
  NeighbourArguments neighbours;
  CriterionArguments criterion;
  std::string        mask;
  std::string        order = "raster";
  SizeArguments      sizes;
  bool               perSlice = false;
  std::uint64_t      maximumSize = std::numeric_limits<std::uint64_t>::max();
  FilterArguments    filter;
  std::string        labelType = "auto";
  std::string        algorithm = "Auto";
  std::string        device = "auto";
  int                threads = 0;
  FileArguments      files;
  TableArguments     table;
  std::string        picture;
  std::string        colourTable;
  bool               noCompression = false;
  bool               json = false;
  bool               quiet = false;
};

/** Labels an image, measures its components and writes what is asked for. */
void RunLabel(const LabelArguments & arguments, const FrontEnd & frontEnd);

} // namespace brickccl::cli

#endif
