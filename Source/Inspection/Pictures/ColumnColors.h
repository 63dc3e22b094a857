// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Pictures/Canvas.h"
#include "BrickCCL/Tables/ComponentTable.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace brickccl
{

/** A color for each label by a column of the table: from dark blue for the lowest value to yellow for the highest. If
 *  all values are above 0 and differ by hundreds, the scale is logarithmic. Labels without a finite value are gray. */
struct ColumnColors
{
  /** The lowest and the highest finite value; 0 if there is none. */
  double low = 0;
  double high = 0;
  bool   isLogarithmic = false;
  /** Whether a component has no finite value. */
  bool hasMissing = false;
  /** The column's name without the unit at its end, in words: "volume". */
  std::string title;
  /** "mm³", "voxels" or empty. */
  std::string                               unit;
  std::unordered_map<std::uint64_t, double> values;

  /** \param places  the places in the table of the components that are colored
   *  \throws InvalidArgument if the table does not have the column. */
  ColumnColors(const ComponentTable & table, const std::string & column, const std::vector<std::size_t> & places);

  /** \param ofLabels  their values \param name, unitOfValues  what the key says of them */
  ColumnColors(std::unordered_map<std::uint64_t, double> ofLabels, std::string name, std::string unitOfValues);

  /** The color of a label, which must belong to one of these components. */
  Color operator[](std::uint64_t label) const;

  /** The position of a value on the scale, from 0 to 1. */
  double ShareOf(double value) const;
  /** The color at a place of the scale, from 0 to 1. */
  static Color At(double share);
  /** The color of what has no finite value. */
  static constexpr Color Missing{ 128, 128, 128 };

private:
  void SetRange();
};

} // namespace brickccl
