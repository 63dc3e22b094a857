// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Files/LoadedImage.h"
#include "BrickCCL/Host/Parallel.h"
#include "BrickCCL/Pictures/ColumnColors.h"
#include "BrickCCL/Runs/RunVolume.h"
#include "BrickCCL/Tables/ComponentTable.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace brickccl
{

struct PictureContents
{
  /** An image of 1 to 3 dimensions. */
  const LoadedImage & background;
  /** The labels. They have the background's extent. */
  const RunVolume & labels;
  /** The table of these labels. */
  const ComponentTable & table;
  /** Whether the background's spacing is in mm. If not, lengths and sizes are given in pixels or voxels. */
  bool hasSpacing = true;
  /** Whether the background's values are drawn. If not, only its extent and geometry matter. */
  bool hasGray = true;
};

enum class PictureStyle
{
  /** The orthogonal slices through the largest component, or the only slice that there is. */
  Slices,
  /** Slices along z in equal distances, as many as can be seen well. */
  Montage,
  /** Along each axis the highest value of the background, and the first component, on every line through the volume. */
  Projection
};

struct PictureOptions
{
  PictureStyle style = PictureStyle::Slices;
  /** The most pixels; 0: 480 for the longest side of an image of three slices, 960 for one slice, plus the key. */
  int width = 0;
  int height = 0;
  /** Colors by a column; null: colors that differ between neighbors. */
  const ColumnColors * columnColors = nullptr;
  /** The voxel that slices go through, if not one of the largest component. */
  std::optional<std::array<std::int64_t, 3>> center = {};
  /** The title of the key, unless it shows numbers of components. */
  std::string title = {};
};

/** \throws Unsupported unless the image has 1 to 3 dimensions. */
void CheckPicture(const Extent & extent);

/** Writes a PNG of slices or projections.
 *
 *  The picture shows the gray values of the background (see WindowOfPart), and over them the labels in colors that
 *  differ between neighbors (see LabelColors) or show a column. It also shows the slices' positions (index, and mm
 *  in LPS), marks where the slices cut each other, and a key (see PictureKey). Voxels keep their physical
 *  proportions. An axis that would be too thin to see is drawn wider, with a note in the picture.
 *
 *  The direction matrix decides how slices lie: of a volume in LPS, z points up and y down, so that the left side of
 *  a patient is on the right, and the front or the head on top. If the file says that it has such axes, their ends
 *  are marked by letters (L, R, A, P, S, I).
 *
 *  Only voxels in the slices are looked at, at most VoxelsPerPixel along each axis for a pixel; projections look at
 *  all. No display and no fonts are needed.
 *  \throws Unsupported as CheckPicture does; Error if the file cannot be written; Canceled. */
void WritePicture(const std::string &     path,
                  const PictureContents & contents,
                  const HostContext &     context,
                  const PictureOptions &  options = {});

} // namespace brickccl
