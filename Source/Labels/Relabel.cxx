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
Relabel(RunVolume & volume, std::uint64_t components, const RelabelOptions & options, const HostContext & context)
{
  if (options.KeepEverything() || components == 0)
  {
    return components;
  }
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
    Renumber(volume, numberOf, context.Part(0.7, 1));
    return kept;
  });
}

} // namespace brickccl
