// SPDX-License-Identifier: Apache-2.0
#ifndef itkBrickLabelImageToStatisticsLabelMapFilter_h
#define itkBrickLabelImageToStatisticsLabelMapFilter_h

#include "itkBrickLabelImageToLabelMapFilter.h"
#include "itkBrickStatisticsLabelMapFilter.h"

#include "itkLabelMap.h"
#include "itkStatisticsLabelObject.h"

namespace itk
{

/** \class BrickLabelImageToStatisticsLabelMapFilter
 * \brief Makes a label map of a label image and measures the shapes of its objects and the values of a feature image
 * under them; replaces LabelImageToStatisticsLabelMapFilter.
 *
 * \sa LabelImageToStatisticsLabelMapFilter, BrickLabelImageToShapeLabelMapFilter, BrickStatisticsLabelMapFilter */
template <typename TInputImage,
          typename TFeatureImage,
          typename TOutputImage =
            LabelMap<StatisticsLabelObject<typename TInputImage::PixelType, TInputImage::ImageDimension>>>
class ITK_TEMPLATE_EXPORT BrickLabelImageToStatisticsLabelMapFilter
  : public BrickStatisticsLabelMapFilter<BrickLabelImageToLabelMapFilter<TInputImage, TOutputImage>, TFeatureImage>
{
public:
  itkBrickFilterMacro(
    BrickLabelImageToStatisticsLabelMapFilter,
    BrickStatisticsLabelMapFilter<BrickLabelImageToLabelMapFilter<TInputImage, TOutputImage>, TFeatureImage>);
};

} // namespace itk

#endif
