#ifndef BRICKCCL_PHANTOMS_PHANTOMS_H
#define BRICKCCL_PHANTOMS_PHANTOMS_H

#include "BrickCCL/Core/Extent.h"

#include <cstdint>
#include <vector>

namespace brickccl
{

/** Synthetic volumes, x fastest, the same bit for bit on every machine for the same arguments: they use integers and
 *  the operations + - * / sqrt alone, which IEEE 754 defines exactly. All take 2-D and 3-D extents (`spiral`,
 *  `random` and `checkerboard` 1-D and 4-D ones too) and throw InvalidArgument for what has no meaning. */

/** Balls (discs) of random place and of radius 2 up to an eighth of the shortest side, at most 24, placed until the
 *  share `density` of the voxels is 1. */
std::vector<std::uint8_t> MakeBalls(const Extent & extent, double density, std::uint64_t seed);

/** Cubes of `grain` voxels a side, each 1 with probability `density`. */
std::vector<std::uint8_t> MakeRandom(const Extent & extent, double density, int grain, std::uint64_t seed);

/** A segmentation: the Voronoi cells of one random point in each cube (square) of `side` voxels a side. Every voxel has
 * the number of its nearest point, from 1 on, the least if there are several. A cell's voxels need not all be
 * connected. */
std::vector<std::uint32_t> MakeVoronoi(const Extent & extent, int side, std::uint64_t seed);

/** A scan of a polycrystal: the cells of MakeVoronoi, each with one of 200 gray values, which are multiples of 40, and
 *  noise of at most 8 up or down. So neighbours within a grain differ by at most 16, and neighbours of two grains of
 *  different values by at least 24. */
std::vector<std::int16_t> MakeGrains(const Extent & extent, int side, std::uint64_t seed);

/** One component as long and thin as can be: a line one voxel wide that winds inwards in every second slice, the
 *  slices joined in turn at the inner and the outer end. */
std::vector<std::uint8_t> MakeSpiral(const Extent & extent);

/** A Hilbert curve one voxel wide through every second voxel of the first three axes, in every second volume of the
 *  fourth: one long component wherever all sides are 2^(k+1) - 1 or 2^(k+1); otherwise the curve leaves the image and
 *  comes back, in pieces. Made as by Skilling, Programming the Hilbert curve, AIP Conference Proceedings 707, 2004. */
std::vector<std::uint8_t> MakeHilbertCurve(const Extent & extent);

/** Voxels whose coordinates have an even sum: under face connectivity every one is a component, under full
 *  connectivity all are one. */
std::vector<std::uint8_t> MakeCheckerboard(const Extent & extent);

/** Single voxels as many as can be without touching at full connectivity (26, 8): all coordinates even. */
std::vector<std::uint8_t> MakeIsolatedVoxels(const Extent & extent);

/** Single voxels as many as can be without touching at 18-connectivity, the body-centred lattice: coordinates all even
 *  or all odd. */
std::vector<std::uint8_t> MakeBodyCentredLattice(const Extent & extent);

/** A scan with the truth about it. */
struct Scan
{
  /** CT numbers in HU, with noise. */
  std::vector<std::int16_t> image;
  /** What each voxel is: 0 sound or outside, else one of the kinds below. */
  std::vector<std::uint8_t> truth;
};

/** Values of Scan::truth. */
enum class Defect : std::uint8_t
{
  Crack = 1,
  Knot = 2,
  Pore = 3
};

/** A log of wood along z, as in the CT scans of Stava and Benes: about 450 to 650 HU less than water with growth
 *  rings, bark, dense knots (above 0 HU) that start at the pith in whorls, and cracks full of air (below -800 HU)
 *  along the radius. */
Scan MakeLog(const Extent & extent, std::uint64_t seed);

/** A cast aluminium cylinder along z (about 2000 HU) with round gas pores and ragged shrinkage pores of air. */
Scan MakeCasting(const Extent & extent, std::uint64_t seed);

} // namespace brickccl

#endif
