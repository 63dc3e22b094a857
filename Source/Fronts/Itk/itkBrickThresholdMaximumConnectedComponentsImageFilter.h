// SPDX-License-Identifier: Apache-2.0
#ifndef itkBrickThresholdMaximumConnectedComponentsImageFilter_h
#define itkBrickThresholdMaximumConnectedComponentsImageFilter_h

#include "itkBrickImageView.h"
#include "itkBrickMacro.h"
#include "itkBrickProcess.h"

#include "BrickCCL/Dispatch/Label.h"

#include "itkImageToImageFilter.h"

namespace itk
{

/** \class BrickThresholdMaximumConnectedComponentsImageFilter
 * \brief Finds the lower threshold that gives the most objects, by bisection; replaces
 * ThresholdMaximumConnectedComponentsImageFilter.
 *
 * Pixels from the threshold to UpperBoundary become InsideValue, the others OutsideValue. Objects are components whose
 * pixels share faces, of at least MinimumObjectSizeInPixels pixels. It tries and finds the same thresholds as ITK's
 * filter: the method is Urish, August and Huard, Insight Journal 2005, after Pikaz and Averbuch, Pattern Recognition 29
 * (1996).
 *
 * Deliberate differences: objects consist of the inside pixels, whatever InsideValue and OutsideValue are (ITK labels
 * the nonzero pixels of the thresholded image). NumberOfObjects belongs to the found threshold even if the values span
 * less than 3 and nothing is tried (ITK has the number of an earlier Update or 0). The whole image is used, whatever
 * region is requested. Integers whose range exceeds their type are an error.
 *
 * Cost: two labelings without a label map for each step, of which there are about log2 of the range of values.
 *
 * \sa ThresholdMaximumConnectedComponentsImageFilter */
template <typename TInputImage, typename TOutputImage = TInputImage>
class ITK_TEMPLATE_EXPORT BrickThresholdMaximumConnectedComponentsImageFilter
  : public ImageToImageFilter<TInputImage, TOutputImage>
{
public:
  itkBrickClassMacro(BrickThresholdMaximumConnectedComponentsImageFilter,
                     ImageToImageFilter<TInputImage, TOutputImage>);
  itkNewMacro(Self);

  using PixelType = typename TInputImage::PixelType;
  using OutputPixelType = typename TOutputImage::PixelType;
  using InputImageType = TInputImage;
  using InputImagePointer = typename InputImageType::ConstPointer;
  using InputImageRegionType = typename InputImageType::RegionType;
  using InputImagePixelType = typename InputImageType::PixelType;
  using OutputImageType = TOutputImage;
  using OutputImagePointer = typename OutputImageType::Pointer;
  using OutputImageRegionType = typename OutputImageType::RegionType;
  using OutputImagePixelType = typename OutputImageType::PixelType;
  static constexpr unsigned int ImageDimension = TInputImage::ImageDimension;
  static_assert(IsBrickPlainImage<TOutputImage>, "the output must be an itk::Image, not an adaptor");

  /** Components with fewer pixels are not objects. Default: 0. */
  itkSetMacro(MinimumObjectSizeInPixels, unsigned int);
  itkGetConstMacro(MinimumObjectSizeInPixels, unsigned int);

  /** The output's values. Defaults: the largest of the type inside, 0 outside. */
  itkSetMacro(InsideValue, OutputPixelType);
  itkGetConstMacro(InsideValue, OutputPixelType);
  itkSetMacro(OutsideValue, OutputPixelType);
  itkGetConstMacro(OutsideValue, OutputPixelType);

  /** Pixels above it are outside. Default: the largest value of the type. */
  itkSetMacro(UpperBoundary, PixelType);
  itkGetConstMacro(UpperBoundary, PixelType);

  /** The number of objects at the threshold. Valid after Update. */
  itkGetConstMacro(NumberOfObjects, SizeValueType);

  /** The threshold found. Valid after Update. */
  itkGetConstMacro(ThresholdValue, PixelType);

protected:
  BrickThresholdMaximumConnectedComponentsImageFilter();
  ~BrickThresholdMaximumConnectedComponentsImageFilter() override = default;

  itkBrickWholeImageMacro();
  void GenerateData() override;
  void PrintSelf(std::ostream & os, Indent indent) const override;

private:
  /** Counts the objects at a threshold. */
  SizeValueType CountObjects(const brickccl::ImageView & image, PixelType threshold, BrickProgress & progress);

  /** Searches between the smallest and the largest value. */
  void Bisect(const brickccl::ImageView & image, PixelType low, PixelType high, BrickProgress & progress);

  unsigned int       m_MinimumObjectSizeInPixels{ 0 };
  OutputPixelType    m_InsideValue{ NumericTraits<OutputPixelType>::max() };
  OutputPixelType    m_OutsideValue{};
  PixelType          m_UpperBoundary{ NumericTraits<PixelType>::max() };
  PixelType          m_ThresholdValue;
  SizeValueType      m_NumberOfObjects{ 0 };
  brickccl::Labeling m_Labeling;
};

} // namespace itk

#ifndef ITK_MANUAL_INSTANTIATION
#  include "itkBrickThresholdMaximumConnectedComponentsImageFilter.hxx"
#endif

#endif
