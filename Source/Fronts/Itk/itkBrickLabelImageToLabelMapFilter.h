// SPDX-License-Identifier: Apache-2.0
#ifndef itkBrickLabelImageToLabelMapFilter_h
#define itkBrickLabelImageToLabelMapFilter_h

#include "itkBrickLabelImageToLabelMap.h"
#include "itkBrickLabelMapFilter.h"

namespace itk
{

/** \class BrickLabelImageToLabelMapFilter
 * \brief The base of filters that make a label map of a label image.
 *
 * Every value except BackgroundValue is the label of an object, connected or not. */
template <typename TInputImage, typename TOutputImage>
class ITK_TEMPLATE_EXPORT BrickLabelImageToLabelMapFilter : public BrickLabelMapFilter<TInputImage, TOutputImage>
{
public:
  itkBrickBaseMacro(BrickLabelImageToLabelMapFilter, BrickLabelMapFilter<TInputImage, TOutputImage>);

  using typename Superclass::OutputImagePixelType;

  /** The background value. Default: the lowest of the label type. */
  itkSetMacro(BackgroundValue, OutputImagePixelType);
  itkGetConstMacro(BackgroundValue, OutputImagePixelType);

protected:
  void
  FillLabelMap(BrickProgress & progress, const std::optional<brickccl::ImageView> & intensity) override
  {
    this->GetOutput()->SetBackgroundValue(m_BackgroundValue);
    FillBrickLabelMap(this,
                      progress,
                      this->GetInput(),
                      this->GetOutput(),
                      static_cast<typename TInputImage::PixelType>(m_BackgroundValue),
                      this->AttributeChoice(),
                      intensity);
  }

private:
  OutputImagePixelType m_BackgroundValue{ NumericTraits<OutputImagePixelType>::NonpositiveMin() };
};

} // namespace itk

#endif
