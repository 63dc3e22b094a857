// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Clean/Clean.h"
#include "BrickCCL/Cli/FileOptions.h"
#include "BrickCCL/Job/Job.h"
#include "BrickCCL/Splitting/Split.h"

#include <optional>
#include <vector>

namespace brickccl::cli
{

/** The holes that are filled; nothing without --fill-holes. \throws InvalidArgument for slices that do not exist. */
std::optional<HoleOptions>
HolesOf(const job::Holes & arguments, const Connectivity & connectivity, const Extent & extent);

struct LoadedFilter
{
  ComponentFilter            filter;
  std::optional<LoadedImage> touching;
};

/** \throws InvalidArgument for seeds that are neither points nor a file with points. */
void CheckSeeds(const job::Filter & arguments);

/** The requested filter. \throws InvalidArgument for seeds outside of the image, and a mask on another grid. */
LoadedFilter ReadFilter(const job::Filter &  arguments,
                        const Connectivity & connectivity,
                        const LoadedImage &  image,
                        ImageReader &        reader);

/** The images that a split needs besides; the options get their views. \throws InvalidArgument for other grids */
std::vector<LoadedImage>
ReadForSplit(const job::Filter & arguments, const LoadedImage & image, SplitOptions & options, ImageReader & reader);

void
AddFilter(job::Findings & findings, const ComponentFilter & filter, const ComponentFilterReport & report, int line);

} // namespace brickccl::cli
