#include "BrickCCL/Bricks/BrickCounts.h"
#include "BrickCCL/Bricks/BrickRecord.h"
#include "BrickCCL/Bricks/MergeBricks.h"
#include "BrickCCL/Core/Error.h"
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
    if (read.record != checksums[brick])
    {
      throw InvalidArgument("the counts of brick " + std::to_string(brick) + " are those of another brick");
    }
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

} // namespace

ComponentTable
MergeBrickTables(std::size_t                                     bricks,
                 const std::function<Bytes(std::size_t brick)> & record,
                 const std::function<Bytes(std::size_t brick)> & map,
                 const std::function<Bytes(std::size_t brick)> & counts)
{
  std::vector<ComponentTable>            tables;
  std::vector<std::vector<std::size_t>>  places;
  std::vector<std::vector<UnwrappedRow>> unwrapped;
  ComponentTable                         merged;
  std::uint64_t                          components = 0;
  SecondLook                             secondLook;
  std::vector<std::uint64_t>             checksums;
  tables.reserve(bricks);
  for (std::size_t brick = 0; brick < bricks; ++brick)
  {
    const Bytes    bytes = record(brick);
    BrickRecord    read = ReadRecord(bytes, RecordParts::Table);
    const BrickMap labels = ReadMap(map(brick));
    if (labels.record != ChecksumOf(bytes) || labels.periodic != read.problem.periodic)
    {
      throw InvalidArgument("the map of " + labels.box.ToString() + " is given with the record of another brick");
    }
    if (!read.table)
    {
      throw InvalidArgument(read.box.ToString() + " was labeled without measuring it");
    }
    if (brick == 0)
    {
      components = labels.components;
      secondLook = read.secondLook;
      merged.extent = read.box.volume;
      merged.periodic = read.problem.periodic;
      merged.geometry = read.table->geometry;
      for (int axis = 0; axis < read.box.volume.dimension; ++axis)
      {
        merged.geometry.startIndex[axis] -= read.box.begin[axis];
      }
    }
    if (read.secondLook.surface != secondLook.surface || read.secondLook.topology != secondLook.topology)
    {
      throw InvalidArgument(read.box.ToString() + " was measured with other columns than the others");
    }
    checksums.push_back(labels.record);
    std::vector<std::size_t> own;
    for (auto label = labels.labels.begin() + 1; label != labels.labels.end(); ++label)
    {
      own.push_back(*label == 0 ? LeftOut : static_cast<std::size_t>(*label - 1));
    }
    places.push_back(std::move(own));
    if (merged.periodic.HasAny())
    {
      // Background has no row.
      unwrapped.emplace_back(labels.unwrapped.begin() + 1, labels.unwrapped.end());
    }
    tables.push_back(std::move(*read.table));
  }
  if (tables.empty())
  {
    throw InvalidArgument("there are no bricks whose tables could be merged");
  }
  std::vector<const ComponentTable *> parts;
  for (const ComponentTable & table : tables)
  {
    parts.push_back(&table);
  }
  MergeParts(parts,
             places,
             static_cast<std::size_t>(components),
             merged,
             merged.periodic.HasAny() ? &unwrapped : nullptr);
  if (secondLook.IsAny())
  {
    if (!counts)
    {
      throw InvalidArgument("the columns of the groups 'surface' and 'topology' need the counts of all bricks");
    }
    AddSecondLook(secondLook, checksums, counts, merged);
  }
  return merged;
}

} // namespace brickccl
