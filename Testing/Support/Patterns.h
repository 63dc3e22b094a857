// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_TESTING_SUPPORT_PATTERNS_H
#define BRICKCCL_TESTING_SUPPORT_PATTERNS_H

#include "BrickCCL/Phantoms/Phantoms.h"

#include <cstdint>
#include <vector>

namespace brickccl
{

/** Patterns that are hard to label. They take 2-D and 3-D extents; the spiral and the checkerboard take 1-D and 4-D
 * ones as well. */

/** One component as long and thin as can be: a line one voxel wide that winds inwards in every second slice. These
 *  slices are joined in turn at the inner and the outer end. */
std::vector<std::uint8_t> MakeSpiral(const Extent & extent);

/** A Hilbert curve one voxel wide. It runs through every second voxel along the first three axes, in every second
 *  volume along the fourth. It is one long component if all sides are 2^(k+1) - 1 or 2^(k+1). Otherwise it leaves the
 *  image and comes back, in pieces. Made as by Skilling, Programming the Hilbert curve, AIP Conference Proceedings 707,
 *  2004. */
std::vector<std::uint8_t> MakeHilbertCurve(const Extent & extent);

/** Voxels whose coordinates have an even sum. Under face connectivity each is a component; under full connectivity all
 *  are one. */
std::vector<std::uint8_t> MakeCheckerboard(const Extent & extent);

/** As many single voxels as fit without touching at full connectivity (26, 8): those whose coordinates are all even. */
std::vector<std::uint8_t> MakeIsolatedVoxels(const Extent & extent);

/** As many single voxels as fit without touching at 18-connectivity, the body-centered lattice: those whose coordinates
 *  are all even or all odd. */
std::vector<std::uint8_t> MakeBodyCenteredLattice(const Extent & extent);

} // namespace brickccl

#endif
