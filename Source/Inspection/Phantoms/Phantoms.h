#ifndef BRICKCCL_PHANTOMS_PHANTOMS_H
#define BRICKCCL_PHANTOMS_PHANTOMS_H

#include "BrickCCL/Core/Extent.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace brickccl
{

/** Synthetic volumes, x fastest. For the same arguments they are the same, bit for bit, on every machine, since they
 *  use only integers and the operations + - * / sqrt, which IEEE 754 defines exactly. All take 2-D and 3-D extents
 *  (`random` also 1-D and 4-D ones) and throw InvalidArgument for what has no meaning.
 *  `progress`, if given, hears which share of the voxels is made. */

/** Gets the share of the work that is done, from 0 to 1, many times a second. It never falls. What the function throws
 *  ends the work. */
using ProgressFunction = std::function<void(double)>;

/** Balls (in 2-D, discs) at random places, placed until the share `density` of the voxels is 1. Their radius is at
 *  least 2, and at most an eighth of the shortest side and 24. */
std::vector<std::uint8_t>
MakeBalls(const Extent & extent, double density, std::uint64_t seed, const ProgressFunction & progress = {});

/** Cubes of `grain` voxels a side. Each is 1 with the probability `density`. */
std::vector<std::uint8_t> MakeRandom(const Extent &           extent,
                                     double                   density,
                                     int                      grain,
                                     std::uint64_t            seed,
                                     const ProgressFunction & progress = {});

/** A segmentation: the Voronoi cells of one random point in each cube (square) of `side` voxels a side. Every voxel has
 *  the number of its nearest point, from 1 on, or the least number if several are nearest. The voxels of a cell need
 *  not all be connected. */
std::vector<std::uint32_t>
MakeVoronoi(const Extent & extent, int side, std::uint64_t seed, const ProgressFunction & progress = {});

/** A scan of a polycrystal: the cells of MakeVoronoi. Each cell has one of 200 gray values, which are multiples of 40,
 *  and noise of at most 8 up or down. So neighbours within a grain differ by at most 16, and neighbours in two grains
 *  of different values by at least 24. */
std::vector<std::int16_t>
MakeGrains(const Extent & extent, int side, std::uint64_t seed, const ProgressFunction & progress = {});

/** A scan with the truth about it. */
struct Scan
{
  /** CT numbers in HU, with noise. */
  std::vector<std::int16_t> image;
  /** What each voxel is: 0 if it is sound or outside, else one of the kinds below. */
  std::vector<std::uint8_t> truth;
};

/** Values of Scan::truth. */
enum class Defect : std::uint8_t
{
  Crack = 1,
  Knot = 2,
  Pore = 3
};

/** What makes a scan differ from the ideal values, beside the limits of voxels. Each may be 0. */
struct ScanArtefacts
{
  /** The standard deviation of the noise, in HU. */
  double noise = 0;
  /** The standard deviation of the blur, in voxels along each axis; it comes before rings and noise. */
  double blur = 0;
  /** One in six rings around the middle of the slices is off by up to so many HU, in all slices alike. */
  double rings = 0;
  /** By so many HU material at the rim is brighter than in the middle: the cupping of beam hardening. */
  double hardening = 0;

  /** What the scans have by default. */
  static constexpr ScanArtefacts
  OfLog()
  {
    return { 22, 0, 0, 0 };
  }
  static constexpr ScanArtefacts
  OfCasting()
  {
    return { 40, 0, 0, 150 };
  }
  static constexpr ScanArtefacts
  OfPrint()
  {
    return { 60, 0.5, 40, 150 };
  }
};

/** A log of wood along z, as in the CT scans of Stava and Benes. The wood lies about 450 to 650 HU below water. It has
 *  growth rings, bark, dense knots (above 0 HU) that start at the pith in whorls, and cracks along the radius that are
 *  full of air (below -800 HU). */
Scan MakeLog(const Extent &           extent,
             std::uint64_t            seed,
             const ScanArtefacts &    artefacts = ScanArtefacts::OfLog(),
             const ProgressFunction & progress = {});

/** A cast aluminium cylinder along z (about 2000 HU) with round gas pores and ragged shrinkage pores of air. */
Scan MakeCasting(const Extent &           extent,
                 std::uint64_t            seed,
                 const ScanArtefacts &    artefacts = ScanArtefacts::OfCasting(),
                 const ProgressFunction & progress = {});

/** A printed part of metal (about 2400 HU) with a vertical bore: a block that the image holds as a whole. Its pores are
 *  round ones of the keyhole kind, flat ones between layers (lack of fusion), and small ones below the side walls.
 *  \param extent     of 3 dimensions
 *  \param seed       another seed, another part
 *  \param artefacts  of the scan
 *  \param diameters  if given, all pores are balls of these diameters in voxels, in turn, and none touches another one;
 *                    there are as many as find a place, at most one for each 2000 voxels of the part
 *  \param progress   is told how far it is */
Scan MakePrint(const Extent &              extent,
               std::uint64_t               seed,
               const ScanArtefacts &       artefacts = ScanArtefacts::OfPrint(),
               const std::vector<double> & diameters = {},
               const ProgressFunction &    progress = {});

} // namespace brickccl

#endif
