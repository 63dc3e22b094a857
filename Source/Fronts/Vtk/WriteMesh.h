// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_VTK_WRITEMESH_H
#define BRICKCCL_VTK_WRITEMESH_H

#include "BrickCCL/Vtk/Meshes.h"

class vtkObject;
class vtkPolyData;

namespace brickccl
{

/** Writes a mesh in mm, whose cells have the array "Label", as WriteMeshes does. */
void WriteMesh(vtkPolyData * mesh, const Geometry & geometry, const MeshOptions & options, const std::string & path);

/** Keeps VTK's errors off the error stream; exceptions report them here. */
void Quieten(vtkObject * object);

} // namespace brickccl

#endif
