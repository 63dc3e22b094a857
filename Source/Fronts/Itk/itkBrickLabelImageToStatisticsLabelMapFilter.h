// SPDX-License-Identifier: Apache-2.0
#ifndef itkBrickLabelImageToStatisticsLabelMapFilter_h
#define itkBrickLabelImageToStatisticsLabelMapFilter_h

#include "itkBrickLabelImageToLabelMapFilter.h"

#include "itkLabelMap.h"
#include "itkStatisticsLabelObject.h"

namespace itk
{

/** \class BrickLabelImageToStatisticsLabelMapFilter
 * \brief Makes a label map of a label image and measures the shapes of its objects and the values of a feature image
 * under them; replaces LabelImageToStatisticsLabelMapFilter.
 *
 * Intensity attributes equal those in ITK's StatisticsLabelMapFilter except: Median is exact, while ITK's is the center
 * of a histogram bin; sums of large values keep digits that ITK's power sums lose; and if a value is NaN, the
 * statistics of its object are NaN. Objects have no Histogram: ITK's StatisticsLabelMapFilter adds it.
 *
 * The feature image has the geometry of the input, and its region contains the input's region.
 *
 * \sa LabelImageToStatisticsLabelMapFilter, BrickLabelImageToShapeLabelMapFilter */
template <typename TInputImage,
          typename TFeatureImage,
          typename TOutputImage =
            LabelMap<StatisticsLabelObject<typename TInputImage::PixelType, TInputImage::ImageDimension>>>
class ITK_TEMPLATE_EXPORT BrickLabelImageToStatisticsLabelMapFilter
  : public BrickLabelImageToLabelMapFilter<TInputImage, TOutputImage>
{
public:
  itkBrickClassMacro(BrickLabelImageToStatisticsLabelMapFilter,
                     BrickLabelImageToLabelMapFilter<TInputImage, TOutputImage>);
  itkNewMacro(Self);

  using FeatureImageType = TFeatureImage;
  using FeatureImagePointer = typename FeatureImageType::Pointer;
  using FeatureImageConstPointer = typename FeatureImageType::ConstPointer;
  using FeatureImagePixelType = typename FeatureImageType::PixelType;

  /** The image to measure. Required. */
  void
  SetFeatureImage(const TFeatureImage * input)
  {
    this->SetNthInput(1, const_cast<TFeatureImage *>(input));
  }
  const FeatureImageType *
  GetFeatureImage() const
  {
    return static_cast<const FeatureImageType *>(this->ProcessObject::GetInput(1));
  }
  void
  SetInput1(const TInputImage * input)
  {
    this->SetInput(input);
  }
  void
  SetInput2(const FeatureImageType * input)
  {
    this->SetFeatureImage(input);
  }

protected:
  BrickLabelImageToStatisticsLabelMapFilter()
  {
    this->SetNumberOfRequiredInputs(2);
  }
  ~BrickLabelImageToStatisticsLabelMapFilter() override = default;

  void
  VerifyInputInformation() const override
  {
    Superclass::VerifyInputInformation();
    RequireBrickInputRegion("FeatureImage",
                            this->ProcessObject::GetInput(1),
                            this->GetInput()->GetLargestPossibleRegion());
  }

  std::optional<BrickRegionView>
  MakeIntensityView() const override
  {
    return MakeBrickRegionView(this->GetFeatureImage(), this->GetInput()->GetLargestPossibleRegion());
  }
};

} // namespace itk

#endif
