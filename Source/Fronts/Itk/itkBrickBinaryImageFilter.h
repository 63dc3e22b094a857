// SPDX-License-Identifier: Apache-2.0
#ifndef itkBrickBinaryImageFilter_h
#define itkBrickBinaryImageFilter_h

#include "itkBrickImageView.h"
#include "itkBrickMacro.h"
#include "itkBrickProcess.h"

#include "itkImageToImageFilter.h"

namespace itk
{

/** \class BrickBinaryImageFilter
 * \brief The base of filters on the objects of a binary image: the pixels that equal ForegroundValue.
 */
template <typename TInputImage>
class ITK_TEMPLATE_EXPORT BrickBinaryImageFilter : public ImageToImageFilter<TInputImage, TInputImage>
{
public:
  itkBrickBaseMacro(BrickBinaryImageFilter, ImageToImageFilter<TInputImage, TInputImage>);

  // Superclass has the other usual types of ITK filters.
  using InputImagePixelType = typename TInputImage::PixelType;
  using OutputImagePixelType = InputImagePixelType;
  using OutputImageConstPointer = typename TInputImage::ConstPointer;
  static constexpr unsigned int ImageDimension = TInputImage::ImageDimension;
  static_assert(IsBrickPlainImage<TInputImage>, "the output must be an itk::Image, not an adaptor");

  /** Whether neighbors may differ in every coordinate. Default: off. */
  itkSetMacro(FullyConnected, bool);
  itkGetConstReferenceMacro(FullyConnected, bool);
  itkBooleanMacro(FullyConnected);

  /** The value of the objects. Default: the largest of the type. */
  itkSetMacro(ForegroundValue, InputImagePixelType);
  itkGetConstMacro(ForegroundValue, InputImagePixelType);

protected:
  brickccl::Connectivity
  MakeConnectivity() const
  {
    return MakeBrickConnectivity(m_FullyConnected, ImageDimension);
  }

  itkBrickWholeImageMacro();

private:
  bool                m_FullyConnected{ false };
  InputImagePixelType m_ForegroundValue{ NumericTraits<InputImagePixelType>::max() };
};

} // namespace itk

#endif
