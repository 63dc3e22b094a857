// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Bricks/BrickRecord.h"
#include "BrickCCL/Bricks/Bricks.h"
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/TextLists.h"
#include "BrickCCL/Host/Parallel.h"
#include "BrickCCL/Tables/MergeTables.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace brickccl
{

namespace
{

/** Adds up the counts of all bricks, and sets the measures that are made of them. */
void
AddSecondLook(const SecondLook &                              look,
              const std::vector<std::uint64_t> &              checksums,
              const std::function<Bytes(std::size_t brick)> & counts,
              ComponentTable &                                table)
{
  UninitializedVector<MarkCounts> pairs(table.components.size(), MarkCounts());
  std::vector<TopologyMeasures>   euler(table.components.size());
  for (std::size_t brick = 0; brick < checksums.size(); ++brick)
  {
    const BrickCounts read = ReadCounts(counts(brick));
    ThrowIf<InvalidArgument>(read.record != checksums[brick],
                             "the counts of brick " + std::to_string(brick) + " belong to another brick");
    for (std::size_t c = 0; c < read.labels.size(); ++c)
    {
      const auto place = static_cast<std::size_t>(read.labels[c] - 1);
      if (place >= pairs.size())
      {
        throw Error("the counts of brick " + std::to_string(brick) + " are damaged: a label is " +
                    std::to_string(read.labels[c]) + " of " + std::to_string(pairs.size()));
      }
      pairs[place].Merge(read.pairs[c]);
      euler[place].eulerFull += read.euler[c].eulerFull;
      euler[place].eulerFace += read.euler[c].eulerFace;
    }
  }
  AddGroups(look, table);
  if (look.surface)
  {
    SetSurfaces(pairs, HostContext{ 1 }, table);
  }
  if (look.topology)
  {
    table.measures.Set(std::move(euler));
  }
}

struct BrickTable
{
  BrickRecord record;
  BrickMap    map;
};

BrickTable
ReadBrickTable(BytesView record, BytesView map)
{
  BrickTable brick{ ReadRecord(record, RecordParts::Table), ReadMap(map) };
  ThrowIf<InvalidArgument>(brick.map.record != ChecksumOf(record) ||
                             brick.map.periodic != brick.record.problem.periodic,
                           "the map of " + brick.map.box.ToString() + " has the record of another brick");
  ThrowIf<InvalidArgument>(!brick.record.table, brick.record.box.ToString() + " was labeled without measuring it");
  return brick;
}

struct BrickTables
{
  std::vector<ComponentTable>            tables;
  std::vector<std::vector<std::size_t>>  places;
  std::vector<std::vector<UnwrappedRow>> unwrapped;
  std::vector<std::uint64_t>             checksums;
  std::uint64_t                          components = 0;
  SecondLook                             secondLook;

  void
  Add(BrickTable brick, ComponentTable & merged)
  {
    if (tables.empty())
    {
      components = brick.map.components;
      secondLook = brick.record.secondLook;
      merged.extent = brick.record.box.volume;
      merged.periodic = brick.record.problem.periodic;
      merged.geometry = brick.record.table->geometry;
      for (int axis = 0; axis < merged.extent.dimension; ++axis)
      {
        merged.geometry.startIndex[axis] -= brick.record.box.begin[axis];
      }
    }
    ThrowIf<InvalidArgument>(brick.record.secondLook.surface != secondLook.surface ||
                               brick.record.secondLook.topology != secondLook.topology,
                             brick.record.box.ToString() + " was measured with other columns than the others");
    ThrowIf<InvalidArgument>(brick.map.periodic != merged.periodic || brick.map.components != components,
                             "the map of " + brick.map.box.ToString() + " belongs to another merge than the others");
    checksums.push_back(brick.map.record);
    std::vector<std::size_t> own;
    own.reserve(brick.map.labels.size());
    for (auto label = brick.map.labels.begin() + 1; label != brick.map.labels.end(); ++label)
    {
      own.push_back(*label == 0 ? LeftOut : static_cast<std::size_t>(*label - 1));
    }
    places.push_back(std::move(own));
    if (merged.periodic.HasAny())
    {
      // Background has no row.
      unwrapped.emplace_back(brick.map.unwrapped.begin() + 1, brick.map.unwrapped.end());
    }
    tables.push_back(std::move(*brick.record.table));
  }
};

} // namespace

ComponentTable
MergeBrickTables(std::size_t                                     bricks,
                 const std::function<Bytes(std::size_t brick)> & record,
                 const std::function<Bytes(std::size_t brick)> & map,
                 const std::function<Bytes(std::size_t brick)> & counts,
                 int                                             threads)
{
  const HostContext context{ threads };
  const auto        atOnce = static_cast<std::size_t>(EffectiveThreadCount(threads));
  BrickTables       all;
  ComponentTable    merged;
  all.tables.reserve(bricks);
  for (std::size_t first = 0; first < bricks; first += atOnce)
  {
    const std::size_t  count = std::min(atOnce, bricks - first);
    std::vector<Bytes> records;
    std::vector<Bytes> maps;
    for (std::size_t brick = first; brick < first + count; ++brick)
    {
      records.push_back(record(brick));
      maps.push_back(map(brick));
    }
    std::vector<BrickTable> read(count);
    ParallelFor(static_cast<std::int64_t>(count), context, [&](std::int64_t i) {
      const auto place = static_cast<std::size_t>(i);
      read[place] = ReadBrickTable(records[place], maps[place]);
    });
    for (BrickTable & brick : read)
    {
      all.Add(std::move(brick), merged);
    }
  }
  ThrowIf<InvalidArgument>(all.tables.empty(), "no brick has a table to merge");
  const auto parts = Mapped(all.tables, [](const ComponentTable & table) { return &table; });
  MergeParts(parts,
             all.places,
             static_cast<std::size_t>(all.components),
             merged,
             merged.periodic.HasAny() ? &all.unwrapped : nullptr,
             context);
  if (all.secondLook.IsAny())
  {
    ThrowIf<InvalidArgument>(!counts,
                             "the columns of the groups 'surface' and 'topology' need the counts of all bricks");
    AddSecondLook(all.secondLook, all.checksums, counts, merged);
  }
  return merged;
}

} // namespace brickccl
