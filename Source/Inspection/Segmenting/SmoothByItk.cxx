// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Segmenting/Smoothing.h"

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Host/UninitializedVector.h"

#ifdef BRICKCCL_USE_ITK
#  include <itkCommand.h>
#  include <itkDiscreteGaussianImageFilter.h>
#  include <itkImage.h>
#  include <itkImportImageFilter.h>
#  include <itkMedianImageFilter.h>
#  include <itkStreamingImageFilter.h>
#endif

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <type_traits>

namespace brickccl
{

#ifdef BRICKCCL_USE_ITK

namespace
{

/** Tells the caller of a filter's progress, and stops the filter where the caller wants that. */
class Watch : public itk::Command
{
public:
  using Self = Watch;
  using Pointer = itk::SmartPointer<Self>;
  static Pointer
  New()
  {
    Pointer watch = new Self;
    watch->UnRegister();
    return watch;
  }

  void
  Execute(itk::Object * caller, const itk::EventObject &) override
  {
    auto * filter = dynamic_cast<itk::ProcessObject *>(caller);
    if (filter != nullptr && !m_IsCanceled)
    {
      try
      {
        m_Progress.Update(filter->GetProgress());
      }
      catch (const Canceled &)
      {
        // An exception must not cross ITK's threads; the filter stops by itself.
        m_IsCanceled = true;
        filter->AbortGenerateDataOn();
      }
    }
  }
  void
  Execute(const itk::Object *, const itk::EventObject &) override
  {}

  void
  SetProgress(const Progress & progress)
  {
    m_Progress = progress;
  }
  bool
  IsCanceled() const
  {
    return m_IsCanceled;
  }

private:
  Progress m_Progress;
  bool     m_IsCanceled = false;
};

/** Runs a filter and gives its output. \throws Canceled, Error. */
template <typename TFilter>
typename TFilter::OutputImageType *
Run(TFilter & filter, const HostContext & context)
{
  const auto watch = Watch::New();
  watch->SetProgress(context.progress);
  filter.AddObserver(itk::ProgressEvent(), watch);
  filter.SetNumberOfWorkUnits(static_cast<itk::ThreadIdType>(EffectiveThreadCount(context.threads)));
  try
  {
    filter.Update();
  }
  catch (const itk::ExceptionObject & error)
  {
    if (watch->IsCanceled())
    {
      throw Canceled();
    }
    throw Error(std::string("the image could not be smoothed: ") + error.GetDescription());
  }
  if (watch->IsCanceled())
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

template <typename TReal>
void
SmoothReals(TReal *                 values,
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

/** Copies voxels to reals that hold them. \throws InvalidArgument for values that these do not hold. */
template <typename TReal, typename T>
void
CopyToReals(const T * voxels, std::int64_t count, TReal * reals)
{
  for (std::int64_t i = 0; i < count; ++i)
  {
    reals[i] = static_cast<TReal>(voxels[i]);
    if (std::isnan(reals[i]))
    {
      throw InvalidArgument("an image with NaN values cannot be smoothed");
    }
    if constexpr (std::is_integral_v<T> && sizeof(T) == 8)
    {
      constexpr T limit = T(1) << 53;
      if (voxels[i] > limit || (std::is_signed_v<T> && voxels[i] < T(0) - limit))
      {
        throw InvalidArgument("an image with values beyond 2^53 cannot be smoothed");
      }
    }
  }
}

} // namespace

void
SmoothByItk(const ImageView &       image,
            const Geometry &        geometry,
            const SmoothingMethod & method,
            void *                  smoothed,
            const HostContext &     context)
{
  const std::int64_t count = image.extent.VoxelCount();
  VisitScalarType(image.type, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    using TReal = std::conditional_t<sizeof(T) <= 2 || std::is_same_v<T, float>, float, double>;
    const T * voxels = static_cast<const T *>(image.data);
    if (method.kind == SmoothingMethod::Kind::Gaussian || std::is_same_v<T, TReal>)
    {
      auto * reals = static_cast<TReal *>(smoothed);
      CopyToReals(voxels, count, reals);
      SmoothReals(reals, image.extent, geometry, method, context);
      return;
    }
    UninitializedVector<TReal> reals(static_cast<std::size_t>(count));
    CopyToReals(voxels, count, reals.data());
    SmoothReals(reals.data(), image.extent, geometry, method, context);
    std::transform(reals.begin(), reals.end(), static_cast<T *>(smoothed), [](TReal value) {
      return static_cast<T>(value);
    });
  });
}

#else

void
SmoothByItk(const ImageView &, const Geometry &, const SmoothingMethod &, void *, const HostContext &)
{
  throw Unsupported("smoothing needs a build with ITK; this one has none");
}

#endif

} // namespace brickccl
