// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Segmenting/SmoothImage.h"

#include "BrickCCL/Core/Error.h"

#ifdef BRICKCCL_USE_ITK
#  include <itkDiscreteGaussianImageFilter.h>
#  include <itkImage.h>
#  include <itkImportImageFilter.h>
#  include <itkMedianImageFilter.h>
#  include <itkResampleImageFilter.h>
#  include <itkStreamingImageFilter.h>
#endif

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

namespace brickccl
{

#ifdef BRICKCCL_USE_ITK

namespace
{

/** Runs a filter and copies its output. \throws Canceled, Error. */
template <typename TFilter, typename TReal>
void
Run(TFilter & filter, std::int64_t count, TReal * values, const HostContext & context)
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
    if (!isCanceled)
    {
      throw Error(std::string("ITK could not filter the image: ") + error.GetDescription());
    }
  }
  if (isCanceled)
  {
    throw Canceled();
  }
  std::copy_n(filter.GetOutput()->GetBufferPointer(), count, values);
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
    Run(*pieces, extent.VoxelCount(), values, context);
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
  Run(*gaussian, extent.VoxelCount(), values, context);
}

/** An image of a grid without voxels. */
template <typename TReal>
auto
ImageOf(const LoadedImage & grid)
{
  const auto                              image = itk::Image<TReal, 3>::New();
  typename itk::Image<TReal, 3>::SizeType size;
  auto                                    axes = image->GetDirection();
  auto                                    origin = image->GetOrigin();
  constexpr double                        first[MaximumDimension] = {};
  grid.geometry.IndexToPhysical(3, first, origin.GetDataPointer());
  for (unsigned int axis = 0; axis < 3; ++axis)
  {
    size[axis] = static_cast<itk::SizeValueType>(grid.extent.size[axis]);
    for (unsigned int row = 0; row < 3; ++row)
    {
      axes[row][axis] = grid.geometry.direction[row][axis];
    }
  }
  image->SetRegions(size);
  image->SetSpacing(grid.geometry.spacing);
  image->SetOrigin(origin);
  image->SetDirection(axes);
  return image;
}

} // namespace

LoadedImage
ResampleImage(const LoadedImage & image, const LoadedImage & grid, const HostContext & context)
{
  LoadedImage result = EmptyCopy(grid, ScalarType::Float32);
  VisitScalarType(image.type, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    using TReal = std::conditional_t<sizeof(T) <= 2 || std::is_same_v<T, float>, float, double>;
    using Image = itk::Image<TReal, 3>;
    const auto      source = ImageOf<TReal>(image);
    const auto      resample = itk::ResampleImageFilter<Image, Image>::New();
    const T * const voxels = static_cast<const T *>(image.View().data);
    source->Allocate();
    std::transform(voxels, voxels + image.extent.VoxelCount(), source->GetBufferPointer(), [](T value) {
      return static_cast<TReal>(value);
    });
    resample->SetInput(source);
    resample->SetReferenceImage(ImageOf<TReal>(grid));
    resample->UseReferenceImageOn();
    resample->SetDefaultPixelValue(std::numeric_limits<TReal>::quiet_NaN());
    result.type = ScalarTypeOf<TReal>();
    auto * const begin = reinterpret_cast<TReal *>(result.voxels.Resize(result.ByteCount()));
    auto * const end = begin + grid.extent.VoxelCount();
    Run(*resample, grid.extent.VoxelCount(), begin, context);
    if (std::all_of(begin, end, [](TReal value) { return std::isnan(value); }))
    {
      throw InvalidArgument("no voxel of the labels is inside the image: they are elsewhere in space");
    }
  });
  return result;
}

template <typename TReal>
void
SmoothByItk(TReal *                 values,
            const Extent &          extent,
            const Geometry &        geometry,
            const SmoothingMethod & method,
            const HostContext &     context)
{
  extent.dimension == 4 ? SmoothReals<TReal, 4>(values, extent, geometry, method, context)
                        : SmoothReals<TReal, 3>(values, extent, geometry, method, context);
}

#else

LoadedImage
ResampleImage(const LoadedImage &, const LoadedImage &, const HostContext &)
{
  throw Unsupported("--resample needs a build with ITK, which this one is not; resample the image to the labels' grid");
}

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
