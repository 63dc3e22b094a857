// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_SEGMENTING_SMOOTHING_H
#define BRICKCCL_SEGMENTING_SMOOTHING_H

#include "BrickCCL/Core/VolumeView.h"
#include "BrickCCL/Host/Parallel.h"

#include <string>

namespace brickccl
{

/** How to smooth an image, along its first three axes. Beyond the border, the values at the border continue. */
struct SmoothingMethod
{
  enum class Kind
  {
    /** The median of the values up to `radius` voxels away along each axis (itk::MedianImageFilter). */
    Median,
    /** The convolution with a Gaussian whose standard deviation is `deviation` mm (itk::DiscreteGaussianImageFilter).
     */
    Gaussian
  };

  static constexpr int MaximumRadius = 50;

  Kind   kind = Kind::Median;
  int    radius = 1;
  double deviation = 1;

  /** Reads "median:R" or "gaussian:MM". \throws InvalidArgument, which says what can be given. */
  static SmoothingMethod FromText(const std::string & text);
};

/** The type of a smoothed image: the image's type for a median; for a Gaussian float, or double for values that float
 *  cannot hold. */
ScalarType SmoothedType(ScalarType type, const SmoothingMethod & method);

/** Smooths an image of 1 to 4 dimensions by ITK. \param smoothed  room for the voxels, of the type SmoothedType.
 *  \throws InvalidArgument for several channels, for values that are NaN, for a Gaussian that is too wide, and for a
 *  median of 64-bit integers beyond 2^53; Canceled. */
void Smooth(const ImageView &       image,
            const Geometry &        geometry,
            const SmoothingMethod & method,
            void *                  smoothed,
            const HostContext &     context);

/** The work of Smooth after its checks. \throws Unsupported in a build without ITK. */
void SmoothByItk(const ImageView &       image,
                 const Geometry &        geometry,
                 const SmoothingMethod & method,
                 void *                  smoothed,
                 const HostContext &     context);

} // namespace brickccl

#endif
