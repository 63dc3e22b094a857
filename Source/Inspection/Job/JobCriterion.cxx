// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Job/JobCriterion.h"

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/ImageConnectivity.h"
#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Criteria/VoxelValue.h"
#include "BrickCCL/Job/Findings.h"
#include "BrickCCL/Job/Value.h"
#include "BrickCCL/Measuring/CountNotANumber.h"

namespace brickccl::job
{

Criterion
CriterionOf(const Segmenting & job, std::optional<ScalarType> type, const std::optional<Threshold> & threshold)
{
  ThrowIf<InvalidArgument>((job.equalValue || job.tolerance) && job.threshold.rfind("local:", 0) == 0,
                           "the threshold " + job.threshold + " cannot be combined with equal values or a tolerance");
  const auto valueOf = [&](Number number) { return type ? AsVoxelValue(number, *type) : number; };
  Criterion  criterion = job.equalValue ? Criterion::EqualValue()
                       : job.tolerance  ? Criterion::Tolerance(valueOf(*job.tolerance))
                                        : Criterion::Foreground();
  criterion.background.reset();
  if (job.background != "none")
  {
    const auto background = NumberOf(job.background);
    ThrowIf<InvalidArgument>(!background,
                             "--background is " + Quoted(job.background) + "; it must be a number or none" +
                               HintOnNumber(job.background));
    criterion.background = valueOf(*background);
  }
  if (job.range)
  {
    criterion.range = Criterion::Range{ valueOf(job.range->low), valueOf(job.range->high) };
  }
  if (threshold)
  {
    criterion.range = job.below ? threshold->Below().range : threshold->AtOrAbove().range;
  }
  criterion.Validate();
  return criterion;
}

Segmenting
WithPart(Segmenting job)
{
  if (job.pores)
  {
    job.partMethod = "pores";
    job.partRange = job.range;
    job.partThreshold = job.threshold.empty() && !job.range ? "otsu" : job.threshold;
    job.isMaterialBelow = job.below;
    job.range.reset();
    job.threshold.clear();
  }
  return job;
}

std::string
TellNotANumber(const Segmenting & job, std::uint64_t count)
{
  return brickccl::TellNotANumber(count) + (WithPart(job).partMethod == "none" ? "" : "; those in the part are pores");
}

Criterion
MaterialOf(const Part & part, ScalarType type, const std::optional<Threshold> & threshold)
{
  return !threshold
         ? Criterion::InRange(AsVoxelValue(part.partRange->low, type), AsVoxelValue(part.partRange->high, type))
       : part.isMaterialBelow ? threshold->Below()
                              : threshold->AtOrAbove();
}

Connectivity
ConnectivityOf(const Neighbors & job, const Extent & extent)
{
  return job.neighborhood.empty() ? ConnectivityFor(job.connectivity, extent, job.bySlice)
                                  : NeighborhoodFromText(job.neighborhood, extent.dimension);
}

std::string
JoiningOf(const Segmenting & job, const Language & language)
{
  return job.equalValue ? language(" if their values are equal")
       : job.tolerance
         ? language(" if their values differ by at most {1}", { language.Decimal(job.tolerance->ToString()) })
         : "";
}

bool
HasLocalThreshold(const Segmenting & job)
{
  return job.threshold.rfind("local:", 0) == 0 || job.partThreshold.rfind("local:", 0) == 0;
}

std::optional<std::uint64_t>
PartsOf(const Part & part)
{
  return part.parts == "largest" ? std::nullopt : std::optional(part.parts == "all" ? 0 : std::stoull(part.parts));
}

std::string
JoiningOf(const Criterion & criterion)
{
  return criterion.joining == Criterion::Joining::EqualValue ? ", equal values joined"
       : criterion.joining == Criterion::Joining::Tolerance
         ? ", values joined if at most " + Readable(criterion.tolerance) + " apart"
         : "";
}

} // namespace brickccl::job
