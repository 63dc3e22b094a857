// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Pictures/GrayWindow.h"
#include "BrickCCL/Pictures/Picture.h"

#include <cstdint>
#include <string>
#include <vector>

namespace brickccl
{

/** Pictures of one size, in rows from the left and from the top, in one JPEG. */
struct Sheet
{
  int columns = 1;
  int tileWidth = 1;
  int tileHeight = 1;
  /** The values that are black and white. */
  GrayWindow window;
};

struct SlicedComponent
{
  /** The place in the table. */
  std::size_t  place = 0;
  std::int64_t slice = 0;
};

/** Writes slices orthogonal to an axis, with their labels, to look through. A label has one color in all of them.
 *  \param longestSide  of the image, in pixels \throws Error if the file cannot be written; Canceled. */
Sheet WriteSliceSheet(const std::string &               path,
                      const PictureContents &           contents,
                      int                               axis,
                      const std::vector<std::int64_t> & slices,
                      int                               longestSide,
                      const HostContext &               context);

/** Writes squares around components.
 *  \param side  of a square, in pixels
 *  \param areOutlined  whether only outlines are drawn over the image
 *  \throws as WriteSliceSheet. */
Sheet WriteThumbnails(const std::string &                  path,
                      const PictureContents &              contents,
                      int                                  axis,
                      const std::vector<SlicedComponent> & components,
                      int                                  side,
                      const GrayWindow &                   window,
                      const HostContext &                  context,
                      bool                                 areOutlined = false);

} // namespace brickccl
