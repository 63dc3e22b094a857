// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Clean/Clean.h"

#include "BrickCCL/Clean/HookParts.h"
#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Core/TextLists.h"
#include "BrickCCL/Criteria/RuleConversion.h"
#include "BrickCCL/Criteria/VoxelValue.h"
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

/** Whether no value of the type is between two ascending thresholds. */
bool
HaveSameForeground(ScalarType type, double first, double second)
{
  return VisitScalarType(type, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    if constexpr (std::is_floating_point_v<T>)
    {
      return false;
    }
    T          a{};
    T          b{};
    const bool hasA = CeilingOf(first, a);
    const bool hasB = CeilingOf(second, b);
    return hasA == hasB && a == b;
  });
}

SweepStep
StepOf(const Labeling & labeling, UninitializedVector<SizeSum> & sums, const HostContext & context)
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
  ThrowIf<InvalidArgument>(!(from < to) || !std::isfinite(from) || !std::isfinite(to),
                           "the first threshold (" + Shortest(from) + ") must be below the last (" + Shortest(to) +
                             "), and both must be finite");
  ThrowIf<InvalidArgument>(steps < 2 || steps > MaximumSteps,
                           std::to_string(steps) + " steps are not possible; use 2 to " + std::to_string(MaximumSteps));
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
  ThrowIf<InvalidArgument>(image.channels != 1,
                           "the image has " + std::to_string(image.channels) + " channels; it must have 1");
  const std::vector<double> asked = options.Thresholds();
  const auto asVoxelValue = [&](double threshold) { return AsVoxelValue(threshold, image.type).Nearest(); };
  const std::vector<double>    thresholds = options.asVoxelValues ? Mapped(asked, asVoxelValue) : asked;
  const auto                   count = static_cast<double>(asked.size());
  std::vector<SweepStep>       steps(asked.size());
  LabelOptions                 each;
  Labeling                     labeling;
  UninitializedVector<SizeSum> sums;
  each.connectivity = options.connectivity;
  each.periodic = options.periodic;
  each.mask = options.mask;
  each.device = options.device;
  each.threads = options.threads;
  for (std::size_t i = 0; i < steps.size(); ++i)
  {
    if (i > 0 && HaveSameForeground(image.type, thresholds[i - 1], thresholds[i]))
    {
      steps[i] = steps[i - 1];
    }
    else
    {
      constexpr double infinity = std::numeric_limits<double>::infinity();
      each.progress = PartOf(options.progress, static_cast<double>(i) / count, static_cast<double>(i + 1) / count);
      each.criterion = options.below ? Criterion::InRange(-infinity, Number(thresholds[i]).JustBelow())
                                     : Criterion::InRange(thresholds[i], infinity);
      Label(image, each, labeling);
      steps[i] = StepOf(labeling, sums, { options.threads });
    }
    steps[i].threshold = asked[i];
  }
  Progress(options.progress).Update(1);
  return steps;
}

} // namespace brickccl
