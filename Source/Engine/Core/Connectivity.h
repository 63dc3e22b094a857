// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_CORE_CONNECTIVITY_H
#define BRICKCCL_CORE_CONNECTIVITY_H

#include "BrickCCL/Core/Extent.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace brickccl
{

struct NeighborSteps;
struct RowOffsets;

/** A step to a neighboring voxel: -1, 0 or 1 along x, y, z and t. */
using NeighborOffset = std::array<int, MaximumDimension>;

/** The neighbors of a voxel (see Core/Neighborhood.h). No coordinate differs by more than 1, and at least one but at
 *  most `rank` of them differ. In two dimensions the ranks 1 and 2 are 4- and 8-connectivity:
 *
 *        .  o  .            o  o  o
 *        o  X  o   4        o  X  o   8
 *        .  o  .            o  o  o
 *
 *  In three dimensions the ranks 1, 2, 3 are 6 (faces), 18 (and edges) and 26 (and corners); in four they are 8, 32,
 *  64 and 80. scikit-image calls these ranks `connectivity`; scipy generates its structuring elements from them.
 *
 *  Axes can be omitted: neighbors then never differ along them, so each slice is labeled separately.
 *
 *  A neighborhood can also be any symmetric set of offsets (FromOffsets). It consists of a plain part, the largest
 *  contained neighborhood of a rank along some axes, and of more offsets. */
class Connectivity
{
public:
  /** Face connectivity: the default of ITK and scipy. */
  static Connectivity
  Face(int dimension)
  {
    return Connectivity(dimension, 1);
  }
  /** Full connectivity: the default of scikit-image and cc3d. */
  static Connectivity
  Full(int dimension)
  {
    return Connectivity(dimension, dimension);
  }
  /** The connectivity with this number of neighbors, for example 26 in 3-D.
   *  \throws InvalidArgument, which lists the numbers that fit the dimension. */
  static Connectivity FromNeighborCount(int neighbors, int dimension);

  /** The neighborhood of these offsets; the offset to the voxel itself is ignored.
   *  \throws InvalidArgument for a step that is not -1, 0 or 1, a step along an axis that the dimension lacks, or an
   *  offset whose opposite is missing. */
  static Connectivity FromOffsets(int dimension, const std::vector<NeighborOffset> & offsets);

  /** As above, from a structuring element of 3 x 3 x ... voxels (x fastest) that is true at neighbors. Its center is
   *  ignored.
   *  \throws InvalidArgument also for another number of voxels. */
  static Connectivity FromStructuringElement(int dimension, const std::vector<bool> & element);

  /** \throws InvalidArgument unless 1 <= rank <= dimension <= 4. */
  Connectivity(int dimension, int rank);

  /** This connectivity inside the slices orthogonal to `axis`. The result is for an image of one more dimension,
   *  whose other axes keep their order. */
  Connectivity WithinSlices(int axis) const;

  /** The connectivity of the background for objects with this one, along the same axes, so that a closed line or
   *  surface of one separates the other. It is full connectivity for face connectivity (4 and 8, 6 and 26), and face
   *  connectivity for all others (8 and 4, 18 and 6, 26 and 6), including custom neighborhoods with neighbors that
   *  differ along two axes or more. */
  Connectivity Dual() const;

  /** Whether it is a rank along all or some axes. Algorithms label only these; the other links of a neighborhood are
   *  joined afterwards. */
  constexpr bool
  IsPlain() const
  {
    return m_More == 0;
  }
  /** The plain part: itself, if it is plain. */
  Connectivity Plain() const;

  int
  Dimension() const
  {
    return m_Dimension;
  }
  /** The largest number of axes along which a neighbor differs. Only in a plain connectivity are all voxels that
   *  differ along this many axes neighbors. */
  int
  Rank() const
  {
    return m_Rank;
  }
  /** Whether neighbors may differ along the axis. */
  constexpr bool
  Uses(int axis) const
  {
    return (m_Axes >> axis) & 1u;
  }
  bool
  UsesEveryAxis() const
  {
    return m_Axes == (1u << m_Dimension) - 1;
  }
  /** The number of axes along which neighbors may differ. */
  int AxisCount() const;
  int NeighborCount() const;

  /** Whether a voxel has the neighbor one step away along x, y, z and t. */
  bool Has(const int (&step)[MaximumDimension]) const;
  /** All neighbors, in raster order. */
  std::vector<NeighborOffset> Offsets() const;

  /** Whether voxels are joined along x, and have in every other row either only the straight neighbor or also both
   *  next to it, as in all plain ones along x, in 8+z and the like. */
  bool HasWholeRows() const;
  /** The neighboring rows that raster order visits earlier. Only for a connectivity that is plain or has whole rows. */
  RowOffsets BackwardRows() const;
  /** All neighbors of a voxel in up to three dimensions. Only for a plain connectivity. */
  NeighborSteps Neighbors() const;

  /** "6", "4 within slices along z", "10 (8+z)" or "4 of a custom neighborhood" */
  std::string ToString() const;

  /** The text for ConnectivityFromText, "8+z"; empty if there is none. */
  std::string Text() const;

private:
  int      m_Dimension;
  int      m_Rank;
  unsigned m_Axes;
  /** The rank and axes of the plain part. */
  int      m_PlainRank;
  unsigned m_PlainAxes;
  /** A bit for each earlier offset outside the plain part. */
  std::uint64_t m_More = 0;
};

/** The axes along which opposite ends of an image are neighbors, as if copies of the image followed each other
 *  without end: two voxels are neighbors if any of their copies are. Along an axis of one voxel, a voxel is its own
 *  neighbor, and a diagonal step equals its step along the other axes. */
class PeriodicAxes
{
public:
  PeriodicAxes() = default;

  /** From letters, such as "xz". \throws InvalidArgument for letters other than x, y, z and t, or a repeated letter. */
  static PeriodicAxes FromNames(const std::string & names);

  constexpr bool
  Has(int axis) const
  {
    return ((m_Axes >> axis) & 1u) != 0;
  }
  constexpr bool
  HasAny() const
  {
    return m_Axes != 0;
  }
  void
  Add(int axis)
  {
    m_Axes |= 1u << axis;
  }
  friend constexpr bool
  operator==(const PeriodicAxes & a, const PeriodicAxes & b)
  {
    return a.m_Axes == b.m_Axes;
  }
  friend constexpr bool
  operator!=(const PeriodicAxes & a, const PeriodicAxes & b)
  {
    return !(a == b);
  }

  /** "xz" */
  std::string ToString() const;

  /** A bit for each axis, x first. */
  constexpr unsigned
  Bits() const
  {
    return m_Axes;
  }

private:
  unsigned m_Axes = 0;
};

/** The bit of a step in a voxel graph, from 0, in the order of cc3d: by axis, up before down; first the faces, then
 *  the edges in the plane x y, the edges upwards and downwards along z, then the corners.
 *
 *       0 +x   1 -x   2 +y   3 -y   4 +z   5 -z
 *       6 +x+y   7 -x+y   8 +x-y   9 -x-y
 *      10 +x+z  11 -x+z  12 +y+z  13 -y+z  14 +x-z  15 -x-z  16 +y-z  17 -y-z
 *      18 +x+y+z  19 -x+y+z  20 +x-y+z  21 -x-y+z  22 +x+y-z  23 -x+y-z  24 +x-y-z  25 -x-y-z
 *
 *  In one and two dimensions the remaining steps keep their order: 4 +x+y, 5 -x+y, 6 +x-y, 7 -x-y. \throws
 *  InvalidArgument for anything but a step between neighbors in 1 to 3 dimensions. */
int VoxelGraphBit(const NeighborOffset & step, int dimension);

} // namespace brickccl

#endif
