// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_TABLES_COLUMNGROUP_H
#define BRICKCCL_TABLES_COLUMNGROUP_H

#include "BrickCCL/Core/Extent.h"
#include "BrickCCL/Tables/ComponentTable.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace brickccl
{

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
    /** Measured on request, by name. */
    OnRequest,
    /** Always measured if there is an intensity image, a mask of the part, or an image of classes, parents, parts or
     *  zones. */
    WithIntensity,
    WithPart,
    WithClasses,
    WithParents,
    WithParts,
    WithZones
  };

  /** The user's name for it; empty if it is not available on request. */
  const char * name = "";
  Presence     presence = Presence::OnRequest;
  /** Not available for images of more dimensions. */
  int maximumDimension = MaximumDimension;
  /** Whether `measure` reads MeasureOptions::intensity. */
  bool needsIntensity = false;
  /** Whether it needs the sums of products of indices, which MeasureComponents computes with the default columns. */
  bool needsMoments = false;
  /** Whether it supports components across the ends of periodic axes. Other groups are refused there. */
  bool allowsPeriodic = false;

  /** Adds the columns for images of the list's dimension. */
  void (*addColumns)(columns::ColumnList & list) = nullptr;

  /** Fills `table.measures` from the runs (Measuring/GroupInput.h). The table already has its rows; labels of runs
   *  are places in the table, from 1, or 0. Null if the columns need only the rows. */
  void (*measure)(const GroupInput & input, ComponentTable & table) = nullptr;

  /** Fills `table.measures` from the measures of two tables (Tables/MergeTables.h). The merged table already has its
   *  rows. Null if this needs the runs again: merged tables then lack the group. */
  void (*merge)(const MergeInput & input, ComponentTable & table) = nullptr;

  /** Replaces the label i + 1 with labels[i] wherever the measures refer to one. Null if they do not. */
  void (*setLabels)(const std::vector<std::uint64_t> & labels, ComponentTable & table) = nullptr;
};

} // namespace brickccl

/** Helpers to list the columns of a table. */
namespace brickccl::columns
{

using Table = const ComponentTable &;
using Component = const ComponentMeasures &;
using Value = ComponentColumn::Value;

/** The unit at the end of a name. */
inline std::string
UnitOf(const std::string & name)
{
  static const std::pair<const char *, const char *> units[] = { { "_mm", "mm" },
                                                                 { "_mm2", "mm^2" },
                                                                 { "_mm3", "mm^3" },
                                                                 { "_mm4", "mm^4" } };
  for (const auto & [ending, unit] : units)
  {
    const std::string text = ending;
    if (name.size() > text.size() && name.compare(name.size() - text.size(), text.size(), text) == 0)
    {
      return unit;
    }
  }
  return {};
}

/** The value of a column: of a function, or a member of the measures of a group. One of several has its number, too. */
template <typename TValue, typename... TNumber>
auto
ValueOf(TValue value, Table table, Component component, TNumber... number)
{
  return value(table, component, number...);
}
template <typename TMeasures, typename T>
T
ValueOf(T TMeasures::*member, Table table, Component component)
{
  return table.measures.Of<TMeasures>()[component.place].*member;
}
template <typename TMeasures, typename T, std::size_t VCount>
T
ValueOf(T (TMeasures::*member)[VCount], Table table, Component component, int number)
{
  return (table.measures.Of<TMeasures>()[component.place].*member)[number];
}

class ColumnList
{
public:
  explicit ColumnList(int dimension)
    : m_Dimension(dimension)
  {}

  /** The following columns belong to this group; an empty name means no group. */
  void
  BeginGroup(const std::string & name)
  {
    m_Group = name;
  }

  /** Adds a column with the value `value(table, component)`, or with the number of a group's measures whose member
   *  `value` points to. Without a unit, it gets the unit at the end of its name. */
  template <typename TValue>
  void
  Add(const std::string & name,
      const std::string & description,
      const std::string & itkName,
      const std::string & scikitImageName,
      MergeRule           merge,
      TValue              value,
      const std::string & unit = {})
  {
    m_Columns.push_back(
      { name,
        unit.empty() ? UnitOf(name) : unit,
        description,
        itkName,
        scikitImageName,
        [value](Table table, Component component) { return Value{ ValueOf(value, table, component) }; },
        merge,
        m_Group });
  }
  template <typename TValue>
  void
  Add(const std::string & name,
      const std::string & description,
      MergeRule           merge,
      TValue              value,
      const std::string & unit = {})
  {
    Add(name, description, "", "", merge, value, unit);
  }

  /** Adds a column for every axis. Its name is `before` + the axis + `after`, its value is
   *  `value(table, component, axis)`. */
  template <typename TValue>
  void
  AddAxes(const std::string & before,
          const std::string & after,
          const std::string & description,
          const std::string & itkName,
          const std::string & scikitImageName,
          MergeRule           merge,
          TValue              value,
          const std::string & unit = {})
  {
    for (int axis = 0; axis < m_Dimension; ++axis)
    {
      Add(
        before + AxisNames[axis] + after,
        description,
        itkName,
        scikitImageName,
        merge,
        [value, axis](Table table, Component component) { return ValueOf(value, table, component, axis); },
        unit);
    }
  }
  template <typename TValue>
  void
  AddAxes(const std::string & before,
          const std::string & after,
          const std::string & description,
          MergeRule           merge,
          TValue              value,
          const std::string & unit = {})
  {
    AddAxes(before, after, description, "", "", merge, value, unit);
  }

  /** Adds a column for every principal axis, by ascending moments: its name is `before` + 1.. + `after`, its value
   *  `value(table, component, i)` with i from 0. */
  template <typename TValue>
  void
  AddPrincipal(const std::string & before,
               const std::string & after,
               const std::string & description,
               const std::string & itkName,
               const std::string & scikitImageName,
               MergeRule           merge,
               TValue              value)
  {
    for (int i = 0; i < m_Dimension; ++i)
    {
      Add(before + std::to_string(i + 1) + after,
          description,
          itkName,
          scikitImageName,
          merge,
          [value, i](Table table, Component component) { return ValueOf(value, table, component, i); });
    }
  }

  int
  Dimension() const
  {
    return m_Dimension;
  }

  std::vector<ComponentColumn>
  Take()
  {
    return std::move(m_Columns);
  }

private:
  int                          m_Dimension;
  std::string                  m_Group;
  std::vector<ComponentColumn> m_Columns;
};

} // namespace brickccl::columns

#endif
