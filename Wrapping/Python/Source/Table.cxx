// SPDX-License-Identifier: Apache-2.0
#include "Table.h"

#include "Hooks.h"
#include "TableState.h"

#include "BrickCCL/Host/Parallel.h"
#include "BrickCCL/Tables/Condition.h"
#include "BrickCCL/Tables/TableLayout.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <atomic>
#include <limits>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace brickccl::python
{

namespace
{

using ColumnList = std::vector<ComponentColumn>;

/** A value of every column of a table, so that columns without rows have a type, too. */
std::vector<ComponentColumn::Value>
ValuesOfOneComponent(const ComponentTable & like)
{
  const ComponentTable                table = TableOfOneComponent(like);
  std::vector<ComponentColumn::Value> values;
  for (const ComponentColumn & column : ColumnsOf(table))
  {
    values.push_back(column.value(table, table.components.front()));
  }
  return values;
}

/** Whole numbers in the bits of std::int64_t as an array, of std::uint64_t if one of them is a number of that alone. */
nb::object
WholeNumbers(std::vector<std::int64_t> && numbers, bool isLarge)
{
  if (isLarge)
  {
    return nb::cast(ArrayOf(std::vector<std::uint64_t>(numbers.begin(), numbers.end())));
  }
  return nb::cast(ArrayOf(std::move(numbers)));
}

/** The values of one column: doubles, or whole numbers in the bits of std::int64_t. */
struct ColumnValues
{
  std::vector<double>       numbers;
  std::vector<std::int64_t> whole;
  /** Whether a whole number fits only std::uint64_t. Several threads set values. */
  std::atomic<bool> isLarge{ false };

  void
  Set(std::size_t place, const ComponentColumn::Value & value)
  {
    if (const double * const number = std::get_if<double>(&value))
    {
      numbers[place] = *number;
    }
    else if (const std::int64_t * const integer = std::get_if<std::int64_t>(&value))
    {
      whole[place] = *integer;
    }
    else
    {
      whole[place] = static_cast<std::int64_t>(std::get<std::uint64_t>(value));
      if (whole[place] < 0)
      {
        isLarge.store(true, std::memory_order_relaxed);
      }
    }
  }

  nb::object
  Take(bool isNumber)
  {
    if (isNumber)
    {
      return nb::cast(ArrayOf(std::move(numbers)));
    }
    return WholeNumbers(std::move(whole), isLarge);
  }
};

nb::dict
ColumnsAsArrays(const ComponentTable & table, int threads, nb::object progress)
{
  const ColumnList          columns = ColumnsOf(table);
  const auto                kinds = ValuesOfOneComponent(table);
  std::vector<ColumnValues> values(columns.size());
  const std::size_t         count = table.components.size();
  WithoutLock(std::move(progress), [&](const ProgressHooks & hooks) {
    for (std::size_t i = 0; i < columns.size(); ++i)
    {
      const bool isNumber = std::holds_alternative<double>(kinds[i]);
      values[i].numbers.resize(isNumber ? count : 0);
      values[i].whole.resize(isNumber ? 0 : count);
      // That takes its time where there are millions of rows.
      Progress(hooks).Update(0.0);
    }
    const HostContext context{ threads, Progress(hooks) };
    constexpr auto    rowsBetweenLooks = 4096;
    const auto        blocks = (static_cast<std::int64_t>(count) + rowsBetweenLooks - 1) / rowsBetweenLooks;
    ParallelFor(blocks, context, [&](std::int64_t block) {
      const auto begin = static_cast<std::size_t>(block) * rowsBetweenLooks;
      for (std::size_t c = begin; c < std::min<std::size_t>(count, begin + rowsBetweenLooks); ++c)
      {
        // A row is worked out once for all of its columns.
        const ComponentMeasures row = table.components[c];
        for (std::size_t i = 0; i < columns.size(); ++i)
        {
          values[i].Set(c, columns[i].value(table, row));
        }
      }
    });
  });
  nb::dict arrays;
  for (std::size_t i = 0; i < columns.size(); ++i)
  {
    arrays[columns[i].name.c_str()] = values[i].Take(std::holds_alternative<double>(kinds[i]));
  }
  return arrays;
}

nb::list
DescribeColumns(const ColumnList & columns)
{
  nb::list rows;
  for (const ComponentColumn & column : columns)
  {
    rows.append(nb::make_tuple(column.name,
                               column.unit,
                               column.description,
                               column.itkName,
                               column.scikitImageName,
                               NameOf(column.merge),
                               column.group));
  }
  return rows;
}

nb::dict
ContactsAsArrays(const ComponentTable & table)
{
  std::vector<std::int64_t> first;
  std::vector<std::int64_t> second;
  std::vector<std::int64_t> faces;
  std::vector<double>       areas;
  WithoutLock(nb::none(), [&](const ProgressHooks & hooks) {
    StopPoint stop({ 1, Progress(hooks) });
    for (const Contact & contact : table.contacts)
    {
      stop.AskAt(first.size());
      first.push_back(static_cast<std::int64_t>(contact.first));
      second.push_back(static_cast<std::int64_t>(contact.second));
      faces.push_back(static_cast<std::int64_t>(contact.faces));
      areas.push_back(contact.area);
    }
  });
  // The second label is the larger one; both columns are of one type.
  const bool isLarge = std::any_of(second.begin(), second.end(), [](std::int64_t label) { return label < 0; });
  nb::dict   arrays;
  arrays["label_1"] = WholeNumbers(std::move(first), isLarge);
  arrays["label_2"] = WholeNumbers(std::move(second), isLarge);
  arrays["faces"] = nb::cast(ArrayOf(std::move(faces)));
  arrays["area"] = nb::cast(ArrayOf(std::move(areas)));
  return arrays;
}

nb::object
Evaluate(const ComponentTable & table, const std::string & condition)
{
  const Condition         wanted(condition);
  const std::vector<bool> holds = WithoutLock(nb::none(), [&](const ProgressHooks & hooks) {
    return wanted.Evaluate(table, { 1, Progress(hooks) });
  });
  return nb::cast(ArrayOf(std::vector<unsigned char>(holds.begin(), holds.end())));
}

std::string
TextOf(const ComponentTable & table)
{
  return WithoutLock(nb::none(), [&](const ProgressHooks & hooks) {
    TableText text = LayOut(table);
    text.context = { 1, Progress(hooks) };
    std::ostringstream stream;
    WriteJson(stream, table, text);
    return stream.str();
  });
}

/** Values along x, y, z, t. \throws InvalidArgument for too many. */
void
CopyAxes(const std::vector<double> & values, double * target)
{
  if (values.size() > MaximumDimension)
  {
    throw InvalidArgument("there are " + std::to_string(values.size()) +
                          " values, one for each axis; an image has up to " + std::to_string(MaximumDimension) +
                          " axes");
  }
  std::copy(values.begin(), values.end(), target);
}

Geometry
MakeGeometry(const std::vector<double> &       spacing,
             const std::vector<double> &       origin,
             const std::vector<double> &       direction,
             const std::vector<std::int64_t> & start)
{
  Geometry geometry;
  CopyAxes(spacing, geometry.spacing);
  CopyAxes(origin, geometry.origin);
  if (std::any_of(spacing.begin(), spacing.end(), [](double value) {
        return !(value > 0 && value <= std::numeric_limits<double>::max());
      }))
  {
    throw InvalidArgument("the spacing is invalid; all lengths must be finite and above 0");
  }
  const std::size_t dimension = spacing.size();
  if (!direction.empty())
  {
    if (direction.size() != dimension * dimension)
    {
      throw InvalidArgument("the direction has " + std::to_string(direction.size()) + " values; it must have " +
                            std::to_string(dimension * dimension) + ", row after row");
    }
    for (std::size_t i = 0; i < direction.size(); ++i)
    {
      geometry.direction[i / dimension][i % dimension] = direction[i];
    }
  }
  if (start.size() > MaximumDimension)
  {
    throw InvalidArgument("the start has " + std::to_string(start.size()) + " values; an image has up to " +
                          std::to_string(MaximumDimension) + " axes");
  }
  std::copy(start.begin(), start.end(), geometry.startIndex);
  return geometry;
}

} // namespace

MeasureOptions
Measures::Options() const
{
  MeasureOptions options;
  options.intensity = ViewOf(intensity);
  options.part = ViewOf(part);
  options.groups = ColumnGroups::FromNames(groups);
  return options;
}

void
BindTables(nb::module_ & module)
{
  nb::class_<Geometry>(module, "Geometry", "The place of voxels in space; axes in the order x, y, z, t.")
    .def_static("make",
                &MakeGeometry,
                nb::arg("spacing"),
                nb::arg("origin") = std::vector<double>(),
                nb::arg("direction") = std::vector<double>(),
                nb::arg("start") = std::vector<std::int64_t>());

  nb::class_<ComponentTable> tables(module, "Table", "A component table of the engine.");
  tables.def("__len__", [](const ComponentTable & table) { return table.components.size(); })
    .def_prop_ro(
      "shape",
      [](const ComponentTable & table) { return ShapeOf(table.extent); },
      ShapeSignature)
    .def_prop_ro(
      "spacing",
      [](const ComponentTable & table) {
        const double * const spacing = table.geometry.spacing;
        return std::vector<double>(spacing, spacing + table.extent.dimension);
      },
      "Size of a voxel along x, y, z, t.")
    .def(
      "describe",
      [](const ComponentTable & table) { return DescribeColumns(ColumnsOf(table)); },
      nb::sig("def describe(self) -> list[tuple[str, str, str, str, str, str, str]]"))
    .def("columns",
         &ColumnsAsArrays,
         nb::arg("threads") = 1,
         nb::arg("progress").none() = nb::none(),
         nb::sig("def columns(self, threads: int = 1, progress: object | None = None) -> "
                 "dict[str, numpy.typing.NDArray[typing.Any]]"))
    .def("contacts", &ContactsAsArrays, nb::sig("def contacts(self) -> dict[str, numpy.typing.NDArray[typing.Any]]"))
    .def("evaluate",
         &Evaluate,
         nb::arg("condition"),
         nb::sig("def evaluate(self, condition: str) -> numpy.typing.NDArray[numpy.uint8]"))
    .def("json", &TextOf);
  BindTableState(tables);

  module.def(
    "merge_tables",
    [](const ComponentTable &                                       first,
       const ComponentTable &                                       second,
       const std::vector<std::pair<std::uint64_t, std::uint64_t>> & pairs) {
      MergedLabels labels;
      auto         table = std::make_unique<ComponentTable>(MergeComponentTables(first, second, pairs, &labels));
      return nb::make_tuple(std::move(table), ArrayOf(std::move(labels.ofFirst)), ArrayOf(std::move(labels.ofSecond)));
    },
    nb::arg("first"),
    nb::arg("second"),
    nb::arg("pairs"),
    nb::sig("def merge_tables(first: Table, second: Table, pairs: collections.abc.Sequence[tuple[int, int]]) -> "
            "tuple[Table, numpy.typing.NDArray[numpy.uint64], numpy.typing.NDArray[numpy.uint64]]"));
  module.def(
    "all_columns",
    [](int dimension) { return DescribeColumns(AllColumns(dimension)); },
    nb::arg("dimension"),
    nb::sig("def all_columns(dimension: int) -> list[tuple[str, str, str, str, str, str, str]]"));
  module.def(
    "condition_columns",
    [](const std::string & text) { return Condition(text).ColumnNames(); },
    nb::arg("text"));
  module.def("column_groups", &ColumnGroups::Names);
}

} // namespace brickccl::python
