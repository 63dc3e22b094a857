// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Pictures/Canvas.h"
#include "BrickCCL/Pictures/GrayWindow.h"
#include "BrickCCL/Pictures/Slice.h"

#include <cstdint>
#include <functional>

namespace brickccl
{

/** The target of pictures of slices. */
inline constexpr Color  PictureGround{ 24, 26, 30 };
inline constexpr double LabelOpacity = 0.6;

/** Draws the background and the labels over it.
 *  \param left, top  the position of the first pixel
 *  \param window  null: the values are not drawn
 *  \param colorOf  the color of a label
 *  \param fill  the opacity of labels within their edges */
void DrawSlice(Canvas &                                    canvas,
               int                                         left,
               int                                         top,
               const SlicePixels &                         pixels,
               const GrayWindow *                          window,
               const std::function<Color(std::uint64_t)> & colorOf,
               double                                      fill = LabelOpacity);

} // namespace brickccl
