#ifndef itkBrickLabelImageToStatisticsLabelMapFilter_h
#define itkBrickLabelImageToStatisticsLabelMapFilter_h

#include "itkBrickHistogramWriter.h"
#include "itkBrickLabelImageToLabelMap.h"

#include "itkImageToImageFilter.h"
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
  : public ImageToImageFilter<TInputImage, TOutputImage>
{
public:
  ITK_DISALLOW_COPY_AND_MOVE(BrickLabelImageToStatisticsLabelMapFilter);

  using Self = BrickLabelImageToStatisticsLabelMapFilter;
  using Superclass = ImageToImageFilter<TInputImage, TOutputImage>;
  using Pointer = SmartPointer<Self>;
  using ConstPointer = SmartPointer<const Self>;

  itkNewMacro(Self);
  itkTypeMacro(BrickLabelImageToStatisticsLabelMapFilter, ImageToImageFilter);

  // Superclass has the other types that filters of ITK name.
  using InputImagePixelType = typename TInputImage::PixelType;
  using OutputImagePixelType = typename TOutputImage::PixelType;
  using OutputImageConstPointer = typename TOutputImage::ConstPointer;
  using LabelObjectType = typename TOutputImage::LabelObjectType;
  using FeatureImageType = TFeatureImage;
  using FeatureImagePointer = typename FeatureImageType::Pointer;
  using FeatureImageConstPointer = typename FeatureImageType::ConstPointer;
  using FeatureImagePixelType = typename FeatureImageType::PixelType;
  static constexpr unsigned int ImageDimension = TInputImage::ImageDimension;

  /** The value that is no label. Default: the lowest of the label type. */
  itkSetMacro(BackgroundValue, OutputImagePixelType);
  itkGetConstMacro(BackgroundValue, OutputImagePixelType);

  /** Default: off. */
  itkSetMacro(ComputeFeretDiameter, bool);
  itkGetConstReferenceMacro(ComputeFeretDiameter, bool);
  itkBooleanMacro(ComputeFeretDiameter);

  /** Default: on. */
  itkSetMacro(ComputePerimeter, bool);
  itkGetConstReferenceMacro(ComputePerimeter, bool);
  itkBooleanMacro(ComputePerimeter);

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
  GenerateInputRequestedRegion() override
  {
    Superclass::GenerateInputRequestedRegion();
    RequestWholeBrickInputs(this, this->GetInput());
  }

  void
  EnlargeOutputRequestedRegion(DataObject *) override
  {
    this->GetOutput()->SetRequestedRegion(this->GetOutput()->GetLargestPossibleRegion());
  }

  void
  GenerateData() override
  {
    this->AllocateOutputs();
    TOutputImage * const map = this->GetOutput();
    map->SetBackgroundValue(m_BackgroundValue);
    RunBrickWork(this, [this, map] {
      BrickProgress             progress(this);
      const TInputImage * const input = this->GetInput();
      const FeatureImageType *  feature = this->GetFeatureImage();
      const auto                region = input->GetLargestPossibleRegion();
      const BrickRegionView     intensity = MakeBrickRegionView(feature, region);
      FillBrickLabelMap(this,
                        progress,
                        input,
                        map,
                        static_cast<InputImagePixelType>(m_BackgroundValue),
                        { m_ComputePerimeter, m_ComputeFeretDiameter, false },
                        intensity.view);
      if (m_ComputeHistogram)
      {
        const BrickHistogramWriter<FeatureImagePixelType> writer(feature, m_NumberOfBins);
        for (typename TOutputImage::Iterator it(map); !it.IsAtEnd(); ++it)
        {
          writer.Write(intensity.view, static_cast<const ImageBase<ImageDimension> *>(input), it.GetLabelObject());
        }
      }
    });
    this->UpdateProgress(1.0f);
  }

  void
  PrintSelf(std::ostream & os, Indent indent) const override
  {
    Superclass::PrintSelf(os, indent);
    os << indent
       << "BackgroundValue: " << static_cast<typename NumericTraits<OutputImagePixelType>::PrintType>(m_BackgroundValue)
       << std::endl;
    os << indent << "ComputeFeretDiameter: " << m_ComputeFeretDiameter << std::endl;
    os << indent << "ComputePerimeter: " << m_ComputePerimeter << std::endl;
    os << indent << "ComputeHistogram: " << m_ComputeHistogram << std::endl;
    os << indent << "NumberOfBins: " << m_NumberOfBins << std::endl;
  }

private:
  OutputImagePixelType m_BackgroundValue{ NumericTraits<OutputImagePixelType>::NonpositiveMin() };
  bool                 m_ComputeFeretDiameter{ false };
  bool                 m_ComputePerimeter{ true };
  unsigned int         m_NumberOfBins{ BrickHistogramWriter<FeatureImagePixelType>::DefaultNumberOfBins() };
  bool                 m_ComputeHistogram{ true };
};

} // namespace itk

#endif
