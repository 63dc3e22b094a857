#ifndef BRICKCCL_CORE_CONNECTIVITY_H
#define BRICKCCL_CORE_CONNECTIVITY_H

#include "BrickCCL/Core/Extent.h"

#include <string>

namespace brickccl
{

struct NeighbourSteps;
struct RowOffsets;

/** Which voxels are neighbours (Core/Neighbourhood.h shows them). No coordinate differs by more than 1, and at least
 *  one but at most `rank` of them differ. In two dimensions the ranks 1 and 2 are 4- and 8-connectivity:
 *
 *        .  o  .            o  o  o
 *        o  X  o   4        o  X  o   8
 *        .  o  .            o  o  o
 *
 *  In three dimensions the ranks 1, 2, 3 are 6 (faces), 18 (and edges) and 26 (and corners); in four they are 8, 32, 64
 *  and
 *  80. scikit-image calls the same ranks `connectivity`; scipy generates its structuring elements from them.
 *
 *  Axes can be left out: neighbours then never differ along them, so that each slice is labeled on its own. */
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
  /** The connectivity with so many neighbours, for example 26 in 3-D.
   *  \throws InvalidArgument, which lists the numbers that fit the dimension. */
  static Connectivity FromNeighbourCount(int neighbours, int dimension);

  /** \throws InvalidArgument unless 1 <= rank <= dimension <= 4. */
  Connectivity(int dimension, int rank);

  /** This connectivity inside the slices that are orthogonal to `axis`. The result is for an image of one dimension
   *  more, whose other axes keep their order. */
  Connectivity WithinSlices(int axis) const;

  /** The connectivity that the background has where objects have this one, along the same axes. A closed line or
   *  surface of the one then parts the other. It is full connectivity for face connectivity (4 and 8, 6 and 26), and
   *  face connectivity for all others (8 and 4, 18 and 6, 26 and 6). */
  Connectivity Dual() const;

  int
  Dimension() const
  {
    return m_Dimension;
  }
  int
  Rank() const
  {
    return m_Rank;
  }
  /** Whether neighbours may differ along the axis. */
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
  /** The number of axes along which neighbours may differ. */
  int AxisCount() const;
  int NeighbourCount() const;

  /** Whether a voxel has the neighbour one step away along x, y, z and t. */
  bool Has(const int (&step)[MaximumDimension]) const;
  /** The neighbouring rows that raster order visits earlier. */
  RowOffsets BackwardRows() const;
  /** All neighbours of a voxel in up to three dimensions. */
  NeighbourSteps Neighbours() const;

  /** "6", or "4 within slices along z" */
  std::string ToString() const;

private:
  int      m_Dimension;
  int      m_Rank;
  unsigned m_Axes;
};

} // namespace brickccl

#endif
