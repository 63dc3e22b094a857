// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

class vtkPolyData;

namespace brickccl
{

/** VTK keeps the bounds of points until Modified is called. */
void PointsMoved(vtkPolyData * mesh);

/** The volume inside a closed mesh of at least one point; negative where normals point inwards. */
double EnclosedVolume(vtkPolyData * mesh);

/** Moves every point along the mean normal of its triangles, weighted by area, until the mesh holds `volume`: points
 *  half-way between voxels cut the corners of thin components off. No point moves further than `farthest` at a time.
 *  \return whether the mesh holds it, to a hundredth */
bool HoldVolume(vtkPolyData * mesh, double volume, double farthest);

/** The number of sides of triangles without exactly one neighbor, or with a neighbor of the same corners: 0 for a
 * closed surface that touches itself nowhere. */
std::size_t FaultsOf(vtkPolyData * mesh);

void TurnAround(vtkPolyData * mesh);

} // namespace brickccl
