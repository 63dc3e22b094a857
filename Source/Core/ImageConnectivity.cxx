#include "BrickCCL/Core/ImageConnectivity.h"

#include "BrickCCL/Core/Error.h"

#include <algorithm>
#include <optional>
#include <vector>

namespace brickccl
{

Connectivity
ConnectivityFor(int neighbours, const Extent & extent, const std::string & bySlice)
{
  const std::string axisNames = "xyzt";
  const int         sliceAxis = bySlice.empty() ? -1 : static_cast<int>(axisNames.find(bySlice));
  if (sliceAxis >= extent.dimension || (sliceAxis >= 0 && extent.dimension < 3))
  {
    throw InvalidArgument("to label by slice (--by-slice " + bySlice + ") does not fit an image of " +
                          std::to_string(extent.dimension) + " dimensions");
  }
  std::vector<int> left;
  if (sliceAxis >= 0)
  {
    left.push_back(sliceAxis);
  }
  const int                   within = extent.dimension - static_cast<int>(left.size());
  std::optional<Connectivity> connectivity;
  try
  {
    connectivity = neighbours == FaceNeighbours ? Connectivity::Face(within)
                 : neighbours == FullNeighbours ? Connectivity::Full(within)
                                                : Connectivity::FromNeighbourCount(neighbours, within);
  }
  catch (const InvalidArgument &)
  {
    int dimension = within;
    for (int axis = extent.dimension - 1; axis >= 0 && dimension > 1 && !connectivity; --axis)
    {
      if (axis == sliceAxis || extent.size[axis] != 1)
      {
        continue;
      }
      left.push_back(axis);
      --dimension;
      try
      {
        connectivity = Connectivity::FromNeighbourCount(neighbours, dimension);
      }
      catch (const InvalidArgument &)
      {
        // The number may fit once another axis is left out.
      }
    }
    if (!connectivity)
    {
      throw;
    }
  }
  // Axes come back from the lowest on, so that each one's number counts the axes that are already back.
  std::sort(left.begin(), left.end());
  for (const int axis : left)
  {
    connectivity = connectivity->WithinSlices(axis);
  }
  return *connectivity;
}

} // namespace brickccl
