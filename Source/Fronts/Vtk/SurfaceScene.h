// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_VTK_SURFACESCENE_H
#define BRICKCCL_VTK_SURFACESCENE_H

#include "BrickCCL/Pictures/Canvas.h"
#include "BrickCCL/Vtk/ComponentSurfaces.h"

#include <vector>

namespace brickccl
{

/** Many surfaces in one. */
struct ColoredSurface
{
  Surface surface;
  /** Red, green and blue of each point; empty if all points have one color. */
  std::vector<unsigned char> colors;
};

/** Where the eye is, without perspective. */
struct SurfaceView
{
  /** Unit vectors along physical axes: to the right and up in the picture, and towards the eye. */
  double right[3] = {};
  double up[3] = {};
  double toEye[3] = {};
  /** The point in the middle of the picture. */
  double center[3] = {};
  /** The radius of everything around the center. */
  double radius = 1;
  /** The size of a pixel in mm. */
  double pixelSize = 1;
  int    width = 1;
  int    height = 1;
};

/** Draws opaque components and, around them, a transparent part; either may be empty. The display must be ready.
 *  \return red, green and blue of each pixel, row by row from the top. \throws Unsupported without OpenGL. */
std::vector<unsigned char> DrawScene(const ColoredSurface & components,
                                     const ColoredSurface & part,
                                     const SurfaceView &    view,
                                     const Color &          ground);

} // namespace brickccl

#endif
