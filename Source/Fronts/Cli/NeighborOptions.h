// SPDX-License-Identifier: Apache-2.0
#pragma once

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

/** Adds the neighborhood; the text of `line` has it in parentheses: "(6 neighbors, periodic along xz)". */
void AddNeighbors(job::Findings &        findings,
                  const job::Neighbors & arguments,
                  const Connectivity &   connectivity,
                  const PeriodicAxes &   periodic,
                  int                    line);

} // namespace brickccl::cli
