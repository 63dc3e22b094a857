// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Bricks/BrickRecord.h"

#include "BrickCCL/Bricks/Bricks.h"
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/TextLists.h"
#include "BrickCCL/Measuring/Groups/GroupTable.h"
#include "BrickCCL/Measuring/HullCorners.h"
#include "BrickCCL/Measuring/IntensitySums.h"
#include "BrickCCL/Measuring/Measure.h"
#include "BrickCCL/Measuring/Measuring.h"
#include "BrickCCL/Tables/ColumnGroup.h"
#include "BrickCCL/Tables/RowSums.h"

#include <algorithm>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace brickccl
{

/** The groups on request that bricks can be measured with. The last two need a second look. */
constexpr const ColumnGroup * MergedGroups[] = { &groups::Place, &groups::Shape,   &groups::Feret,
                                                 &groups::Hull,  &groups::Surface, &groups::Topology };

static bool
IsMerged(const ColumnGroup & group)
{
  return std::find(std::begin(MergedGroups), std::end(MergedGroups), &group) != std::end(MergedGroups) ||
         group.presence == ColumnGroup::Presence::WithIntensity || group.presence == ColumnGroup::Presence::WithClasses;
}

/** Writes or reads a number, so that one function of a table's parts does both. Numbers of 128 bits are two of 64. */
static void
Pass(ByteWriter & writer, const double & value)
{
  writer.Real(value);
}
static void
Pass(ByteReader & reader, double & value)
{
  value = reader.Real();
}
static void
Pass(ByteWriter & writer, const std::int64_t & value)
{
  writer.Signed(value);
}
static void
Pass(ByteReader & reader, std::int64_t & value)
{
  value = reader.Signed();
}
template <typename TWide>
static void
Pass(ByteWriter & writer, const TWide & value)
{
  writer.Number(static_cast<std::uint64_t>(value));
  writer.Number(static_cast<std::uint64_t>(static_cast<UInt128>(value) >> 64));
}
template <typename TWide>
static void
Pass(ByteReader & reader, TWide & value)
{
  const UInt128 low = reader.Number();
  value = static_cast<TWide>((UInt128{ reader.Number() } << 64) | low);
}

template <typename TBytes, typename TGeometry>
static void
PassGeometry(TBytes & bytes, TGeometry & geometry)
{
  for (int axis = 0; axis < MaximumDimension; ++axis)
  {
    Pass(bytes, geometry.startIndex[axis]);
    Pass(bytes, geometry.spacing[axis]);
    Pass(bytes, geometry.origin[axis]);
    for (auto & cosine : geometry.direction[axis])
    {
      Pass(bytes, cosine);
    }
  }
}

template <typename TBytes, typename TList>
static void
PassProducts(TBytes & bytes, TList & products)
{
  for (auto & own : products)
  {
    for (auto & product : own.products)
    {
      Pass(bytes, product);
    }
  }
}

template <typename TBytes, typename TSums>
static void
PassIntensity(TBytes & bytes, TSums & own)
{
  Pass(bytes, own.wholeSum);
  Pass(bytes, own.squares);
  for (auto * const value :
       { &own.sum.high, &own.sum.low, &own.mean.high, &own.mean.low, &own.deviation, &own.minimum, &own.maximum })
  {
    Pass(bytes, *value);
  }
}

/** Each voxel is followed by a 0, the place along a fourth axis. */
static void
WriteHulls(const MeasureSet & measures, ByteWriter & writer)
{
  const MeasureList<VoxelIndex> voxels = measures.Of<VoxelIndex>();
  for (const HullCorners & hull : measures.Of<HullCorners>())
  {
    writer.Number(hull.end - hull.begin);
    VoxelIndex before;
    for (std::size_t i = hull.begin; i < hull.end; before = voxels[i++])
    {
      for (int axis = 0; axis < 3; ++axis)
      {
        writer.Signed(voxels[i].at[axis] - before.at[axis]);
      }
      writer.Signed(0);
    }
  }
}

static void
ReadHulls(ByteReader & reader, std::size_t count, MeasureSet & measures)
{
  std::vector<HullCorners> hulls(count);
  std::vector<VoxelIndex>  voxels;
  for (HullCorners & hull : hulls)
  {
    hull.begin = voxels.size();
    VoxelIndex voxel;
    for (std::size_t corners = reader.Count(); corners > 0; --corners)
    {
      for (std::int64_t & at : voxel.at)
      {
        at += reader.Signed();
      }
      reader.Signed();
      voxels.push_back(voxel);
    }
    hull.end = voxels.size();
  }
  measures.Set(std::move(hulls));
  measures.Set(std::move(voxels));
}

static void
WriteIntensities(const MeasureList<IntensitySums> & sums, ByteWriter & writer)
{
  for (const IntensitySums & own : sums)
  {
    writer.Byte(static_cast<std::uint8_t>((own.isWhole ? 1 : 0) + (own.hasSquares ? 2 : 0)));
    PassIntensity(writer, own);
  }
}

static std::vector<IntensitySums>
ReadIntensities(ByteReader & reader, std::size_t count)
{
  std::vector<IntensitySums> sums(count);
  for (IntensitySums & own : sums)
  {
    const std::uint8_t is = reader.Byte();
    own.isWhole = (is & 1) != 0;
    own.hasSquares = (is & 2) != 0;
    PassIntensity(reader, own);
  }
  return sums;
}

static void
WriteClasses(const MeasureList<ClassValue> & classes, ByteWriter & writer)
{
  for (const ClassValue & own : classes)
  {
    writer.Byte(static_cast<std::uint8_t>(own.value.index()));
    std::visit(
      [&](auto value) {
        std::is_same_v<decltype(value), double> ? writer.Real(static_cast<double>(value))
                                                : writer.Number(static_cast<std::uint64_t>(value));
      },
      own.value);
  }
}

static std::vector<ClassValue>
ReadClasses(ByteReader & reader, std::size_t count)
{
  std::vector<ClassValue> classes(count);
  for (ClassValue & own : classes)
  {
    using Value = decltype(own.value);
    const std::uint8_t kind = reader.Byte();
    own.value = kind == 0 ? Value(reader.Number())
              : kind == 1 ? Value(static_cast<std::int64_t>(reader.Number()))
                          : Value(reader.Real());
  }
  return classes;
}

/** Writes the rows. Their indices count from the brick's first voxel. */
static void
WriteRows(const ComponentTable & table, ByteWriter & writer)
{
  std::uint64_t before = 0;
  for (const ComponentMeasures & row : table.components)
  {
    writer.Signed(static_cast<std::int64_t>(row.firstVoxel - before));
    before = row.firstVoxel;
    writer.Number(row.voxelCount);
    for (int axis = 0; axis < table.extent.dimension; ++axis)
    {
      const std::int64_t lowest = row.boxMinimum[axis] - table.geometry.startIndex[axis];
      writer.Number(static_cast<std::uint64_t>(lowest));
      writer.Number(static_cast<std::uint64_t>(row.boxMaximum[axis] - row.boxMinimum[axis]));
      writer.Number(row.indexSum[axis] - static_cast<std::uint64_t>(lowest) * row.voxelCount);
    }
  }
}

static UninitializedVector<ShapeSums>
ReadRows(ByteReader & reader, const Extent & extent, std::size_t count)
{
  UninitializedVector<ShapeSums> rows;
  std::uint64_t                  before = 0;
  for (std::size_t c = 0; c < count; ++c)
  {
    ShapeSums row;
    before += static_cast<std::uint64_t>(reader.Signed());
    row.firstVoxel = before;
    row.voxels = reader.Number();
    reader.FailIf(before >= static_cast<std::uint64_t>(extent.VoxelCount()) || row.voxels == 0,
                  "a row of its table is outside it");
    for (int axis = 0; axis < MaximumDimension; ++axis)
    {
      const std::uint64_t lowest = axis < extent.dimension ? reader.Number() : 0;
      row.minimum[axis] = static_cast<std::int64_t>(lowest);
      row.maximum[axis] = static_cast<std::int64_t>(lowest + (axis < extent.dimension ? reader.Number() : 0));
      row.indexSum[axis] = lowest * row.voxels + (axis < extent.dimension ? reader.Number() : 0);
    }
    rows.push_back(row);
  }
  return rows;
}

void
CheckColumnsOfBricks(const MeasureOptions & options, const PeriodicAxes & periodic)
{
  ThrowIf<Unsupported>(options.part.has_value(),
                       "the distance to a part's surface cannot be measured by bricks: it needs the whole volume");
  for (const ColumnGroup * const group : options.groups.List())
  {
    ThrowIf<Unsupported>(
      !IsMerged(*group),
      std::string("the columns '") + group->name +
        "' cannot be measured by bricks, because they need whole components; possible are the default "
        "columns, intensity columns, and " +
        Joined(MergedGroups, ", ", [](const ColumnGroup * merged) { return merged->name; }));
  }
  CheckPeriodicGroups(periodic, options.groups.List());
}

SecondLook
SecondLookOf(const ColumnGroups & groups)
{
  return { groups.Has(groups::Surface.name), groups.Has(groups::Topology.name) };
}

ColumnGroups
FirstLookOf(const ColumnGroups & groups)
{
  ColumnGroups first;
  for (const ColumnGroup * const group : groups.List())
  {
    if (group != &groups::Surface && group != &groups::Topology)
    {
      first.Add(*group);
    }
  }
  return first;
}

void
AddGroups(const SecondLook & look, ComponentTable & table)
{
  if (look.surface)
  {
    InsertGroup(groups::Surface, table.groups);
  }
  if (look.topology)
  {
    InsertGroup(groups::Topology, table.groups);
  }
}

void
WriteTable(const ComponentTable & table, ByteWriter & writer)
{
  PassGeometry(writer, table.geometry);
  writer.Signed(table.sliceAxis.value_or(-1));
  const MeasureSet & measures = table.measures;
  writer.Byte(static_cast<std::uint8_t>((table.hasIntensity ? 1 : 0) + (measures.Has<ClassValue>() ? 2 : 0) +
                                        (table.regionVoxels ? 4 : 0)));
  if (table.regionVoxels)
  {
    writer.Number(*table.regionVoxels);
  }
  std::string names;
  for (const ColumnGroup * const group : table.groups)
  {
    if (group->presence == ColumnGroup::Presence::OnRequest)
    {
      names += (names.empty() ? "" : ",") + std::string(group->name);
    }
  }
  writer.Text(names);
  writer.Number(table.components.size());
  WriteRows(table, writer);
  writer.Byte(static_cast<std::uint8_t>((measures.Has<ProductSums>() ? 1 : 0) + (measures.Has<HullCorners>() ? 2 : 0) +
                                        (measures.Has<IntensitySums>() ? 4 : 0)));
  if (measures.Has<ProductSums>())
  {
    const MeasureList<ProductSums> products = measures.Of<ProductSums>();
    PassProducts(writer, products);
  }
  if (measures.Has<HullCorners>())
  {
    WriteHulls(measures, writer);
  }
  if (measures.Has<IntensitySums>())
  {
    WriteIntensities(measures.Of<IntensitySums>(), writer);
  }
  if (measures.Has<ClassValue>())
  {
    WriteClasses(measures.Of<ClassValue>(), writer);
  }
}

ComponentTable
ReadTable(ByteReader & reader, const BrickBox & box)
{
  ComponentTable table;
  table.extent = box.extent;
  PassGeometry(reader, table.geometry);
  const std::int64_t sliceAxis = reader.Signed();
  table.sliceAxis = sliceAxis >= 0 ? static_cast<int>(sliceAxis) : table.sliceAxis;
  const std::uint8_t images = reader.Byte();
  const bool         hasClasses = (images & 2) != 0;
  table.hasIntensity = (images & 1) != 0;
  table.regionVoxels = (images & 4) != 0 ? reader.Number() : table.regionVoxels;
  table.groups = ColumnGroups::FromNames(reader.Text()).List();
  if (hasClasses)
  {
    InsertGroup(groups::Classes, table.groups);
  }
  if (table.hasIntensity)
  {
    InsertGroup(groups::Intensities, table.groups);
  }
  const std::size_t count = reader.Count();
  table.components = MakeRows(table.extent, table.geometry, ReadRows(reader, table.extent, count));
  const std::uint8_t has = reader.Byte();
  if ((has & 1) != 0)
  {
    UninitializedVector<ProductSums> products(count, ProductSums());
    PassProducts(reader, products);
    table.measures.Set(std::move(products));
  }
  if ((has & 2) != 0)
  {
    ReadHulls(reader, count, table.measures);
  }
  if ((has & 4) != 0)
  {
    auto                           sums = ReadIntensities(reader, count);
    std::vector<IntensityMeasures> measures;
    for (std::size_t c = 0; c < count; ++c)
    {
      measures.push_back(sums[c].Measures(table.components.VoxelCount(c)));
    }
    table.measures.Set(std::move(sums));
    table.components.SetIntensities(std::move(measures));
  }
  if (hasClasses)
  {
    table.measures.Set(ReadClasses(reader, count));
  }
  return table;
}

} // namespace brickccl
