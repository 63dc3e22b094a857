// SPDX-License-Identifier: Apache-2.0
#ifndef itkBrickStatisticsLabelMapFilter_h
#define itkBrickStatisticsLabelMapFilter_h

#include "itkBrickImageView.h"
#include "itkBrickProcess.h"

namespace itk
{

/** \class BrickStatisticsLabelMapFilter
 * \brief Adds the values of a feature image under the objects to a filter that makes a label map and measures shapes.
 *
 * Intensity attributes equal those in ITK's StatisticsLabelMapFilter except: Median is exact, while ITK's is the center
 * of a histogram bin; sums of large values keep digits that ITK's power sums lose; and if a value is NaN, the
 * statistics of its object are NaN. Objects have no Histogram: ITK's StatisticsLabelMapFilter adds it.
 *
 * The feature image has the geometry of the input, and its region contains the input's region.
 *
 * \tparam TSuperclass  a subclass of BrickLabelMapFilter */
template <typename TSuperclass, typename TFeatureImage>
class ITK_TEMPLATE_EXPORT BrickStatisticsLabelMapFilter : public TSuperclass
{
public:
  itkBrickClassMacro(BrickStatisticsLabelMapFilter, TSuperclass);

  using InputImageType = typename TSuperclass::InputImageType;
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
  GetFeatureImage()
  {
    return static_cast<FeatureImageType *>(this->ProcessObject::GetInput(1));
  }
  void
  SetInput1(const InputImageType * input)
  {
    this->SetInput(input);
  }
  void
  SetInput2(const FeatureImageType * input)
  {
    this->SetFeatureImage(input);
  }

protected:
  BrickStatisticsLabelMapFilter()
  {
    this->SetNumberOfRequiredInputs(2);
  }
  ~BrickStatisticsLabelMapFilter() override = default;

  void
  VerifyInputInformation() const override
  {
    Superclass::VerifyInputInformation();
    RequireBrickInputRegion("FeatureImage",
                            this->ProcessObject::GetInput(1),
                            this->GetInput()->GetLargestPossibleRegion());
  }

  void
  MakeLabelMap(BrickProgress & progress) override
  {
    const auto            region = this->GetInput()->GetLargestPossibleRegion();
    const BrickRegionView intensity = MakeBrickRegionView(this->GetFeatureImage(), region);
    this->FillLabelMap(progress, intensity.view);
  }
};

} // namespace itk

#endif
