// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vtkCellArray.h>
#include <vtkCellArrayIterator.h>
#include <vtkPolyData.h>
#include <vtkSmartPointer.h>

#include <cstddef>

namespace brickccl
{

/** Calls `visit(a, b, c)` with the points of each triangle. */
template <typename TVisit>
void
ForTriangles(vtkPolyData * mesh, TVisit visit)
{
  vtkIdType         count = 0;
  const vtkIdType * points = nullptr;
  const auto        cells = vtk::TakeSmartPointer(mesh->GetPolys()->NewIterator());
  for (cells->GoToFirstCell(); !cells->IsDoneWithTraversal(); cells->GoToNextCell())
  {
    cells->GetCurrentCell(count, points);
    visit(points[0], points[1], points[2]);
  }
}

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

/** Lets normals point outwards. */
void TurnOutwards(vtkPolyData * mesh);

} // namespace brickccl
