// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Dispatch/ImageOnDevice.h"
#include "BrickCCL/Host/Parallel.h"
#include "BrickCCL/Runs/RunVolume.h"
#include "BrickCCL/Segmenting/PoresOfPart.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace brickccl
{

/** A labeled volume in parts: calls a function for each, in raster order, with the number of its first row. */
using LabeledParts = std::function<void(const std::function<void(const RunVolume &, std::int64_t firstRow)> &)>;

/** The holes of a piece of material in each face of a volume. Other images have no faces. */
class PartFaces
{
public:
  explicit PartFaces(const Extent & extent);

  /** Takes rows of the piece's mask from a row of the image on. */
  void Take(const std::uint8_t * mask, std::int64_t firstRow, std::int64_t rows);
  /** Fills the faces, after all rows were taken. */
  void Fill(const HostContext & context);

  /** Whether a voxel outside the piece is at the border of the image and not enclosed by the piece. */
  bool IsOpen(std::int64_t x, std::int64_t y, std::int64_t z) const;
  /** The mask of a face: of an axis, at its beginning or its end. */
  std::vector<std::uint8_t> &
  Face(int face)
  {
    return m_Filled[face / 2][face % 2];
  }
  /** Whether there are holes in the faces at both ends of an axis. */
  bool
  AreCut(std::size_t axis) const
  {
    return m_IsCut[axis][0] && m_IsCut[axis][1];
  }

private:
  Extent m_Extent;
  /** For each axis, at its beginning and its end: the face of the piece with its holes filled, and whether it has any.
   */
  std::vector<std::uint8_t> m_Filled[3][2];
  bool                      m_IsCut[3][2] = {};
};

/** The outside of a part, with the holes that run straight through the image. */
struct OutsideOfPart
{
  /** For each component of what is not of the piece, from label 1 on, whether it is outside. */
  std::vector<std::uint8_t> isOutside;
  std::uint64_t             bores = 0;
  std::uint64_t             boreVoxels = 0;
};

/** Finds the components that are open to the outside, and bores. \param air  of what is not of the piece, joined by
 *  faces; their labels are 1 to `components` */
OutsideOfPart FindOutside(const PartFaces &    faces,
                          const Extent &       extent,
                          std::uint64_t        components,
                          const LabeledParts & air,
                          const HostContext &  context);

/** Gives the value `hole` to the voxels of components that are not outside. */
void FillEnclosed(const RunVolume &                 air,
                  const std::vector<std::uint8_t> & isOutside,
                  std::uint8_t                      hole,
                  std::uint8_t *                    mask,
                  const HostContext &               context);

/** Gives the value `hole` to the voxels of value 0 that the others enclose, as FindPores says. \throws Canceled. */
OutsideOfPart FillPart(std::uint8_t *      mask,
                       const Extent &      extent,
                       std::uint8_t        hole,
                       const PoreOptions & options,
                       const HostContext & context);

/** Marks the part and its pores on a device, as FindPores does for the criterion of a material. \return the part's
 * voxels \throws as FindPores */
std::uint64_t MarkPartOnDevice(ImageOnDevice & image, const Extent & extent, const PoreOptions & options);

} // namespace brickccl
