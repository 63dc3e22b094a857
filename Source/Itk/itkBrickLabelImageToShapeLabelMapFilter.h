#ifndef itkBrickLabelImageToShapeLabelMapFilter_h
#define itkBrickLabelImageToShapeLabelMapFilter_h

#include "itkBrickLabelImageToLabelMap.h"

#include "itkImageToImageFilter.h"
#include "itkLabelMap.h"
#include "itkShapeLabelObject.h"

namespace itk
{

/** \class BrickLabelImageToShapeLabelMapFilter
 * \brief Makes a label map of a label image and measures the shapes of its objects; takes the place of
 * LabelImageToShapeLabelMapFilter.
 *
 * Every value but BackgroundValue is the label of an object, connected or not. The objects have the lines of ITK's
 * filter, and its attributes but for these: Perimeter, Roundness and PerimeterOnBorderRatio of anisotropic pixels are
 * computed with weights for the spacing (ITK takes those of cubes); PrincipalAxes may have other signs, but are
 * rotations, too; and FeretDiameter is exact for objects of any size. Perimeters, Feret diameters and oriented boxes
 * are there for up to 3 dimensions; for 4, they must be switched off. Labels that the label type cannot hold are an
 * error.
 *
 * \sa LabelImageToShapeLabelMapFilter, BrickConnectedComponentImageFilter::MakeLabelMap */
template <typename TInputImage,
          typename TOutputImage =
            LabelMap<ShapeLabelObject<typename TInputImage::PixelType, TInputImage::ImageDimension>>>
class ITK_TEMPLATE_EXPORT BrickLabelImageToShapeLabelMapFilter : public ImageToImageFilter<TInputImage, TOutputImage>
{
public:
  ITK_DISALLOW_COPY_AND_MOVE(BrickLabelImageToShapeLabelMapFilter);

  using Self = BrickLabelImageToShapeLabelMapFilter;
  using Superclass = ImageToImageFilter<TInputImage, TOutputImage>;
  using Pointer = SmartPointer<Self>;
  using ConstPointer = SmartPointer<const Self>;

  itkNewMacro(Self);
  itkTypeMacro(BrickLabelImageToShapeLabelMapFilter, ImageToImageFilter);

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

  /** Default: off. */
  itkSetMacro(ComputeOrientedBoundingBox, bool);
  itkGetConstReferenceMacro(ComputeOrientedBoundingBox, bool);
  itkBooleanMacro(ComputeOrientedBoundingBox);

protected:
  BrickLabelImageToShapeLabelMapFilter() = default;
  ~BrickLabelImageToShapeLabelMapFilter() override = default;

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
      FillBrickLabelMap(this,
                        progress,
                        this->GetInput(),
                        this->GetOutput(),
                        static_cast<InputImagePixelType>(m_BackgroundValue),
                        { m_ComputePerimeter, m_ComputeFeretDiameter, m_ComputeOrientedBoundingBox },
                        std::nullopt);
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
    os << indent << "ComputeOrientedBoundingBox: " << m_ComputeOrientedBoundingBox << std::endl;
  }

private:
  OutputImagePixelType m_BackgroundValue{ NumericTraits<OutputImagePixelType>::NonpositiveMin() };
  bool                 m_ComputeFeretDiameter{ false };
  bool                 m_ComputePerimeter{ true };
  bool                 m_ComputeOrientedBoundingBox{ false };
};

} // namespace itk

#endif
