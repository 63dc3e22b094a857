#include "BrickCCL/Labels/Relabel.h"

#include "BrickCCL/Runs/AccumulateRuns.h"

#include <algorithm>
#include <vector>

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
  return volume.VisitLabels([&](auto * labels) -> std::uint64_t {
    using Label = std::remove_pointer_t<decltype(labels)>;
    const auto counts = AccumulateRuns<VoxelCounter>(
      volume,
      components,
      context.Part(0, 0.7),
      [](VoxelCounter & counter, std::int64_t, const RowPosition &, std::int64_t begin, std::int64_t end) {
        counter.voxels += static_cast<std::uint64_t>(end - begin);
      });

    std::vector<Label> kept;
    for (std::size_t c = 0; c < counts.size(); ++c)
    {
      if (counts[c].voxels >= options.minimumSize && counts[c].voxels <= options.maximumSize)
      {
        kept.push_back(static_cast<Label>(c));
        continue;
      }
      ++(counts[c].voxels < options.minimumSize ? told.tooSmall : told.tooLarge);
      told.droppedVoxels += counts[c].voxels;
    }
    const bool cut = options.largest != 0 && options.largest < kept.size();
    if (cut || options.order == LabelOrder::Size)
    {
      std::stable_sort(kept.begin(), kept.end(), [&](Label a, Label b) { return counts[a].voxels > counts[b].voxels; });
      const auto stays = cut ? static_cast<std::size_t>(options.largest) : kept.size();
      told.beyondLargest = kept.size() - stays;
      for (std::size_t i = stays; i < kept.size(); ++i)
      {
        told.droppedVoxels += counts[kept[i]].voxels;
      }
      kept.resize(stays);
      if (options.order == LabelOrder::Raster)
      {
        std::sort(kept.begin(), kept.end());
      }
    }

    std::vector<Label> numberOf(counts.size() + 1, 0);
    for (std::size_t i = 0; i < kept.size(); ++i)
    {
      numberOf[std::size_t{ kept[i] } + 1] = static_cast<Label>(i + 1);
    }
    Renumber(volume, numberOf, context.Part(0.7, 1));
    return kept.size();
  });
}

} // namespace brickccl
