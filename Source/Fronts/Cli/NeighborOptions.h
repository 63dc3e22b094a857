// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_CLI_NEIGHBOROPTIONS_H
#define BRICKCCL_CLI_NEIGHBOROPTIONS_H

#include "BrickCCL/Cli/FileOptions.h"
#include "BrickCCL/Core/Connectivity.h"
#include "BrickCCL/Job/Job.h"

#include <nlohmann/json.hpp>

#include <string>

namespace brickccl::cli
{

/** The file that holds the neighborhood; empty if none does. */
std::string NeighborhoodFile(const job::Neighbors & arguments);

/** The neighbors of the voxels of an image of this extent. \throws InvalidArgument for what does not fit it. */
Connectivity ConnectivityFor(const job::Neighbors & arguments, const Extent & extent, ImageReader & reader);

/** \throws InvalidArgument for an axis that the image lacks or along which voxels have no neighbors. */
PeriodicAxes PeriodicFor(const job::Neighbors & arguments, const Connectivity & connectivity);

/** Members of the summary. */
void AddNeighbors(nlohmann::ordered_json & summary,
                  const job::Neighbors &   arguments,
                  const Connectivity &     connectivity,
                  const PeriodicAxes &     periodic);

/** "26", or "6, periodic along xz" */
std::string DescribeNeighbors(const Connectivity & connectivity, const PeriodicAxes & periodic);

} // namespace brickccl::cli

#endif
