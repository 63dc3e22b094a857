// SPDX-License-Identifier: Apache-2.0
#ifndef itkBrickStatisticsLabelMapFilter_h
#define itkBrickStatisticsLabelMapFilter_h

#include "itkBrickHistogramWriter.h"
#include "itkBrickImageView.h"
#include "itkBrickMacro.h"
#include "itkBrickProcess.h"

namespace itk
{

/** \class BrickStatisticsLabelMapFilter
 * \brief Adds the values of a feature image under the objects to a filter that makes a label map and measures shapes.
 *
 * Intensity attributes equal those in ITK's StatisticsLabelMapFilter except: Median is exact and does not depend on
 * NumberOfBins, while ITK's is the center of a histogram bin; sums of large values keep digits that ITK's power sums
 * lose; and if a value is NaN, the statistics of its object are NaN.
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

  /** Whether objects get histograms. They need 24 bytes per bin and object. Default: on, as in ITK. */
  itkSetMacro(ComputeHistogram, bool);
  itkGetConstReferenceMacro(ComputeHistogram, bool);
  itkBooleanMacro(ComputeHistogram);

  /** The bins of the histograms. Default: one per value for integers of up to 16 bits, else 128. */
  itkSetMacro(NumberOfBins, unsigned int);
  itkGetConstReferenceMacro(NumberOfBins, unsigned int);

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
    using GridType = const ImageBase<InputImageType::ImageDimension>;
    GridType * const               grid = this->GetInput();
    const FeatureImageType * const feature = this->GetFeatureImage();
    const BrickRegionView          intensity = MakeBrickRegionView(feature, grid->GetLargestPossibleRegion());
    this->FillLabelMap(progress, intensity.view);
    if (m_ComputeHistogram)
    {
      const BrickHistogramWriter<FeatureImagePixelType> writer(feature, m_NumberOfBins);
      for (typename TSuperclass::OutputImageType::Iterator it(this->GetOutput()); !it.IsAtEnd(); ++it)
      {
        writer.Write(intensity.view, grid, it.GetLabelObject());
      }
    }
  }

  void
  PrintSelf(std::ostream & os, Indent indent) const override
  {
    Superclass::PrintSelf(os, indent);
    os << indent << "ComputeHistogram: " << m_ComputeHistogram << std::endl;
    os << indent << "NumberOfBins: " << m_NumberOfBins << std::endl;
  }

private:
  unsigned int m_NumberOfBins{ BrickHistogramWriter<FeatureImagePixelType>::DefaultNumberOfBins() };
  bool         m_ComputeHistogram{ true };
};

} // namespace itk

#endif
