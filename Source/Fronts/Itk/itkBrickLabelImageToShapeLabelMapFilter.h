// SPDX-License-Identifier: Apache-2.0
#ifndef itkBrickLabelImageToShapeLabelMapFilter_h
#define itkBrickLabelImageToShapeLabelMapFilter_h

#include "itkBrickLabelImageToLabelMap.h"

#include "itkImageToImageFilter.h"
#include "itkLabelMap.h"
#include "itkShapeLabelObject.h"

namespace itk
{

/** \class BrickLabelImageToShapeLabelMapFilter
 * \brief Makes a label map of a label image and measures the shapes of its objects; replaces
 * LabelImageToShapeLabelMapFilter.
 *
 * Every value except BackgroundValue is the label of an object, connected or not. The objects have the same lines and
 * attributes as in ITK's filter, except: Perimeter, Roundness and PerimeterOnBorderRatio of anisotropic pixels use
 * weights for the spacing (ITK uses weights for cubes); PrincipalAxes may have other signs, but are rotations, too; and
 * FeretDiameter is exact for objects of any size. Perimeters, Feret diameters and oriented boxes are available for up
 * to 3 dimensions; for 4, they must be switched off. Labels that the label type cannot hold are an error.
 *
 * \sa LabelImageToShapeLabelMapFilter, BrickConnectedComponentImageFilter::MakeLabelMap */
template <typename TInputImage,
          typename TOutputImage =
            LabelMap<ShapeLabelObject<typename TInputImage::PixelType, TInputImage::ImageDimension>>>
class ITK_TEMPLATE_EXPORT BrickLabelImageToShapeLabelMapFilter : public ImageToImageFilter<TInputImage, TOutputImage>
{
public:
  itkBrickFilterMacro(BrickLabelImageToShapeLabelMapFilter, ImageToImageFilter<TInputImage, TOutputImage>);

  // Superclass has the other usual types of ITK filters.
  using InputImagePixelType = typename TInputImage::PixelType;
  using OutputImagePixelType = typename TOutputImage::PixelType;
  using OutputImageConstPointer = typename TOutputImage::ConstPointer;
  using LabelObjectType = typename TOutputImage::LabelObjectType;
  static constexpr unsigned int ImageDimension = TInputImage::ImageDimension;

  /** The background value. Default: the lowest of the label type. */
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
  itkBrickWholeImageMacro();

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
                        { m_ComputePerimeter, m_ComputeFeretDiameter, m_ComputeOrientedBoundingBox });
    });
    this->UpdateProgress(1.0f);
  }

private:
  OutputImagePixelType m_BackgroundValue{ NumericTraits<OutputImagePixelType>::NonpositiveMin() };
  bool                 m_ComputeFeretDiameter{ false };
  bool                 m_ComputePerimeter{ true };
  bool                 m_ComputeOrientedBoundingBox{ false };
};

} // namespace itk

#endif
