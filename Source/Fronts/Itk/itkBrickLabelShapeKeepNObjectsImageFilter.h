// SPDX-License-Identifier: Apache-2.0
#ifndef itkBrickLabelShapeKeepNObjectsImageFilter_h
#define itkBrickLabelShapeKeepNObjectsImageFilter_h

#include "itkBrickLabelImageToLabelMap.h"
#include "itkBrickShapeChoiceImageFilter.h"

#include "itkImageToImageFilter.h"

namespace itk
{

/** \class BrickLabelShapeKeepNObjectsImageFilter
 * \brief Keeps the N objects of a label image that have the highest (or lowest) value of a shape attribute; replaces
 * LabelShapeKeepNObjectsImageFilter.
 *
 * Every value except BackgroundValue is the label of an object, connected or not. Objects that are not kept become
 * BackgroundValue. The output equals the output of ITK's filter, also if several objects have the same value of the
 * attribute, except for attributes that BrickLabelImageToShapeLabelMapFilter defines differently.
 *
 * By the number of pixels and the physical size it needs no label objects, and is much faster.
 *
 * \sa LabelShapeKeepNObjectsImageFilter, BrickRelabelComponentImageFilter */
template <typename TInputImage>
class ITK_TEMPLATE_EXPORT BrickLabelShapeKeepNObjectsImageFilter
  : public BrickShapeChoiceImageFilter<ImageToImageFilter<TInputImage, TInputImage>, typename TInputImage::PixelType>
{
public:
  itkBrickFilterMacro(
    BrickLabelShapeKeepNObjectsImageFilter,
    BrickShapeChoiceImageFilter<ImageToImageFilter<TInputImage, TInputImage>, typename TInputImage::PixelType>);
  static_assert(IsBrickPlainImage<TInputImage>, "the output must be an itk::Image, not an adaptor");

  /** The number of objects to keep. Default: 1. */
  itkGetConstMacro(NumberOfObjects, SizeValueType);
  itkSetMacro(NumberOfObjects, SizeValueType);

protected:
  itkBrickWholeImageMacro();

  void
  GenerateData() override
  {
    using PixelType = typename TInputImage::PixelType;
    RunBrickWork(this, [this] {
      BrickProgress         progress(this);
      const PixelType       background = this->GetBackgroundValue();
      const BrickRegionView input = MakeBrickRegionView(this->GetInput(), this->GetInput()->GetLargestPossibleRegion());
      const auto * const    pixels = static_cast<const PixelType *>(input.view.data);
      const std::int64_t    count = input.view.extent.VoxelCount();
      std::vector<double>   values;
      if (!this->IsBySize())
      {
        auto map = Superclass::LabelMapType::New();
        map->SetBackgroundValue(background);
        FillBrickLabelMap(this,
                          progress,
                          this->GetInput(),
                          map.GetPointer(),
                          background,
                          this->AttributeChoice(),
                          std::nullopt);
        values = this->ReadAttribute(map);
      }
      progress.Stage(0.8, 0.9);
      const BrickLabelCounts<PixelType> counts(this, progress, pixels, count, background);
      if (this->IsBySize())
      {
        values.assign(counts.Counts().begin(), counts.Counts().end());
      }
      std::vector<bool> isKept = this->ChooseObjects(values, m_NumberOfObjects);
      // The background comes after the last label.
      isKept.push_back(false);

      progress.Stage(0.9, 1);
      this->AllocateOutputs();
      PixelType * const output = this->GetOutput()->GetBufferPointer();
      ForBrickPieces(this, progress, count, [&](std::int64_t begin, std::int64_t end, std::size_t) {
        while (begin < end)
        {
          const std::int64_t next = EndOfBrickStretch(pixels, begin, end);
          const PixelType    value = pixels[begin];
          std::fill(output + begin, output + next, isKept[counts.PlaceOf(value)] ? value : background);
          begin = next;
        }
      });
    });
  }

private:
  SizeValueType m_NumberOfObjects{ 1 };
};

} // namespace itk

#endif
