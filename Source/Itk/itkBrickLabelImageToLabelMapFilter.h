#ifndef itkBrickLabelImageToLabelMapFilter_h
#define itkBrickLabelImageToLabelMapFilter_h

#include "itkBrickLabelImageToLabelMap.h"
#include "itkBrickMacro.h"

#include "itkImageToImageFilter.h"

namespace itk
{

/** \class BrickLabelImageToLabelMapFilter
 * \brief What filters have in common that make a label map of a label image and measure the shapes of its objects.
 *
 * Every value but BackgroundValue is the label of an object, connected or not. */
template <typename TInputImage, typename TOutputImage>
class ITK_TEMPLATE_EXPORT BrickLabelImageToLabelMapFilter : public ImageToImageFilter<TInputImage, TOutputImage>
{
public:
  ITK_DISALLOW_COPY_AND_MOVE(BrickLabelImageToLabelMapFilter);

  using Self = BrickLabelImageToLabelMapFilter;
  using Superclass = ImageToImageFilter<TInputImage, TOutputImage>;
  using Pointer = SmartPointer<Self>;
  using ConstPointer = SmartPointer<const Self>;

  itkBrickNameOfClassMacro(BrickLabelImageToLabelMapFilter, ImageToImageFilter);

  // Superclass has the other types that filters of ITK name.
  using InputImagePixelType = typename TInputImage::PixelType;
  using OutputImagePixelType = typename TOutputImage::PixelType;
  using OutputImageConstPointer = typename TOutputImage::ConstPointer;
  using LabelObjectType = typename TOutputImage::LabelObjectType;
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

protected:
  BrickLabelImageToLabelMapFilter() = default;
  ~BrickLabelImageToLabelMapFilter() override = default;

  /** Fills the label map, which has no objects. The intensities are those of the input's region. */
  void
  FillLabelMap(BrickProgress & progress, bool orientedBoundingBox, const std::optional<brickccl::ImageView> & intensity)
  {
    FillBrickLabelMap(this,
                      progress,
                      this->GetInput(),
                      this->GetOutput(),
                      static_cast<InputImagePixelType>(m_BackgroundValue),
                      { m_ComputePerimeter, m_ComputeFeretDiameter, orientedBoundingBox },
                      intensity);
  }

  /** Fills the label map by FillLabelMap. */
  virtual void MakeLabelMap(BrickProgress & progress) = 0;

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
    this->GetOutput()->SetBackgroundValue(m_BackgroundValue);
    RunBrickWork(this, [this] {
      BrickProgress progress(this);
      this->MakeLabelMap(progress);
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
  }

private:
  OutputImagePixelType m_BackgroundValue{ NumericTraits<OutputImagePixelType>::NonpositiveMin() };
  bool                 m_ComputeFeretDiameter{ false };
  bool                 m_ComputePerimeter{ true };
};

} // namespace itk

#endif
