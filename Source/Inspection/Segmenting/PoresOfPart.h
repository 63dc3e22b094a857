// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_SEGMENTING_PORESOFPART_H
#define BRICKCCL_SEGMENTING_PORESOFPART_H

#include "BrickCCL/Core/VolumeView.h"
#include "BrickCCL/Criteria/Criterion.h"
#include "BrickCCL/Dispatch/Label.h"
#include "BrickCCL/Host/Progress.h"
#include "BrickCCL/Host/UninitializedVector.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace brickccl
{

/** How the pores of a part are found. */
struct PoreOptions
{
  /** Which voxels are material, for example Threshold::AtOrAbove. How it joins voxels does not matter. */
  Criterion material;
  /** Cracks and openings to the outside that are up to this many mm wide count as pores, too (FindGapsToClose). They
   *  are closed for this width, half of it, a quarter and so on, the least first. For each, a slit must be deeper than
   *  the width by a voxel, and 3 voxels deep. So a slit that is three times as deep as it is wide is always closed. */
  double closeWidth = 0;
  /** Whether PoresOfPart::openings is found, for a note; this takes longer than the part. */
  bool findsOpenings = true;
  /** Voxels where this image is 0 count neither as pores nor as part. The part is found in the whole image. */
  std::optional<ImageView> region;
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
  /** 1 where the part is, its pores included; within the region and outside of it. */
  UninitializedVector<std::uint8_t> part;
  /** 1 where a pore is in the region. */
  UninitializedVector<std::uint8_t> pores;
  /** Those in the region. */
  std::uint64_t partVoxels = 0;
  std::uint64_t poreVoxels = 0;

  /** Voxels of material outside the part: all pieces except the largest one. */
  std::uint64_t otherMaterialVoxels = 0;
  /** How many there are of something, and how large the largest one is. */
  struct Pieces
  {
    std::uint64_t count = 0;
    std::uint64_t largestVoxels = 0;
  };
  /** Those of these pieces that have at least a thousandth of the largest one's voxels. */
  Pieces furtherPieces;
  /** Cracks and cavities that count as outside because of openings of at most this many mm, which are 4 voxels along
   *  the axis of the least spacing. */
  Pieces openings;
  double openingWidth = 0;
  /** Whether every voxel of the image is part. */
  bool fillsImage = false;
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
  /** This many voxels of pores in percent of the part, both within the region. */
  double
  PorosityPercent(std::uint64_t voxels) const
  {
    return 100 * static_cast<double>(voxels) / static_cast<double>(partVoxels);
  }
};

/** Finds the pores of the largest piece of material (whose voxels are connected by faces, edges and corners).
 *
 *  The part is that piece with its holes filled: what is not reached from the border of the image through the faces
 *  of voxels that are not of the piece. Where the image cuts through a volume's part, a pore may be cut as well: what
 *  the piece encloses within a face of the image counts as a hole there. Only a bore is outside: a hole that runs
 *  straight from one end of the image to the other, through at least 8 voxels and over at least a fiftieth of the
 *  part's mean cross-section.
 *
 *  Pores are what is not material inside the part.
 *
 *  \throws InvalidArgument for several channels or 4 dimensions, if nothing or everything is material, or if no part
 *  is in the region; Canceled. */
PoresOfPart FindPores(const ImageView & image, const PoreOptions & options);

/** Notes for judging a part, each a sentence without a full stop: further pieces, openings, bores, a
 *  part that fills the image. \param closing  the name of the option or key that closes gaps */
std::vector<std::string> NotesOn(const PoresOfPart & found, const std::string & closing);

/** The same of a part that fills the image. */
std::string NoteOnFullImage();

/** \throws InvalidArgument if the material that was labeled fills the image: nothing says where the part ends. */
void CheckThatAirIsLeft(const Labeling & material, const Extent & extent, const Criterion & criterion);

} // namespace brickccl

#endif
