// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Labels/JoinComponents.h"

#include "BrickCCL/Forest/Forest.h"
#include "BrickCCL/Labels/LabeledRuns.h"
#include "BrickCCL/Labels/Relabel.h"
#include "BrickCCL/Labels/UnwrapPieces.h"
#include "BrickCCL/Runs/BuildRunVolume.h"
#include "BrickCCL/Runs/FindRuns.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <numeric>
#include <type_traits>
#include <utility>

namespace brickccl
{

namespace
{

/** The neighbors of a voxel in one row that is not later than its own, counted as if no axis had an end. */
struct NeighborRow
{
  struct Voxel
  {
    /** -1, 0 or 1. */
    int step;
    /** Whether components already contain the links to it, except through ends of axes. */
    bool isLabeled;
  };

  /** Steps along y, z and t. */
  int                step[MaximumDimension - 1];
  std::vector<Voxel> voxels;
};

/** One half of the neighbors; the other half is opposite. */
std::vector<NeighborRow>
EarlierRowsOf(const Connectivity & connectivity, const Connectivity & labeled)
{
  std::vector<NeighborRow> rows;
  const auto               offsets = connectivity.Offsets();
  for (std::size_t i = 0; i < offsets.size() / 2; ++i)
  {
    const NeighborOffset & offset = offsets[i];
    if (rows.empty() || !std::equal(offset.begin() + 1, offset.end(), rows.back().step))
    {
      rows.push_back({ { offset[1], offset[2], offset[3] }, {} });
    }
    rows.back().voxels.push_back({ offset[0], labeled.Has({ offset[0], offset[1], offset[2], offset[3] }) });
  }
  return rows;
}

/** Finds links that algorithms leave out: unites components, and lists links through periodic ends. For one thread. */
template <typename TLabel>
class RowJoiner
{
public:
  RowJoiner(const RowLinks &                 links,
            const std::vector<NeighborRow> & neighbors,
            const PeriodicAxes &             periodic,
            const RunVolume &                volume,
            TLabel *                         parent,
            EndLinks &                       endLinks)
    : m_Links(links)
    , m_Neighbors(neighbors)
    , m_Periodic(periodic)
    , m_Volume(volume)
    , m_Extent(volume.GetExtent())
    , m_Parent(parent)
    , m_EndLinks(endLinks)
    , m_Candidates(static_cast<std::size_t>(volume.WordsPerRow()))
    , m_Found(static_cast<std::size_t>(volume.WordsPerRow()))
  {}

  /** Checks the links of a row to rows that are not later, or beyond the end of an axis. */
  void
  Join(std::int64_t row, const RowPosition & position)
  {
    if (m_Volume.FirstRun(row) == m_Volume.FirstRun(row + 1))
    {
      return;
    }
    bool areCollected = false;
    for (const NeighborRow & neighbor : m_Neighbors)
    {
      const OtherRow other = Find(neighbor, position);
      if (!other.exists)
      {
        continue;
      }
      const auto isWanted = [&](const NeighborRow::Voxel & voxel) { return other.isThroughEnd || !voxel.isLabeled; };
      if (std::any_of(neighbor.voxels.begin(), neighbor.voxels.end(), isWanted))
      {
        if (!areCollected)
        {
          CollectLabeledRuns(m_Volume, row, m_Runs);
          areCollected = true;
        }
        CollectLabeledRuns(m_Volume, other.row, m_Others);
      }
      for (const NeighborRow::Voxel & voxel : neighbor.voxels)
      {
        if (isWanted(voxel))
        {
          JoinInside(row, other, voxel.step);
        }
        if (voxel.step != 0 && m_Periodic.Has(0))
        {
          JoinEnds(row, other, voxel.step);
        }
      }
    }
  }

private:
  struct OtherRow
  {
    std::int64_t row = 0;
    bool         exists = true;
    bool         isThroughEnd = false;
    /** As in EndLink. */
    std::array<signed char, MaximumDimension> through = {};
  };

