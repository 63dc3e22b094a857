#ifndef BRICKCCL_TABLES_COLUMNS_H
#define BRICKCCL_TABLES_COLUMNS_H

#include "BrickCCL/Tables/ComponentRows.h"

#include <cstdint>
#include <functional>
#include <string>
#include <variant>
#include <vector>

namespace brickccl
{

struct ComponentTable;

/** How a table that is merged from those of parts (MergeComponentTables) gets a column. */
enum class MergeRule
{
  /** The label that the merged component gets. */
  Label,
  Sum,
  Minimum,
  Maximum,
  /** From sums, extremes or hulls that the tables keep and that are merged exactly. */
  Recomputed,
  /** Tables are not enough: it needs another look at the merged components' runs. */
  SecondLook
};

std::string NameOf(MergeRule rule);

/** One column of the table as it is written: its name, its meaning and its formula in one place. */
struct ComponentColumn
{
  using Value = std::variant<std::uint64_t, std::int64_t, double>;

  /** Ends with the unit where there is one, for example `volume_mm3`. */
  std::string name;
  /** "mm", "mm^2", "mm^3", "index", "voxels", "intensity" or empty. */
  std::string unit;
  /** What it is, with its formula. */
  std::string description;
  /** The names of the same measure in ITK's LabelMap filters and in skimage.measure.regionprops; may be empty. */
  std::string itkName;
  std::string scikitImageName;

  std::function<Value(const ComponentTable &, const ComponentMeasures &)> value;

  MergeRule merge = MergeRule::Recomputed;
  /** The group that it belongs to; empty for columns without a group. */
  std::string group;
};

/** The name of the column of sizes: "length_mm", "area_mm2", "volume_mm3" or "hypervolume_mm4". */
const char * SizeName(int dimension);

/** The columns that a table has: the default columns of its dimension, a slice column if slices were labeled, and the
 *  columns of the table's groups. */
std::vector<ComponentColumn> ColumnsOf(const ComponentTable & table);

} // namespace brickccl

#endif
