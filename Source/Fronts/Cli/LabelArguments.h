#ifndef BRICKCCL_CLI_LABELARGUMENTS_H
#define BRICKCCL_CLI_LABELARGUMENTS_H

#include "BrickCCL/Cli/CriterionOptions.h"
#include "BrickCCL/Cli/FileOptions.h"
#include "BrickCCL/Cli/FilterOptions.h"
#include "BrickCCL/Cli/FrontEnd.h"
#include "BrickCCL/Cli/NeighbourOptions.h"
#include "BrickCCL/Cli/RunningOptions.h"
#include "BrickCCL/Cli/TableOptions.h"
#include "BrickCCL/Labels/Labels.h"

#include <cstdint>
#include <limits>
#include <string>

namespace brickccl::cli
{

/** The arguments of `label`. */
struct LabelArguments : LabelMapArguments, RunningArguments
{
  std::string        input;
  std::string        output;
  NeighbourArguments neighbours;
  CriterionArguments criterion;
  std::string        mask;
  std::string        order = "raster";
  SizeArguments      sizes;
  bool               perSlice = false;
  std::uint64_t      maximumSize = std::numeric_limits<std::uint64_t>::max();
  FilterArguments    filter;
  std::string        algorithm = "Auto";
  std::string        device = "auto";
  FileArguments      files;
  TableArguments     table;
  std::string        picture;
  std::string        colourTable;
  /** If not 0, the volume is labeled by slabs within this many bytes of memory. */
  std::uint64_t memory = 0;
  std::string   work;
  bool          resume = false;
};

/** Labels an image, measures its components and writes what is asked for. */
void RunLabel(const LabelArguments & arguments, const FrontEnd & frontEnd);

/** Does so slab by slab, in a given memory. */
void RunLabelBySlabs(const LabelArguments & arguments, const FrontEnd & frontEnd);

// Common to both.

/** The files that are written and read, with the names of their options. */
NamedFiles OutputsOf(const LabelArguments & arguments);
NamedFiles InputsOf(const LabelArguments & arguments);

/** The limits on sizes and the order. */
RelabelOptions RelabelOptionsOf(const LabelArguments & arguments, ImageReader & reader);

/** "kept: 12303 voxels, 12.3 mm^3; dropped of 2304 found: 2200 too small", with a line end. */
std::string DescribeKept(const RelabelReport & relabeled, std::uint64_t keptVoxels, const LoadedImage & image);

/** The numbers of found, dropped (by limit) and kept components; members of the summary. */
void AddKept(nlohmann::ordered_json & summary,
             const RelabelReport &    relabeled,
             std::uint64_t            keptVoxels,
             const LoadedImage &      image);

} // namespace brickccl::cli

#endif
