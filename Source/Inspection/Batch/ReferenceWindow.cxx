// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Batch/ReferenceWindow.h"

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Labels/LabeledRuns.h"
#include "BrickCCL/Tables/Condition.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

namespace brickccl::batch
{

namespace
{

/** A part of a slice: the voxels of the columns [x, x + width) and the rows [y, y + height). */
struct SliceBox
{
  std::int64_t x = 0;
  std::int64_t y = 0;
  std::int64_t width = 0;
  std::int64_t height = 0;
};

/** For each column of a box, the number of marked voxels in the window's slices; runs of slices come and go. */
class ColumnSums
{
public:
  explicit ColumnSums(const SliceBox & box)
    : m_Box(box)
    , m_Sums(static_cast<std::size_t>(box.width * box.height))
  {}

  void
  Add(std::int64_t y, std::int64_t begin, std::int64_t end, std::int32_t sign)
  {
    std::int32_t * const row = m_Sums.data() + (y - m_Box.y) * m_Box.width - m_Box.x;
    for (std::int64_t x = begin; x < end; ++x)
    {
      row[x] += sign;
    }
  }

  /** Calls `visit(y, sums)` for each first row y of a window of this many rows, with the sum of each column of the box
   *  over the window's rows. \param rows  the number of rows of the image. */
  template <typename TVisit>
  void
  ForWindows(std::int64_t windowHeight, std::int64_t rows, TVisit && visit) const
  {
    std::vector<std::int64_t> sums(static_cast<std::size_t>(m_Box.width));
    const std::int64_t        first = std::max<std::int64_t>(0, m_Box.y - windowHeight + 1);
    const std::int64_t        last = std::min(m_Box.y + m_Box.height - 1, rows - windowHeight);
    std::int64_t              added = m_Box.y;
    for (std::int64_t y = first; y <= last; ++y)
    {
      for (; added < std::min(y + windowHeight, m_Box.y + m_Box.height); ++added)
      {
        AddRow(added, 1, sums);
      }
      if (y > first && y - 1 >= m_Box.y)
      {
        AddRow(y - 1, -1, sums);
      }
      visit(y, sums);
    }
  }

private:
  void
  AddRow(std::int64_t y, std::int64_t sign, std::vector<std::int64_t> & sums) const
  {
    const std::int32_t * const row = m_Sums.data() + (y - m_Box.y) * m_Box.width;
    for (std::size_t x = 0; x < sums.size(); ++x)
    {
      sums[x] += sign * row[x];
    }
  }

  SliceBox                  m_Box;
  std::vector<std::int32_t> m_Sums;
};

/** Cuts the places of a window along z into chunks, looks for the worst place of each, and takes the worst of all.
 *  \param slices  the most places of a chunk
 * \param search  its Search(begin, end) looks at the places begin <= z < end. */
template <typename TSearch>
std::optional<WorstPlace>
WorstOfChunks(const WindowContents &  contents,
              const ReferenceWindow & window,
              std::int64_t            slices,
              const TSearch &         search)
{
  const std::int64_t                     places = contents.runs.GetExtent().size[2] - window.size[2] + 1;
  const Chunks                           chunks(places, 1, std::max<std::int64_t>(1, (places + slices - 1) / slices));
  std::vector<std::optional<WorstPlace>> worst(static_cast<std::size_t>(chunks.count));
  ParallelFor(chunks.count, contents.context, [&](std::int64_t chunk) {
    worst[static_cast<std::size_t>(chunk)] = search.Search(chunks.Begin(chunk), chunks.End(chunk));
  });
  std::optional<WorstPlace> all;
  for (const std::optional<WorstPlace> & one : worst)
  {
    all = one && (!all || one->value > all->value) ? one : all;
  }
  return all;
}

class ShareSearch
{
public:
  ShareSearch(const WindowContents &           contents,
              const ReferenceWindow &          window,
              const std::optional<ImageView> & part,
              double                           leastPart)
    : m_Contents(contents)
    , m_Window(window)
    , m_Part(part)
    , m_LeastPart(leastPart * static_cast<double>(window.VoxelCount()))
  {}

