// SPDX-License-Identifier: Apache-2.0
// Rules on clusters, defects that are close to each other.

#include "BrickCCL/Batch/ColumnValues.h"
#include "BrickCCL/Batch/Rules.h"
#include "BrickCCL/Batch/Rules/RuleJudge.h"
#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Core/TextLists.h"
#include "BrickCCL/Forest/Forest.h"
#include "BrickCCL/Host/Parallel.h"
#include "BrickCCL/Labels/LabeledRuns.h"
#include "BrickCCL/Measuring/ComponentTrees.h"
#include "BrickCCL/Runs/RunVolume.h"
#include "BrickCCL/Tables/ComponentTable.h"
#include "BrickCCL/Tables/Condition.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

namespace brickccl::batch
{

/** Components that count as one, as their places in the table, in ascending order. */
using Cluster = std::vector<std::size_t>;

/** Joins two components if the gap between their surfaces, voxels taken as boxes, is less than the reach of one of
 *  them. One that is joined to no other one is a cluster of its own.
 *  \param runs    labels are places in the table from 1 on
 *  \param reach   for each component, in mm; below 0 for those that do not count and are in no cluster
 *  \return the clusters in the order of their first members. \throws Canceled. */
static std::vector<Cluster>
FindClusters(const ComponentTable &      table,
             const RunVolume &           runs,
             const std::vector<double> & reach,
             const HostContext &         context)
{
  const BoundingBoxTrees trees = MakeComponentTrees(runs, context, table);
  const ComponentBoxTree boxes(trees, table.geometry.spacing, context);
  // The first member identifies its cluster.
  std::vector<std::size_t> parents(trees.size());
  std::iota(parents.begin(), parents.end(), std::size_t{ 0 });
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
      [limit](double square, std::size_t) { return square > limit; },
      [&](std::size_t other) {
        if (other != place && reach[other] >= 0 &&
            FindRootShared(parents.data(), other) != FindRootShared(parents.data(), place) &&
            BoundingBoxTree::GapBetween(trees[place].Bounds(), trees[other].Bounds(), table.geometry.spacing) < limit &&
            BoundingBoxTree::SmallestDistance(trees[place], trees[other], limit) < limit)
        {
          Unite(parents.data(), place, other);
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
      std::size_t & number = numbers[FindRootShared(parents.data(), place)];
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

/** For each cluster, the largest distance of the centers of two voxels, in mm, as feret_diameter_mm. */
static std::vector<double>
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
  std::vector<UninitializedVector<VoxelBox>> boxes(clusters.size());
  const Extent &                             extent = runs.GetExtent();
  ForEachLabeledRun(runs, 0, extent.RowCount(), [&](std::int64_t row, const LabeledRun & run) {
    if (const std::size_t number = numbers[static_cast<std::size_t>(run.label - 1)]; number != none)
    {
      boxes[number].push_back(BoxOfRun(RowPosition(extent, row), run.begin, run.end));
    }
  });
  std::vector<double> sizes;
  for (UninitializedVector<VoxelBox> & all : boxes)
  {
    sizes.push_back(std::sqrt(BoundingBoxTrees(std::move(all), table.geometry.spacing)[0].LargestDistance()));
  }
  return sizes;
}

static std::vector<Cluster>
ClustersOf(const RuleJudge & judge)
{
  const ComponentTable & table = judge.findings.table;
  std::vector<double>    reach(judge.counts.size(), -1);
  const auto             diameter = ValuesOf(table, "equivalent_spherical_diameter_mm");
  for (std::size_t place = 0; place < reach.size(); ++place)
  {
    if (judge.counts[place])
    {
      reach[place] = judge.rule.within + judge.rule.withinDiameters * diameter(table.components[place]);
    }
  }
  return FindClusters(table, judge.findings.runs, reach, judge.findings.context);
}

/** Takes the first cluster with the highest value. */
static void
TakeCluster(RuleJudge & judge, const std::vector<Cluster> & clusters, const std::vector<double> & values)
{
  const auto highest = std::max_element(values.begin(), values.end());
  judge.Take(highest == values.end() ? 0 : *highest);
  if (highest != values.end())
  {
    judge.DecideByLargestOf(Mapped(clusters[static_cast<std::size_t>(std::distance(values.begin(), highest))],
                                   [&](std::size_t place) { return judge.findings.table.components.Label(place); }));
  }
}

static void
JudgeNumberOfDefects(RuleJudge & judge)
{
  const auto clusters = ClustersOf(judge);
  const auto numbers = Mapped(clusters, [](const Cluster & cluster) { return static_cast<double>(cluster.size()); });
  // The number of clusters of two defects or more counts, and the one with most defects is named.
  const bool counts = judge.rule.rule == "clusters";
  const auto several = std::count_if(numbers.begin(), numbers.end(), [](double number) { return number > 1; });
  if (!counts || several > 0)
  {
    TakeCluster(judge, clusters, numbers);
  }
  if (counts)
  {
    judge.Take(static_cast<double>(several));
  }
}

static void
JudgeVolumeOfClusters(RuleJudge & judge)
{
  const ComponentTable &     table = judge.findings.table;
  const std::vector<Cluster> clusters = ClustersOf(judge);
  const auto                 size = ValuesOf(table, TotalsOf(table).sizeName);
  std::vector<double>        volumes;
  for (const Cluster & cluster : clusters)
  {
    // The size of all voxels is rounded like the size of a component.
    ComponentMeasures together = table.components[cluster.front()];
    together.voxelCount = 0;
    for (const std::size_t place : cluster)
    {
      together.voxelCount += table.components.VoxelCount(place);
    }
    volumes.push_back(size(together));
  }
  TakeCluster(judge, clusters, volumes);
}

static void
JudgeSizeOfClusters(RuleJudge & judge)
{
  const std::vector<Cluster> clusters = ClustersOf(judge);
  TakeCluster(judge, clusters, SizesOfClusters(judge.findings.table, judge.findings.runs, clusters));
}

static std::string
ExplainCluster(const AcceptanceRule & rule, const std::string &, const job::Language & language)
{
  const std::string limit = language.Decimal(Shortest(rule.limit));
  const std::string gap = language.Decimal(Shortest(rule.within > 0 ? rule.within : rule.withinDiameters));
  const std::string defects =
    language(rule.within > 0 ? "defects with a gap below {1} mm"
                             : "defects with a gap below {1} times the equivalent diameter of the larger one",
             { gap });
  return rule.rule == "clusters"
         ? language.Plural(
             rule.limit,
             "there is at most 1 cluster of two or more {2}|there are at most {1} clusters of two or more {2}",
             { defects })
         : language(rule.rule == "number-per-cluster"
                      ? "no cluster of {1} (a single defect is a cluster as well) has more than {2} of them"
                    : rule.rule == "volume-of-cluster"
                      ? "no cluster of {1} (a single defect is a cluster as well) has more than {2} mm3"
                      : "no cluster of {1} (a single defect is a cluster as well) reaches over more than {2} mm",
                    { defects, limit });
}

std::vector<Rule>
ClusterRules()
{
  return { { "clusters",
             "at_most_count within_mm|within_diameters",
             "",
             JudgeNumberOfDefects,
             ExplainCluster,
             "{1} cluster|{1} clusters" },
           { "number-per-cluster",
             "at_most_count within_mm|within_diameters",
             "",
             JudgeNumberOfDefects,
             ExplainCluster,
             "{1} defect in one cluster|{1} defects in one cluster" },
           { "volume-of-cluster", "at_most_mm3 within_mm|within_diameters", "", JudgeVolumeOfClusters, ExplainCluster },
           { "size-of-cluster", "at_most_mm within_mm|within_diameters", "", JudgeSizeOfClusters, ExplainCluster } };
}

} // namespace brickccl::batch
