// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Labels/Relabel.h"

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Runs/AccumulateRuns.h"

#include <string>

namespace brickccl
{

namespace
{

struct VoxelCounter
{
  static constexpr bool IsExact = true;

  std::uint64_t voxels = 0;
  std::int64_t  slice = 0;

  void
  Merge(const VoxelCounter & other)
  {
    voxels += other.voxels;
    slice = std::max(slice, other.slice);
  }
};

} // namespace

void
CheckLargestAcross(const RelabelOptions & options, const Connectivity & connectivity)
{
  if (!options.largestAcross)
  {
    return;
  }
  const int axis = *options.largestAcross;
  ThrowIf<InvalidArgument>(axis < 0 || axis >= connectivity.Dimension() || connectivity.Uses(axis),
                           "the largest components of each slice across axis " + std::to_string(axis) +
                             " were asked for; that needs a connectivity within slices across this axis, unlike " +
                             connectivity.ToString());
}

std::uint64_t
Relabel(RunVolume &            volume,
        std::uint64_t          components,
        const RelabelOptions & options,
        const HostContext &    context,
        RelabelReport *        report)
{
  RelabelReport   unread;
  RelabelReport & told = report != nullptr ? *report : unread;
  told = {};
  told.found = components;
  if (options.KeepEverything() || components == 0)
  {
    return components;
  }
  told.keptVoxels = 0;
  const int across = options.largestAcross.value_or(-1);
  return volume.VisitLabels([&](auto * labels) -> std::uint64_t {
    using Label = std::remove_pointer_t<decltype(labels)>;
    const auto counts = AccumulateRuns<VoxelCounter>(
      volume,
      components,
      context.Part(0, 0.7),
      [across](VoxelCounter & counter, std::int64_t, const RowPosition & row, std::int64_t begin, std::int64_t end) {
        counter.voxels += static_cast<std::uint64_t>(end - begin);
        counter.slice = across == 0 ? begin : across > 0 ? row.at[across - 1] : 0;
      });

    const auto [numberOf, kept] = NumberComponents<Label>(
      counts.size(),
      [&](std::size_t component) { return counts[component].voxels; },
      options,
      [&](std::size_t component) { return counts[component].slice; });
    StopPoint stop(context);
    for (std::size_t component = 0; component < counts.size(); ++component)
    {
      stop.AskAt(component);
      const std::uint64_t voxels = counts[component].voxels;
      if (numberOf[component + 1] != 0)
      {
        *told.keptVoxels += voxels;
        continue;
      }
      ++(voxels < options.minimumSize   ? told.tooSmall
         : voxels > options.maximumSize ? told.tooLarge
                                        : told.beyondLargest);
    }
    Renumber(volume, numberOf, context.Part(0.7, 1));
    return kept;
  });
}

std::vector<std::size_t>
KeepComponents(RunVolume & volume, const std::vector<bool> & keeps, const HostContext & context)
{
  std::vector<std::uint64_t> numbers{ 0 };
  std::vector<std::size_t>   kept;
  for (std::size_t place = 0; place < keeps.size(); ++place)
  {
    if (keeps[place])
    {
      kept.push_back(place);
    }
    numbers.push_back(keeps[place] ? kept.size() : 0);
  }
  Renumber(volume, numbers, context);
  return kept;
}

} // namespace brickccl
