// SPDX-License-Identifier: Apache-2.0
// Rules on clusters, defects that are close to each other.

#include "BrickCCL/Batch/Clusters.h"
#include "BrickCCL/Batch/ColumnValues.h"
#include "BrickCCL/Batch/Rules.h"
#include "BrickCCL/Batch/Rules/RuleJudge.h"
#include "BrickCCL/Core/Printable.h"

#include <algorithm>

namespace brickccl::batch
{

namespace
{

std::vector<Cluster>
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
void
TakeCluster(RuleJudge & judge, const std::vector<Cluster> & clusters, const std::vector<double> & values)
{
  const auto highest = std::max_element(values.begin(), values.end());
  judge.Take(highest == values.end() ? 0 : *highest);
  if (highest != values.end())
  {
    std::vector<std::uint64_t> labels;
    for (const std::size_t place : clusters[static_cast<std::size_t>(std::distance(values.begin(), highest))])
    {
      labels.push_back(judge.findings.table.components.Label(place));
    }
    judge.DecideByLargestOf(labels);
  }
}

void
JudgeNumberOfDefects(RuleJudge & judge)
{
  const std::vector<Cluster> clusters = ClustersOf(judge);
  std::vector<double>        numbers;
  for (const Cluster & cluster : clusters)
  {
    numbers.push_back(static_cast<double>(cluster.size()));
  }
  // Of clusters of two defects or more the number counts, and the one of most is named.
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

void
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

void
JudgeSizeOfClusters(RuleJudge & judge)
{
  const std::vector<Cluster> clusters = ClustersOf(judge);
  TakeCluster(judge, clusters, SizesOfClusters(judge.findings.table, judge.findings.runs, clusters));
}

std::string
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

} // namespace

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
