// SPDX-License-Identifier: Apache-2.0
#include "TableState.h"

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Dispatch/Label.h"
#include "BrickCCL/Measuring/Groups/GroupTable.h"
#include "BrickCCL/Tables/ColumnGroup.h"
#include "BrickCCL/Tables/RowSums.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

namespace brickccl::python
{

namespace nb = nanobind;

namespace
{

template <typename T>
nb::bytes
BytesOf(const T * values, std::size_t count)
{
  static_assert(std::is_trivially_copyable_v<T>, "plain bytes");
  return nb::bytes(values, count * sizeof(T));
}

/** \throws InvalidArgument if the bytes are not whole elements. */
template <typename TList>
TList
ListOf(const nb::bytes & bytes)
{
  using T = typename TList::value_type;
  static_assert(std::is_trivially_copyable_v<T>, "plain bytes");
  if (bytes.size() % sizeof(T) != 0)
  {
    throw InvalidArgument("the pickled table is damaged: a list has " + std::to_string(bytes.size()) + " bytes");
  }
  TList list(bytes.size() / sizeof(T));
  if (!list.empty())
  {
    std::memcpy(list.data(), bytes.data(), bytes.size());
  }
  return list;
}

/** The members of a table that are not lists. */
struct TableHead
{
  Extent                       extent;
  Geometry                     geometry;
  PeriodicAxes                 periodic;
  PartTotals                   partTotals;
  std::optional<int>           sliceAxis;
  std::optional<std::uint64_t> regionVoxels;
  bool                         hasIntensity = false;
  bool                         hasPart = false;
};

/** A list of measures: type, bytes of an element, elements. */
using RawMeasures = std::tuple<std::string, std::size_t, nb::bytes>;

/** A table as bytes, which the same build of the package reads again: the head, the names of groups, rows in both
 * forms, labels, intensities, contacts and measures. */
nb::tuple
StateOf(const ComponentTable & table)
{
  const TableHead    head{ table.extent,    table.geometry,     table.periodic,     table.partTotals,
                        table.sliceAxis, table.regionVoxels, table.hasIntensity, table.hasPart };
  std::string        names;
  const ColumnGroups groups = ColumnGroups::Of(table);
  for (const ColumnGroup * const group : groups.List())
  {
    names += (names.empty() ? "" : ",") + std::string(group->name);
  }
  const ComponentRows &          rows = table.components;
  std::vector<std::uint64_t>     labels;
  std::vector<IntensityMeasures> intensities;
  const bool                     isNumbered = !rows.empty() && rows.Label(rows.size() - 1) != rows.size();
  for (std::size_t c = 0; c < rows.size(); ++c)
  {
    if (isNumbered)
    {
      labels.push_back(rows.Label(c));
    }
    if (table.hasIntensity)
    {
      intensities.push_back(rows.Intensity(c));
    }
  }
  // A copy shares the sums.
  auto sums = ComponentRows(rows).ReleaseSums();
  sums = sums ? sums : std::make_shared<RowSums>();
  std::vector<RawMeasures> measures;
  for (const MeasureSet::RawList & list : table.measures.RawLists())
  {
    // Parents were found through classes.
    if (list.type != typeid(ClassValue).name())
    {
      measures.emplace_back(list.type, list.elementSize, nb::bytes(list.data, list.size * list.elementSize));
    }
  }
  return nb::make_tuple(BytesOf(&head, 1),
                        names,
                        BytesOf(sums->compact.data(), sums->compact.size()),
                        BytesOf(sums->wide.data(), sums->wide.size()),
                        BytesOf(labels.data(), labels.size()),
                        BytesOf(intensities.data(), intensities.size()),
                        BytesOf(table.contacts.data(), table.contacts.size()),
                        measures);
}

std::unique_ptr<ComponentTable>
TableOfState(const nb::bytes &                head,
             const std::string &              names,
             const nb::bytes &                compact,
             const nb::bytes &                wide,
             const nb::bytes &                labels,
             const nb::bytes &                intensities,
             const nb::bytes &                contacts,
             const std::vector<RawMeasures> & measures)
{
  const auto heads = ListOf<std::vector<TableHead>>(head);
  auto       table = std::make_unique<ComponentTable>();
  auto       sums = std::make_shared<RowSums>();
  sums->compact = ListOf<UninitializedVector<CompactShapeSums>>(compact);
  sums->wide = ListOf<UninitializedVector<ShapeSums>>(wide);
  auto              numbers = ListOf<std::vector<std::uint64_t>>(labels);
  auto              values = ListOf<std::vector<IntensityMeasures>>(intensities);
  const std::size_t count = sums->compact.size() + sums->wide.size();
  if (heads.size() != 1 || (!numbers.empty() && numbers.size() != count) ||
      (heads[0].hasIntensity && values.size() != count))
  {
    throw InvalidArgument("the pickled table is damaged: its lists have different lengths");
  }
  const TableHead & own = heads.front();
  table->extent = own.extent;
  table->geometry = own.geometry;
  table->periodic = own.periodic;
  table->partTotals = own.partTotals;
  table->sliceAxis = own.sliceAxis;
  table->regionVoxels = own.regionVoxels;
  table->hasIntensity = own.hasIntensity;
  table->hasPart = own.hasPart;
  table->groups = ColumnGroups::FromNames(names).List();
  if (std::any_of(measures.begin(), measures.end(), [](const RawMeasures & list) {
        return std::get<0>(list) == typeid(ParentLabel).name();
      }))
  {
    InsertGroup(groups::Parents, table->groups);
  }
  // Its lists have the types.
  ComponentTable one = TableOfOneComponent(*table);
  table->groups = std::move(one.groups);
  table->measures = std::move(one.measures);
  for (const auto & [type, elementSize, bytes] : measures)
  {
    table->measures.SetRaw({ type, bytes.data(), elementSize == 0 ? 0 : bytes.size() / elementSize, elementSize });
  }
  table->components = ComponentRows(table->extent, table->geometry, count > 0 ? std::move(sums) : nullptr);
  table->components.SetLabels(std::move(numbers));
  if (table->hasIntensity)
  {
    table->components.SetIntensities(std::move(values));
  }
  table->contacts = ListOf<std::vector<Contact>>(contacts);
  return table;
}

} // namespace

ComponentTable
TableOfOneComponent(const ComponentTable & like)
{
  const std::vector<unsigned char> voxel{ 1 };
  std::int64_t                     sizes[MaximumDimension] = { 1, 1, 1, 1 };
  const ImageView                  image(voxel.data(), Extent(like.extent.dimension, sizes));
  MeasureOptions                   options;
  options.groups = ColumnGroups::Of(like);
  if (like.hasIntensity)
  {
    options.intensity = image;
  }
  if (like.hasPart)
  {
    options.part = image;
  }
  const auto has = [&](const ColumnGroup & group) {
    return std::find(like.groups.begin(), like.groups.end(), &group) != like.groups.end();
  };
  options.classes = has(groups::Classes) ? std::optional(image) : std::nullopt;
  options.parents = has(groups::Parents) ? std::optional(image) : std::nullopt;
  LabelOptions labeling;
  labeling.device.kind = Device::Kind::Cpu;
  labeling.threads = 1;
  ComponentTable table = Label(image, labeling).Measure(options);
  table.sliceAxis = like.sliceAxis;
  table.periodic = like.periodic;
  return table;
}

void
BindTableState(nb::class_<ComponentTable> & tables)
{
  tables.def("state", &StateOf, nb::sig("def state(self) -> tuple[typing.Any, ...]"));
  tables.def_static("of_state", &TableOfState);
}

} // namespace brickccl::python
