// SPDX-License-Identifier: Apache-2.0
#ifndef itkBrickBinaryImageToShapeLabelMapFilter_h
#define itkBrickBinaryImageToShapeLabelMapFilter_h

#include "itkBrickBinaryImageToLabelMapFilter.h"

#include "itkLabelMap.h"
#include "itkShapeLabelObject.h"

namespace itk
{

/** \class BrickBinaryImageToShapeLabelMapFilter
 * \brief Makes a label map of the objects of a binary image and measures their shapes; replaces
 * BinaryImageToShapeLabelMapFilter.
 *
 * Objects have the labels and lines of ITK's filter, and the attributes of BrickLabelImageToShapeLabelMapFilter.
 *
 * \sa BinaryImageToShapeLabelMapFilter, BrickConnectedComponentImageFilter::MakeLabelMap */
template <typename TInputImage,
          typename TOutputImage = LabelMap<ShapeLabelObject<SizeValueType, TInputImage::ImageDimension>>>
class ITK_TEMPLATE_EXPORT BrickBinaryImageToShapeLabelMapFilter
  : public BrickBinaryImageToLabelMapFilter<TInputImage, TOutputImage>
{
public:
  itkBrickFilterMacro(BrickBinaryImageToShapeLabelMapFilter,
                      BrickBinaryImageToLabelMapFilter<TInputImage, TOutputImage>);
};

} // namespace itk

#endif
