// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Core/ImageConnectivity.h"

#include "BrickCCL/Core/Counted.h"
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/Printable.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

namespace brickccl
{

Connectivity
ConnectivityFor(int neighbors, const Extent & extent, const std::string & bySlice)
{
  const int sliceAxis = AxisFromName(bySlice);
  ThrowIf<InvalidArgument>(!bySlice.empty() && (sliceAxis < 0 || sliceAxis >= extent.dimension || extent.dimension < 3),
                           "to label by slice (--by-slice " + bySlice + ") does not fit an image of " +
                             Counted(extent.dimension, "dimension"));
  std::vector<int> left;
  if (sliceAxis >= 0)
  {
    left.push_back(sliceAxis);
  }
  const int                   within = extent.dimension - static_cast<int>(left.size());
  std::optional<Connectivity> connectivity;
  try
  {
    connectivity = neighbors == FaceNeighbors ? Connectivity::Face(within)
                 : neighbors == FullNeighbors ? Connectivity::Full(within)
                                              : Connectivity::FromNeighborCount(neighbors, within);
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
        connectivity = Connectivity::FromNeighborCount(neighbors, dimension);
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

bool
IsNeighborhoodText(const std::string & text)
{
  const std::size_t plus = text.find('+');
  return plus != std::string::npos && plus > 0 && plus <= 3 && plus + 1 < text.size() &&
         text.find_first_not_of("0123456789") == plus &&
         text.find_first_not_of(AxisNames, plus + 1) == std::string::npos;
}

Connectivity
NeighborhoodFromText(const std::string & text, int dimension)
{
  ThrowIf<InvalidArgument>(!IsNeighborhoodText(text),
                           Quoted(text) + " is not a neighborhood; write a number of neighbors and axes, such as 8+z");
  const std::size_t plus = text.find('+');
  bool              isNamed[MaximumDimension] = {};
  for (const char name : text.substr(plus + 1))
  {
    const int axis = AxisFromName(std::string(1, name));
    ThrowIf<InvalidArgument>(axis >= dimension || isNamed[axis],
                             "the neighborhood " + text + " names the axis " + name +
                               (axis >= dimension ? ", which an image of " + std::to_string(dimension) +
                                                      (dimension == 1 ? " dimension" : " dimensions") + " lacks"
                                                  : " twice"));
    isNamed[axis] = true;
  }
  const int within = dimension - static_cast<int>(text.size() - plus - 1);
  ThrowIf<InvalidArgument>(within == 0,
                           "the neighborhood " + text + " names all axes; omit the axes of the " +
                             text.substr(0, plus) + " neighbors");
  Connectivity joined = Connectivity::Face(1);
  try
  {
    joined = Connectivity::FromNeighborCount(std::stoi(text.substr(0, plus)), within);
  }
  catch (const InvalidArgument & error)
  {
    throw InvalidArgument("the neighborhood " + text + ": " + error.what());
  }
  std::vector<NeighborOffset> offsets;
  for (int axis = 0; axis < dimension; ++axis)
  {
    if (isNamed[axis])
    {
      joined = joined.WithinSlices(axis);
      NeighborOffset along{};
      along[static_cast<std::size_t>(axis)] = 1;
      offsets.push_back(along);
      along[static_cast<std::size_t>(axis)] = -1;
      offsets.push_back(along);
    }
  }
  const std::vector<NeighborOffset> inSlices = joined.Offsets();
  offsets.insert(offsets.end(), inSlices.begin(), inSlices.end());
  return Connectivity::FromOffsets(dimension, offsets);
}

Connectivity
DualWithinSlices(const Connectivity & objects, int axis)
{
  if (!objects.Uses(axis))
  {
    return objects.Dual();
  }
  ThrowIf<InvalidArgument>(!objects.UsesEveryAxis(),
                           std::string("holes within slices along ") + AxisNames[axis] +
                             " cannot be combined with components of connectivity " + objects.ToString() +
                             ", whose holes are in the same slices");
  std::vector<NeighborOffset> inSlice = objects.Offsets();
  const auto                  leavesSlice = [axis](const NeighborOffset & offset) {
    return offset[static_cast<std::size_t>(axis)] != 0;
  };
  inSlice.erase(std::remove_if(inSlice.begin(), inSlice.end(), leavesSlice), inSlice.end());
  return Connectivity::FromOffsets(objects.Dimension(), inSlice).Dual();
}

void
CheckPeriodic(const PeriodicAxes & periodic, const Connectivity & connectivity)
{
  for (int axis = 0; axis < MaximumDimension; ++axis)
  {
    ThrowIf<InvalidArgument>(
      periodic.Has(axis) && (axis >= connectivity.Dimension() || !connectivity.Uses(axis)),
      std::string("the image cannot be periodic along ") + AxisNames[axis] + ", along which " +
        (axis < connectivity.Dimension()
           ? "connectivity " + connectivity.ToString() + " has no neighbors"
           : "an image of " + Counted(connectivity.Dimension(), "dimension") + " has no voxels"));
  }
}

PeriodicAxes
PeriodicWithin(const PeriodicAxes & periodic, const Connectivity & connectivity)
{
  PeriodicAxes within;
  for (int axis = 0; axis < connectivity.Dimension(); ++axis)
  {
    if (periodic.Has(axis) && connectivity.Uses(axis))
    {
      within.Add(axis);
    }
  }
  return within;
}

} // namespace brickccl
