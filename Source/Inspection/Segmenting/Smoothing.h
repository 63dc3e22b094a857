// SPDX-License-Identifier: Apache-2.0
#pragma once

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
    Gaussian,
    /** The mean of the values around, weighted by a Gaussian of the distance, `deviation` mm, and a Gaussian of the
     *  difference between the values, `range` (Tomasi and Manduchi, Bilateral Filtering for Gray and Color Images,
     *  1998). The window reaches two deviations. */
    Bilateral,
    /** The mean of the values up to 3 voxels away along each axis, weighted by how alike the 3 x 3 x 3 voxels around
     *  both are: exp(-max(0, m - 2 range^2) / (0.6 range)^2), where m is the mean squared difference and `range` the
     *  standard deviation of the noise. exp(-t) is taken as max(0, 1 - t / 16)^16, also for `Bilateral` (Buades, Coll
     * and Morel, A Non-local Algorithm for Image Denoising, 2005). */
    NonLocalMeans
  };

  static constexpr int MaximumRadius = 50;

  Kind   kind = Kind::Median;
  int    radius = 1;
  double deviation = 1;
  double range = 0;

  /** Reads "median:R", "gaussian:MM", "bilateral:MM:RANGE" or "nlm:NOISE". \throws InvalidArgument, which says what can
   *  be given. */
  static SmoothingMethod FromText(const std::string & text);

  /** Up to this many voxels, components do not survive a median or, as balls, a Gaussian and a threshold halfway. 0 for
   *  other filters. */
  double RemovedVoxels(const Extent & extent, const Geometry & geometry) const;
};

/** The image's type; for a Gaussian float, or double for values that float cannot hold. */
ScalarType SmoothedType(ScalarType type, const SmoothingMethod & method);

/** Smooths an image of 1 to 4 dimensions. Means are rounded to the nearest whole number in images of these. The result
 *  is the same for any number of threads. \param smoothed  room for the voxels, of the type SmoothedType.
 *  \throws InvalidArgument for several channels, for values that are NaN, for filters that are too wide, and for 64-bit
 *  integers beyond 2^53; Canceled. */
void Smooth(const ImageView &       image,
            const Geometry &        geometry,
            const SmoothingMethod & method,
            void *                  smoothed,
            const HostContext &     context);

/** Smooths floats or doubles in place by a median or a Gaussian. \throws Unsupported in a build without ITK. */
template <typename TReal>
void SmoothByItk(TReal *                 values,
                 const Extent &          extent,
                 const Geometry &        geometry,
                 const SmoothingMethod & method,
                 const HostContext &     context);

/** The same by a bilateral filter or non-local means. */
template <typename TReal>
void SmoothByLikeness(TReal *                 values,
                      const Extent &          extent,
                      const Geometry &        geometry,
                      const SmoothingMethod & method,
                      const HostContext &     context);

} // namespace brickccl
