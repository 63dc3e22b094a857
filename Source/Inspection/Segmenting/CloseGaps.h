// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Core/VolumeView.h"
#include "BrickCCL/Host/Parallel.h"

#include <cstdint>
#include <functional>

namespace brickccl
{

/** The values of voxels while the gaps of a part are closed. A mask of the part has the first two values. */
enum class GapState : std::uint8_t
{
  Outside,
  Part,
  Gap
};

struct GapLimits
{
  Geometry geometry;
  /** They are at most this many mm wide, */
  double width = 0;
  /** and deeper than this many mm by a voxel. */
  double depth = 0;
  /** The directions of LinesAcrossGaps: 1 takes a third of the time, and misses oblique gaps of nearly this width. */
  int sides = 2;
};

/** Finds the gaps of a mask that are to be closed, in three steps:
 *
 *  1. FindGaps finds narrow voxels: those on a straight line between two voxels of the part whose surfaces are at most
 *     `width` mm apart. Fillets of concave edges are among them.
 *  2. `fillHoles` gets the mask with Gap at these voxels. It sets to Gap what they and the part cut off from outside.
 *  3. The outside reaches into gaps, along paths of steps to neighbors by faces, edges and corners. A path ends at the
 *     first voxel to which it is not shorter than `depth` mm. Voxels that no path reaches are deep: the bottom of a
 *     slit, or the space behind an opening. Deep voxels reach back in the same way, half as far again, which gives
 *     the slit up to its mouth and the opening itself. Voxels from which a path leads to deep ones, farther from the
 *     outside by each step, are in the slit as well: corners between two of its open ends. All these stay Gap. The
 *     others, such as fillets, become Outside.
 *
 *  For up to 3 dimensions. \throws Canceled. */
void FindGapsToClose(std::uint8_t *                mask,
                     const Extent &                extent,
                     const GapLimits &             limits,
                     const HostContext &           context,
                     const std::function<void()> & fillHoles);

/** The third step. */
void KeepDeepGaps(std::uint8_t * states, const Extent & extent, const GapLimits & limits, const HostContext & context);

} // namespace brickccl
