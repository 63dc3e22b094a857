// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Core/Connectivity.h"
#include "BrickCCL/Core/Extent.h"
#include "BrickCCL/Core/VolumeView.h"
#include "BrickCCL/Job/Job.h"
#include "BrickCCL/Job/Language.h"
#include "BrickCCL/Segmenting/Threshold.h"

#include <optional>
#include <string>

namespace brickccl::job
{

/** The criterion of a job. Without an image's type, numbers are as they were given; with it, they are values that the
 *  type has, or the nearest ones. \param threshold  the one that was found or given, if the job asks for one
 *  \throws InvalidArgument for what has no meaning. */
Criterion CriterionOf(const Segmenting &               job,
                      std::optional<ScalarType>        type = {},
                      const std::optional<Threshold> & threshold = {});

/** The job with its part in the words of recipes, where a command asks for pores. */
Segmenting WithPart(Segmenting job);

/** A note on values of an image that are NaN. */
std::string TellNotANumber(const Segmenting & job, std::uint64_t count);

Criterion MaterialOf(const Part & part, ScalarType type, const std::optional<Threshold> & threshold);

/** The neighbors of a job, unless a file names them. \throws InvalidArgument for those that the image does not have. */
Connectivity ConnectivityOf(const Neighbors & job, const Extent & extent);

/** " if their values differ by at most 3": when neighbors are joined, if it is not enough that both are foreground. */
std::string JoiningOf(const Segmenting & job, const Language & language);

/** The same of a criterion for summaries: ", equal values joined". */
std::string JoiningOf(const Criterion & criterion);

/** Whether a threshold is local, which needs the whole volume. */
bool HasLocalThreshold(const Segmenting & job);

/** PoreOptions::parts for part.parts. */
std::optional<std::uint64_t> PartsOf(const Part & part);

} // namespace brickccl::job
