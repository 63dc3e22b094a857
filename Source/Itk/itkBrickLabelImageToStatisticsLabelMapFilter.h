#ifndef itkBrickLabelImageToStatisticsLabelMapFilter_h
#define itkBrickLabelImageToStatisticsLabelMapFilter_h

#include "itkBrickHistogramWriter.h"
#include "itkBrickLabelImageToLabelMapFilter.h"

#include "itkLabelMap.h"
#include "itkStatisticsLabelObject.h"

namespace itk
{

/** \class BrickLabelImageToStatisticsLabelMapFilter
 * \brief Makes a label map of a label image and measures the shapes of its objects and the values of a feature image
 * under them; takes the place of LabelImageToStatisticsLabelMapFilter.
 *
 * It does what BrickLabelImageToShapeLabelMapFilter does, and sets the attributes of intensities as ITK's filter does
 * but for these: Median is exact, where ITK's is the middle of a bin of the histogram, so that it does not depend on
 * NumberOfBins; sums of large values keep digits that ITK's power sums lose; and where a value is NaN, the statistics
 * of its object are NaN.
 *
 * The feature image has the geometry of the label image, and its region holds that of the label image.
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
  ITK_DISALLOW_COPY_AND_MOVE(BrickLabelImageToStatisticsLabelMapFilter);

  using Self = BrickLabelImageToStatisticsLabelMapFilter;
  using Superclass = BrickLabelImageToLabelMapFilter<TInputImage, TOutputImage>;
  using Pointer = SmartPointer<Self>;
  using ConstPointer = SmartPointer<const Self>;

  itkNewMacro(Self);
  itkBrickNameOfClassMacro(BrickLabelImageToStatisticsLabelMapFilter, BrickLabelImageToLabelMapFilter);

  using FeatureImageType = TFeatureImage;
  using FeatureImagePointer = typename FeatureImageType::Pointer;
  using FeatureImageConstPointer = typename FeatureImageType::ConstPointer;
  using FeatureImagePixelType = typename FeatureImageType::PixelType;

  /** Whether objects get histograms. They take 24 bytes a bin and object. Default: on, as in ITK. */
  itkSetMacro(ComputeHistogram, bool);
  itkGetConstReferenceMacro(ComputeHistogram, bool);
  itkBooleanMacro(ComputeHistogram);

  /** The bins of the histograms. Default: one a value for integers of up to 16 bits, else 128. */
  itkSetMacro(NumberOfBins, unsigned int);
  itkGetConstReferenceMacro(NumberOfBins, unsigned int);

  /** The image whose values are measured. It is required. */
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
  VerifyInputInformation() ITKv5_CONST override
  {
    Superclass::VerifyInputInformation();
    RequireBrickInputRegion("FeatureImage",
                            this->ProcessObject::GetInput(1),
                            this->GetInput()->GetLargestPossibleRegion());
  }

  void
  MakeLabelMap(BrickProgress & progress) override
  {
    using GridType = const ImageBase<TInputImage::ImageDimension>;
    GridType * const               grid = this->GetInput();
    const FeatureImageType * const feature = this->GetFeatureImage();
    const BrickRegionView          intensity = MakeBrickRegionView(feature, grid->GetLargestPossibleRegion());
    this->FillLabelMap(progress, false, intensity.view);
    if (m_ComputeHistogram)
    {
      const BrickHistogramWriter<FeatureImagePixelType> writer(feature, m_NumberOfBins);
      for (typename TOutputImage::Iterator it(this->GetOutput()); !it.IsAtEnd(); ++it)
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
