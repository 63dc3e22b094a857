#include "BrickCCL/Clean/Sweep.h"

#include "BrickCCL/Clean/HookParts.h"
#include "BrickCCL/Criteria/RuleConversion.h"
#include "BrickCCL/Dispatch/LabelingImplementation.h"
#include "BrickCCL/Runs/AccumulateRuns.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <type_traits>

namespace brickccl
{

namespace
{

struct SizeSum
{
  static constexpr bool IsExact = true;

  std::uint64_t voxels = 0;

  void
  Merge(const SizeSum & other)
  {
    voxels += other.voxels;
  }
};

/** Whether no value of the type lies between two thresholds, of which the first one is smaller. */
bool
HaveSameForeground(ScalarType type, double first, double second, bool below)
{
  return VisitScalarType(type, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    if constexpr (std::is_floating_point_v<T>)
    {
      return false;
    }
    T          a{};
    T          b{};
    const bool hasA = below ? FloorOf(first, a) : CeilingOf(first, a);
    const bool hasB = below ? FloorOf(second, b) : CeilingOf(second, b);
    return hasA == hasB && a == b;
  });
}

/** What the labels of one threshold give. */
SweepStep
StepOf(const Labeling & labeling, double threshold, UninitializedVector<SizeSum> & sums, const HostContext & context)
{
  sums = AccumulateRuns<SizeSum>(
    RunsOf(labeling),
    labeling.ComponentCount(),
    context,
    [](SizeSum & sum, std::int64_t, const RowPosition &, std::int64_t begin, std::int64_t end) {
      sum.voxels += static_cast<std::uint64_t>(end - begin);
    },
    std::move(sums));
  SweepStep step;
  step.threshold = threshold;
  step.components = labeling.ComponentCount();
  for (const SizeSum & sum : sums)
  {
    step.largest = std::max(step.largest, sum.voxels);
    step.voxels += sum.voxels;
  }
  return step;
}

} // namespace

std::vector<double>
SweepOptions::Thresholds() const
{
  if (!(from < to) || !std::isfinite(from) || !std::isfinite(to))
  {
    throw InvalidArgument("thresholds from " + std::to_string(from) + " to " + std::to_string(to) +
                          " are no range; the first must be below the last, both finite");
  }
  if (steps < 2 || steps > MaximumSteps)
  {
    throw InvalidArgument(std::to_string(steps) + " steps were asked for; there must be 2 to " +
                          std::to_string(MaximumSteps));
  }
  std::vector<double> thresholds;
  for (int i = 0; i < steps; ++i)
  {
    // Exact at both ends, and where all thresholds are whole numbers.
    const double share = static_cast<double>(i) / (steps - 1);
    thresholds.push_back(i == steps - 1 ? to : from + (to - from) * share);
  }
  return thresholds;
}

std::vector<SweepStep>
Sweep(const ImageView & image, const SweepOptions & options)
{
  if (image.channels != 1)
  {
    throw InvalidArgument("the image has " + std::to_string(image.channels) + " channels; it must have 1");
  }
  const std::vector<double>    thresholds = options.Thresholds();
  std::vector<SweepStep>       steps;
  UninitializedVector<SizeSum> sums;
  Labeling                     labeling;
  LabelOptions                 labelOptions;
  labelOptions.connectivity = options.connectivity;
  labelOptions.device = options.device;
  labelOptions.threads = options.threads;
  for (const double threshold : thresholds)
  {
    if (!steps.empty() && HaveSameForeground(image.type, steps.back().threshold, threshold, options.below))
    {
      steps.push_back(steps.back());
      steps.back().threshold = threshold;
      continue;
    }
    const auto count = static_cast<double>(thresholds.size());
    const auto done = static_cast<double>(steps.size());
    labelOptions.progress = PartOf(options.progress, done / count, (done + 1) / count);
    constexpr double infinity = std::numeric_limits<double>::infinity();
    labelOptions.criterion =
      options.below ? Criterion::InRange(-infinity, threshold) : Criterion::InRange(threshold, infinity);
    Label(image, labelOptions, labeling);
    steps.push_back(StepOf(labeling, threshold, sums, { options.threads }));
  }
  return steps;
}

} // namespace brickccl
