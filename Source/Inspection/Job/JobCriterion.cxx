// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Job/JobCriterion.h"

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Criteria/VoxelValue.h"
#include "BrickCCL/Job/Value.h"
#include "BrickCCL/Segmenting/ValueHistogram.h"

namespace brickccl::job
{

Criterion
CriterionOf(const Segmenting & job, std::optional<ScalarType> type, const std::optional<Threshold> & threshold)
{
  const auto valueOf = [&](Number number) { return type ? AsVoxelValue(number, *type) : number; };
  Criterion  criterion = job.equalValue ? Criterion::EqualValue()
                       : job.tolerance  ? Criterion::Tolerance(valueOf(*job.tolerance))
                                        : Criterion::Foreground();
  criterion.background.reset();
  if (job.background != "none")
  {
    const auto background = NumberOf(job.background);
    if (!background)
    {
      throw InvalidArgument("--background is " + Quoted(job.background) + "; it must be a number or none" +
                            HintOnNumber(job.background));
    }
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

std::string
JoiningOf(const Segmenting & job)
{
  return job.equalValue ? " if their values are equal"
       : job.tolerance  ? " if their values differ by at most " + job.tolerance->ToString()
                        : std::string();
}

std::optional<std::uint64_t>
PartsOf(const Part & part)
{
  return part.parts == "largest" ? std::nullopt : std::optional(part.parts == "all" ? 0 : std::stoull(part.parts));
}

Threshold
ThresholdOf(const ImageView &                image,
            const std::optional<ImageView> & mask,
            const std::string &              text,
            const HostContext &              context)
{
  return ThresholdOf(image.type, text, [&] { return HistogramOfValues(image, mask, context); });
}

Threshold
ThresholdOf(ScalarType type, const std::string & text, const std::function<ValueHistogram()> & histogram)
{
  ThresholdMethod method = ThresholdMethod::FromText(text);
  method.value = AsVoxelValue(method.value, type);
  return FindThreshold(method.kind == ThresholdMethod::Kind::Value ? ValueHistogram() : histogram(), method);
}

} // namespace brickccl::job
