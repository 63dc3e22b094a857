// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Segmenting/Smoothing.h"

#include "BrickCCL/Core/Error.h"

#ifdef BRICKCCL_USE_ITK
#  include <itkDiscreteGaussianImageFilter.h>
#  include <itkImage.h>
#  include <itkImportImageFilter.h>
#  include <itkMedianImageFilter.h>
#  include <itkStreamingImageFilter.h>
#endif

#include <algorithm>
#include <string>

namespace brickccl
{

#ifdef BRICKCCL_USE_ITK

namespace
{

/** Runs a filter and gives its output. \throws Canceled, Error. */
template <typename TFilter>
typename TFilter::OutputImageType *
Run(TFilter & filter, const HostContext & context)
{
  bool isCanceled = false;
  filter.AddObserver(itk::ProgressEvent(), [&](const itk::EventObject &) {
    try
    {
      isCanceled ? void() : context.progress.Update(filter.GetProgress());
    }
    catch (const Canceled &)
    {
      // An exception must not cross ITK's threads; the filter stops by itself.
      isCanceled = true;
      filter.AbortGenerateDataOn();
    }
  });
  filter.SetNumberOfWorkUnits(static_cast<itk::ThreadIdType>(EffectiveThreadCount(context.threads)));
  try
  {
    filter.Update();
  }
  catch (const itk::ExceptionObject & error)
  {
    if (isCanceled)
    {
      throw Canceled();
    }
    throw Error(std::string("the image could not be smoothed: ") + error.GetDescription());
  }
  if (isCanceled)
  {
    throw Canceled();
  }
  return filter.GetOutput();
}

/** Smooths voxels that ITK's filters work on as they are: floats and doubles. */
template <typename TReal, unsigned int VDimension>
void
SmoothReals(TReal *                 values,
            const Extent &          extent,
            const Geometry &        geometry,
            const SmoothingMethod & method,
            const HostContext &     context)
{
  using Image = itk::Image<TReal, VDimension>;
  const auto                          import = itk::ImportImageFilter<TReal, VDimension>::New();
  typename Image::SizeType            size;
  typename Image::SpacingType         spacing;
  typename Image::SizeType            radius;
  itk::FixedArray<double, VDimension> variance;
  for (unsigned int axis = 0; axis < VDimension; ++axis)
  {
    const bool isSpatial = axis < 3;
    size[axis] = static_cast<itk::SizeValueType>(extent.size[axis]);
    spacing[axis] = geometry.spacing[axis];
    radius[axis] = isSpatial && extent.size[axis] > 1 ? static_cast<itk::SizeValueType>(method.radius) : 0;
    variance[axis] = method.deviation * method.deviation;
  }
  import->SetRegion(typename Image::RegionType(size));
  import->SetSpacing(spacing);
  import->SetImportPointer(values, static_cast<itk::SizeValueType>(extent.VoxelCount()), false);
  Image * output = nullptr;
  if (method.kind == SmoothingMethod::Kind::Median)
  {
    const auto median = itk::MedianImageFilter<Image, Image>::New();
    median->SetInput(import->GetOutput());
    median->SetRadius(radius);
    median->SetNumberOfWorkUnits(static_cast<itk::ThreadIdType>(EffectiveThreadCount(context.threads)));
    // In pieces, with a check for canceling in between.
    const auto pieces = itk::StreamingImageFilter<Image, Image>::New();
    pieces->SetInput(median->GetOutput());
    pieces->SetNumberOfStreamDivisions(200);
    output = Run(*pieces, context);
    std::copy_n(output->GetBufferPointer(), extent.VoxelCount(), values);
    return;
  }
  const auto gaussian = itk::DiscreteGaussianImageFilter<Image, Image>::New();
  gaussian->SetInput(import->GetOutput());
  gaussian->SetFilterDimensionality(std::min(VDimension, 3u));
  gaussian->SetVariance(variance.GetDataPointer());
  gaussian->SetUseImageSpacingOn();
  // The kernel ends where it holds all but a ten-thousandth of the weight, however wide that is.
  gaussian->SetMaximumError(1e-4);
  gaussian->SetMaximumKernelWidth(100000);
  output = Run(*gaussian, context);
  std::copy_n(output->GetBufferPointer(), extent.VoxelCount(), values);
}

} // namespace

template <typename TReal>
void
SmoothByItk(TReal *                 values,
            const Extent &          extent,
            const Geometry &        geometry,
            const SmoothingMethod & method,
            const HostContext &     context)
{
  if (extent.dimension == 4)
  {
    SmoothReals<TReal, 4>(values, extent, geometry, method, context);
  }
  else
  {
    SmoothReals<TReal, 3>(values, extent, geometry, method, context);
  }
}

#else

template <typename TReal>
void
SmoothByItk(TReal *, const Extent &, const Geometry &, const SmoothingMethod &, const HostContext &)
{
  throw Unsupported("a median and a Gaussian need a build with ITK, which this one is not; use bilateral or nlm");
}

#endif

template void SmoothByItk(float *, const Extent &, const Geometry &, const SmoothingMethod &, const HostContext &);
template void SmoothByItk(double *, const Extent &, const Geometry &, const SmoothingMethod &, const HostContext &);

} // namespace brickccl
