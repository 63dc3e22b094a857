#include "BrickCCL/Bricks/BrickRecord.h"
#include "BrickCCL/Bricks/MergeBricks.h"
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Tables/MergeTables.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace brickccl
{

ComponentTable
MergeBrickTables(std::size_t                                     bricks,
                 const std::function<Bytes(std::size_t brick)> & record,
                 const std::function<Bytes(std::size_t brick)> & map)
{
  std::vector<ComponentTable>           tables;
  std::vector<std::vector<std::size_t>> places;
  ComponentTable                        merged;
  std::uint64_t                         components = 0;
  tables.reserve(bricks);
  for (std::size_t brick = 0; brick < bricks; ++brick)
  {
    const Bytes    bytes = record(brick);
    BrickRecord    read = ReadRecord(bytes, RecordParts::Table);
    const BrickMap labels = ReadMap(map(brick));
    if (labels.record != ChecksumOf(bytes))
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
      merged.extent = read.box.volume;
      merged.geometry = read.table->geometry;
      for (int axis = 0; axis < read.box.volume.dimension; ++axis)
      {
        merged.geometry.startIndex[axis] -= read.box.begin[axis];
      }
    }
    std::vector<std::size_t> own;
    for (auto label = labels.labels.begin() + 1; label != labels.labels.end(); ++label)
    {
      own.push_back(*label == 0 ? LeftOut : static_cast<std::size_t>(*label - 1));
    }
    places.push_back(std::move(own));
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
  MergeParts(parts, places, static_cast<std::size_t>(components), merged);
  return merged;
}

} // namespace brickccl
