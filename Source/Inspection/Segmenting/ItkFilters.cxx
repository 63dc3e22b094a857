// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Segmenting/SmoothImage.h"

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Segmenting/AlignImages.h"

#ifdef BRICKCCL_USE_ITK
#  include <itkDiscreteGaussianImageFilter.h>
#  include <itkImage.h>
#  include <itkImportImageFilter.h>
#  include <itkMattesMutualInformationImageToImageMetricv4.h>
#  include <itkMedianImageFilter.h>
#  include <itkNearestNeighborInterpolateImageFunction.h>
#  include <itkResampleImageFilter.h>
#  include <itkStreamingImageFilter.h>
#  include <itkVersorRigid3DTransform.h>
#endif

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

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
    ThrowIf(!isCanceled, std::string("ITK could not filter the image: ") + error.GetDescription());
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

using Transform = itk::VersorRigid3DTransform<double>;

void
SetMotion(Transform & transform, const RigidMotion & motion)
{
  Transform::MatrixType       matrix;
  Transform::OutputVectorType offset;
  for (unsigned int i = 0; i < 9; ++i)
  {
    matrix[i / 3][i % 3] = motion.rotation[i / 3][i % 3];
    offset[i / 3] = motion.offset[i / 3];
  }
  transform.SetMatrix(matrix, 1e-6);
  transform.SetOffset(offset);
}

/** Two images of fewer voxels and their mutual information. */
struct Level
{
  using Metric = itk::MattesMutualInformationImageToImageMetricv4<itk::Image<float, 3>, itk::Image<float, 3>>;

  LoadedImage        first;
  LoadedImage        second;
  Moments            from;
  Moments            to;
  Transform::Pointer transform = Transform::New();
  Metric::Pointer    metric = Metric::New();

  Level(const LoadedImage & a, const LoadedImage & b, bool areLabels, std::int64_t most, const HostContext & context)
    : first(Reduce(a, areLabels, most, context))
    , second(Reduce(b, areLabels, most, context))
    , from(first, context)
    , to(second, context)
  {
    const auto share = [](const LoadedImage & image) {
      const auto   shared = ImageOf<float>(image);
      auto * const voxels = const_cast<float *>(static_cast<const float *>(image.View().data));
      shared->GetPixelContainer()->SetImportPointer(voxels, std::size_t(image.extent.VoxelCount()), false);
      return shared;
    };
    transform->SetCenter(from.center);
    metric->SetFixedImage(share(first));
    metric->SetMovingImage(share(second));
    metric->SetMovingTransform(transform);
    metric->SetNumberOfHistogramBins(32);
    metric->Initialize();
  }

  /** Improves a motion by steps along the signs of the derivatives (Rprop), since these differ by powers of ten: the
   *  outline of a round part does not say how it is turned. \return less for more mutual information */
  double
  Improve(RigidMotion & motion, int steps, const HostContext & context, bool turns = true)
  {
    // A turn by its versor's part moves a point at half this distance by as much.
    const double voxel = *std::min_element(first.geometry.spacing, first.geometry.spacing + 3);
    double       lengths[6];
    double       before[6] = {};
    std::fill_n(lengths, 6, voxel / 2);
    std::fill_n(lengths, turns ? 0 : 3, 0);
    SetMotion(*transform, motion);
    Metric::DerivativeType step;
    Metric::MeasureType    value = 0;
    const auto             isDone = [&] { return *std::max_element(lengths, lengths + 6) <= voxel / 50; };
    for (int k = 0; k < steps && !isDone(); ++k)
    {
      context.progress.Update(static_cast<double>(k) / steps);
      metric->GetValueAndDerivative(value, step);
      for (unsigned int i = 0; i < 6; ++i)
      {
        const double way = step[i] * before[i] < 0 ? 0 : step[i];
        lengths[i] *= step[i] * before[i] < 0 ? 0.5 : step[i] * before[i] > 0 ? 1.2 : 1;
        lengths[i] = std::min(lengths[i], voxel);
        step[i] = way == 0 ? 0 : std::copysign(lengths[i] / (i < 3 ? 2 * from.radius : 1), way);
        before[i] = way;
      }
      metric->UpdateTransformParameters(step, 1);
    }
    for (unsigned int i = 0; i < 9; ++i)
    {
      motion.rotation[i / 3][i % 3] = transform->GetMatrix()[i / 3][i % 3];
      motion.offset[i / 3] = transform->GetOffset()[i / 3];
    }
    return metric->GetValue();
  }

  /** Improves motions by up to this many steps and keeps the best ones. */
  void
  Keep(std::size_t count, std::vector<RigidMotion> & motions, int steps, const HostContext & context, bool turns = true)
  {
    std::vector<std::pair<double, RigidMotion>> all;
    for (RigidMotion & motion : motions)
    {
      context.progress.Update(static_cast<double>(&motion - motions.data()) / static_cast<double>(motions.size()));
      try
      {
        const double value = Improve(motion, steps, context.Quiet(), turns);
        all.emplace_back(value, motion);
      }
      catch (const itk::ExceptionObject &)
      {
        // It led one image out of the other.
      }
    }
    std::stable_sort(all.begin(), all.end(), [](const auto & a, const auto & b) { return a.first < b.first; });
    motions.clear();
    for (std::size_t i = 0; i < std::min(count, all.size()); ++i)
    {
      motions.push_back(all[i].second);
    }
  }
};

