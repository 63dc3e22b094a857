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

    std::vector<Label> kept;
    for (std::size_t c = 0; c < counts.size(); ++c)
    {
      if (counts[c].voxels >= options.minimumSize && counts[c].voxels <= options.maximumSize)
      {
        kept.push_back(static_cast<Label>(c));
      }
    }
    const bool cut = options.largest != 0 && options.largest < kept.size();
    if (cut || options.order == LabelOrder::Size)
    {
      std::stable_sort(kept.begin(), kept.end(), [&](Label a, Label b) { return counts[a].voxels > counts[b].voxels; });
      kept.resize(cut ? static_cast<std::size_t>(options.largest) : kept.size());
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
