#ifndef BRICKCCL_TESTING_CLEANORACLE_H
#define BRICKCCL_TESTING_CLEANORACLE_H

#include "FloodFill.h"
#include "BrickCCL/Clean/CleanOptions.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <vector>

namespace brickccl::testing
{

struct LoopOptions
{
  int           rank = 1;
  int           backgroundRank = 0;
  int           sliceAxis = -1;
  long double   background = 0;
  std::uint64_t minimumSize = 0;
  std::uint64_t largest = 0;
  bool          fills = false;
  std::uint64_t maximumHole = std::numeric_limits<std::uint64_t>::max();

  std::vector<Number> values;
};

struct LoopResult
{
  std::vector<long double> values;
  CleanReport              report;
};

/** Cleans by one flood fill for each class, and voxel by voxel. */
class LoopCleaner
{
public:
  LoopCleaner(const Extent & extent, const std::vector<long double> & values, const LoopOptions & options)
    : m_Extent(extent)
    , m_Options(options)
    , m_Values(values)
  {}

  LoopResult
  Run()
  {
    const std::set<long double> found(m_Values.begin(), m_Values.end());
    for (const long double value : found)
    {
      if (IsAsked(value))
      {
        RemoveOfClass(value);
      }
    }
    if (m_Options.fills)
    {
      FillHoles();
    }
    LoopResult result;
    result.values = m_Values;
    for (const auto & [value, one] : m_Classes)
    {
      result.report.classes.push_back(one);
    }
    return result;
  }

private:
  bool
  IsAsked(long double value) const
  {
    const auto & asked = m_Options.values;
    return value != m_Options.background &&
           (asked.empty() || std::find(asked.begin(), asked.end(), value) != asked.end());
  }

  /** The components of the voxels of one value, each with its voxels. */
  std::vector<std::vector<std::size_t>>
  ComponentsOf(long double value, int rank) const
  {
    FloodFillProblem problem;
    problem.extent = m_Extent;
    problem.values = m_Values;
    problem.criterion = Criterion::InRange(value, value);
    problem.rank = rank;
    problem.sliceAxis = m_Options.sliceAxis;
    const auto                            labels = FloodFill(problem);
    std::vector<std::vector<std::size_t>> components(
      labels.empty() ? 0 : static_cast<std::size_t>(*std::max_element(labels.begin(), labels.end())));
    for (std::size_t i = 0; i < labels.size(); ++i)
    {
      if (labels[i] != 0)
      {
        components[static_cast<std::size_t>(labels[i] - 1)].push_back(i);
      }
    }
    return components;
  }

  void
  RemoveOfClass(long double value)
  {
    auto           components = ComponentsOf(value, m_Options.rank);
    CleanedClass & report = m_Classes[value];
    report.value = value;
    report.components = components.size();
    std::stable_sort(components.begin(), components.end(), [](const auto & a, const auto & b) {
      return a.size() > b.size();
    });
    for (std::size_t c = 0; c < components.size(); ++c)
    {
      report.voxels += components[c].size();
      if (components[c].size() < m_Options.minimumSize || (m_Options.largest != 0 && c >= m_Options.largest))
      {
        ++report.removedComponents;
        report.removedVoxels += components[c].size();
        for (const std::size_t i : components[c])
        {
          m_Values[i] = m_Options.background;
        }
      }
    }
  }

  void
  FillHoles()
  {
    const int  axes = m_Extent.dimension - (m_Options.sliceAxis >= 0 ? 1 : 0);
    const int  dual = m_Options.rank == 1 ? axes : 1;
    const auto before = m_Values;
    for (const auto & hole :
         ComponentsOf(m_Options.background, m_Options.backgroundRank != 0 ? m_Options.backgroundRank : dual))
    {
      std::map<long double, std::uint64_t> faces;
      bool                                 touchesBorder = false;
      bool                                 hasBorder = false;
      for (const std::size_t i : hole)
      {
        std::size_t stride = 1;
        for (int axis = 0; axis < m_Extent.dimension; ++axis)
        {
          const auto size = static_cast<std::size_t>(m_Extent.size[axis]);
          const auto at = i / stride % size;
          if (axis != m_Options.sliceAxis && size > 1)
          {
            hasBorder = true;
            touchesBorder = touchesBorder || at == 0 || at + 1 == size;
            for (const bool up : { false, true })
            {
              if (up ? at + 1 < size : at > 0)
              {
                const long double neighbour = before[up ? i + stride : i - stride];
                faces[neighbour] += neighbour != m_Options.background ? 1 : 0;
              }
            }
          }
          stride *= size;
        }
      }
      if (!hasBorder || touchesBorder || hole.size() > m_Options.maximumHole)
      {
        continue;
      }
      faces.erase(m_Options.background);
      // The first of the largest in a map is the one of the smallest value.
      const auto winner = std::max_element(faces.begin(), faces.end(), [](const auto & a, const auto & b) {
        return a.second < b.second;
      });
      if (winner != faces.end() && IsAsked(winner->first))
      {
        ++m_Classes[winner->first].filledHoles;
        m_Classes[winner->first].filledVoxels += hole.size();
        for (const std::size_t i : hole)
        {
          m_Values[i] = winner->first;
        }
      }
    }
  }

  const Extent                        m_Extent;
  const LoopOptions                   m_Options;
  std::vector<long double>            m_Values;
  std::map<long double, CleanedClass> m_Classes;
};

inline LoopResult
CleanByLoops(const Extent & extent, const std::vector<long double> & values, const LoopOptions & options)
{
  return LoopCleaner(extent, values, options).Run();
}

} // namespace brickccl::testing

#endif
