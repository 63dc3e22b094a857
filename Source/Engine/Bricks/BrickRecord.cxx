// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Bricks/BrickRecord.h"

#include "BrickCCL/Core/Error.h"

#include <algorithm>

namespace brickccl
{

constexpr const char * RecordName = "the record of a brick";
constexpr const char * MapName = "the map of a brick's labels";

static Extent
ReadExtent(ByteReader & reader, int dimension)
{
  std::int64_t sizes[MaximumDimension];
  for (int axis = 0; axis < dimension; ++axis)
  {
    sizes[axis] = static_cast<std::int64_t>(reader.Number());
  }
  return { dimension, sizes };
}

void
WriteBox(const BrickBox & box, ByteWriter & writer)
{
  writer.Number(static_cast<std::uint64_t>(box.volume.dimension));
  for (const std::int64_t * const numbers : { box.volume.size, box.extent.size, box.begin })
  {
    std::for_each(numbers, numbers + box.volume.dimension, [&](std::int64_t number) {
      writer.Number(static_cast<std::uint64_t>(number));
    });
  }
}

BrickBox
ReadBox(ByteReader & reader)
{
  const std::uint64_t dimension = reader.Number();
  reader.FailIf(dimension < 1 || dimension > MaximumDimension, "it has " + std::to_string(dimension) + " dimensions");
  const Extent volume = ReadExtent(reader, static_cast<int>(dimension));
  const Extent extent = ReadExtent(reader, static_cast<int>(dimension));
  std::int64_t begin[MaximumDimension] = {};
  for (int axis = 0; axis < volume.dimension; ++axis)
  {
    begin[axis] = static_cast<std::int64_t>(reader.Number());
  }
  return { volume, begin, extent };
}

Bytes
WriteRecord(const BrickRecord & record)
{
  ByteWriter writer;
  WriteBox(record.box, writer);
  record.problem.Write(writer);
  writer.Number(record.foregroundVoxels);
  writer.Number(record.notNumbers);
  writer.Number(record.tooSmall);
  writer.Number(record.tooLarge);
  writer.Number(record.firstVoxels.size());
  std::uint64_t before = 0;
  for (std::size_t c = 0; c < record.firstVoxels.size(); ++c)
  {
    writer.Number(record.firstVoxels[c] - before);
    writer.Number(record.voxelCounts[c]);
    before = record.firstVoxels[c];
  }
  record.faces.Write(writer);
  writer.Byte(static_cast<std::uint8_t>((record.secondLook.surface ? 1 : 0) + (record.secondLook.topology ? 2 : 0)));
  writer.Byte(record.table ? 1 : 0);
  if (record.table)
  {
    WriteTable(*record.table, writer);
  }
  return Seal(BytesKind::Record, writer.Written());
}

BrickRecord
ReadRecord(BytesView bytes, RecordParts parts)
{
  ByteReader  reader(Unseal(BytesKind::Record, bytes), RecordName);
  BrickRecord record;
  record.box = ReadBox(reader);
  record.problem = BrickProblem::Read(reader);
  record.foregroundVoxels = reader.Number();
  record.notNumbers = reader.Number();
  record.tooSmall = reader.Number();
  record.tooLarge = reader.Number();
  const std::size_t count = reader.Count();
  record.firstVoxels.resize(count);
  record.voxelCounts.resize(count);
  std::uint64_t before = 0;
  for (std::size_t c = 0; c < count; ++c)
  {
    record.firstVoxels[c] = before += reader.Number();
    record.voxelCounts[c] = reader.Number();
  }
  record.faces = FaceRuns(record.box, record.problem);
  record.faces.Read(reader, count);
  const std::uint8_t look = reader.Byte();
  record.secondLook = { (look & 1) != 0, (look & 2) != 0 };
  const bool hasTable = reader.Byte() != 0;
  if (hasTable && parts == RecordParts::Table)
  {
    record.table = ReadTable(reader, record.box);
    reader.FailIf(record.table->components.size() != count || !reader.IsAtEnd(),
                  "its table does not have one row per component");
  }
  return record;
}

Bytes
WriteMap(const BrickMap & map)
{
  ByteWriter writer;
  WriteBox(map.box, writer);
  writer.Number(map.components);
  writer.Fixed(map.record);
  writer.Number(map.labels.size());
  std::uint64_t before = 0;
  for (const std::uint64_t label : map.labels)
  {
    writer.Signed(static_cast<std::int64_t>(label - before));
    before = label;
  }
  writer.Number(map.periodic.Bits());
  for (const UnwrappedRow & row : map.unwrapped)
  {
    writer.Byte(row.wraps);
    for (int axis = 0; axis < MaximumDimension; ++axis)
    {
      if (map.periodic.Has(axis))
      {
        writer.Signed(row.images[axis]);
      }
    }
  }
  return Seal(BytesKind::Map, writer.Written());
}

BrickMap
ReadMap(BytesView bytes)
{
  ByteReader reader(Unseal(BytesKind::Map, bytes), MapName);
  BrickMap   map;
  map.box = ReadBox(reader);
  map.components = reader.Number();
  map.record = reader.Fixed();
  map.labels.resize(reader.Count());
  std::uint64_t before = 0;
  for (std::uint64_t & label : map.labels)
  {
    label = before += static_cast<std::uint64_t>(reader.Signed());
    reader.FailIf(label > map.components,
                  "a label is " + std::to_string(label) + " of " + std::to_string(map.components));
  }
  reader.FailIf(map.labels.empty() || map.labels[0] != 0, "the label of the background is not 0");
  map.periodic = ReadPeriodicAxes(reader);
  map.unwrapped.resize(map.periodic.HasAny() ? map.labels.size() : 0);
  for (UnwrappedRow & row : map.unwrapped)
  {
    row.wraps = reader.Byte();
    for (int axis = 0; axis < MaximumDimension; ++axis)
    {
      row.images[axis] = map.periodic.Has(axis) ? reader.Signed() : 0;
    }
  }
  return map;
}

void
ReadBrickRuns(BytesView runs, const BrickMap & map, const HostContext & context, RunVolume & volume)
{
  ByteReader          reader(Unseal(BytesKind::Runs, runs), "the runs of a brick");
  const std::uint64_t record = reader.Fixed();
  ThrowIf<InvalidArgument>(record != map.record,
                           "the map of " + map.box.ToString() +
                             " has the runs of another brick, or of an earlier labeling");
  ReadRuns(reader, map.box.extent, map.labels, context, volume);
}

BrickBox
BoxOf(BytesView recordOrMap)
{
  constexpr std::size_t kindPlace = 8;
  const bool            isMap =
    recordOrMap.size > kindPlace && recordOrMap.data[kindPlace] == static_cast<std::uint8_t>(BytesKind::Map);
  ByteReader reader(Unseal(isMap ? BytesKind::Map : BytesKind::Record, recordOrMap), isMap ? MapName : RecordName);
  return ReadBox(reader);
}

} // namespace brickccl
