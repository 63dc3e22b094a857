// SPDX-License-Identifier: Apache-2.0
#ifndef itkBrickBinaryShapeImageFilter_h
#define itkBrickBinaryShapeImageFilter_h

#include "itkBrickBinaryImageFilter.h"
#include "itkBrickLabelCounts.h"
#include "itkBrickShapeChoiceImageFilter.h"

namespace itk
{

/** \class BrickBinaryShapeImageFilter
 * \brief The base of filters that remove objects of a binary image by a shape attribute.
 *
 * Objects are components of the pixels that equal ForegroundValue. Removed objects become BackgroundValue; pixels of
 * other values stay. The output equals the output of ITK's filters, except for attributes that
 * BrickLabelImageToShapeLabelMapFilter defines differently. PerimeterOnBorderRatio is computed on request (in ITK it is
 * then 0).
 *
 * By the number of pixels and the physical size it needs no label objects, and is much faster. */
template <typename TInputImage>
class ITK_TEMPLATE_EXPORT BrickBinaryShapeImageFilter
  : public BrickShapeChoiceImageFilter<BrickBinaryImageFilter<TInputImage>, SizeValueType>
{
public:
  itkBrickBaseMacro(BrickBinaryShapeImageFilter,
                    BrickShapeChoiceImageFilter<BrickBinaryImageFilter<TInputImage>, SizeValueType>);

protected:
  /** Returns for each object whether to keep it, from the attribute's values. */
  virtual std::vector<bool> KeepObjects(const std::vector<double> & values) const = 0;

  void
  GenerateData() override
  {
    RunBrickWork(this, [this] {
      BrickProgress         progress(this);
      const auto *          image = this->GetInput();
      const BrickRegionView input = MakeBrickRegionView(image, image->GetLargestPossibleRegion());
      progress.Stage(0, 0.5);
      const GridType * const   grid = image;
      const brickccl::Labeling labeling =
        LabelBrickForeground(this, progress, input.view, grid, this->GetForegroundValue(), this->GetFullyConnected());
      progress.Stage(0.5, 0.8);
      const std::vector<bool> isKept = this->KeepObjects(this->MeasureAttribute(labeling, grid, progress));

      progress.Stage(0.8, 1);
      this->AllocateOutputs();
      using PixelType = typename TInputImage::PixelType;
      const auto * const       pixels = static_cast<const PixelType *>(input.view.data);
      PixelType * const        output = this->GetOutput()->GetBufferPointer();
      const brickccl::Extent & extent = labeling.GetExtent();
      ForBrickPieces(this, progress, extent.RowCount(), [&](std::int64_t begin, std::int64_t end, std::size_t) {
        std::copy(pixels + begin * extent.RowLength(),
                  pixels + end * extent.RowLength(),
                  output + begin * extent.RowLength());
        for (const brickccl::LabelRun & run : labeling.ListRuns(begin, end))
        {
          if (!isKept[static_cast<std::size_t>(run.label - 1)])
          {
            std::fill_n(output + run.place, run.length, this->GetBackgroundValue());
          }
        }
      });
    });
  }

private:
  using GridType = ImageBase<TInputImage::ImageDimension>;

  /** The attribute's value for every component. */
  std::vector<double>
  MeasureAttribute(const brickccl::Labeling & labeling, const GridType * grid, BrickProgress & progress)
  {
    if (!this->IsBySize())
    {
      auto                       map = Superclass::LabelMapType::New();
      const BrickAttributeChoice choice = this->AttributeChoice();
      // As in ITK, where labels omit it, too.
      map->SetBackgroundValue(static_cast<SizeValueType>(this->GetBackgroundValue()));
      const auto table = labeling.Measure({ std::nullopt, choice.Groups(GridType::ImageDimension) }, progress.Hooks());
      FillBrickLabelMap(labeling, table, grid, std::nullopt, choice, map.GetPointer());
      return this->ReadAttribute(map);
    }
    double voxel = 1;
    for (unsigned int axis = 0; axis < GridType::ImageDimension; ++axis)
    {
      voxel *= this->GetAttribute() == Superclass::LabelObjectType::PHYSICAL_SIZE ? grid->GetSpacing()[axis] : 1.0;
    }
    std::vector<double> values;
    for (const auto & component : labeling.Measure({}, progress.Hooks()).components)
    {
      values.push_back(static_cast<double>(component.voxelCount) * voxel);
    }
    return values;
  }
};

} // namespace itk

#endif
