// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Files/LoadedImage.h"
#include "BrickCCL/Host/Parallel.h"

namespace brickccl
{

/** A rotation and a shift in mm that map points of a first image to points of a second one. */
struct RigidMotion
{
  double rotation[3][3] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
  double offset[3] = {};
};

/** The center of what Otsu's threshold finds in an image of floats, and its mean distance from there. */
struct Moments
{
  double center[3] = {};
  double radius = 0;

  Moments(const LoadedImage & image, const HostContext & context);
};

/** An image as floats, averaged until it has at most this many voxels. \param areLabels  whether it is 1 or 0 */
LoadedImage Reduce(const LoadedImage & image, bool areLabels, std::int64_t most, const HostContext & context);

/** \throws Unsupported in a build without ITK. Call it before AlignImages. */
void CheckMayAlign();

/** The motion of the greatest mutual information. It is found from where the images are, and with their centers
 *  together from turns about x, y or z, and improved on images of up to 400,000 voxels. Labels are turned only if their
 *  information is then clearly greater than after the best shift. ITK's metric works on one thread, since its sums
 * depend on their number. \throws InvalidArgument for images that are not three-dimensional, have fewer than 8 voxels
 * along an axis, or a single value; Canceled. */
RigidMotion
AlignImages(const LoadedImage & first, const LoadedImage & second, bool areLabels, const HostContext & context);

} // namespace brickccl
