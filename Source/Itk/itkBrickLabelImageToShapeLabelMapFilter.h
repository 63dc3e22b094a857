#ifndef itkBrickLabelImageToShapeLabelMapFilter_h
#define itkBrickLabelImageToShapeLabelMapFilter_h

#include "itkBrickLabelImageToLabelMapFilter.h"

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
class ITK_TEMPLATE_EXPORT BrickLabelImageToShapeLabelMapFilter
  : public BrickLabelImageToLabelMapFilter<TInputImage, TOutputImage>
{
public:
  ITK_DISALLOW_COPY_AND_MOVE(BrickLabelImageToShapeLabelMapFilter);

  using Self = BrickLabelImageToShapeLabelMapFilter;
  using Superclass = BrickLabelImageToLabelMapFilter<TInputImage, TOutputImage>;
  using Pointer = SmartPointer<Self>;
  using ConstPointer = SmartPointer<const Self>;

  itkNewMacro(Self);
  itkBrickNameOfClassMacro(BrickLabelImageToShapeLabelMapFilter, BrickLabelImageToLabelMapFilter);

  /** Default: off. */
  itkSetMacro(ComputeOrientedBoundingBox, bool);
  itkGetConstReferenceMacro(ComputeOrientedBoundingBox, bool);
  itkBooleanMacro(ComputeOrientedBoundingBox);

protected:
  BrickLabelImageToShapeLabelMapFilter() = default;
  ~BrickLabelImageToShapeLabelMapFilter() override = default;

  void
  MakeLabelMap(BrickProgress & progress) override
  {
    this->FillLabelMap(progress, m_ComputeOrientedBoundingBox, std::nullopt);
  }

  void
  PrintSelf(std::ostream & os, Indent indent) const override
  {
    Superclass::PrintSelf(os, indent);
    os << indent << "ComputeOrientedBoundingBox: " << m_ComputeOrientedBoundingBox << std::endl;
  }

private:
  bool m_ComputeOrientedBoundingBox{ false };
};

} // namespace itk

#endif
