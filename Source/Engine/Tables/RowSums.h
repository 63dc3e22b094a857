// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Host/UninitializedVector.h"
#include "BrickCCL/Tables/ComponentSums.h"
#include "BrickCCL/Tables/ComponentTable.h"

#include <memory>
#include <type_traits>
#include <utility>

namespace brickccl
{

/** The data of ComponentRows: the sums of 1.. in one of two forms; the other one is empty. */
struct RowSums
{
  UninitializedVector<CompactShapeSums> compact;
  UninitializedVector<ShapeSums>        wide;
};

/** The rows of components 1.. of an image from their sums, which are CompactShapeSums or ShapeSums. */
template <typename TSums>
ComponentRows
MakeRows(const Extent & extent, const Geometry & geometry, UninitializedVector<TSums> sums)
{
  auto rows = std::make_shared<RowSums>();
  if constexpr (std::is_same_v<TSums, CompactShapeSums>)
  {
    rows->compact = std::move(sums);
  }
  else
  {
    rows->wide = std::move(sums);
  }
  return { extent, geometry, std::move(rows) };
}

/** Takes the sums out of rows that are no longer needed, if they have this form and no copy of the rows shares them;
 *  else returns none. The rows are empty afterwards. */
template <typename TSums>
UninitializedVector<TSums>
TakeSums(ComponentRows & rows)
{
  const std::shared_ptr<RowSums> sums = rows.ReleaseSums();
  if (!sums || sums.use_count() != 1)
  {
    return {};
  }
  if constexpr (std::is_same_v<TSums, CompactShapeSums>)
  {
    return std::move(sums->compact);
  }
  else
  {
    return std::move(sums->wide);
  }
}

} // namespace brickccl
