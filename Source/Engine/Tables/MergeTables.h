// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Core/Extent.h"
#include "BrickCCL/Host/Parallel.h"
#include "BrickCCL/Tables/ComponentTable.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace brickccl
{

/** The place of a part's component in an unwrapped component of a periodic image. */
struct UnwrappedRow
{
  /** It is moved by this many images along each axis. */
  std::int64_t images[MaximumDimension] = {};
  /** Bit a: the whole component meets its own copy along axis a, and cannot be unwrapped along it. */
  unsigned char wraps = 0;
};

struct PartRow
{
  const ComponentTable * table;
  std::size_t            place;
  /** Null if the image is not periodic. */
  const UnwrappedRow * unwrapped = nullptr;
};

/** The input for merging a group of columns: the rows of several tables, grouped by merged component. */
struct MergeInput
{
  /** Component c of the merged table consists of parts[begins[c]] up to, not including, parts[begins[c + 1]]. Rows
   *  are in the order of the tables, and in their own order. */
  std::vector<PartRow>     parts;
  std::vector<std::size_t> begins;
  /** On how many threads components may be merged. */
  HostContext context;

  template <typename TFunction>
  void
  ForComponents(TFunction function) const
  {
    const Chunks chunks(static_cast<std::int64_t>(begins.size() - 1), 1 << 10, 256);
    ParallelFor(chunks.count, context, [&](std::int64_t chunk) {
      for (auto c = static_cast<std::size_t>(chunks.Begin(chunk)); c < static_cast<std::size_t>(chunks.End(chunk)); ++c)
      {
        function(c);
      }
    });
  }

  /** Calls `function(row)` for the rows that become a component. */
  template <typename TFunction>
  void
  ForParts(std::size_t component, TFunction function) const
  {
    for (std::size_t i = begins[component]; i < begins[component + 1]; ++i)
    {
      function(parts[i]);
    }
  }
};

/** The offset from indices in a part to indices in the box of the merged table, in the unwrapped component. */
struct PartOffset
{
  std::int64_t along[MaximumDimension] = {};

  PartOffset(const PartRow & row, const ComponentTable & merged)
  {
    for (int axis = 0; axis < row.table->extent.dimension; ++axis)
    {
      along[axis] = row.table->geometry.startIndex[axis] - merged.geometry.startIndex[axis];
      along[axis] += row.unwrapped != nullptr ? row.unwrapped->images[axis] * merged.extent.size[axis] : 0;
    }
  }
};

/** The place of a row that a merged table leaves out. */
inline constexpr std::size_t LeftOut = std::numeric_limits<std::size_t>::max();

/** Merges the tables of any number of parts of an image. MergeComponentTables is easier to call for two.
 *  \param parts       do not overlap
 *  \param places      for each part and each of its rows the place of its component in the merged table, or LeftOut
 *  \param components  how many components there are; each has at least one row
 *  \param merged      its extent and geometry are for a box around all parts; periodic only if it is the whole image
 *  \param unwrapped   for each part and each of its rows its place in its component; null if no axis is periodic
 *  \param context  the table does not depend on it \throws InvalidArgument if tables differ in geometry or columns. */
void MergeParts(const std::vector<const ComponentTable *> &    parts,
                const std::vector<std::vector<std::size_t>> &  places,
                std::size_t                                    components,
                ComponentTable &                               merged,
                const std::vector<std::vector<UnwrappedRow>> * unwrapped = nullptr,
                const HostContext &                            context = { 1 });

/** The merge rule of groups whose columns follow from the rows: there is nothing to do. */
inline void
MergeNothing(const MergeInput &, ComponentTable &)
{}

} // namespace brickccl
