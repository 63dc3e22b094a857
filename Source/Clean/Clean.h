#ifndef BRICKCCL_CLEAN_CLEAN_H
#define BRICKCCL_CLEAN_CLEAN_H

#include "BrickCCL/Clean/CleanOptions.h"

namespace brickccl
{

/** Cleans a segmentation: an image of one channel in which every value but the background is a class. NaN belongs to
 *  no class and stays. `output` is room for the voxels of `segmentation`, in the same type; it may be the voxels of
 * `segmentation` themselves, but must not overlap them otherwise. After an exception, what it holds is not defined.
 *  \throws InvalidArgument, Unsupported, Cancelled, std::bad_alloc. */
CleanReport Clean(const ImageView & segmentation, void * output, const CleanOptions & options);

/** Fills the holes of a mask or a segmentation: Clean with `options.holes` (all holes, if it is not set), whose report
 *  counts no components. A label map is a segmentation whose classes are its labels. */
CleanReport FillHoles(const ImageView & segmentation, void * output, CleanOptions options = {});

} // namespace brickccl

#endif
