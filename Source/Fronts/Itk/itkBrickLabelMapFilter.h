// SPDX-License-Identifier: Apache-2.0
#ifndef itkBrickLabelMapFilter_h
#define itkBrickLabelMapFilter_h

#include "itkBrickLabelMap.h"
#include "itkBrickProcess.h"

#include "itkImageToImageFilter.h"

namespace itk
{

/** \class BrickLabelMapFilter
 * \brief The base of filters that make a label map of an image and measure the shapes of its objects. */
template <typename TInputImage, typename TOutputImage>
class ITK_TEMPLATE_EXPORT BrickLabelMapFilter : public ImageToImageFilter<TInputImage, TOutputImage>
{
public:
  itkBrickBaseMacro(BrickLabelMapFilter, ImageToImageFilter<TInputImage, TOutputImage>);

  // Superclass has the other usual types of ITK filters.
  using InputImagePixelType = typename TInputImage::PixelType;
  using OutputImagePixelType = typename TOutputImage::PixelType;
  using OutputImageConstPointer = typename TOutputImage::ConstPointer;
  using LabelObjectType = typename TOutputImage::LabelObjectType;
  static constexpr unsigned int ImageDimension = TInputImage::ImageDimension;

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
  BrickAttributeChoice
  AttributeChoice() const
  {
    return { m_ComputePerimeter, m_ComputeFeretDiameter, m_ComputeOrientedBoundingBox };
  }

  /** Fills the empty label map. The intensities, if any, cover the input's region. */
  virtual void FillLabelMap(BrickProgress & progress, const std::optional<brickccl::ImageView> & intensity) = 0;

  /** Calls FillLabelMap. */
  virtual void
  MakeLabelMap(BrickProgress & progress)
  {
    this->FillLabelMap(progress, std::nullopt);
  }

  itkBrickWholeImageMacro();

  void
  GenerateData() override
  {
    this->AllocateOutputs();
    RunBrickWork(this, [this] {
      BrickProgress progress(this);
      this->MakeLabelMap(progress);
    });
    this->UpdateProgress(1.0f);
  }

private:
  bool m_ComputeFeretDiameter{ false };
  bool m_ComputePerimeter{ true };
  bool m_ComputeOrientedBoundingBox{ false };
};

} // namespace itk

#endif
