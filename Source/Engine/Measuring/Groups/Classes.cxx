// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Measuring/Groups/GroupTable.h"
#include "BrickCCL/Measuring/Measuring.h"
#include "BrickCCL/Runs/AccumulateRuns.h"
#include "BrickCCL/Tables/MergeTables.h"

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

/** The value that the voxels of a component share, where neighbors of equal value were joined. */
namespace brickccl
{

using namespace columns;

static void
MeasureClasses(const GroupInput & input, ComponentTable & table)
{
  const ImageView &       classes = *input.options.classes;
  std::vector<ClassValue> values(table.components.size());
  VisitScalarType(classes.type, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    using Unsigned = std::conditional_t<std::is_unsigned_v<T>, std::uint64_t, std::int64_t>;
    using Wide = std::conditional_t<std::is_floating_point_v<T>, double, Unsigned>;
    const auto * const voxels = static_cast<const T *>(classes.data);
    ForComponents(values.size(), input.context, [&](std::size_t c) {
      values[c].value = static_cast<Wide>(voxels[table.components[c].firstVoxel]);
    });
  });
  table.measures.Set(std::move(values));
}

static void
MergeClasses(const MergeInput & input, ComponentTable & table)
{
  std::vector<ClassValue> values(table.components.size());
  for (std::size_t c = 0; c < values.size(); ++c)
  {
    const PartRow & row = input.parts[input.begins[c]];
    values[c] = row.table->measures.Of<ClassValue>()[row.place];
  }
  table.measures.Set(std::move(values));
}

constexpr ColumnGroup groups::Classes = [] {
  ColumnGroup group;
  group.presence = ColumnGroup::Presence::WithClasses;
  group.allowsPeriodic = true;
  group.addColumns = [](ColumnList & columns) {
    columns.Add("value",
                "value of the component's voxels in the input: its class where neighbors of equal value were joined "
                "(`label --equal-value`)",
                MergeRule::Minimum,
                &ClassValue::value);
  };
  group.measure = MeasureClasses;
  group.merge = MergeClasses;
  return group;
}();

} // namespace brickccl