  std::optional<WorstPlace>
  Search(std::int64_t begin, std::int64_t end) const
  {
    const SliceBox            all{ 0, 0, m_Extent.size[0], m_Extent.size[1] };
    ColumnSums                defects(all);
    ColumnSums                part(m_Part ? all : SliceBox{});
    std::optional<WorstPlace> worst;
    for (std::int64_t z = begin; z < begin + m_Window.size[2] - 1; ++z)
    {
      AddSlice(z, 1, defects, part);
    }
    for (std::int64_t z = begin; z < end; ++z)
    {
      AddSlice(z + m_Window.size[2] - 1, 1, defects, part);
      LookAt(z, defects, part, worst);
      AddSlice(z, -1, defects, part);
    }
    return worst;
  }

private:
  void
  AddSlice(std::int64_t z, std::int32_t sign, ColumnSums & defects, ColumnSums & part) const
  {
    const std::int64_t rows = m_Extent.size[1];
    ForEachLabeledRun(m_Contents.runs, z * rows, (z + 1) * rows, [&](std::int64_t row, const LabeledRun & run) {
      if (m_Contents.counts[static_cast<std::size_t>(run.label - 1)])
      {
        defects.Add(row - z * rows, run.begin, run.end, sign);
      }
    });
    for (std::int64_t y = 0; m_Part && y < rows; ++y)
    {
      const auto * const mask = static_cast<const std::uint8_t *>(m_Part->data) + (z * rows + y) * m_Extent.size[0];
      for (std::int64_t x = 0; x < m_Extent.size[0]; ++x)
      {
        if (mask[x] != 0)
        {
          part.Add(y, x, x + 1, sign);
        }
      }
    }
  }

  /** Looks at all windows whose first slice is z. */
  void
  LookAt(std::int64_t z, const ColumnSums & defects, const ColumnSums & part, std::optional<WorstPlace> & worst) const
  {
    const std::vector<std::int64_t> marked = SumsOfWindows(defects);
    const std::vector<std::int64_t> regions =
      m_Part ? SumsOfWindows(part) : std::vector<std::int64_t>(marked.size(), m_Window.VoxelCount());
    const std::int64_t placesX = m_Extent.size[0] - m_Window.size[0] + 1;
    for (std::size_t i = 0; i < marked.size(); ++i)
    {
      const auto   region = static_cast<double>(regions[i]);
      const double share = static_cast<double>(marked[i]) / region;
      if (region > 0 && Condition::IsAtMost(m_LeastPart, region) && (!worst || share > worst->value))
      {
        const auto place = static_cast<std::int64_t>(i);
        worst = WorstPlace{ share, { place % placesX, place / placesX, z } };
      }
    }
  }

  /** The sum of each window in the slices of `columns`, in raster order. */
  std::vector<std::int64_t>
  SumsOfWindows(const ColumnSums & columns) const
  {
    const auto                width = static_cast<std::size_t>(m_Window.size[0]);
    std::vector<std::int64_t> windows;
    columns.ForWindows(m_Window.size[1], m_Extent.size[1], [&](std::int64_t, const std::vector<std::int64_t> & sums) {
      std::int64_t voxels = 0;
      for (std::size_t x = 0; x < sums.size(); ++x)
      {
        voxels += sums[x] - (x < width ? 0 : sums[x - width]);
        if (x + 1 >= width)
        {
          windows.push_back(voxels);
        }
      }
    });
    return windows;
  }

  const WindowContents &           m_Contents;
  const ReferenceWindow &          m_Window;
  const Extent &                   m_Extent = m_Contents.runs.GetExtent();
  const std::optional<ImageView> & m_Part;
  double                           m_LeastPart;
};

/** The number of components in windows. For each component, the windows that have a voxel of it are counted: in a row
 *  of places they are stretches, of which the beginnings and the ends are kept. */
class NumberSearch
{
public:
  NumberSearch(const WindowContents & contents, const ReferenceWindow & window)
    : m_Contents(contents)
    , m_Window(window)
  {}

