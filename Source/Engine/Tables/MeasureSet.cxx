// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Tables/ComponentTable.h"

#include "BrickCCL/Core/Error.h"

#include <algorithm>

namespace brickccl
{

const MeasureSet::Entry *
MeasureSet::Find(const std::type_index & type) const
{
  // Mostly the name is the same one in memory. Then no letters are compared.
  for (const Entry & entry : m_Entries)
  {
    if (entry.type.name() == type.name())
    {
      return &entry;
    }
  }
  const auto found =
    std::find_if(m_Entries.begin(), m_Entries.end(), [&](const Entry & entry) { return entry.type == type; });
  return found == m_Entries.end() ? nullptr : &*found;
}

const MeasureSet::Entry &
MeasureSet::Get(const std::type_index & type) const
{
  const Entry * const found = Find(type);
  if (found == nullptr)
  {
    throw InvalidArgument(std::string("the table lacks measures of type ") + type.name() +
                          "; request their group of columns when measuring");
  }
  return *found;
}

void
MeasureSet::Insert(Entry entry)
{
  const auto found =
    std::find_if(m_Entries.begin(), m_Entries.end(), [&](const Entry & known) { return known.type == entry.type; });
  if (found == m_Entries.end())
  {
    m_Entries.push_back(std::move(entry));
  }
  else
  {
    *found = std::move(entry);
  }
}

} // namespace brickccl
