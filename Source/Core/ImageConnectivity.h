#ifndef BRICKCCL_CORE_IMAGECONNECTIVITY_H
#define BRICKCCL_CORE_IMAGECONNECTIVITY_H

#include "BrickCCL/Core/Connectivity.h"
#include "BrickCCL/Core/Extent.h"

#include <string>

namespace brickccl
{

/** What a number of neighbours stands for beside a count. */
inline constexpr int FaceNeighbours = 0;
inline constexpr int FullNeighbours = -1;

/** The connectivity of a number of neighbours (or FaceNeighbours or FullNeighbours) for an image. `bySlice` names an
 * axis ("x" .. "t") if the neighbours lie within slices; it may be empty. Axes of size 1 take part or not, whichever
 * fits the number: a single slice may have 4 or 8 neighbours, too. \throws InvalidArgument, which lists the numbers
 * that fit. */
Connectivity ConnectivityFor(int neighbours, const Extent & extent, const std::string & bySlice);

} // namespace brickccl

#endif