  std::optional<WorstPlace>
  Search(std::int64_t begin, std::int64_t end) const
  {
    std::vector<std::vector<Run>> components = RunsOfSlices(begin, end + m_Window.size[2] - 1);
    std::vector<std::int32_t>     changes(static_cast<std::size_t>((m_PlacesX + 1) * m_PlacesY * (end - begin)));
    for (std::vector<Run> & runs : components)
    {
      if (!runs.empty())
      {
        AddComponent(runs, begin, end, changes);
        runs = {};
      }
    }
    std::optional<WorstPlace> worst;
    std::size_t               at = 0;
    for (std::int64_t z = begin; z < end; ++z)
    {
      for (std::int64_t y = 0; y < m_PlacesY; ++y, ++at)
      {
        std::int64_t number = 0;
        for (std::int64_t x = 0; x < m_PlacesX; ++x, ++at)
        {
          number += changes[at];
          if (!worst || static_cast<double>(number) > worst->value)
          {
            worst = WorstPlace{ static_cast<double>(number), { x, y, z } };
          }
        }
      }
    }
    return worst;
  }

private:
  struct Run
  {
    std::int64_t z;
    std::int64_t y;
    std::int64_t begin;
    std::int64_t end;
  };

  /** The runs of each component that counts, in raster order. */
  std::vector<std::vector<Run>>
  RunsOfSlices(std::int64_t begin, std::int64_t end) const
  {
    std::vector<std::vector<Run>> components(m_Contents.counts.size());
    const std::int64_t            rows = m_Extent.size[1];
    ForEachLabeledRun(m_Contents.runs, begin * rows, end * rows, [&](std::int64_t row, const LabeledRun & run) {
      const auto place = static_cast<std::size_t>(run.label - 1);
      if (m_Contents.counts[place])
      {
        components[place].push_back({ row / rows, row % rows, run.begin, run.end });
      }
    });
    return components;
  }

  static SliceBox
  BoxOf(const std::vector<Run> & runs)
  {
    Run          box = runs.front();
    std::int64_t last = box.y;
    for (const Run & run : runs)
    {
      box.y = std::min(box.y, run.y);
      last = std::max(last, run.y);
      box.begin = std::min(box.begin, run.begin);
      box.end = std::max(box.end, run.end);
    }
    return { box.begin, box.y, box.end - box.begin, last - box.y + 1 };
  }

  void
  AddComponent(const std::vector<Run> &    runs,
               std::int64_t                begin,
               std::int64_t                end,
               std::vector<std::int32_t> & changes) const
  {
    const SliceBox     box = BoxOf(runs);
    ColumnSums         sums(box);
    auto               coming = runs.begin();
    auto               going = runs.begin();
    const std::int64_t first = std::max(begin, runs.front().z - m_Window.size[2] + 1);
    const std::int64_t last = std::min(end - 1, runs.back().z);
    for (std::int64_t z = first; z <= last; ++z)
    {
      for (; coming != runs.end() && coming->z < z + m_Window.size[2]; ++coming)
      {
        sums.Add(coming->y, coming->begin, coming->end, 1);
      }
      for (; going != coming && going->z < z; ++going)
      {
        sums.Add(going->y, going->begin, going->end, -1);
      }
      sums.ForWindows(m_Window.size[1], m_Extent.size[1], [&](std::int64_t y, const std::vector<std::int64_t> & row) {
        AddRow(row, box.x, changes.data() + ((z - begin) * m_PlacesY + y) * (m_PlacesX + 1));
      });
    }
  }

  /** Adds the windows of a row of places that have a voxel in one of the columns that are not 0. */
  void
  AddRow(const std::vector<std::int64_t> & columns, std::int64_t x, std::int32_t * changes) const
  {
    const auto   width = static_cast<std::int64_t>(columns.size());
    std::int64_t counted = 0;
    for (std::int64_t begin = 0; begin < width; ++begin)
    {
      if (columns[static_cast<std::size_t>(begin)] == 0)
      {
        continue;
      }
      std::int64_t end = begin + 1;
      while (end < width && columns[static_cast<std::size_t>(end)] != 0)
      {
        ++end;
      }
      const std::int64_t first = std::max(counted, x + begin - m_Window.size[0] + 1);
      counted = std::max(first, std::min(x + end, m_PlacesX));
      ++changes[first];
      --changes[counted];
      begin = end;
    }
  }

