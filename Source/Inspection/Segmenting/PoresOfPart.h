// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Core/VolumeView.h"
#include "BrickCCL/Criteria/Criterion.h"
#include "BrickCCL/Dispatch/Label.h"
#include "BrickCCL/Host/Parallel.h"
#include "BrickCCL/Host/UninitializedVector.h"
#include "BrickCCL/Runs/RunVolume.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace brickccl
{

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
  /** If it is given, this many pieces of material are parts, the largest ones, each with a number; 0: all pieces of at
   *  least a thousandth of the largest one's voxels. Else the largest piece is the part. */
  std::optional<std::uint64_t> parts;
  /** Voxels where this image is 0 count neither as pores nor as part. The part is found in the whole image. */
  std::optional<ImageView> region;
  /** Spacing of the image. */
  Geometry geometry;

  Device        device;
  int           threads = 0;
  ProgressHooks progress;
};

/** Masks hold numbers of parts as bytes. */
inline constexpr std::size_t MaximumParts = 255;

using VoxelsOfNumbers = std::map<std::uint64_t, std::uint64_t>;

/** A number of voxels in percent of a region's voxels; 0 for a region without voxels. */
inline double
PercentOf(std::uint64_t voxels, std::uint64_t region)
{
  return region == 0 ? 0 : 100 * (static_cast<double>(voxels) / static_cast<double>(region));
}

struct PoresOfPart
{
  Extent   extent;
  Geometry geometry;
  /** 1, or the part's number, where a part is, its pores included; within the region and outside of it. */
  UninitializedVector<std::uint8_t> part;
  /** The same number where a pore is in the region. */
  UninitializedVector<std::uint8_t> pores;
  /** Those in the region. */
  std::uint64_t partVoxels = 0;
  std::uint64_t poreVoxels = 0;

  /** Only with PoreOptions::parts: the parts in the region. The largest part is number 1. */
  VoxelsOfNumbers voxelsOfParts;

  /** Voxels of material outside the parts: by default all pieces except the largest one. */
  std::uint64_t otherMaterialVoxels = 0;
  /** How many there are of something, and how large the largest one is. */
  struct Pieces
  {
    std::uint64_t count = 0;
    std::uint64_t largestVoxels = 0;
  };
  /** Those of these pieces that have at least a thousandth of the largest one's voxels. */
  Pieces furtherPieces;
  /** Cavities that are outside by openings of at most this many mm: 4 voxels along the axis of least spacing. */
  Pieces openings;
  double openingWidth = 0;
  /** Whether every voxel of the image is part. */
  bool fillsImage = false;
  /** Bores, which run straight through the image and count as outside. */
  std::uint64_t bores = 0;
  std::uint64_t boreVoxels = 0;
  /** The voxels of the part in the whole image, and the number that is material. */
  std::uint64_t wholeVoxels = 0;
  std::uint64_t materialVoxels = 0;

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
    return PercentOf(voxels, partVoxels);
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
 *  Pores are what is not material inside the part. Each of several parts is found in this way. A voxel that several of
 *  them enclose belongs to the largest one, and pieces in a larger part belong to it.
 *
 *  \param memory  an earlier result, whose memory is used again
 *  \throws InvalidArgument for several channels or 4 dimensions, if nothing or everything is material, if no part
 *  is in the region, or if there are fewer parts than PoreOptions::parts, or more than MaximumParts; Canceled. */
PoresOfPart FindPores(const ImageView & image, const PoreOptions & options, PoresOfPart memory = {});

// The steps, for a volume that comes in parts as well.

/** How the material's pieces are labeled: by size, so that the part's is 1. */
LabelOptions OptionsForPieces(const PoreOptions & options, const Criterion & criterion, int dimension);

/** Writes 1 for the voxels of a piece, the largest one, and 0 for all others. */
void WritePiece(const RunVolume & material, std::uint8_t * mask, const HostContext & context, std::uint64_t piece = 1);

/** Takes the largest pieces as parts, unless they are in an earlier one. \param wanted  as PoreOptions::parts
 *  \param sizes  of pieces, by their labels in the order of sizes, from 1. \throws InvalidArgument as FindPores. */
void TakePieces(std::uint64_t                            wanted,
                const std::vector<std::uint64_t> &       sizes,
                const std::function<bool(std::size_t)> & isInPart,
                const std::function<void(std::size_t)> & take);

struct PieceCounter
{
  /** By label. */
  std::vector<std::uint64_t> sizes;
  std::vector<std::uint8_t>  isInPart;

  explicit PieceCounter(std::uint64_t components)
    : sizes(static_cast<std::size_t>(components) + 1)
    , isInPart(sizes.size())
  {}

  /** Adds components of a volume, or of the next part of one. \param part  its mask of the part */
  void Add(const RunVolume & components, const std::uint8_t * part);

  /** Counts those from a label on that have at least this share of the first one's voxels and are outside the part. */
  PoresOfPart::Pieces Count(std::size_t first, double least) const;
};

/** Writes the value of the part for pores: voxels of the part that are not foreground of the material's labels. Those
 *  outside of the region do not count. Adds the voxels to the counts of `found`. */
void TakePores(const ImageView &                part,
               const std::optional<ImageView> & region,
               const RunVolume &                material,
               std::uint8_t *                   pores,
               const HostContext &              context,
               PoresOfPart &                    found);

/** Counts the voxels of each number other than 0, where an image is not 0, in the region. */
VoxelsOfNumbers
CountNumbers(const ImageView & numbers, const ImageView & within, const std::optional<ImageView> & region, int threads);

/** Completes the counts once all pores are taken. \throws InvalidArgument if no part is in the region. */
void CompleteCounts(std::uint64_t materialVoxels, const PieceCounter & pieces, PoresOfPart & found);

/** Notes for judging a part, each a sentence without a full stop: further pieces, openings, bores, a
 *  part that fills the image. \param closing  the name of the option or key that closes gaps */
std::vector<std::string> NotesOn(const PoresOfPart & found, const std::string & closing);

/** The same of a part that fills the image. */
std::string NoteOnFullImage();

/** \throws InvalidArgument if this many voxels of material fill the image: nothing says where the part ends. */
void CheckThatAirIsLeft(std::uint64_t materialVoxels, const Extent & extent, const Criterion & criterion);

/** \throws InvalidArgument also if there is no material, and unless the image can have a part. */
void CheckMaterial(std::uint64_t materialVoxels, const Extent & extent, const Criterion & criterion);
void CheckMayHavePart(const Extent & extent, int channels);

} // namespace brickccl
