// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Batch/Clusters.h"

#include "BrickCCL/Forest/Forest.h"
#include "BrickCCL/Labels/LabeledRuns.h"
#include "BrickCCL/Measuring/ComponentTrees.h"
#include "BrickCCL/Tables/Condition.h"

#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace brickccl::batch
{

std::vector<Cluster>
FindClusters(const ComponentTable &      table,
             const RunVolume &           runs,
             const std::vector<double> & reach,
             const HostContext &         context)
{
  const BoundingBoxTrees trees = MakeComponentTrees(runs, context, table);
  const ComponentBoxTree boxes(trees, table.geometry.spacing, context);
  // While clusters grow, the first member of each is its root.
  std::vector<std::size_t> parents(trees.size());
  std::iota(parents.begin(), parents.end(), std::size_t{ 0 });
  const auto rootOf = [&](std::size_t place) { return FindRootShared(parents.data(), place); };
  for (std::size_t place = 0; place < trees.size(); ++place)
  {
    if (!(reach[place] > 0))
    {
      continue;
    }
    context.progress.Update(static_cast<double>(place) / static_cast<double>(trees.size()));
    // A gap that equals the reach except for its last digits is not less than it.
    const double limit = std::pow(Condition::SurelyBelow(reach[place]), 2);
    boxes.Visit(
      trees[place].Bounds(),
      [limit] { return limit; },
      [&](std::size_t other) {
        if (other != place && reach[other] >= 0 && rootOf(other) != rootOf(place) &&
            BoundingBoxTree::GapBetween(trees[place].Bounds(), trees[other].Bounds(), table.geometry.spacing) < limit &&
            BoundingBoxTree::SmallestDistance(trees[place], trees[other], limit) < limit)
        {
          UniteShared(parents.data(), place, other);
        }
      });
  }
  constexpr std::size_t    none = std::numeric_limits<std::size_t>::max();
  std::vector<std::size_t> numbers(trees.size(), none);
  std::vector<Cluster>     clusters;
  for (std::size_t place = 0; place < trees.size(); ++place)
  {
    if (reach[place] >= 0)
    {
      std::size_t & number = numbers[rootOf(place)];
      if (number == none)
      {
        number = clusters.size();
        clusters.emplace_back();
      }
      clusters[number].push_back(place);
    }
  }
  return clusters;
}

std::vector<double>
SizesOfClusters(const ComponentTable & table, const RunVolume & runs, const std::vector<Cluster> & clusters)
{
  constexpr std::size_t    none = std::numeric_limits<std::size_t>::max();
  std::vector<std::size_t> numbers(table.components.size(), none);
  for (std::size_t number = 0; number < clusters.size(); ++number)
  {
    for (const std::size_t place : clusters[number])
    {
      numbers[place] = number;
    }
  }
  std::vector<std::vector<VoxelBox>> boxes(clusters.size());
  std::vector<LabeledRun>            own;
  for (std::int64_t row = 0; row < runs.GetExtent().RowCount(); ++row)
  {
    const RowPosition position(runs.GetExtent(), row);
    CollectLabeledRuns(runs, row, own);
    for (const LabeledRun & run : own)
    {
      if (const std::size_t number = numbers[static_cast<std::size_t>(run.label - 1)]; number != none)
      {
        boxes[number].push_back(BoxOfRun(position, run.begin, run.end));
      }
    }
  }
  std::vector<double> sizes;
  for (std::vector<VoxelBox> & all : boxes)
  {
    sizes.push_back(std::sqrt(BoundingBoxTrees(std::move(all), table.geometry.spacing)[0].LargestDistance()));
  }
  return sizes;
}

} // namespace brickccl::batch
