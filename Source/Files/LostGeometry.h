// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Files/ImageFile.h"

#include <cmath>
#include <string>
#include <vector>

namespace brickccl::files
{

/** Notes on the geometry lost in a format that stores only a spacing. */
inline std::vector<std::string>
NotesOfLostPlace(const ImageToWrite & image, const std::string & format)
{
  bool moved = false;
  bool turned = false;
  for (int axis = 0; axis < image.extent.dimension; ++axis)
  {
    moved = moved || image.geometry.origin[axis] != 0;
    for (int row = 0; row < image.extent.dimension; ++row)
    {
      turned = turned || std::fabs(image.geometry.direction[row][axis] - (row == axis ? 1 : 0)) > 1e-6;
    }
  }
  std::vector<std::string> notes;
  if (moved)
  {
    notes.push_back(format + " files cannot store the origin; it is lost");
  }
  if (turned)
  {
    notes.push_back(format + " files cannot store the direction; it is lost");
  }
  return notes;
}

} // namespace brickccl::files
