// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Tables/ComponentTable.h"

#include <optional>
#include <string>
#include <vector>

/** Columns of lengths, areas and volumes in other units than mm: "um" or "cm", with its square and cube. */
namespace brickccl
{

/** \throws InvalidArgument unless it is "mm", "um" or "cm". */
void CheckLengthUnit(const std::string & unit);

/** "volume_mm3" for "volume_um3" and "volume_cm3"; other names as they are. */
std::string ColumnInMillimeters(const std::string & name);

/** The unit of lengths that a column's name ends with: "um" for "volume_um3"; empty if it is neither um nor cm. */
std::string OtherUnitOf(const std::string & name);

/** Gives a column of lengths, areas or volumes in mm another unit, in its name as well; other columns do not change.
 *  \throws InvalidArgument for an unknown unit. */
void ConvertLengths(ComponentColumn & column, const std::string & unit);

/** The column of this name in mm, um or cm; nothing if there is none. */
std::optional<ComponentColumn> ColumnInAnyUnit(const std::vector<ComponentColumn> & columns, const std::string & name);

} // namespace brickccl
