// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Clean/Holes.h"
#include "BrickCCL/Runs/FindRuns.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

namespace brickccl
{

template <typename T>
bool
IsNaN([[maybe_unused]] T value)
{
  if constexpr (std::is_floating_point_v<T>)
  {
    return std::isnan(value);
  }
  return false;
}

/** How many faces holes share with the voxels of each value. */
template <typename T>
class HoleWalls
{
public:
  struct Wall
  {
    std::uint64_t hole;
    T             value;
    std::uint64_t faces;
  };

  void
  Add(std::uint64_t hole, T value, std::uint64_t faces)
  {
    if (!m_Walls.empty() && m_Walls.back().hole == hole && m_Walls.back().value == value)
    {
      m_Walls.back().faces += faces;
      return;
    }
    if (m_Walls.size() >= m_Limit)
    {
      Unite();
      m_Limit = std::max(m_Limit, 2 * m_Walls.size());
    }
    m_Walls.push_back({ hole, value, faces });
  }

  /** Adds the faces of the hole with the voxels [first, last) of a row, except with the background and with NaN. A
   *  function of its own, since walks over runs have several places that would hold a copy of it. */
  [[gnu::noinline]] void
  AddFaces(std::uint64_t hole, const T * voxels, std::int64_t first, std::int64_t last, T backgroundValue)
  {
    for (std::int64_t x = first, next = 0; x < last; x = next)
    {
      const T value = voxels[x];
      for (next = x + 1; next < last && voxels[next] == value;)
      {
        ++next;
      }
      if (value != backgroundValue && !IsNaN(value))
      {
        Add(hole, value, static_cast<std::uint64_t>(next - x));
      }
    }
  }

  void
  Add(const HoleWalls & other)
  {
    for (const Wall & wall : other.m_Walls)
    {
      Add(wall.hole, wall.value, wall.faces);
    }
  }

  /** Sorts by hole and value, and makes one of the walls of the same hole and value. */
  void
  Unite()
  {
    std::sort(m_Walls.begin(), m_Walls.end(), [](const Wall & a, const Wall & b) {
      return a.hole != b.hole ? a.hole < b.hole : a.value < b.value;
    });
    std::size_t count = 0;
    for (const Wall & wall : m_Walls)
    {
      if (count > 0 && m_Walls[count - 1].hole == wall.hole && m_Walls[count - 1].value == wall.value)
      {
        m_Walls[count - 1].faces += wall.faces;
      }
      else
      {
        m_Walls[count++] = wall;
      }
    }
    m_Walls.resize(count);
  }

  /** For each hole the value that it shares the most faces with, the smallest of several; none without a wall. */
  std::vector<std::optional<T>>
  Largest(std::uint64_t holes)
  {
    Unite();
    std::vector<std::optional<T>> values(static_cast<std::size_t>(holes));
    std::uint64_t                 largest = 0;
    for (const Wall & wall : m_Walls)
    {
      std::optional<T> & value = values[static_cast<std::size_t>(wall.hole)];
      if (!value || wall.faces > largest)
      {
        value = wall.value;
        largest = wall.faces;
      }
    }
    return values;
  }

  /** For each hole the value of all its walls. Holes between several values, or without a wall, have none. */
  std::vector<std::optional<T>>
  Only(std::uint64_t holes)
  {
    Unite();
    std::vector<std::optional<T>> values(static_cast<std::size_t>(holes));
    for (std::size_t i = 0; i < m_Walls.size(); ++i)
    {
      const std::uint64_t hole = m_Walls[i].hole;
      if ((i == 0 || m_Walls[i - 1].hole != hole) && (i + 1 == m_Walls.size() || m_Walls[i + 1].hole != hole))
      {
        values[static_cast<std::size_t>(hole)] = m_Walls[i].value;
      }
    }
    return values;
  }

private:
  std::vector<Wall> m_Walls;
  /** More walls than these are united before one more is added. */
  std::size_t m_Limit = std::size_t{ 1 } << 18;
};

/** The rows that share faces with rows, along axes on which neighbors may differ, also through periodic ends. */
class FaceRows
{
public:
  FaceRows(const Extent & extent, const Connectivity & connectivity, const PeriodicAxes & periodic)
    : m_Extent(extent)
    , m_AlongX(connectivity.Uses(0))
    , m_Periodic(periodic)
  {
    std::int64_t stride = 1;
    for (int axis = 1; axis < extent.dimension; ++axis)
    {
      m_Stride[axis] = connectivity.Uses(axis) ? stride : 0;
      stride *= extent.size[axis];
    }
  }

