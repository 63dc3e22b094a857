// SPDX-License-Identifier: Apache-2.0
#ifndef itkBrickVectorConnectedComponentImageFilter_h
#define itkBrickVectorConnectedComponentImageFilter_h

#include "itkBrickConnectedComponentImageFilter.h"

#include <cmath>

namespace itk
{

/** The distance of two vectors. */
enum class BrickVectorDistance
{
  /** 1 - |a.b|, as in VectorConnectedComponentImageFilter: unit vectors along one line, in either direction, have
   *  the distance 0. */
  Direction,
  /** The sum over the components of |a - b|. */
  SumOfDifferences
};

/** \class BrickVectorConnectedComponentImageFilter
 * \brief Labels components of neighboring pixels whose vectors are at most a threshold apart; replaces
 * VectorConnectedComponentImageFilter.
 *
 * Every pixel belongs to a component unless a mask excludes it. With the distance `Direction` (default) the components
 * equal ITK's; vectors should have length 1, and each pixel with NaN is a component. With `SumOfDifferences` vectors
 * may have any length, and pixels with NaN get the label of the background. Labels are 1, 2, 3 ... in the raster order
 * of first pixels, while ITK's have gaps; ObjectCount is set, and labels that the output type cannot hold are an error,
 * while ITK warns and merges objects.
 *
 * The image is an itk::Image of vectors, or an itk::VectorImage. Everything else is as in
 * BrickConnectedComponentImageFilter. `Direction` is computed on the CPU, whatever Device is set.
 *
 * \sa VectorConnectedComponentImageFilter, BrickConnectedComponentImageFilter */
template <typename TInputImage, typename TOutputImage, typename TMaskImage = TInputImage>
class ITK_TEMPLATE_EXPORT BrickVectorConnectedComponentImageFilter
  : public BrickConnectedComponentImageFilter<TInputImage, TOutputImage, TMaskImage>
{
public:
  itkBrickClassMacro(BrickVectorConnectedComponentImageFilter,
                     BrickConnectedComponentImageFilter<TInputImage, TOutputImage, TMaskImage>);
  using InputValueType = typename TInputImage::PixelType::ValueType;
  static_assert(std::is_floating_point_v<InputValueType>, "the vectors' components must have a floating-point type");

  itkNewMacro(Self);

  /** The largest distance of two joined neighbors. Default: 0. */
  virtual void
  SetDistanceThreshold(const InputValueType & threshold)
  {
    if (!(m_DistanceThreshold == threshold))
    {
      m_DistanceThreshold = threshold;
      this->Modified();
    }
  }
  virtual InputValueType
  GetDistanceThreshold()
  {
    return m_DistanceThreshold;
  }

  /** The distance. Default: Direction, as in ITK. */
  itkSetEnumMacro(Distance, BrickVectorDistance);
  itkGetConstMacro(Distance, BrickVectorDistance);

  void SetCriterion(const brickccl::Criterion & criterion) = delete;

protected:
  BrickVectorConnectedComponentImageFilter() = default;
  ~BrickVectorConnectedComponentImageFilter() override = default;

  brickccl::Criterion
  MakeCriterion() const override
  {
    this->RefuseCriterion();
    return m_Distance == BrickVectorDistance::SumOfDifferences
           ? brickccl::Criterion::Tolerance(m_DistanceThreshold, std::nullopt)
           : brickccl::Criterion::Foreground();
  }

  void
  LabelImage(const brickccl::ImageView &    image,
             const brickccl::LabelOptions & options,
             brickccl::Labeling &           labeling) override
  {
    if (m_Distance == BrickVectorDistance::SumOfDifferences)
    {
      Superclass::LabelImage(image, options, labeling);
      return;
    }
    const auto * const         values = static_cast<const InputValueType *>(image.data);
    const auto                 channels = static_cast<std::int64_t>(image.channels);
    const InputValueType       threshold = m_DistanceThreshold;
    std::vector<unsigned char> isUnderMask;
    if (options.mask)
    {
      isUnderMask = MarkMask(*options.mask);
    }
    brickccl::CustomLinks links;
    links.isForeground = [&isUnderMask](std::int64_t place) {
      return isUnderMask.empty() || isUnderMask[static_cast<std::size_t>(place)] != 0;
    };
    links.areJoined = [values, channels, threshold](std::int64_t place, std::int64_t neighbor) {
      // Rounded step by step as in ITK's functor.
      using RealType = typename NumericTraits<InputValueType>::RealType;
      const InputValueType * const a = values + place * channels;
      const InputValueType * const b = values + neighbor * channels;
      RealType                     product = 0;
      for (std::int64_t i = 0; i < channels; ++i)
      {
        product += a[i] * b[i];
      }
      return static_cast<InputValueType>(1.0 - std::abs(product)) <= threshold;
    };
    labeling = brickccl::Label(image.extent, links, options);
  }

  void
  PrintSelf(std::ostream & os, Indent indent) const override
  {
    Superclass::PrintSelf(os, indent);
    os << indent << "DistanceThreshold: " << m_DistanceThreshold << std::endl;
    os << indent << "Distance: " << (m_Distance == BrickVectorDistance::Direction ? "Direction" : "SumOfDifferences")
       << std::endl;
  }

private:
  /** A byte for each voxel of a mask: whether it is not 0 in any channel. */
  static std::vector<unsigned char>
  MarkMask(const brickccl::ImageView & mask)
  {
    std::vector<unsigned char> marks(static_cast<std::size_t>(mask.extent.VoxelCount()));
    brickccl::VisitScalarType(mask.type, [&](auto tag) {
      using T = typename decltype(tag)::Type;
      const T * value = static_cast<const T *>(mask.data);
      for (unsigned char & mark : marks)
      {
        for (int channel = 0; channel < mask.channels; ++channel, ++value)
        {
          mark = mark != 0 || *value != T(0) ? 1 : 0;
        }
      }
    });
    return marks;
  }

  InputValueType      m_DistanceThreshold{};
  BrickVectorDistance m_Distance{ BrickVectorDistance::Direction };
};

} // namespace itk

#endif
