#ifndef BRICKCCL_CORE_CONNECTIVITY_H
#define BRICKCCL_CORE_CONNECTIVITY_H

#include "BrickCCL/Core/Extent.h"

#include <string>
#include <vector>

namespace brickccl
{

/** A neighbouring row that raster order visits earlier, as steps along y, z and t. */
struct RowOffset
{
  int step[MaximumDimension - 1];
  /** Whether voxels one step left and right (x - 1, x + 1) in that row are neighbours too. */
  bool diagonal;
};

/** Which voxels are neighbours: no coordinate differs by more than 1 and at least one, but at most `rank` of them
 *  differ. In two dimensions rank 1 and 2 are 4- and 8-connectivity:
 *
 *        .  o  .            o  o  o
 *        o  X  o   4        o  X  o   8
 *        .  o  .            o  o  o
 *
 *  in three, rank 1, 2, 3 are 6 (faces), 18 (and edges), 26 (and corners); in four 8, 32, 64, 80. The same ranks
 *  are called `connectivity` by scikit-image and generate scipy's structuring elements.
 *
 *  Axes can be left out: neighbours then never differ along them, so that slices are labeled each on its own. */
class Connectivity
{
public:
  /** Face connectivity, the default of ITK and scipy. */
  static Connectivity
  Face(int dimension)
  {
    return Connectivity(dimension, 1);
  }
  /** Full connectivity, the default of scikit-image and cc3d. */
  static Connectivity
  Full(int dimension)
  {
    return Connectivity(dimension, dimension);
  }
  /** From the number of neighbours, for example 26 in 3-D.
   *  \throws InvalidArgument, which lists the numbers that fit the dimension. */
  static Connectivity FromNeighbourCount(int neighbours, int dimension);

  /** \throws InvalidArgument unless 1 <= rank <= dimension <= 4. */
  Connectivity(int dimension, int rank);

  /** This connectivity inside the slices that are orthogonal to `axis`: of an image one dimension higher, whose
   *  other axes keep their order. */
  Connectivity WithinSlices(int axis) const;

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
  bool
  Uses(int axis) const
  {
    return (m_Axes >> axis) & 1u;
  }
  bool
  UsesEveryAxis() const
  {
    return m_Axes == (1u << m_Dimension) - 1;
  }
  int NeighbourCount() const;

  /** The neighbouring rows earlier in raster order, for an image of this dimension. */
  std::vector<RowOffset> BackwardRows() const;

  /** "6", or "4 within slices along z" */
  std::string ToString() const;

private:
  int      m_Dimension;
  int      m_Rank;
  unsigned m_Axes;
};

} // namespace brickccl

#endif
