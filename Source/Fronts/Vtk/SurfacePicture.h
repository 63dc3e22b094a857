// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Core/VolumeView.h"
#include "BrickCCL/Host/Parallel.h"
#include "BrickCCL/Pictures/ColumnColors.h"
#include "BrickCCL/Tables/ComponentTable.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace brickccl
{

struct SurfaceContents
{
  ImageView              labels;
  const ComponentTable & table;
  /** The places in the table of the components that are drawn; at least one. */
  std::vector<std::size_t> places;
  /** A mask of the same extent, whose surface is drawn transparent around the components. */
  std::optional<ImageView> part;
  /** Colors by a column; null: a color for each label. */
  const ColumnColors * columnColors = nullptr;
  bool                 hasSpacing = true;
  /** Whether the ends of axes have a patient's letters. */
  bool hasPatientAxes = false;
};

struct SurfaceReport
{
  std::size_t triangles = 0;
  /** The size of a pixel in mm; the size in pixels of the scene, SurfaceMargin from the left and the top. */
  double pixelSize = 1;
  int    scene[2] = { 1, 1 };
  /** The seconds that it took to make the surfaces, and to draw them. */
  double makeSeconds = 0;
  double drawSeconds = 0;
  /** The sides in voxels of the blocks that large components are drawn from, and whether there are such components. */
  int  block[3] = { 1, 1, 1 };
  bool hasLargeComponents = false;
};

inline constexpr int SurfaceMargin = 16;
inline constexpr int MinimumSurfacePicture = 480;
inline constexpr int MaximumSurfacePicture = 4096;

/** Components of up to this many blocks along each axis are drawn from single voxels, however small the picture is. */
inline constexpr std::int64_t MaximumBlocksOfSmallComponents = 8;

/** Provides an X server if VTK draws through one; builds of it for EGL or OSMesa need none. \throws Unsupported */
void ProvideDisplay();

/** Writes a PNG of the components' surfaces, seen from the front, the left and above, without perspective, with a key
 *  (see PictureKey), a scale bar and the directions of the physical axes (LPS). Blocks of voxels that are about two
 *  pixels wide are drawn as one, except of small components. \param width, height  from MinimumSurfacePicture to
 *  MaximumSurfacePicture \throws Unsupported without OpenGL; Error if the file cannot be written; Canceled. */
SurfaceReport WriteSurfacePicture(const std::string &     path,
                                  const SurfaceContents & contents,
                                  int                     width,
                                  int                     height,
                                  const HostContext &     context);

} // namespace brickccl
