// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Core/VolumeView.h"
#include "BrickCCL/Host/Parallel.h"

#include <array>
#include <cstdint>
#include <vector>

namespace brickccl
{

/** A digital line through a voxel: offsets on one side, nearest first; the other side has their opposites. */
using GapLine = std::vector<std::array<std::int64_t, 3>>;

/** The lines along which gaps are measured, one for each direction. A direction leads from the center to the surface of
 *  a box of voxels: `sides` to each side along the axis of the largest spacing and as many mm along the others, at most
 *  4. Equal spacings have 49 directions for 2 and 13 for 1. A line visits the voxel nearest to it at each step along
 * its longest axis; of two that are equally near, the one nearer to the axis. It ends where the first voxel on the
 * other side is too far away for AreAcrossGap. */
std::vector<GapLine> LinesAcrossGaps(const Extent & extent, const Geometry & geometry, double width, int sides);

/** Whether the surfaces of two voxels on a line, one on each side of its center, are at most `width` mm apart. The
 *  distance is the length of the line from center to center outside the two voxels. */
bool AreAcrossGap(const std::array<std::int64_t, 3> & before,
                  const std::array<std::int64_t, 3> & behind,
                  const Geometry &                    geometry,
                  double                              width);

/** Writes `gap` to the voxels of a mask in gaps: voxels of value 0 between voxels of value 1 on one of
 *  LinesAcrossGaps whose surfaces are at most `width` mm apart. The mask has no other values. For up to 3 dimensions.
 *  It temporarily needs a bit per voxel. \throws Canceled. */
void FindGaps(std::uint8_t *      mask,
              const Extent &      extent,
              const Geometry &    geometry,
              double              width,
              std::uint8_t        gap,
              const HostContext & context,
              int                 sides = 2);

} // namespace brickccl
