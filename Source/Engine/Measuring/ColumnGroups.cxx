// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/NearestName.h"
#include "BrickCCL/Core/TextLists.h"
#include "BrickCCL/Measuring/Groups/GroupTable.h"
#include "BrickCCL/Measuring/Measuring.h"
#include "BrickCCL/Tables/ComponentTable.h"

#include <algorithm>
#include <iterator>

namespace brickccl
{

const std::vector<const ColumnGroup *> &
GroupTable()
{
  static const std::vector<const ColumnGroup *> table = {
    &groups::Classes,     &groups::Parents,   &groups::Parts,       &groups::Zones,    &groups::Part,
    &groups::Intensities, &groups::Place,     &groups::Shape,       &groups::Feret,    &groups::Hull,
    &groups::Geodesic,    &groups::Skeleton,  &groups::Surface,     &groups::Topology, &groups::Inscribed,
    &groups::Thickness,   &groups::Neighbors, &groups::Distribution
  };
  return table;
}

void
InsertGroup(const ColumnGroup & group, std::vector<const ColumnGroup *> & groups)
{
  const auto & table = GroupTable();
  const auto   rank = [&](const ColumnGroup * one) { return std::find(table.begin(), table.end(), one); };
  const auto   isBefore = [&](const ColumnGroup * a, const ColumnGroup * b) { return rank(a) < rank(b); };
  groups.insert(std::upper_bound(groups.begin(), groups.end(), &group, isBefore), &group);
}

/** The group on request of this name; null if there is none. */
static const ColumnGroup *
FindGroup(const std::string & name)
{
  const auto & table = GroupTable();
  const auto   found = std::find_if(table.begin(), table.end(), [&](const ColumnGroup * group) {
    return group->presence == ColumnGroup::Presence::OnRequest && name == group->name;
  });
  return found == table.end() ? nullptr : *found;
}

std::string
ColumnGroups::Names()
{
  std::string names;
  for (const ColumnGroup * const group : GroupTable())
  {
    const bool isNamed = group->presence == ColumnGroup::Presence::OnRequest;
    names += isNamed ? (names.empty() ? "" : ", ") + std::string(group->name) : std::string();
  }
  return names;
}

ColumnGroups
ColumnGroups::FromNames(const std::string & names)
{
  ColumnGroups groups;
  for (const std::string & name : SplitAt(',', names))
  {
    if (const ColumnGroup * const group = FindGroup(name))
    {
      groups.Add(*group);
    }
    else
    {
      groups.AddGroupOfColumn(name);
    }
  }
  return groups;
}

ColumnGroups
ColumnGroups::Of(const ComponentTable & table)
{
  ColumnGroups groups;
  for (const ColumnGroup * const group : table.groups)
  {
    if (group->presence == ColumnGroup::Presence::OnRequest)
    {
      groups.Add(*group);
    }
  }
  return groups;
}

void
ColumnGroups::Add(const std::string & name)
{
  const ColumnGroup * const group = FindGroup(name);
  ThrowIf<InvalidArgument>(group == nullptr, "'" + name + "' is not a group of columns; there are " + Names());
  Add(*group);
}

void
ColumnGroups::Add(const ColumnGroup & group)
{
  ThrowIf<InvalidArgument>(group.addColumns == nullptr,
                           std::string("the group of columns '") + group.name + "' has no function addColumns");
  if (std::find(m_Groups.begin(), m_Groups.end(), &group) == m_Groups.end())
  {
    InsertGroup(group, m_Groups);
  }
}

bool
ColumnGroups::Has(const std::string & name) const
{
  return std::any_of(m_Groups.begin(), m_Groups.end(), [&](const ColumnGroup * group) { return name == group->name; });
}

void
ColumnGroups::AddGroupOfColumn(const std::string & column)
{
  const auto names = AllColumnNames();
  const auto found = std::find_if(names.begin(), names.end(), [&](const auto & one) { return one.first == column; });
  if (found != names.end())
  {
    if (const ColumnGroup * const group = FindGroup(found->second))
    {
      Add(*group);
    }
    return;
  }
  auto known = Mapped(GroupTable(), [](const ColumnGroup * group) { return std::string(group->name); });
  for (const auto & one : names)
  {
    known.push_back(one.first);
  }
  throw InvalidArgument("'" + column + "' is neither a column nor a group of columns" + DidYouMean(column, known) +
                        "; there are the groups " + Names() +
                        ", and the columns that `brickccl stats --list-columns` lists");
}

void
ColumnGroups::CheckDimension(int dimension) const
{
  for (const ColumnGroup * const group : m_Groups)
  {
    ThrowIf<Unsupported>(dimension > group->maximumDimension,
                         std::string("the columns '") + group->name + "' need an image of at most " +
                           std::to_string(group->maximumDimension) + " dimensions, not " + std::to_string(dimension));
  }
}

std::vector<ComponentColumn>
AllColumns(int dimension, const std::optional<int> & sliceAxis)
{
  ThrowIf<InvalidArgument>(dimension < 1 || dimension > MaximumDimension,
                           "images have 1 to " + std::to_string(MaximumDimension) + " dimensions, not " +
                             std::to_string(dimension));
  ThrowIf<InvalidArgument>(sliceAxis && (dimension == 1 || *sliceAxis < 0 || *sliceAxis >= dimension),
                           "an image of " + std::to_string(dimension) + " dimensions has no slices across axis " +
                             std::to_string(sliceAxis.value_or(0)));
  ComponentTable table;
  table.extent.dimension = dimension;
  table.sliceAxis = sliceAxis;
  const auto & all = GroupTable();
  std::copy_if(all.begin(), all.end(), std::back_inserter(table.groups), [&](const ColumnGroup * group) {
    return dimension <= group->maximumDimension;
  });
  return ColumnsOf(table);
}

std::vector<std::pair<std::string, std::string>>
AllColumnNames()
{
  std::vector<std::pair<std::string, std::string>> names;
  const auto                                       add = [&](int dimension, const std::optional<int> & sliceAxis) {
    for (const ComponentColumn & column : AllColumns(dimension, sliceAxis))
    {
      const std::pair<std::string, std::string> name(column.name, column.group);
      if (std::find(names.begin(), names.end(), name) == names.end())
      {
        names.push_back(name);
      }
    }
  };
  for (const int dimension : { 3, 2, 1, 4 })
  {
    add(dimension, std::nullopt);
  }
  add(3, 2);
  add(4, 3);
  return names;
}

} // namespace brickccl
