// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_VIEW_SLICES_H
#define BRICKCCL_VIEW_SLICES_H

#include "BrickCCL/View/LiveLabeling.h"

#include <cstdint>
#include <string>

/** Pictures as bytes for typed arrays of the page's script, in little-endian order. */
namespace brickccl::view
{

/** A slice across an axis. The lower of the two other axes runs fastest. */
struct Slice
{
  int          axis = 2;
  std::int64_t index = 0;
};

/** The gray values of a slice, of the image's type; 64-bit integers as doubles. */
std::string GrayOf(const LoadedImage & image, const Slice & slice);

/** The labels of a slice as uint32. Voxels of the part that have none are `InPart`. */
inline constexpr std::uint32_t InPart = 0xFFFFFFFF;
std::string                    LabelsOf(const Labeled & labeled, const Slice & slice);

/** The labels of blocks of voxels, of which the longest side in mm has at most 128: any of a block's labels, or InPart.
 *  \param block  receives the voxels of a block along each axis */
std::string BlocksOf(const Labeled & labeled, std::int64_t block[3]);

} // namespace brickccl::view

#endif
