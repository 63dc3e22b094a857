#ifndef BRICKCCL_TABLES_COLUMNGROUP_H
#define BRICKCCL_TABLES_COLUMNGROUP_H

#include "BrickCCL/Core/Extent.h"

#include <cstdint>
#include <vector>

namespace brickccl
{

struct ComponentTable;
struct GroupInput;
struct MergeInput;

namespace columns
{
class ColumnList;
}

/** A group of columns: how they are listed, measured and merged. A group is one constant object that lives as long as
 *  the program; Measuring/Groups/ has one file for each. */
struct ColumnGroup
{
  enum class Presence
  {
    /** Measured where it is asked for by its name. */
    OnRequest,
    /** Always measured if there is an intensity image, or a mask of the part. */
    WithIntensity,
    WithPart
  };

  /** What the user calls it; empty if it is not there on request. */
  const char * name = "";
  Presence     presence = Presence::OnRequest;
  /** Images of more dimensions do not have it. */
  int mostDimensions = MaximumDimension;
  /** Whether `measure` reads MeasureOptions::intensity. */
  bool needsIntensity = false;
  /** Whether the sums of products of indices are needed, which MeasureComponents adds up with the default columns. */
  bool needsMoments = false;
  /** Whether it is right for components that go on through the ends of periodic axes. Other groups are refused there.
   */
  bool allowsPeriodic = false;

  /** Adds the columns of images of the list's dimension. */
  void (*addColumns)(columns::ColumnList & list) = nullptr;

  /** Fills `table.measures` from the runs (Measuring/GroupInput.h). The table's rows are there; labels of runs are
   * places in the table, from 1 on, or 0. Null if the columns follow from the rows alone. */
  void (*measure)(const GroupInput & input, ComponentTable & table) = nullptr;

  /** Fills `table.measures` from those of two tables (Tables/MergeTables.h). The merged table's rows are there. Null if
   *  that needs a second look at the runs: merged tables do not have the group. */
  void (*merge)(const MergeInput & input, ComponentTable & table) = nullptr;

  /** Puts labels[i] in the place of the label i + 1 wherever the measures name one. Null if they name none. */
  void (*setLabels)(const std::vector<std::uint64_t> & labels, ComponentTable & table) = nullptr;
};

} // namespace brickccl

#endif
