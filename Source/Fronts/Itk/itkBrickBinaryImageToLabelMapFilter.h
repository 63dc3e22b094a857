// SPDX-License-Identifier: Apache-2.0
#ifndef itkBrickBinaryImageToLabelMapFilter_h
#define itkBrickBinaryImageToLabelMapFilter_h

#include "itkBrickLabelMapFilter.h"

namespace itk
{

/** \class BrickBinaryImageToLabelMapFilter
 * \brief The base of filters that make a label map of the objects of a binary image.
 *
 * Objects are the components of the pixels that equal InputForegroundValue. */
template <typename TInputImage, typename TOutputImage>
class ITK_TEMPLATE_EXPORT BrickBinaryImageToLabelMapFilter : public BrickLabelMapFilter<TInputImage, TOutputImage>
{
public:
  itkBrickBaseMacro(BrickBinaryImageToLabelMapFilter, BrickLabelMapFilter<TInputImage, TOutputImage>);

  using typename Superclass::InputImagePixelType;
  using typename Superclass::OutputImagePixelType;

  /** Whether neighbors may differ in every coordinate. Default: off. */
  itkSetMacro(FullyConnected, bool);
  itkGetConstReferenceMacro(FullyConnected, bool);
  itkBooleanMacro(FullyConnected);

  /** The background label. Default: the lowest of the label type. */
  itkSetMacro(OutputBackgroundValue, OutputImagePixelType);
  itkGetConstMacro(OutputBackgroundValue, OutputImagePixelType);

  /** The value of the objects. Default: the largest of the type. */
  itkSetMacro(InputForegroundValue, InputImagePixelType);
  itkGetConstMacro(InputForegroundValue, InputImagePixelType);

protected:
  void
  FillLabelMap(BrickProgress & progress, const std::optional<brickccl::ImageView> & intensity) override
  {
    const ImageBase<TInputImage::ImageDimension> * const grid = this->GetInput();
    brickccl::MeasureOptions options(intensity, this->AttributeChoice().Groups(TInputImage::ImageDimension));
    if (intensity)
    {
      options.groups.Add("intensity");
    }
    this->GetOutput()->SetBackgroundValue(m_OutputBackgroundValue);
    progress.Stage(0, 0.5);
    const BrickRegionView    input = MakeBrickRegionView(this->GetInput(), grid->GetLargestPossibleRegion());
    const brickccl::Labeling labeling =
      LabelBrickForeground(this, progress, input.view, grid, m_InputForegroundValue, m_FullyConnected);
    progress.Stage(0.5, 0.9);
    FillBrickLabelMap(labeling,
                      labeling.Measure(options, progress.Hooks()),
                      grid,
                      intensity,
                      this->AttributeChoice(),
                      this->GetOutput());
  }

private:
  bool                 m_FullyConnected{ false };
  OutputImagePixelType m_OutputBackgroundValue{ NumericTraits<OutputImagePixelType>::NonpositiveMin() };
  InputImagePixelType  m_InputForegroundValue{ NumericTraits<InputImagePixelType>::max() };
};

} // namespace itk

#endif
