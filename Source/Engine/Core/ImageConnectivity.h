// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Core/Connectivity.h"
#include "BrickCCL/Core/Extent.h"

#include <string>

namespace brickccl
{

/** Special values of the number of neighbors. */
inline constexpr int FaceNeighbors = 0;
inline constexpr int FullNeighbors = -1;

/** The connectivity of a number of neighbors (or FaceNeighbors or FullNeighbors) for an image. `bySlice` is an
 *  axis ("x" .. "t") if the neighbors are within slices; it may be empty. Axes of size 1 are used or not, whichever
 *  fits the number: a single slice may have 4 or 8 neighbors, too. \throws InvalidArgument, which lists the numbers
 *  that fit. */
Connectivity ConnectivityFor(int neighbors, const Extent & extent, const std::string & bySlice);

/** Whether a text has the form that NeighborhoodFromText takes. */
bool IsNeighborhoodText(const std::string & text);

/** The neighborhood of a text such as "8+z": this many neighbors in the plane, line or space of the other axes, and
 *  the two voxels before and after along each named axis. "4+z" is 6-connectivity, "26+t" and "8+zt" are for images
 *  of four dimensions. \throws InvalidArgument for another form, an axis that the dimension lacks or that comes
 *  twice, or a number that does not fit the axes that are left. */
Connectivity NeighborhoodFromText(const std::string & text, int dimension);

/** The connectivity of the background within each slice orthogonal to `axis`, for objects with this one: the dual of
 *  the objects' connectivity in the slice. \throws InvalidArgument if objects are within slices along another axis. */
Connectivity DualWithinSlices(const Connectivity & objects, int axis);

/** \throws InvalidArgument for a periodic axis along which there are no neighbors. */
void CheckPeriodic(const PeriodicAxes & periodic, const Connectivity & connectivity);

/** The axes among these along which there are neighbors. */
PeriodicAxes PeriodicWithin(const PeriodicAxes & periodic, const Connectivity & connectivity);

} // namespace brickccl
