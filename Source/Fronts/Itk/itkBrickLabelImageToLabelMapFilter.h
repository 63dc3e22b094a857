// SPDX-License-Identifier: Apache-2.0
#ifndef itkBrickLabelImageToLabelMapFilter_h
#define itkBrickLabelImageToLabelMapFilter_h

#include "itkBrickLabelImageToLabelMap.h"

#include "itkImageToImageFilter.h"

namespace itk
{

/** \class BrickLabelImageToLabelMapFilter
 * \brief The base of filters that make a label map of a label image and measure the shapes of its objects.
 *
 * Every value except BackgroundValue is the label of an object, connected or not. */
template <typename TInputImage, typename TOutputImage>
class ITK_TEMPLATE_EXPORT BrickLabelImageToLabelMapFilter : public ImageToImageFilter<TInputImage, TOutputImage>
{
public:
  itkBrickBaseMacro(BrickLabelImageToLabelMapFilter, ImageToImageFilter<TInputImage, TOutputImage>);

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
  /** The intensities of the input's region to measure; none here. */
  virtual std::optional<BrickRegionView>
  MakeIntensityView() const
  {
    return std::nullopt;
  }

  itkBrickWholeImageMacro();

  void
  GenerateData() override
  {
    this->AllocateOutputs();
    this->GetOutput()->SetBackgroundValue(m_BackgroundValue);
    RunBrickWork(this, [this] {
      BrickProgress                        progress(this);
      const std::optional<BrickRegionView> intensity = this->MakeIntensityView();
      FillBrickLabelMap(this,
                        progress,
                        this->GetInput(),
                        this->GetOutput(),
                        static_cast<InputImagePixelType>(m_BackgroundValue),
                        { m_ComputePerimeter, m_ComputeFeretDiameter, m_ComputeOrientedBoundingBox },
                        intensity ? std::optional<brickccl::ImageView>(intensity->view) : std::nullopt);
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
