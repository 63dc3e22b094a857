#include "BrickCCL/Batch/Acceptance.h"

#include "BrickCCL/Batch/Clusters.h"
#include "BrickCCL/Batch/ColumnValues.h"
#include "BrickCCL/Batch/ReferenceWindow.h"
#include "BrickCCL/Core/Counted.h"
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Labels/LabeledRuns.h"
#include "BrickCCL/Tables/ComponentTable.h"
#include "BrickCCL/Tables/Condition.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace brickccl::batch
{

namespace
{

/** The slices that a component has voxels in: [first, last]. */
std::pair<std::int64_t, std::int64_t>
SlicesOf(const ComponentMeasures & component)
{
  return { component.boxMinimum[2], component.boxMaximum[2] };
}

class RuleJudge
{
public:
  RuleJudge(const AcceptanceRule & rule, const Findings & findings)
    : m_Rule(rule)
    , m_Findings(findings)
    , m_Counts(findings.table.components.size(), true)
  {
    if (!rule.where.empty())
    {
      m_Counts = Condition(rule.where).Evaluate(findings.table);
    }
  }

  RuleResult
  Judge()
  {
    static const std::map<std::string, void (RuleJudge::*)()> judges = {
      { "largest", &RuleJudge::JudgeLargest },
      { "smallest", &RuleJudge::JudgeSmallest },
      { "porosity", &RuleJudge::JudgePorosity },
      { "porosity-per-slice", &RuleJudge::JudgePorosityOfSlices },
      { "number", &RuleJudge::JudgeNumber },
      { "number-per-slice", &RuleJudge::JudgeNumberOfSlices },
      { "near-surface", &RuleJudge::JudgeNearSurface },
      { "spacing", &RuleJudge::JudgeSpacing },
      { "porosity-per-area", &RuleJudge::JudgePorosityOfWindows },
      { "porosity-per-volume", &RuleJudge::JudgePorosityOfWindows },
      { "number-per-area", &RuleJudge::JudgeNumberOfWindows },
      { "number-per-volume", &RuleJudge::JudgeNumberOfWindows },
      { "clusters", &RuleJudge::JudgeClusters },
      { "number-per-cluster", &RuleJudge::JudgeNumberOfClusters },
      { "volume-of-cluster", &RuleJudge::JudgeVolumeOfClusters },
      { "size-of-cluster", &RuleJudge::JudgeSizeOfClusters },
    };
    const auto found = judges.find(m_Rule.rule);
    if (found == judges.end())
    {
      throw InvalidArgument("there is no rule of acceptance '" + m_Rule.rule + "'");
    }
    (this->*found->second)();
    return m_Result;
  }

private:
  /** Calls `function` for each defect that counts. */
  template <typename TFunction>
  void
  ForDefects(TFunction function) const
  {
    for (std::size_t place = 0; place < m_Counts.size(); ++place)
    {
      if (m_Counts[place])
      {
        function(m_Findings.table.components[place]);
      }
    }
  }

  void
  Decide(const ComponentMeasures & component)
  {
    m_Result.label = component.label;
    m_Result.slice = SliceOf(component);
  }

  /** Takes the component with the highest value (or with the lowest, if `sign` is -1). */
  void
  TakeExtreme(const std::string & column, double sign)
  {
    const auto value = ValuesOf(m_Findings.table, column);
    ForDefects([&](const ComponentMeasures & component) {
      const double own = value(component);
      if (!std::isnan(own) && (!m_Result.value || sign * own > sign * *m_Result.value))
      {
        m_Result.value = own;
        Decide(component);
      }
    });
  }

  /** Names the largest defect that counts, and is one of those for which `holds` is true. */
  template <typename TPredicate>
  void
  DecideByLargest(TPredicate holds)
  {
    std::uint64_t largest = 0;
    ForDefects([&](const ComponentMeasures & component) {
      if (holds(component) && component.voxelCount > largest)
      {
        largest = component.voxelCount;
        Decide(component);
      }
    });
  }

  void
  JudgeLargest()
  {
    TakeExtreme(m_Rule.column, 1);
    m_Result.passes = !m_Result.value || Condition::IsAtMost(*m_Result.value, m_Rule.limit);
    CheckIsDecided();
  }

  void
  JudgeSmallest()
  {
    TakeExtreme(m_Rule.column, -1);
    m_Result.passes = !m_Result.value || Condition::IsAtMost(m_Rule.limit, *m_Result.value);
    CheckIsDecided();
  }

  /** Nobody knows whether a defect keeps the limit whose value is not a number. */
  void
  CheckIsDecided()
  {
    if (m_Rule.column == "nearest_distance_mm")
    {
      return; // It is one that has no neighbour.
    }
    const auto value = ValuesOf(m_Findings.table, m_Rule.column);
    ForDefects([&](const ComponentMeasures & component) {
      if (std::isnan(value(component)) && m_Result.undecided++ == 0 && m_Result.passes)
      {
        m_Result.passes = false;
        m_Result.value.reset();
        Decide(component);
      }
    });
  }

  void
  JudgeSpacing()
  {
    TakeExtreme("nearest_distance_mm", -1);
    m_Result.passes = !m_Result.value || Condition::IsAtMost(m_Rule.limit, *m_Result.value);
  }

  void
  JudgePorosity()
  {
    std::uint64_t voxels = 0;
    ForDefects([&](const ComponentMeasures & component) { voxels += component.voxelCount; });
    const auto region = m_Findings.part ? m_Findings.table.partTotals.voxels
                                        : static_cast<std::uint64_t>(m_Findings.table.extent.VoxelCount());
    m_Result.value = region == 0 ? 0 : 100 * (static_cast<double>(voxels) / static_cast<double>(region));
    m_Result.passes = Condition::IsAtMost(*m_Result.value, m_Rule.limit);
    DecideByLargest([](const ComponentMeasures &) { return true; });
  }

  void
  JudgeNumber()
  {
    std::uint64_t count = 0;
    ForDefects([&](const ComponentMeasures &) { ++count; });
    TakeCount(count);
    DecideByLargest([](const ComponentMeasures &) { return true; });
  }

  void
  JudgeNearSurface()
  {
    const auto    distance = ValuesOf(m_Findings.table, "surface_distance_mm");
    std::uint64_t count = 0;
    // A distance that is the limit but for its last digits is not nearer.
    const double limit = m_Rule.within * (1 - Condition::Tolerance);
    const auto   isNear = [&](const ComponentMeasures & component) { return distance(component) < limit; };
    ForDefects([&](const ComponentMeasures & component) { count += isNear(component) ? 1 : 0; });
    TakeCount(count);
    DecideByLargest(isNear);
  }

  void
  TakeCount(std::uint64_t count)
  {
    m_Result.value = static_cast<double>(count);
    m_Result.passes = *m_Result.value <= m_Rule.limit;
  }

  std::int64_t
  SliceCount() const
  {
    return m_Findings.table.extent.size[2];
  }

  /** Takes the slice with the highest value. */
  void
  TakeSlice(const std::vector<double> & values)
  {
    const auto highest = std::max_element(values.begin(), values.end());
    const auto slice = std::distance(values.begin(), highest);
    m_Result.value = *highest;
    m_Result.passes = Condition::IsAtMost(*highest, m_Rule.limit);
    const std::int64_t start = m_Findings.table.geometry.startIndex[2];
    DecideByLargest([&](const ComponentMeasures & component) {
      const auto [first, last] = SlicesOf(component);
      return first <= slice + start && slice + start <= last;
    });
    m_Result.slice = slice + start;
  }

  /** A component has voxels in every slice between its first and its last one, since it is connected. */
  void
  JudgeNumberOfSlices()
  {
    std::vector<double> counts(static_cast<std::size_t>(SliceCount()) + 1, 0);
    const std::int64_t  start = m_Findings.table.geometry.startIndex[2];
    ForDefects([&](const ComponentMeasures & component) {
      const auto [first, last] = SlicesOf(component);
      counts[static_cast<std::size_t>(first - start)] += 1;
      counts[static_cast<std::size_t>(last - start) + 1] -= 1;
    });
    for (std::size_t slice = 1; slice < counts.size(); ++slice)
    {
      counts[slice] += counts[slice - 1];
    }
    counts.pop_back();
    TakeSlice(counts);
  }

  void
  JudgePorosityOfSlices()
  {
    const Extent &          extent = m_Findings.table.extent;
    std::vector<double>     shares(static_cast<std::size_t>(SliceCount()), 0);
    std::vector<LabeledRun> runs;
    const std::int64_t      rows = extent.size[1];
    for (std::int64_t slice = 0; slice < SliceCount(); ++slice)
    {
      std::int64_t voxels = 0;
      for (std::int64_t row = slice * rows; row < (slice + 1) * rows; ++row)
      {
        CollectLabeledRuns(m_Findings.runs, row, runs);
        for (const LabeledRun & run : runs)
        {
          voxels += m_Counts[static_cast<std::size_t>(run.label - 1)] ? run.end - run.begin : 0;
        }
      }
      const std::int64_t region = m_Findings.part ? PartVoxels(slice) : extent.size[0] * rows;
      shares[static_cast<std::size_t>(slice)] =
        region == 0 ? 0 : 100 * (static_cast<double>(voxels) / static_cast<double>(region));
    }
    TakeSlice(shares);
  }

  /** The number of voxels of the part in a slice. The mask has bytes. */
  std::int64_t
  PartVoxels(std::int64_t slice) const
  {
    const Extent &     extent = m_Findings.table.extent;
    const std::int64_t size = extent.size[0] * extent.size[1];
    const auto * const mask = static_cast<const std::uint8_t *>(m_Findings.part->data) + slice * size;
    return size - std::count(mask, mask + size, std::uint8_t{ 0 });
  }

  WindowContents
  Contents() const
  {
    return { m_Findings.runs, m_Counts, m_Findings.context };
  }

  ReferenceWindow
  Window() const
  {
    const ComponentTable & table = m_Findings.table;
    const bool             isVolume = m_Rule.rule == "porosity-per-volume" || m_Rule.rule == "number-per-volume";
    if (isVolume && table.extent.dimension < 3)
    {
      throw InvalidArgument("the rule " + m_Rule.rule + " needs a volume; this image has " +
                            Counted(table.extent.dimension, "dimension"));
    }
    return { m_Rule.reference, isVolume ? -1 : m_Rule.across, table.extent, table.geometry };
  }

  /** Takes the worst place of a window. \param scale  what its value is multiplied by */
  void
  TakeWindow(const ReferenceWindow & window, const std::optional<WorstPlace> & worst, double scale)
  {
    m_Result.value = worst ? scale * worst->value : 0;
    m_Result.passes = Condition::IsAtMost(*m_Result.value, m_Rule.limit);
    if (!worst)
    {
      return;
    }
    m_Result.labels = LabelsIn(Contents(), window, *worst);
    m_Result.window = RuleResult::Window{ worst->first, window.size };
    for (std::size_t axis = 0; axis < 3; ++axis)
    {
      m_Result.window->first[axis] += m_Findings.table.geometry.startIndex[axis];
    }
    DecideByLargestOf(m_Result.labels);
    if (m_Result.slice)
    {
      // The slice shows the defect and the window.
      const std::int64_t first = m_Result.window->first[2];
      m_Result.slice = std::clamp(*m_Result.slice, first, first + window.size[2] - 1);
    }
  }

  void
  DecideByLargestOf(const std::vector<std::uint64_t> & labels)
  {
    DecideByLargest([&](const ComponentMeasures & component) {
      return std::binary_search(labels.begin(), labels.end(), component.label);
    });
  }

  void
  JudgePorosityOfWindows()
  {
    const ReferenceWindow window = Window();
    const bool            isOfPart = m_Rule.leastPart > 0 && m_Findings.part;
    TakeWindow(window,
               HighestShare(Contents(),
                            window,
                            isOfPart ? m_Findings.part : std::nullopt,
                            isOfPart ? m_Rule.leastPart / 100 : 0),
               100);
  }

  void
  JudgeNumberOfWindows()
  {
    const ReferenceWindow window = Window();
    TakeWindow(window, HighestNumber(Contents(), window), 1);
  }

  std::vector<Cluster>
  Clusters() const
  {
    const ComponentTable & table = m_Findings.table;
    std::vector<double>    reach(m_Counts.size(), -1);
    const auto             diameter = ValuesOf(table, "equivalent_spherical_diameter_mm");
    for (std::size_t place = 0; place < reach.size(); ++place)
    {
      if (m_Counts[place])
      {
        reach[place] = m_Rule.within + m_Rule.withinDiameters * diameter(table.components[place]);
      }
    }
    return FindClusters(table, m_Findings.runs, reach, m_Findings.context);
  }

  /** Takes the first cluster with the highest value. */
  void
  TakeCluster(const std::vector<Cluster> & clusters, const std::vector<double> & values)
  {
    const auto highest = std::max_element(values.begin(), values.end());
    m_Result.value = highest == values.end() ? 0 : *highest;
    m_Result.passes = Condition::IsAtMost(*m_Result.value, m_Rule.limit);
    if (highest != values.end())
    {
      NameCluster(clusters[static_cast<std::size_t>(std::distance(values.begin(), highest))]);
    }
  }

  void
  NameCluster(const Cluster & cluster)
  {
    for (const std::size_t place : cluster)
    {
      m_Result.labels.push_back(m_Findings.table.components.Label(place));
    }
    DecideByLargestOf(m_Result.labels);
  }

  static std::vector<double>
  NumbersOf(const std::vector<Cluster> & clusters)
  {
    std::vector<double> numbers;
    for (const Cluster & cluster : clusters)
    {
      numbers.push_back(static_cast<double>(cluster.size()));
    }
    return numbers;
  }

  /** Counts the clusters of at least two defects, and names the one of most. */
  void
  JudgeClusters()
  {
    const std::vector<Cluster> clusters = Clusters();
    const std::vector<double>  numbers = NumbersOf(clusters);
    const auto count = std::count_if(numbers.begin(), numbers.end(), [](double number) { return number > 1; });
    if (count > 0)
    {
      TakeCluster(clusters, numbers);
    }
    TakeCount(static_cast<std::uint64_t>(count));
  }

  void
  JudgeNumberOfClusters()
  {
    const std::vector<Cluster> clusters = Clusters();
    TakeCluster(clusters, NumbersOf(clusters));
  }

  void
  JudgeVolumeOfClusters()
  {
    const ComponentTable &     table = m_Findings.table;
    const std::vector<Cluster> clusters = Clusters();
    const auto                 size = ValuesOf(table, TotalsOf(table).sizeName);
    std::vector<double>        volumes;
    for (const Cluster & cluster : clusters)
    {
      // The size of all voxels is rounded as that of a component.
      ComponentMeasures together = table.components[cluster.front()];
      together.voxelCount = 0;
      for (const std::size_t place : cluster)
      {
        together.voxelCount += table.components.VoxelCount(place);
      }
      volumes.push_back(size(together));
    }
    TakeCluster(clusters, volumes);
  }

  void
  JudgeSizeOfClusters()
  {
    const std::vector<Cluster> clusters = Clusters();
    TakeCluster(clusters, SizesOfClusters(m_Findings.table, m_Findings.runs, clusters));
  }

  const AcceptanceRule & m_Rule;
  const Findings &       m_Findings;
  std::vector<bool>      m_Counts;
  RuleResult             m_Result;
};

} // namespace

std::int64_t
SliceOf(const ComponentMeasures & component)
{
  return std::clamp(static_cast<std::int64_t>(std::llround(component.centroid[2])),
                    component.boxMinimum[2],
                    component.boxMaximum[2]);
}

void
CheckSurfaceDistances(const ComponentTable & table)
{
  const auto distance = ValuesOf(table, "surface_distance_mm");
  const auto isUnknown = [&](const ComponentMeasures & component) { return std::isnan(distance(component)); };
  if (std::any_of(table.components.begin(), table.components.end(), isUnknown))
  {
    throw InvalidArgument("the distance to the surface is not known, since the part reaches everywhere; [part] of the "
                          "recipe says which values it has");
  }
}

std::vector<RuleResult>
Judge(const std::vector<AcceptanceRule> & rules, const Findings & findings)
{
  std::vector<RuleResult> results;
  for (const AcceptanceRule & rule : rules)
  {
    results.push_back(RuleJudge(rule, findings).Judge());
  }
  return results;
}

} // namespace brickccl::batch