/** No motion, and with the centers together all turns about x, y and z in steps of 7.5 degrees. */
std::vector<RigidMotion>
ListTurns(const double * from, const double * to)
{
  constexpr int            turns = 48;
  std::vector<RigidMotion> motions(1);
  for (int number = 0; number < 3 * turns; ++number)
  {
    const int    u = (number % 3 + 1) % 3;
    const int    v = (number % 3 + 2) % 3;
    const int    turn = number / 3;
    const double angle = 2 * std::acos(-1.0) * turn / turns;
    RigidMotion  motion;
    motion.rotation[u][u] = motion.rotation[v][v] = std::cos(angle);
    motion.rotation[v][u] = std::sin(angle);
    motion.rotation[u][v] = -std::sin(angle);
    for (int i = 0; i < 3; ++i)
    {
      const double * const row = motion.rotation[i];
      motion.offset[i] = to[i] - row[0] * from[0] - row[1] * from[1] - row[2] * from[2];
    }
    motions.push_back(motion);
  }
  return motions;
}

} // namespace

void
CheckMayAlign()
{}

RigidMotion
AlignImages(const LoadedImage & first, const LoadedImage & second, bool areLabels, const HostContext & context)
{
  for (const LoadedImage * image : { &first, &second })
  {
    const std::int64_t * const size = image->extent.size;
    ThrowIf<InvalidArgument>(image->extent.dimension != 3 || *std::min_element(size, size + 3) < 8,
                             "--align needs volumes of at least 8 voxels along each axis; one has " +
                               image->extent.ToString());
  }
  // ITK's metric takes its number of threads from here, whatever SetMaximumNumberOfWorkUnits says.
  const auto threads = itk::MultiThreaderBase::GetGlobalDefaultNumberOfThreads();
  itk::MultiThreaderBase::SetGlobalDefaultNumberOfThreads(1);
  Level coarse(first, second, areLabels, 50000, context.Quiet());
  Level fine(first, second, areLabels, 400000, context.Quiet());
  itk::MultiThreaderBase::SetGlobalDefaultNumberOfThreads(threads);
  auto motions = ListTurns(coarse.from.center, coarse.to.center);
  // The first two do not turn.
  std::vector<RigidMotion> shifts(motions.begin(), motions.begin() + (areLabels ? 2 : 0));
  coarse.Keep(8, motions, 0, context.Part(0, 0.2));
  coarse.Keep(1, motions, 100, context.Part(0.2, 0.6));
  fine.Keep(1, motions, 100, context.Part(0.6, 1));
  auto better = shifts;
  coarse.Keep(1, better, 100, context.Quiet(), false);
  fine.Keep(1, better, 100, context.Quiet(), false);
  shifts.insert(shifts.end(), better.begin(), better.end());
  fine.Keep(1, shifts, 0, context.Quiet());
  // A few labels fit as well after many turns, and have a greater share of a smaller common part.
  const auto information = [&](RigidMotion & motion) {
    return -fine.Improve(motion, 0, context) * static_cast<double>(fine.metric->GetNumberOfValidPoints());
  };
  constexpr double clearly = 0.9;
  if (!shifts.empty() && !motions.empty() && information(shifts[0]) >= clearly * information(motions[0]))
  {
    return shifts[0];
  }
  ThrowIf(motions.empty(), "the images could not be aligned: no motion was found that leaves one within the other");
  return motions[0];
}

LoadedImage
ResampleImage(const LoadedImage & image,
              const LoadedImage & grid,
              const HostContext & context,
              const RigidMotion * motion)
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
    if (motion != nullptr)
    {
      const auto transform = Transform::New();
      SetMotion(*transform, *motion);
      resample->SetTransform(transform);
      resample->SetInterpolator(itk::NearestNeighborInterpolateImageFunction<Image, double>::New());
    }
    resample->SetDefaultPixelValue(std::numeric_limits<TReal>::quiet_NaN());
    result.type = ScalarTypeOf<TReal>();
    auto * const begin = reinterpret_cast<TReal *>(result.voxels.Resize(result.ByteCount()));
    auto * const end = begin + grid.extent.VoxelCount();
    Run(*resample, grid.extent.VoxelCount(), begin, context);
    ThrowIf<InvalidArgument>(std::all_of(begin, end, [](TReal value) { return std::isnan(value); }),
                             "no voxel of the labels is inside the image: they are elsewhere in space");
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

void
CheckMayAlign()
{
  throw Unsupported("--align needs a build with ITK, which this one is not; align the scans with another program");
}

RigidMotion
AlignImages(const LoadedImage &, const LoadedImage &, bool, const HostContext &)
{
  CheckMayAlign();
  return {};
}

LoadedImage
ResampleImage(const LoadedImage &, const LoadedImage &, const HostContext &, const RigidMotion *)
{
  throw Unsupported("--resample needs a build with ITK, which this one is not; resample the image to the labels' grid");
}

template <typename TReal>
void
SmoothByItk(TReal *, const Extent &, const Geometry &, const SmoothingMethod &, const HostContext &)
{
  throw Unsupported("a median and a Gaussian need a build with ITK, which this one is not; bilateral and nlm of "
                    "`brickccl label` need none");
}

#endif

template void SmoothByItk(float *, const Extent &, const Geometry &, const SmoothingMethod &, const HostContext &);
template void SmoothByItk(double *, const Extent &, const Geometry &, const SmoothingMethod &, const HostContext &);

} // namespace brickccl
