// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Labels/LabeledRuns.h"
#include "BrickCCL/Measuring/CountRowMarks.h"
#include "BrickCCL/Measuring/Groups/GroupTable.h"
#include "BrickCCL/Measuring/LocalCounts.h"
#include "BrickCCL/Measuring/Measuring.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace brickccl
{

namespace
{

using namespace columns;

struct EulerSums
{
  static constexpr bool IsExact = true;

  std::int64_t full = 0;
  std::int64_t face = 0;

  void
  Merge(const EulerSums & other)
  {
    full += other.full;
    face += other.face;
  }
};

/** Intersects one component's runs in two rows, as closed intervals, which also meet in a point, or open ones. */
template <bool IsClosed>
void
Intersect(const std::vector<LabeledRun> & a, const std::vector<LabeledRun> & b, std::vector<LabeledRun> & common)
{
  common.clear();
  const auto isBefore = [](std::int64_t end, std::int64_t begin) { return IsClosed ? end < begin : end <= begin; };
  for (std::size_t i = 0, first = 0; i < a.size(); ++i)
  {
    while (first < b.size() && isBefore(b[first].end, a[i].begin))
    {
      ++first;
    }
    for (std::size_t j = first; j < b.size() && !isBefore(a[i].end, b[j].begin); ++j)
    {
      if (a[i].label == b[j].label)
      {
        common.push_back({ std::max(a[i].begin, b[j].begin), std::min(a[i].end, b[j].end), a[i].label });
      }
    }
  }
}

/** The runs of a row and of the rows before it along y, along z and along both. */
struct RowQuartet
{
  const std::vector<LabeledRun> & own;
  const std::vector<LabeledRun> & y;
  const std::vector<LabeledRun> & z;
  const std::vector<LabeledRun> & yz;
};

/** Memory for what rows have in common. */
struct CommonRuns
{
  std::vector<LabeledRun> common, ownY, third;
};

/** Computes Euler numbers by counting intervals.
 *
 *  The voxels of a component around a line of voxel corners along x are the union of the runs of four rows. The
 * vertices, edges, faces and volumes of the closed boxes on one line differ in number by the number of its intervals.
 * So the Euler number is a sum of numbers of intervals of unions of 4, 2 and 1 rows. By inclusion and exclusion these
 * become numbers of intervals that rows have in common:
 *
 *      full = rows - pairs (6 of each four) + triples - fours               of closed intervals
 *
 *  For voxels that join through faces, the elements are voxels, common faces, edges with four voxels and corners with
 *  eight:
 *
 *      face = rows - pairs (along y, along z) + fours                       of open intervals */
void
AddEulerNumbers(const RowQuartet & rows, CommonRuns & room, SlabAccumulators<EulerSums> & sums)
{
  const auto add = [&](const std::vector<LabeledRun> & intervals, int sign, std::int64_t EulerSums::*number) {
    for (const LabeledRun & interval : intervals)
    {
      sums[static_cast<std::size_t>(interval.label - 1)].*number += sign;
    }
  };
  add(rows.own, 1, &EulerSums::full);
  add(rows.own, 1, &EulerSums::face);

  const auto addFull = [&](const auto & a, const auto & b, auto & common, int sign) {
    Intersect<true>(a, b, common);
    add(common, sign, &EulerSums::full);
  };
  addFull(rows.own, rows.z, room.common, -1);
  addFull(rows.own, rows.y, room.ownY, -1);
  addFull(room.ownY, rows.z, room.third, 1);
  addFull(room.third, rows.yz, room.common, -1);
  addFull(room.ownY, rows.yz, room.common, 1);
  addFull(rows.own, rows.yz, room.common, -1);
  addFull(room.common, rows.z, room.third, 1);
  addFull(rows.y, rows.z, room.common, -1);
  addFull(room.common, rows.yz, room.third, 1);

  Intersect<false>(rows.own, rows.z, room.common);
  add(room.common, -1, &EulerSums::face);
  Intersect<false>(rows.own, rows.y, room.ownY);
  add(room.ownY, -1, &EulerSums::face);
  Intersect<false>(room.ownY, rows.z, room.third);
  Intersect<false>(room.third, rows.yz, room.common);
  add(room.common, 1, &EulerSums::face);
}

UninitializedVector<EulerSums>
EulerNumbersByRuns(const RunVolume & volume, const HostContext & context, std::uint64_t components)
{
  return AccumulateRows<EulerSums>(
    volume,
    components,
    context,
    [&volume] {
      return [&extent = volume.GetExtent(),
              rows = LabeledRows(volume),
              room = CommonRuns(),
              none = std::vector<LabeledRun>()](auto & accumulators, std::int64_t row) mutable {
        const std::int64_t z = row / extent.size[1];
        const std::int64_t y = row - z * extent.size[1];
        AddEulerNumbers({ rows.At(row),
                          y > 0 ? rows.At(row - 1) : none,
                          z > 0 ? rows.At(row - extent.size[1]) : none,
                          y > 0 && z > 0 ? rows.At(row - extent.size[1] - 1) : none },
                        room,
                        accumulators);
      };
    },
    true);
}

/** The same by rows of bits; runs that touch must have the same label. Then every interval of a union of rows belongs
 *  to one component, and the Euler number for full connectivity is the number of intervals of the unions of four rows,
 * minus the number for two (along y, along z), plus the number for one. */
UninitializedVector<EulerSums>
EulerNumbersByBits(const RunVolume & volume, const HostContext & context, std::uint64_t components)
{
  using Kinds = simd::IntervalKinds;
  const auto mark =
    [words = volume.WordsPerRow()](const BitRows & rows, std::int64_t y, std::int64_t z, simd::RowMarks marks) {
      simd::RowSurroundings around;
      for (int i = 0; i < 9; ++i)
      {
        around.at[i / 3][i % 3] = rows.At(y + i / 3 - 1, z + i % 3 - 1);
      }
      simd::MarkIntervals(around, words, marks);
    };
  const UninitializedVector<MarkCounts> counts = CountRowMarks(volume, components, Kinds::Count, context, mark);
  UninitializedVector<EulerSums>        sums = MakeUnset<EulerSums>(counts.size());
  ForComponents(counts.size(), context, [&](std::size_t c) {
    const auto sumOf = [&of = counts[c].of](int first, int count) {
      std::int64_t sum = 0;
      for (int kind = first; kind < first + count; ++kind)
      {
        sum += static_cast<std::int64_t>(of[kind]);
      }
      return sum;
    };
    const std::int64_t own = sumOf(Kinds::Own, 1);
    sums[c].full = sumOf(Kinds::OfFour, 4) - sumOf(Kinds::OfTwo, 4) + own;
    sums[c].face = own - sumOf(Kinds::SharedByTwo, 2) + sumOf(Kinds::SharedByFour, 1);
  });
  return sums;
}

} // namespace

std::vector<TopologyMeasures>
CountEulerNumbers(const RunVolume &   volume,
                  std::uint64_t       components,
                  const HostContext & context,
                  bool                touchingAreJoined)
{
  const auto                    eulerNumbers = touchingAreJoined ? EulerNumbersByBits : EulerNumbersByRuns;
  const auto                    sums = eulerNumbers(volume, context, components);
  std::vector<TopologyMeasures> topologies(sums.size());
  for (std::size_t c = 0; c < sums.size(); ++c)
  {
    topologies[c] = { sums[c].full, sums[c].face };
  }
  return topologies;
}

static void
AddTopologyColumns(ColumnList & columns)
{
  const int                 dimension = columns.Dimension();
  static const char * const full[] = { "2", "8", "26" };
  static const char * const face[] = { "2", "4", "6" };
  const auto                at = static_cast<std::size_t>(dimension - 1);
  const std::string         holes = dimension == 3 ? "tunnels - cavities of a connected component: 1 - Euler number"
                                                   : "holes of a connected component: 1 - Euler number";
  const std::string         holesName = dimension == 3 ? "tunnels_less_cavities_" : "holes_";
  const auto                add = [&](const char * neighbors, const char * meaning, auto euler) {
    columns.Add(std::string("euler_number_") + neighbors,
                std::string(dimension == 3 ? "pieces - tunnels + cavities" : "pieces - holes") + ", " + meaning,
                "",
                "euler_number",
                MergeRule::SecondLook,
                [euler](Table t, Component c) { return t.measures.Of<TopologyMeasures>()[c.place].*euler; });
    columns.Add(holesName + neighbors, holes, MergeRule::SecondLook, [euler](Table t, Component c) {
      return 1 - t.measures.Of<TopologyMeasures>()[c.place].*euler;
    });
  };
  add(full[at], "all touching voxels count as joined", &TopologyMeasures::eulerFull);
  if (dimension > 1)
  {
    add(face[at], "only voxels that share faces count as joined", &TopologyMeasures::eulerFace);
  }
}

constexpr ColumnGroup groups::Topology =
  GroupOnRequest("topology", AddTopologyColumns, [](const GroupInput & input, ComponentTable & table) {
    table.measures.Set(
      CountEulerNumbers(input.volume, table.components.size(), input.context, input.TouchingAreJoined()));
  });

} // namespace brickccl
