// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Files/LoadedImage.h"
#include "BrickCCL/Job/Job.h"
#include "BrickCCL/Segmenting/ValueHistogram.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace brickccl::job
{

/** A box, a ball (2-D: a disk) or a cylinder: round along some axes and bounded along the others. */
struct RegionShape
{
  /** "the box 0,0,0,9,9,9" */
  std::string what;
  bool        isExcluded = false;
  std::size_t dimension = 3;
  /** Whether coordinates are in mm, as in the table, instead of voxels. */
  bool   areMillimeters = false;
  bool   isRound[3] = {};
  double low[3] = { -Unlimited, -Unlimited, -Unlimited };
  double high[3] = { Unlimited, Unlimited, Unlimited };
  double center[3] = {};
  double radius = 0;
  bool   isRadiusMillimeters = false;
  /** From the index of a voxel to the coordinates, and from these to the unit of the radius. */
  double map[3][4] = { { 1 }, { 0, 1 }, { 0, 0, 1 } };
  double scale[3] = { 1, 1, 1 };

  /** The voxels [first, second) of a row. */
  std::pair<std::int64_t, std::int64_t> SpanOf(const RowPosition & row, std::int64_t length) const;
};

/** The shapes of a region on the grid of an image. A voxel is in a shape if its center is, give or take a millionth
 *  of a voxel. The region has the voxels in one of the shapes (all voxels, if there is none), without those
 *  in a shape that begins with "not:". */
class RegionShapes
{
public:
  /** \throws InvalidArgument, which names the shape, for one that the image does not have: another number of
   *  dimensions, corners or a whole shape outside of it, millimeters without a voxel size. */
  RegionShapes(const Region & region, const LoadedImage & image);

  bool
  AreAll() const
  {
    return m_Shapes.empty();
  }

  /** Writes 1 for each voxel in the region and 0 for the others, in the rows [begin, end). */
  void WriteRows(std::int64_t begin, std::int64_t end, std::uint8_t * voxels) const;

private:
  Extent                   m_Extent;
  std::vector<RegionShape> m_Shapes;
};

/** Reads the texts of shapes, with ";" between. \param kind  "box", "cylinder" or "sphere" \return nothing.
 *  \throws InvalidArgument, which says what would be right. */
std::string CheckShapes(const char * kind, const std::string & text);

/** The number of voxels of an image that are not 0, in a mask if there is one; nothing without an image. */
std::optional<std::uint64_t>
CountIn(const std::optional<LoadedImage> & image, int threads, const std::optional<LoadedImage> & mask = {});

/** Where a region is, as a mask of bytes: in its shapes and where `mask` is not 0. Nothing without shapes and mask. It
 *  is made in parts if the image is read in parts.
 *  \throws InvalidArgument as RegionShapes, and if no voxel is in both. */
std::optional<LoadedImage>
MaskOf(const Region & region, const LoadedImage & image, std::optional<LoadedImage> mask, int threads);

/** \throws InvalidArgument with the name of the image, unless it has 1 to 65535 different numbers of zones.
 *  \return a note if they look like a gray scan, or nothing */
std::string CheckZones(const ImageParts & zones, const std::string & name, int threads);

void SetOutsideToZero(LoadedImage & image, const ImageView & mask, int threads);

} // namespace brickccl::job
