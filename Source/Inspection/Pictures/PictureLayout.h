// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Pictures/Picture.h"
#include "BrickCCL/Pictures/Slice.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace brickccl
{

inline constexpr int PictureMargin = 16;
/** Voxels are drawn no larger, in pixels. */
inline constexpr double LargestVoxel = 32;
/** The length of the marks at a panel. */
inline constexpr int PictureMarkLength = 6;

/** A slice and its position in the picture. */
struct PicturePanel
{
  SliceView view;
  /** The axis that the slice is orthogonal to. */
  int fixed = 2;
  int x = 0;
  int y = 0;
  /** The texts below the panel. */
  std::vector<std::string> caption;
  /** The ends of the panel's axes in a patient: at its left, right, top and bottom side; each may be empty. */
  std::string ends[4];

  int CaptionHeight() const;
  /** The width of the panel or of its caption. */
  int Width() const;
};

/** The panels of a picture. Their positions are known when the size of the key is (Arrange). */
struct PictureLayout
{
  PictureStyle              style = PictureStyle::Slices;
  std::vector<PicturePanel> panels;
  /** The size of a pixel in mm. */
  double pixelSize = 1;
  /** The panels in a row of a montage. */
  int columns = 1;
  /** Whether marks show where panels cut each other. */
  bool hasMarks = false;
  /** The free height next to the key that does not make the picture higher. */
  int heightForKey = 0;
  /** The position of the key, and the size of the picture; set by Arrange. */
  int keyX = 0;
  int width = 0;
  int height = 0;

  void Arrange(int keyWidth, int keyHeight);
};

/** The panel of the slice orthogonal to an axis, through a voxel, oriented by the direction matrix.
 *  \param longestSide  the length in pixels of the image's longest axis */
PicturePanel
PanelAcross(const LoadedImage & image, int fixed, const std::array<std::int64_t, 3> & place, double longestSide);

/** \param center  the voxel that the slices go through */
PictureLayout LayOutPicture(const PictureContents &             contents,
                            const PictureOptions &              options,
                            const std::array<std::int64_t, 3> & center);

} // namespace brickccl
