// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Pictures/Canvas.h"
#include "BrickCCL/Pictures/Slice.h"

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace brickccl
{

/** A color for each label of some slices. Labels that lie up to 4 pixels from each other get different colors, and so
 *  do all listed labels. If there are more labels than colors, the color that the fewest of them share is used
 *  again. */
class LabelColors
{
public:
  /** \param listed  labels next to each other in a legend */
  LabelColors(const std::vector<SlicePixels> & slices, const std::vector<std::uint64_t> & listed);

  /** The color of a label, which is one of the slices' labels. */
  Color operator[](std::uint64_t label) const;

  /** The number of colors to choose from. */
  static std::size_t Count();

private:
  std::unordered_map<std::uint64_t, std::size_t> m_Colors;
};

} // namespace brickccl
