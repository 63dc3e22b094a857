#include "BrickCCL/Labels/Relabel.h"

#include "BrickCCL/Runs/AccumulateRuns.h"

#include <type_traits>

namespace brickccl
{

namespace
{

struct VoxelCounter
{
  static constexpr bool IsExact = true;

  std::uint64_t voxels = 0;

  void
  Merge(const VoxelCounter & other)
  {
    voxels += other.voxels;
  }
};

} // namespace

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
  return volume.VisitLabels([&](auto * labels) -> std::uint64_t {
    using Label = std::remove_pointer_t<decltype(labels)>;
    const auto counts = AccumulateRuns<VoxelCounter>(
      volume,
      components,
      context.Part(0, 0.7),
      [](VoxelCounter & counter, std::int64_t, const RowPosition &, std::int64_t begin, std::int64_t end) {
        counter.voxels += static_cast<std::uint64_t>(end - begin);
      });

    const auto [numberOf, kept] = NumberComponents<Label>(
      counts.size(),
      [&](std::size_t component) { return counts[component].voxels; },
      options);
    for (std::size_t component = 0; component < counts.size(); ++component)
    {
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
