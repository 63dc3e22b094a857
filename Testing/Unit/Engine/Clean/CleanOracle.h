// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_TESTING_CLEANORACLE_H
#define BRICKCCL_TESTING_CLEANORACLE_H

#include "FloodFill.h"
#include "BrickCCL/Clean/Clean.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace brickccl::testing
{

/** For each axis whether the image begins again behind its ends. */
using Periodic = std::array<bool, 4>;

inline PeriodicAxes
AxesOf(const Periodic & periodic)
{
  PeriodicAxes axes;
  for (int axis = 0; axis < 4; ++axis)
  {
    if (periodic[static_cast<std::size_t>(axis)])
    {
      axes.Add(axis);
    }
  }
  return axes;
}

struct LoopOptions
{
  int           rank = 1;
  int           backgroundRank = 0;
  int           sliceAxis = -1;
  Periodic      periodic = {};
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

/** The components of the voxels of one value, each with its voxels. */
inline std::vector<std::vector<std::size_t>>
ComponentsOf(const Extent &                   extent,
             const std::vector<long double> & values,
             long double                      value,
             int                              rank,
             int                              sliceAxis,
             const Periodic &                 periodic)
{
  FloodFillProblem problem;
  problem.extent = extent;
  problem.values = values;
  problem.criterion = Criterion::InRange(value, value);
  problem.rank = rank;
  problem.sliceAxis = sliceAxis;
  problem.periodic = periodic;
  const auto                            labels = FloodFill(problem);
  std::vector<std::vector<std::size_t>> components(
    static_cast<std::size_t>(*std::max_element(labels.begin(), labels.end())));
  for (std::size_t i = 0; i < labels.size(); ++i)
  {
    if (labels[i] != 0)
    {
      components[static_cast<std::size_t>(labels[i] - 1)].push_back(i);
    }
  }
  return components;
}

struct HoleProblem
{
  Extent                           extent;
  const std::vector<long double> & values;
  long double                      background = 0;
  int                              rank = 1;
  int                              sliceAxis = -1;
  Periodic                         periodic = {};
};

struct Hole
{
  std::vector<std::size_t> voxels;
  /** The value that it shares the most faces with, the smallest of several. */
  std::optional<long double> around;
  /** Whether it shares faces with no other value. */
  bool isOfOne = false;
};

/** Whether a voxel lies at an end of an axis that is neither left out nor periodic and has more than one voxel, or
 * there is none. */
inline bool
IsAtBorder(const Extent & extent, int sliceAxis, std::size_t voxel, const Periodic & periodic = {})
{
  bool isAtBorder = false;
  bool hasBorder = false;
  for (int axis = 0; axis < extent.dimension; ++axis)
  {
    const auto size = static_cast<std::size_t>(extent.size[axis]);
    if (axis != sliceAxis && size > 1 && !periodic[static_cast<std::size_t>(axis)])
    {
      hasBorder = true;
      isAtBorder = isAtBorder || voxel % size == 0 || voxel % size == size - 1;
    }
    voxel /= size;
  }
  return isAtBorder || !hasBorder;
}

inline std::vector<Hole>
FindHoles(const HoleProblem & problem)
{
  const Extent &    extent = problem.extent;
  std::vector<Hole> holes;
  for (const auto & voxels :
       ComponentsOf(extent, problem.values, problem.background, problem.rank, problem.sliceAxis, problem.periodic))
  {
    if (std::any_of(voxels.begin(), voxels.end(), [&](std::size_t i) {
          return IsAtBorder(extent, problem.sliceAxis, i, problem.periodic);
        }))
    {
      continue;
    }
    std::map<long double, std::uint64_t> faces;
    for (const std::size_t i : voxels)
    {
      std::size_t stride = 1;
      for (int axis = 0; axis < extent.dimension; ++axis)
      {
        // A voxel of a hole is the first or last one only along periodic axes.
        const auto size = static_cast<std::size_t>(extent.size[axis]);
        if (axis != problem.sliceAxis && size > 1)
        {
          const std::size_t at = i / stride % size;
          const std::size_t first = i - at * stride;
          ++faces[problem.values[first + (at + size - 1) % size * stride]];
          ++faces[problem.values[first + (at + 1) % size * stride]];
        }
        stride *= size;
      }
    }
    faces.erase(problem.background);
    holes.push_back({ voxels, {}, faces.size() == 1 });
    if (!faces.empty())
    {
      // Of the largest in a map, the smallest value comes first.
      holes.back().around = std::max_element(faces.begin(), faces.end(), [](const auto & a, const auto & b) {
                              return a.second < b.second;
                            })->first;
    }
  }
  return holes;
}

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

  void
  RemoveOfClass(long double value)
  {
    auto components = ComponentsOf(m_Extent, m_Values, value, m_Options.rank, m_Options.sliceAxis, m_Options.periodic);
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
    HoleProblem problem{ m_Extent, m_Values };
    problem.background = m_Options.background;
    const int axes = m_Extent.dimension - (m_Options.sliceAxis >= 0 ? 1 : 0);
    problem.rank = m_Options.backgroundRank != 0 ? m_Options.backgroundRank : m_Options.rank == 1 ? axes : 1;
    problem.sliceAxis = m_Options.sliceAxis;
    problem.periodic = m_Options.periodic;
    for (const Hole & hole : FindHoles(problem))
    {
      if (hole.voxels.size() <= m_Options.maximumHole && hole.isOfOne && IsAsked(*hole.around))
      {
        ++m_Classes[*hole.around].filledHoles;
        m_Classes[*hole.around].filledVoxels += hole.voxels.size();
        for (const std::size_t i : hole.voxels)
        {
          m_Values[i] = *hole.around;
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
