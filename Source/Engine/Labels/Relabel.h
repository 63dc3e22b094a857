// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Core/Connectivity.h"
#include "BrickCCL/Host/Parallel.h"
#include "BrickCCL/Labels/Labels.h"
#include "BrickCCL/Runs/RunVolume.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

namespace brickccl
{

/** They count as one, whatever the slice of a component. */
struct InOneSlice
{
  std::int64_t
  operator()(std::size_t) const
  {
    return 0;
  }
};

/** Leaves the first `maximum` numbers of each slice. */
template <typename TNumber, typename TSliceOf>
void
KeepFirstOfSlices(std::vector<TNumber> & numbers, std::uint64_t maximum, TSliceOf sliceOf)
{
  std::unordered_map<std::int64_t, std::uint64_t> countOf;
  numbers.erase(std::remove_if(numbers.begin(),
                               numbers.end(),
                               [&](TNumber number) { return ++countOf[sliceOf(number)] > maximum; }),
                numbers.end());
}

/** The numbers that the options give to components in raster order.
 *  \param sizeOf  voxels of component 0, 1 ... \param sliceOf  each one's slice, if the largest of each slice stay
 *  \return by label, 0 .. components, the new label, 0 for what goes; and how many stay. */
template <typename TNumber, typename TSizeOf, typename TSliceOf = InOneSlice>
std::pair<std::vector<TNumber>, std::uint64_t>
NumberComponents(std::size_t components, TSizeOf sizeOf, const RelabelOptions & options, TSliceOf sliceOf = {})
{
  std::vector<TNumber> kept;
  for (std::size_t component = 0; component < components; ++component)
  {
    if (sizeOf(component) >= options.minimumSize && sizeOf(component) <= options.maximumSize)
    {
      kept.push_back(static_cast<TNumber>(component));
    }
  }
  const bool cut = options.largest != 0 && options.largest < kept.size();
  if (cut || options.order == LabelOrder::Size)
  {
    std::stable_sort(kept.begin(), kept.end(), [&](TNumber a, TNumber b) { return sizeOf(a) > sizeOf(b); });
    if (cut)
    {
      KeepFirstOfSlices(kept, options.largest, sliceOf);
    }
    if (options.order == LabelOrder::Raster)
    {
      std::sort(kept.begin(), kept.end());
    }
  }
  std::vector<TNumber> numberOf(components + 1, 0);
  for (std::size_t place = 0; place < kept.size(); ++place)
  {
    numberOf[std::size_t{ kept[place] } + 1] = static_cast<TNumber>(place + 1);
  }
  return { std::move(numberOf), kept.size() };
}

/** \throws InvalidArgument if the largest components of each slice are requested, but components may be in several. */
void CheckLargestAcross(const RelabelOptions & options, const Connectivity & connectivity);

/** Renumbers a volume whose labels are 1..components in raster order. Labels stay consecutive. With
 *  `options.largestAcross` each component is in one slice across that axis. \param report  if given, receives the
 *  dropped components. \return the number of remaining components. */
std::uint64_t Relabel(RunVolume &            volume,
                      std::uint64_t          components,
                      const RelabelOptions & options,
                      const HostContext &    context,
                      RelabelReport *        report = nullptr);

/** Writes numbers[labels[run]] to target[run] for all runs; calls `ask(run)` before each. */
template <typename TLabel, typename TTarget, typename TNumber, typename TAsk>
void
WriteNumbers(const TLabel *               labels,
             std::uint64_t                runs,
             const std::vector<TNumber> & numbers,
             const HostContext &          context,
             TTarget *                    target,
             TAsk                         ask)
{
  const Chunks chunks(static_cast<std::int64_t>(runs), context.grain, 256);
  ParallelFor(chunks.count, context, [&](std::int64_t chunk) {
    for (std::int64_t run = chunks.Begin(chunk); run < chunks.End(chunk); ++run)
    {
      ask(static_cast<std::uint64_t>(run));
      target[run] = static_cast<TTarget>(numbers[static_cast<std::size_t>(labels[run])]);
    }
  });
}

/** The labels that Renumber would give to the runs. The volume stays as it is, also if the caller stops the work. */
template <typename TNumber>
RunLabels
RenumberedLabels(const RunVolume & volume, const std::vector<TNumber> & numbers, const HostContext & context)
{
  const TNumber largest = numbers.empty() ? TNumber{ 0 } : *std::max_element(numbers.begin(), numbers.end());
  RunLabels     renumbered;
  renumbered.Resize(volume.RunCount(), volume.IsWide() || largest > std::numeric_limits<std::uint32_t>::max());
  StopPoint  stop(context);
  const auto ask = [&stop](std::uint64_t run) { stop.AskAt(run); };
  renumbered.Visit([&](auto * target) {
    volume.VisitLabels(
      [&](const auto * labels) { WriteNumbers(labels, volume.RunCount(), numbers, context, target, ask); });
  });
  return renumbered;
}

/** Gives every run with label i the label numbers[i]. Labels become 64 bits wide where the numbers need it. */
template <typename TNumber>
void
Renumber(RunVolume & volume, const std::vector<TNumber> & numbers, const HostContext & context)
{
  const TNumber largest = numbers.empty() ? TNumber{ 0 } : *std::max_element(numbers.begin(), numbers.end());
  if (!volume.IsWide() && largest > std::numeric_limits<std::uint32_t>::max())
  {
    volume.SetLabels(RenumberedLabels(volume, numbers, context));
    return;
  }
  volume.VisitLabels(
    [&](auto * labels) { WriteNumbers(labels, volume.RunCount(), numbers, context, labels, [](std::uint64_t) {}); });
}

/** Numbers the components for which `keeps` is true from 1 on, in their order; the others become background. The labels
 *  of the runs are 1..keeps.size(). \return the places in `keeps` of those that stay. */
std::vector<std::size_t>
KeepComponents(RunVolume & volume, const std::vector<bool> & keeps, const HostContext & context);

} // namespace brickccl
