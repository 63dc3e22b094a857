// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Segmenting/ResampleImage.h"
#include "BrickCCL/Segmenting/SmoothImage.h"

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Host/UninitializedVector.h"

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

/** Samples an image of up to 3 dimensions, of the same type as the result. */
template <typename TReal>
void
ResampleReals(TReal *             values,
              const Extent &      extent,
              const Geometry &    geometry,
              LoadedImage &       result,
              const HostContext & context)
{
  using Image = itk::Image<TReal, 3>;
  const auto                    import = itk::ImportImageFilter<TReal, 3>::New();
  const auto                    resample = itk::ResampleImageFilter<Image, Image>::New();
  typename Image::SizeType      size;
  typename Image::SizeType      sampled;
  typename Image::DirectionType axes;
  typename Image::DirectionType sampledAxes;
  typename Image::PointType     origin;
  typename Image::PointType     sampledOrigin;
  constexpr double              first[MaximumDimension] = {};
  geometry.IndexToPhysical(3, first, origin.GetDataPointer());
  result.geometry.IndexToPhysical(3, first, sampledOrigin.GetDataPointer());
  for (unsigned int axis = 0; axis < 3; ++axis)
  {
    size[axis] = static_cast<itk::SizeValueType>(extent.size[axis]);
    sampled[axis] = static_cast<itk::SizeValueType>(result.extent.size[axis]);
    for (unsigned int row = 0; row < 3; ++row)
    {
      axes[row][axis] = geometry.direction[row][axis];
      sampledAxes[row][axis] = result.geometry.direction[row][axis];
    }
  }
  import->SetRegion(typename Image::RegionType(size));
  import->SetSpacing(geometry.spacing);
  import->SetOrigin(origin);
  import->SetDirection(axes);
  import->SetImportPointer(values, static_cast<itk::SizeValueType>(extent.VoxelCount()), false);
  resample->SetInput(import->GetOutput());
  resample->SetSize(sampled);
  resample->SetOutputSpacing(result.geometry.spacing);
  resample->SetOutputOrigin(sampledOrigin);
  resample->SetOutputDirection(sampledAxes);
  resample->SetDefaultPixelValue(std::numeric_limits<TReal>::quiet_NaN());
  auto * const output = reinterpret_cast<TReal *>(result.voxels.Resize(result.ByteCount()));
  Run(*resample, result.extent.VoxelCount(), output, context);
  if (std::all_of(output, output + result.extent.VoxelCount(), [](TReal value) { return std::isnan(value); }))
  {
    throw InvalidArgument("no voxel of the labels is inside the image: they are elsewhere in space");
  }
}

} // namespace

LoadedImage
ResampleImage(const LoadedImage & image, const LoadedImage & grid, const HostContext & context)
{
  LoadedImage result = EmptyCopy(grid, ScalarType::Float32);
  VisitScalarType(image.type, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    using TReal = std::conditional_t<sizeof(T) <= 2 || std::is_same_v<T, float>, float, double>;
    const T * const            voxels = static_cast<const T *>(image.View().data);
    UninitializedVector<TReal> reals(static_cast<std::size_t>(image.extent.VoxelCount()));
    std::transform(voxels, voxels + reals.size(), reals.begin(), [](T value) { return static_cast<TReal>(value); });
    result.type = ScalarTypeOf<TReal>();
    ResampleReals(reals.data(), image.extent, image.geometry, result, context);
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
