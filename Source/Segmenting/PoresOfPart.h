#ifndef BRICKCCL_SEGMENTING_PORESOFPART_H
#define BRICKCCL_SEGMENTING_PORESOFPART_H

#include "BrickCCL/Core/VolumeView.h"
#include "BrickCCL/Criteria/Criterion.h"
#include "BrickCCL/Dispatch/Label.h"
#include "BrickCCL/Host/Progress.h"
#include "BrickCCL/Host/UninitializedVector.h"

#include <cstdint>

namespace brickccl
{

/** How the pores of a part are found. */
struct PoreOptions
{
  /** Which voxels are material, for example Threshold::AtOrAbove. How it joins voxels does not matter. */
  Criterion material;
  /** Cracks and openings to the outside that are up to so many mm wide count as pores, too: the part is closed by a
   * ball of this diameter. It also fills the corners of the part into which such a ball does not fit. */
  double closeWidth = 0;
  /** Spacing of the image. */
  Geometry geometry;

  Device        device;
  int           threads = 0;
  ProgressHooks progress;
};

/** A part and its pores. */
struct PoresOfPart
{
  Extent   extent;
  Geometry geometry;
  /** 1 where the part is, its pores included. */
  UninitializedVector<std::uint8_t> part;
  /** 1 where a pore is. */
  UninitializedVector<std::uint8_t> pores;
  std::uint64_t                     partVoxels = 0;
  std::uint64_t                     poreVoxels = 0;

  /** Voxels of material that belong to no part: pieces beside the largest one. */
  std::uint64_t otherMaterialVoxels = 0;
  /** Bores, which run straight through the image and count as outside. */
  std::uint64_t bores = 0;
  std::uint64_t boreVoxels = 0;

  ImageView
  PartView() const
  {
    return ImageView(part.data(), extent);
  }
  ImageView
  PoreView() const
  {
    return ImageView(pores.data(), extent);
  }
  /** The share of the part that is pores. */
  double
  Porosity() const
  {
    return partVoxels == 0 ? 0 : static_cast<double>(poreVoxels) / static_cast<double>(partVoxels);
  }
};

/** Finds the pores of the largest piece of material (whose voxels are connected by faces, edges and corners).
 *
 *  The part is that piece with its holes filled: what is not reached from the border of the image through the faces of
 *  voxels that are not of the piece. Where the image cuts through a volume's part, a pore may be cut as well: what the
 *  piece encloses within a face of the image counts as a hole there. Only a bore lies outside: a hole that runs
 * straight from one end of the image to the other, through at least 8 voxels and over at least a fiftieth of the part's
 *  mean cross-section.
 *
 *  Pores are what is not material inside the part.
 *
 *  \throws InvalidArgument for several channels or 4 dimensions, or if nothing is material; Cancelled. */
PoresOfPart FindPores(const ImageView & image, const PoreOptions & options);

} // namespace brickccl

#endif