  OtherRow
  Find(const NeighborRow & neighbor, const RowPosition & position) const
  {
    OtherRow     other;
    std::int64_t stride = 1;
    for (int axis = 1; axis < MaximumDimension; ++axis)
    {
      const std::int64_t size = m_Extent.size[axis];
      const std::int64_t to = position.at[axis - 1] + neighbor.step[axis - 1];
      const int          through = to < 0 ? -1 : to < size ? 0 : 1;
      other.exists = other.exists && (through == 0 || m_Periodic.Has(axis));
      other.isThroughEnd = other.isThroughEnd || through != 0;
      other.through[static_cast<std::size_t>(axis)] = static_cast<signed char>(through);
      other.row += (to - through * size) * stride;
      stride *= size;
    }
    return other;
  }

  /** The links from voxels x to x + step in the other row, if that is in it. */
  void
  JoinInside(std::int64_t row, const OtherRow & other, int step)
  {
    bool areFound = m_Links.FollowForeground();
    auto own = m_Runs.begin();
    auto there = m_Others.begin();
    while (own != m_Runs.end() && there != m_Others.end())
    {
      const std::int64_t begin = std::max(own->begin, there->begin - step);
      const std::int64_t end = std::min(own->end, there->end - step);
      // Through an end, a link of a component to itself shows that it wraps.
      if (begin < end && (own->label != there->label || other.isThroughEnd))
      {
        if (!areFound)
        {
          FindLinks(row, other.row, step);
          areFound = true;
        }
        if (m_Links.FollowForeground() || HasBits(m_Found.data(), begin, end))
        {
          Unite(own->label, there->label, other);
        }
      }
      (own->end < there->end - step ? own : there)++;
    }
  }

  /** The link from the first voxel to the last one of the other row, or from the last to the first. */
  void
  JoinEnds(std::int64_t row, OtherRow other, int step)
  {
    const std::int64_t  length = m_Extent.RowLength();
    const std::int64_t  x = step < 0 ? 0 : length - 1;
    const std::int64_t  otherX = length - 1 - x;
    const std::uint64_t from = LabelAtEnd(row, x);
    const std::uint64_t to = LabelAtEnd(other.row, otherX);
    if (from != 0 && to != 0 &&
        (m_Links.FollowForeground() || m_Links.AreJoined(row * length + x, other.row * length + otherX)))
    {
      other.isThroughEnd = true;
      other.through[0] = static_cast<signed char>(step);
      Unite(from, to, other);
    }
  }

  /** The label of the first or last voxel of a row; 0 if that is background. */
  std::uint64_t
  LabelAtEnd(std::int64_t row, std::int64_t x) const
  {
    const Word word = m_Volume.Foreground(row)[x / BitsPerWord];
    if (((word >> (x % BitsPerWord)) & 1u) == 0)
    {
      return 0;
    }
    return m_Volume.Label(x == 0 ? m_Volume.FirstRun(row) : m_Volume.FirstRun(row + 1) - 1);
  }

  void
  FindLinks(std::int64_t row, std::int64_t other, int step)
  {
    const Word * here = m_Volume.Foreground(row);
    const Word * there = m_Volume.Foreground(other);
    const auto   words = m_Candidates.size();
    for (std::size_t w = 0; w < words; ++w)
    {
      const Word beside = step == 0 ? there[w]
                        : step < 0  ? FromLeft(there[w], w > 0 ? there[w - 1] : 0)
                                    : FromRight(there[w], w + 1 < words ? there[w + 1] : 0);
      m_Candidates[w] = here[w] & beside;
    }
    m_Links.PackLinks(row, other, step, m_Candidates.data(), m_Found.data());
  }

