// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_JOB_JOBCRITERION_H
#define BRICKCCL_JOB_JOBCRITERION_H

#include "BrickCCL/Core/VolumeView.h"
#include "BrickCCL/Host/Parallel.h"
#include "BrickCCL/Job/Job.h"
#include "BrickCCL/Segmenting/Threshold.h"

#include <functional>
#include <optional>
#include <string>

namespace brickccl::job
{

/** The criterion of a job. Without an image's type, numbers are as they were given; with it, they are values that the
 *  type has, or the nearest ones.
 *  \param threshold  the one that was found or given, if the job asks for one
 *  \throws InvalidArgument for what has no meaning. */
Criterion CriterionOf(const Segmenting &               job,
                      std::optional<ScalarType>        type = {},
                      const std::optional<Threshold> & threshold = {});

/** " if their values differ by at most 3": when neighbors are joined, if it is not enough that both are foreground. */
std::string JoiningOf(const Segmenting & job);

/** PoreOptions::parts for part.parts. */
std::optional<std::uint64_t> PartsOf(const Part & part);

/** The threshold that a text gives, or that its method finds in the values where the mask is not 0.
 *  \param text  as ThresholdMethod::FromText reads it */
Threshold ThresholdOf(const ImageView &                image,
                      const std::optional<ImageView> & mask,
                      const std::string &              text,
                      const HostContext &              context);

/** The same for an image whose histogram is made where it is needed. */
Threshold ThresholdOf(ScalarType type, const std::string & text, const std::function<ValueHistogram()> & histogram);

} // namespace brickccl::job

#endif
