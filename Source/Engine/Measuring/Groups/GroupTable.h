// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Host/Parallel.h"
#include "BrickCCL/Measuring/Measuring.h"
#include "BrickCCL/Measuring/TouchingRuns.h"
#include "BrickCCL/Runs/RunVolume.h"
#include "BrickCCL/Tables/ColumnGroup.h"

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace brickccl
{

/** Each file of this folder defines one of them, Numbers.cxx three and Thickness.cxx two. */
namespace groups
{
extern const ColumnGroup Classes;
extern const ColumnGroup Parents;
extern const ColumnGroup Parts;
extern const ColumnGroup Zones;
extern const ColumnGroup Part;
extern const ColumnGroup Intensities;
extern const ColumnGroup Place;
extern const ColumnGroup Shape;
extern const ColumnGroup Feret;
extern const ColumnGroup Hull;
extern const ColumnGroup Geodesic;
extern const ColumnGroup Skeleton;
extern const ColumnGroup Surface;
extern const ColumnGroup Topology;
extern const ColumnGroup Inscribed;
extern const ColumnGroup Thickness;
extern const ColumnGroup Neighbors;
extern const ColumnGroup Distribution;
} // namespace groups

/** A group for images of up to 3 dimensions. */
constexpr ColumnGroup
GroupOnRequest(const char *                      name,
               decltype(ColumnGroup::addColumns) addColumns,
               decltype(ColumnGroup::measure)    measure,
               decltype(ColumnGroup::merge)      merge = nullptr)
{
  ColumnGroup group;
  group.name = name;
  group.maximumDimension = 3;
  group.addColumns = addColumns;
  group.measure = measure;
  group.merge = merge;
  return group;
}

/** All groups of columns, in the order of their columns. */
const std::vector<const ColumnGroup *> & GroupTable();

/** Inserts a group in the order of the table, behind all of it if it is not there. */
void InsertGroup(const ColumnGroup & group, std::vector<const ColumnGroup *> & groups);

/** Counts the voxels that components and zones share. */
class ZoneCounter
{
public:
  /** Adds the shared voxels of a volume, or of the next part of one. */
  void Add(const RunVolume & components, const ImageView & zones, const HostContext & context);

  /** Sets the zone of each component, and the voxels of each zone. */
  template <typename TNumber>
  void SetNumbers(ComponentTable & table) const;

private:
  /** By component and zone. */
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint64_t> m_Voxels;
};

struct GroupInput
{
  /** Labels of runs are places in the table, from 1 on, or 0. */
  const RunVolume & volume;
  /** The images have the volume's extent. */
  const MeasureOptions & options;
  HostContext            context;
  /** The result of TouchingAreJoined, shared by the groups of a table. */
  std::optional<bool> & touchingAreJoined;

  /** The answer of TouchingRunsAreJoined, found for the first group that asks; it makes some measures faster. */
  bool
  TouchingAreJoined() const
  {
    if (!touchingAreJoined)
    {
      touchingAreJoined = TouchingRunsAreJoined(volume, context);
    }
    return *touchingAreJoined;
  }
};

} // namespace brickccl