  void
  Unite(std::uint64_t label, std::uint64_t otherLabel, const OtherRow & other)
  {
    if (other.isThroughEnd)
    {
      m_EndLinks.Add({ label, otherLabel, other.through });
    }
    // Neighboring runs often join the same components again.
    else if (label != m_LastLabel || otherLabel != m_LastOther)
    {
      UniteShared(m_Parent, static_cast<TLabel>(label), static_cast<TLabel>(otherLabel));
      m_LastLabel = label;
      m_LastOther = otherLabel;
    }
  }

  const RowLinks &                 m_Links;
  const std::vector<NeighborRow> & m_Neighbors;
  const PeriodicAxes &             m_Periodic;
  const RunVolume &                m_Volume;
  const Extent &                   m_Extent;
  TLabel *                         m_Parent;
  EndLinks &                       m_EndLinks;
  std::vector<LabeledRun>          m_Runs;
  std::vector<LabeledRun>          m_Others;
  std::vector<Word>                m_Candidates;
  std::vector<Word>                m_Found;
  std::uint64_t                    m_LastLabel = 0;
  std::uint64_t                    m_LastOther = 0;
};

/** Joins components along links through ends, and keeps how they are unwrapped. `numbers` has the components of the
 *  labels, and gets what they are joined to. \return the number of components that are left */
template <typename TLabel>
std::uint64_t
JoinThroughEnds(EndLinks &            endLinks,
                const PeriodicAxes &  periodic,
                std::uint64_t         components,
                std::vector<TLabel> & numbers,
                const HostContext &   context,
                RunVolume &           volume)
{
  std::vector<EndLink> links = endLinks.Take();
  for (EndLink & link : links)
  {
    link.from = numbers[static_cast<std::size_t>(link.from)];
    link.to = numbers[static_cast<std::size_t>(link.to)];
  }
  const JoinedPieces joined = JoinPieces(components, links);
  auto               unwrapping = std::make_shared<Unwrapping>(joined.unwrapping);
  unwrapping->periodic = periodic;
  unwrapping->pieceOfRun.resize(static_cast<std::size_t>(volume.RunCount()));
  const Chunks chunks(static_cast<std::int64_t>(volume.RunCount()), context.grain, 256);
  volume.VisitLabels([&](const auto * labels) {
    ParallelFor(chunks.count, context, [&](std::int64_t chunk) {
      for (auto run = static_cast<std::size_t>(chunks.Begin(chunk)); run < static_cast<std::size_t>(chunks.End(chunk));
           ++run)
      {
        const auto piece = static_cast<std::size_t>(numbers[static_cast<std::size_t>(labels[run])]);
        unwrapping->pieceOfRun[run] = joined.places[piece];
      }
    });
  });
  volume.SetUnwrapping(std::move(unwrapping));
  for (TLabel & number : numbers)
  {
    number = static_cast<TLabel>(joined.components[static_cast<std::size_t>(number)]);
  }
  return joined.count;
}

/** Turns parents into numbers in raster order. A parent comes before its nodes: it has its number already. The smallest
 * label of a component belongs to its first voxel. \return the number of components */
template <typename TLabel>
TLabel
NumberParents(std::vector<TLabel> & parents)
{
  TLabel count = 0;
  for (std::size_t label = 1; label < parents.size(); ++label)
  {
    const bool isRoot = parents[label] == static_cast<TLabel>(label);
    parents[label] = isRoot ? ++count : parents[static_cast<std::size_t>(parents[label])];
  }
  return count;
}

/** The labels 0..components, each the parent of itself. */
template <typename TLabel>
std::vector<TLabel>
OwnParents(std::uint64_t components)
{
  std::vector<TLabel> parents(static_cast<std::size_t>(components) + 1);
  std::iota(parents.begin(), parents.end(), TLabel{ 0 });
  return parents;
}

} // namespace

std::uint64_t
JoinComponents(const RowLinks &     links,
               const Connectivity & connectivity,
               const Connectivity & labeled,
               const PeriodicAxes & periodic,
               std::uint64_t        components,
               const HostContext &  context,
               RunVolume &          volume)
{
  const auto neighbors = EarlierRowsOf(connectivity, labeled);
  return volume.VisitLabels([&](const auto * labels) -> std::uint64_t {
    using Label = std::remove_cv_t<std::remove_pointer_t<decltype(labels)>>;
    std::vector<Label>    numbers = OwnParents<Label>(components);
    const Extent &        extent = volume.GetExtent();
    const Chunks          chunks = RowChunks(extent, context);
    std::vector<EndLinks> endLinks(static_cast<std::size_t>(chunks.count));
    ParallelFor(chunks.count, context.Part(0, 0.8), [&](std::int64_t chunk) {
      EndLinks &       own = endLinks[static_cast<std::size_t>(chunk)];
      RowJoiner<Label> joiner(links, neighbors, periodic, volume, numbers.data(), own);
      RowPosition      position(extent, chunks.Begin(chunk));
      for (std::int64_t row = chunks.Begin(chunk); row < chunks.End(chunk); ++row, position.Advance(extent))
      {
        joiner.Join(row, position);
      }
    });
    const Label   left = NumberParents(numbers);
    std::uint64_t count = left;
    if (periodic.HasAny())
    {
      for (std::size_t chunk = 1; chunk < endLinks.size(); ++chunk)
      {
        endLinks[0].Add(endLinks[chunk]);
      }
      count = JoinThroughEnds(endLinks[0], periodic, left, numbers, context.Part(0.8, 0.9), volume);
    }
    Renumber(volume, numbers, context.Part(0.9, 1));
    return count;
  });
}

template <typename TLabel>
std::uint64_t
JoinSlabs(const RowLinks &                  links,
          const Connectivity &              connectivity,
          int                               axis,
          const std::vector<std::int64_t> & begins,
          std::uint64_t                     components,
          const HostContext &               context,
          const RunVolume &                 volume,
          std::vector<TLabel> &             numbers)
{
  const Extent & extent = volume.GetExtent();
  auto           neighbors = EarlierRowsOf(connectivity, connectivity);
  for (NeighborRow & neighbor : neighbors)
  {
    for (NeighborRow::Voxel & voxel : neighbor.voxels)
    {
      voxel.isLabeled = neighbor.step[axis - 1] == 0;
    }
  }
  std::int64_t rowsPerSlice = 1;
  for (int before = 1; before < axis; ++before)
  {
    rowsPerSlice *= extent.size[before];
  }
  numbers = OwnParents<TLabel>(components);
  const auto         rows = static_cast<std::int64_t>(begins.size() - 1) * rowsPerSlice;
  const Chunks       chunks(rows, context.grain / extent.RowLength(), 256);
  const PeriodicAxes none;
  ParallelFor(chunks.count, context, [&](std::int64_t chunk) {
    EndLinks          unused;
    RowJoiner<TLabel> joiner(links, neighbors, none, volume, numbers.data(), unused);
    for (std::int64_t i = chunks.Begin(chunk); i < chunks.End(chunk); ++i)
    {
      const std::int64_t slice = begins[static_cast<std::size_t>(i / rowsPerSlice) + 1];
      const std::int64_t row = slice * rowsPerSlice + i % rowsPerSlice;
      joiner.Join(row, RowPosition(extent, row));
    }
  });
  return NumberParents(numbers);
}

template std::uint64_t JoinSlabs(const RowLinks &,
                                 const Connectivity &,
                                 int,
                                 const std::vector<std::int64_t> &,
                                 std::uint64_t,
                                 const HostContext &,
                                 const RunVolume &,
                                 std::vector<std::uint32_t> &);
template std::uint64_t JoinSlabs(const RowLinks &,
                                 const Connectivity &,
                                 int,
                                 const std::vector<std::int64_t> &,
                                 std::uint64_t,
                                 const HostContext &,
                                 const RunVolume &,
                                 std::vector<std::uint64_t> &);

} // namespace brickccl
