#ifndef BRICKCCL_BRICKS_BRICKBOX_H
#define BRICKCCL_BRICKS_BRICKBOX_H

#include "BrickCCL/Core/Extent.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace brickccl
{

/** A brick: a box of voxels of a volume that is labeled on its own. */
struct BrickBox
{
  Extent       volume;
  std::int64_t begin[MaximumDimension] = {};
  /** It has the volume's dimension. */
  Extent extent;

  BrickBox() = default;
  /** \throws InvalidArgument unless the box lies in the volume. */
  BrickBox(const Extent & wholeVolume, const std::int64_t * first, const Extent & size);

  std::int64_t
  End(int axis) const
  {
    return begin[axis] + extent.size[axis];
  }

  /** The raster place in the volume (x fastest) of a voxel with a raster place in the brick. */
  std::uint64_t PlaceInVolume(std::uint64_t placeInBrick) const;

  /** The row of the brick at a place of the volume (x does not matter); -1 if the brick does not have it. */
  std::int64_t RowAt(const std::int64_t (&at)[MaximumDimension]) const;

  /** "the brick at (0, 0, 128) of 512 x 512 x 64 voxels" */
  std::string ToString() const;

  friend bool
  operator==(const BrickBox & a, const BrickBox & b)
  {
    bool same = a.volume == b.volume && a.extent == b.extent;
    for (int axis = 0; axis < MaximumDimension; ++axis)
    {
      same = same && a.begin[axis] == b.begin[axis];
    }
    return same;
  }
  friend bool
  operator!=(const BrickBox & a, const BrickBox & b)
  {
    return !(a == b);
  }
};

/** Cuts a volume into bricks of a size, smaller ones at its upper ends. Their order is raster order.
 *  \param volume  the extent of the whole
 *  \param brick  has the volume's dimension; sizes may be larger than the volume's. \throws InvalidArgument. */
std::vector<BrickBox> CutIntoBricks(const Extent & volume, const Extent & brick);

} // namespace brickccl

#endif
