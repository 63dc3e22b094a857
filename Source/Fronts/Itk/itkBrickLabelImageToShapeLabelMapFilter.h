// SPDX-License-Identifier: Apache-2.0
#ifndef itkBrickLabelImageToShapeLabelMapFilter_h
#define itkBrickLabelImageToShapeLabelMapFilter_h

#include "itkBrickLabelImageToLabelMapFilter.h"

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
class ITK_TEMPLATE_EXPORT BrickLabelImageToShapeLabelMapFilter
  : public BrickLabelImageToLabelMapFilter<TInputImage, TOutputImage>
{
public:
  itkBrickFilterMacro(BrickLabelImageToShapeLabelMapFilter, BrickLabelImageToLabelMapFilter<TInputImage, TOutputImage>);
};

} // namespace itk

#endif