  /** Calls `function(row, begin, end)` for the stretches of voxels that share a face with [begin, end) of a row. */
  template <typename TFunction>
  void
  ForEach(std::int64_t row, const RowPosition & position, std::int64_t begin, std::int64_t end, TFunction function)
    const
  {
    const std::int64_t length = m_Extent.RowLength();
    if (m_AlongX && (begin > 0 || m_Periodic.Has(0)))
    {
      const std::int64_t before = begin > 0 ? begin - 1 : length - 1;
      function(row, before, before + 1);
    }
    if (m_AlongX && (end < length || m_Periodic.Has(0)))
    {
      const std::int64_t behind = end < length ? end : 0;
      function(row, behind, behind + 1);
    }
    for (int axis = 1; axis < m_Extent.dimension; ++axis)
    {
      const std::int64_t at = position.at[axis - 1];
      const std::int64_t last = m_Extent.size[axis] - 1;
      if (m_Stride[axis] != 0 && (at > 0 || m_Periodic.Has(axis)))
      {
        function(row + (at > 0 ? -1 : last) * m_Stride[axis], begin, end);
      }
      if (m_Stride[axis] != 0 && (at < last || m_Periodic.Has(axis)))
      {
        function(row + (at < last ? 1 : -last) * m_Stride[axis], begin, end);
      }
    }
  }

private:
  Extent       m_Extent;
  bool         m_AlongX;
  PeriodicAxes m_Periodic;
  std::int64_t m_Stride[MaximumDimension] = {};
};

/** Counts the faces that the holes of a labeled background share with voxels of `image` except background and NaN. */
template <typename T>
HoleWalls<T>
CountHoleWalls(const RunVolume &    background,
               const Holes &        holes,
               const Connectivity & connectivity,
               const PeriodicAxes & periodic,
               const T *            image,
               T                    backgroundValue,
               const HostContext &  context)
{
  const Extent              extent = background.GetExtent();
  const FaceRows            faces(extent, connectivity, periodic);
  const Chunks              chunks = RowChunks(extent, context);
  std::vector<HoleWalls<T>> walls(static_cast<std::size_t>(chunks.count));
  ParallelFor(chunks.count, context, [&](std::int64_t chunk) {
    HoleWalls<T> & own = walls[static_cast<std::size_t>(chunk)];
    for (std::int64_t row = chunks.Begin(chunk); row < chunks.End(chunk); ++row)
    {
      const RowPosition position(extent, row);
      background.ForEachRun(row, [&](std::int64_t begin, std::int64_t end, std::uint64_t run) {
        const std::uint64_t hole = holes.OfLabel(background.Label(run));
        if (hole == Holes::None)
        {
          return;
        }
        faces.ForEach(row, position, begin, end, [&](std::int64_t other, std::int64_t first, std::int64_t last) {
          own.AddFaces(hole, image + other * extent.RowLength(), first, last, backgroundValue);
        });
      });
    }
    own.Unite();
  });
  HoleWalls<T> all;
  for (HoleWalls<T> & own : walls)
  {
    all.Add(std::exchange(own, {}));
  }
  return all;
}

/** Gives the voxels of each hole that has a value this value. */
template <typename T>
void
WriteHoles(const RunVolume &                     background,
           const Holes &                         holes,
           const std::vector<std::optional<T>> & values,
           T *                                   image,
           const HostContext &                   context)
{
  const Extent extent = background.GetExtent();
  const Chunks chunks = RowChunks(extent, context);
  ParallelFor(chunks.count, context, [&](std::int64_t chunk) {
    for (std::int64_t row = chunks.Begin(chunk); row < chunks.End(chunk); ++row)
    {
      T * const voxels = image + row * extent.RowLength();
      background.ForEachRun(row, [&](std::int64_t begin, std::int64_t end, std::uint64_t run) {
        const std::uint64_t hole = holes.OfLabel(background.Label(run));
        if (hole != Holes::None && values[static_cast<std::size_t>(hole)])
        {
          std::fill(voxels + begin, voxels + end, *values[static_cast<std::size_t>(hole)]);
        }
      });
    }
  });
}

} // namespace brickccl
