// SPDX-License-Identifier: Apache-2.0
#ifndef itkBrickBinaryImageToStatisticsLabelMapFilter_h
#define itkBrickBinaryImageToStatisticsLabelMapFilter_h

#include "itkBrickBinaryImageToLabelMapFilter.h"
#include "itkBrickStatisticsLabelMapFilter.h"

#include "itkLabelMap.h"
#include "itkStatisticsLabelObject.h"

namespace itk
{

/** \class BrickBinaryImageToStatisticsLabelMapFilter
 * \brief Makes a label map of the objects of a binary image and measures their shapes and the values of a feature image
 * under them; replaces BinaryImageToStatisticsLabelMapFilter.
 *
 * \sa BinaryImageToStatisticsLabelMapFilter, BrickBinaryImageToShapeLabelMapFilter, BrickStatisticsLabelMapFilter */
template <typename TInputImage,
          typename TFeatureImage,
          typename TOutputImage = LabelMap<StatisticsLabelObject<SizeValueType, TInputImage::ImageDimension>>>
class ITK_TEMPLATE_EXPORT BrickBinaryImageToStatisticsLabelMapFilter
  : public BrickStatisticsLabelMapFilter<BrickBinaryImageToLabelMapFilter<TInputImage, TOutputImage>, TFeatureImage>
{
public:
  itkBrickFilterMacro(
    BrickBinaryImageToStatisticsLabelMapFilter,
    BrickStatisticsLabelMapFilter<BrickBinaryImageToLabelMapFilter<TInputImage, TOutputImage>, TFeatureImage>);
};

} // namespace itk

#endif
