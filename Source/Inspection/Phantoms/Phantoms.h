// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_PHANTOMS_PHANTOMS_H
#define BRICKCCL_PHANTOMS_PHANTOMS_H

#include "BrickCCL/Core/Extent.h"

#include <cstdint>
#include <vector>

namespace brickccl
{

/** Synthetic volumes, x fastest. For the same arguments they are the same, bit for bit, on every machine, since they
 *  use only integers and the operations + - * / sqrt, which IEEE 754 defines exactly. All take 2-D and 3-D extents
 *  (`random` also 1-D and 4-D ones) and throw InvalidArgument for what has no meaning. */

/** Balls (in 2-D, disks) at random places until the share `density` of the voxels is 1. Their radius is at least 2,
 *  and at most an eighth of the shortest side and 24. */
std::vector<std::uint8_t> MakeBalls(const Extent & extent, double density, std::uint64_t seed);

/** Cubes with sides of `grain` voxels. Each is 1 with the probability `density`. */
std::vector<std::uint8_t> MakeRandom(const Extent & extent, double density, int grain, std::uint64_t seed);

/** A segmentation: the Voronoi cells of one random point in each cube (square) with sides of `side` voxels. Every
 *  voxel has the number of its nearest point, from 1, or the lowest number if several are nearest. The voxels of a
 *  cell may be disconnected. */
std::vector<std::uint32_t> MakeVoronoi(const Extent & extent, int side, std::uint64_t seed);

/** A scan of a polycrystal: the cells of MakeVoronoi. Each cell has one of 200 gray values, which are multiples of
 *  40, and noise of at most 8 up or down. So neighbors within a grain differ by at most 16, and neighbors in two
 *  grains of different values by at least 24. */
std::vector<std::int16_t> MakeGrains(const Extent & extent, int side, std::uint64_t seed);

/** The grains of a powder: balls (disks) of radii from 3 to 24 voxels, each of which is as large as the gap at its
 * place and a tenth more, so that it touches the nearest one. Voxels have the number of their grain, from 1, or 0.
 * \throws InvalidArgument if grains cannot fill the share `density`. */
std::vector<std::uint32_t> MakePowder(const Extent & extent, double density, std::uint64_t seed);

/** The cells of a foam: MakeVoronoi's cells without the voxels next to other cells, which are walls. Half of the walls
 *  have a round window through which two cells touch. */
std::vector<std::uint32_t> MakeFoam(const Extent & extent, int side, std::uint64_t seed);

/** A scan with its ground truth. */
struct Scan
{
  /** CT numbers in HU, with noise. */
  std::vector<std::int16_t> image;
  /** The kind of each voxel: 0 if it is sound or outside, else a Defect. */
  std::vector<std::uint8_t> truth;
};

/** Values of Scan::truth. */
enum class Defect : std::uint8_t
{
  Crack = 1,
  Knot = 2,
  Pore = 3
};

/** Artifacts of a scan other than the limits of voxels. Each may be 0. */
struct ScanArtifacts
{
  /** The standard deviation of the noise, in HU. */
  double noise = 0;
  /** The standard deviation of the blur, in voxels along each axis; it comes before rings and noise. */
  double blur = 0;
  /** One in six rings around the middle of the slices is off by up to this many HU, in all slices alike. */
  double rings = 0;
  /** Material at the rim is brighter than in the middle by this many HU: the cupping of beam hardening. */
  double hardening = 0;

  /** The defaults of the scans. */
  static constexpr ScanArtifacts
  OfLog()
  {
    return { 22, 0, 0, 0 };
  }
  static constexpr ScanArtifacts
  OfCasting()
  {
    return { 40, 0, 0, 150 };
  }
  static constexpr ScanArtifacts
  OfPrint()
  {
    return { 60, 0.5, 40, 150 };
  }
};

/** A log of wood along z, as in the CT scans of Stava and Benes. The wood is about 450 to 650 HU below water. It has
 *  growth rings, bark, dense knots (above 0 HU) that start at the pith in whorls, and cracks along the radius filled
 *  with air (below -800 HU). */
Scan MakeLog(const Extent & extent, std::uint64_t seed, const ScanArtifacts & artifacts = ScanArtifacts::OfLog());

/** A cast aluminum cylinder along z (about 2000 HU) with round gas pores and irregular shrinkage pores of air. */
Scan
MakeCasting(const Extent & extent, std::uint64_t seed, const ScanArtifacts & artifacts = ScanArtifacts::OfCasting());

/** A printed part of metal (about 2400 HU) with a vertical bore: a block that is completely inside the image. Its
 *  pores are round keyhole pores, flat pores between layers (lack of fusion), and small pores below the side walls.
 *  \param extent     of 3 dimensions
 *  \param seed       of the random numbers
 *  \param artifacts  of the scan
 *  \param diameters  if given, all pores are separate balls of these diameters in voxels, in turn, as many as fit, at
 *  most one for each 2000 voxels of the part */
Scan MakePrint(const Extent &              extent,
               std::uint64_t               seed,
               const ScanArtifacts &       artifacts = ScanArtifacts::OfPrint(),
               const std::vector<double> & diameters = {});

} // namespace brickccl

#endif