  const WindowContents &  m_Contents;
  const ReferenceWindow & m_Window;
  const Extent &          m_Extent = m_Contents.runs.GetExtent();
  std::int64_t            m_PlacesX = m_Extent.size[0] - m_Window.size[0] + 1;
  std::int64_t            m_PlacesY = m_Extent.size[1] - m_Window.size[1] + 1;
};

bool
DoesAnyCount(const WindowContents & contents)
{
  return std::find(contents.counts.begin(), contents.counts.end(), true) != contents.counts.end();
}

} // namespace

ReferenceWindow::ReferenceWindow(double side, int across, const Extent & extent, const Geometry & geometry)
{
  for (int axis = 0; axis < 3; ++axis)
  {
    if (axis == across)
    {
      continue;
    }
    const char         name = static_cast<char>('x' + axis);
    const double       voxels = std::round(side / geometry.spacing[axis]);
    const std::int64_t available = extent.size[axis];
    ThrowIf<InvalidArgument>(!(voxels >= 1),
                             "reference_mm = " + Shortest(side) + " is less than half a voxel, which has " +
                               Shortest(geometry.spacing[axis]) + " mm along " + name);
    ThrowIf<InvalidArgument>(voxels > static_cast<double>(available),
                             "reference_mm = " + Shortest(side) + " is larger than the image, which has " +
                               std::to_string(available) + " voxels of " + Shortest(geometry.spacing[axis]) +
                               " mm along " + name);
    size[static_cast<std::size_t>(axis)] = static_cast<std::int64_t>(voxels);
  }
}

std::optional<WorstPlace>
HighestShare(const WindowContents &           contents,
             const ReferenceWindow &          window,
             const std::optional<ImageView> & part,
             double                           leastPart)
{
  if (!DoesAnyCount(contents))
  {
    return {};
  }
  const ShareSearch search(contents, window, part, leastPart);
  // Each chunk adds the slices of its first window again, so there are few.
  const std::int64_t slices = std::max<std::int64_t>(window.size[2], 16);
  auto               worst = WorstOfChunks(contents, window, slices, search);
  ThrowIf<InvalidArgument>(!worst,
                           "no window of reference_mm is inside the part by " +
                             Shortest(std::round(1e11 * leastPart) / 1e9) +
                             " %; lower reference_mm or least_part_percent");
  return worst;
}

std::optional<WorstPlace>
HighestNumber(const WindowContents & contents, const ReferenceWindow & window)
{
  if (!DoesAnyCount(contents))
  {
    return {};
  }
  const NumberSearch search(contents, window);
  const Extent &     extent = contents.runs.GetExtent();
  // The changes of a chunk take 4 bytes for each place.
  const std::int64_t slices =
    std::clamp<std::int64_t>((std::int64_t{ 1 } << 22) / (extent.size[0] * extent.size[1]), 1, 64);
  return WorstOfChunks(contents, window, slices, search);
}

std::vector<std::uint64_t>
LabelsIn(const WindowContents & contents, const ReferenceWindow & window, const WorstPlace & place)
{
  const Extent &          extent = contents.runs.GetExtent();
  std::set<std::uint64_t> labels;
  for (std::int64_t z = place.first[2]; z < place.first[2] + window.size[2]; ++z)
  {
    const std::int64_t row = z * extent.size[1] + place.first[1];
    ForEachLabeledRun(contents.runs, row, row + window.size[1], [&](std::int64_t, const LabeledRun & run) {
      if (run.begin < place.first[0] + window.size[0] && place.first[0] < run.end &&
          contents.counts[static_cast<std::size_t>(run.label - 1)])
      {
        labels.insert(run.label);
      }
    });
  }
  return { labels.begin(), labels.end() };
}

} // namespace brickccl::batch
