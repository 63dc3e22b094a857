#ifndef BRICKCCL_CLI_NEIGHBOUROPTIONS_H
#define BRICKCCL_CLI_NEIGHBOUROPTIONS_H

#include "BrickCCL/Cli/FileOptions.h"
#include "BrickCCL/Core/Connectivity.h"

#include <CLI/CLI.hpp>

#include <nlohmann/json.hpp>

#include <string>

namespace brickccl::cli
{

/** What is asked about which voxels are neighbours. */
struct NeighbourArguments
{
  int         connectivity = 0;
  std::string neighbourhood;
  std::string bySlice;
  std::string periodic;

  /** The file that holds the neighbourhood; empty if none does. */
  std::string File() const;
};

void AddNeighbourOptions(CLI::App & command, NeighbourArguments & arguments);

/** The neighbours of the voxels of an image of this extent. \throws InvalidArgument for what does not fit it. */
Connectivity ConnectivityFor(const NeighbourArguments & arguments, const Extent & extent, ImageReader & reader);

/** \throws InvalidArgument for an axis that the image lacks or along which voxels have no neighbours. */
PeriodicAxes PeriodicFor(const NeighbourArguments & arguments, const Connectivity & connectivity);

/** Members of the summary. */
void AddNeighbours(nlohmann::ordered_json &   summary,
                   const NeighbourArguments & arguments,
                   const Connectivity &       connectivity,
                   const PeriodicAxes &       periodic);

/** "26", or "6, periodic along xz" */
std::string DescribeNeighbours(const Connectivity & connectivity, const PeriodicAxes & periodic);

} // namespace brickccl::cli

#endif
