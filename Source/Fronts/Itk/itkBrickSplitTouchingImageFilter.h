// SPDX-License-Identifier: Apache-2.0
#ifndef itkBrickSplitTouchingImageFilter_h
#define itkBrickSplitTouchingImageFilter_h

#include "BrickCCL/Splitting/Split.h"
#include "itkBrickImageView.h"
#include "itkBrickProcess.h"

#include "itkImageToImageFilter.h"

#include <limits>
#include <string>
#include <vector>

namespace itk
{

/** \class BrickSplitTouchingImageFilter
 * \brief Splits the touching objects of a mask or label image at their necks.
 *
 * Each label is split separately; 0 is the background. Every pixel belongs to the peak of the distance to the border of
 * its label that steps uphill lead to. Two objects are one if the lower of their peaks is less than Height above the
 * highest pass between them. brickccl::Split says exactly what happens to ties. The objects are numbered from 1 in
 * raster order of their first pixels. It does in one filter what SignedMaurerDistanceMapImageFilter and
 * MorphologicalWatershedImageFilter do together.
 *
 * With a SeedImage, each seed becomes one object and keeps its number. Height is not used then.
 *
 * If the output pixel type cannot hold the numbers, Update throws before anything is written.
 *
 * \sa MorphologicalWatershedImageFilter, BrickConnectedComponentImageFilter */
template <typename TInputImage, typename TOutputImage>
class ITK_TEMPLATE_EXPORT BrickSplitTouchingImageFilter : public ImageToImageFilter<TInputImage, TOutputImage>
{
public:
  itkBrickFilterMacro(BrickSplitTouchingImageFilter, ImageToImageFilter<TInputImage, TOutputImage>);

  using OutputPixelType = typename TOutputImage::PixelType;
  static constexpr unsigned int ImageDimension = TInputImage::ImageDimension;
  static_assert(std::is_integral_v<OutputPixelType>, "the output must have integer pixels");
  static_assert(IsBrickPlainImage<TOutputImage>, "the output must be an itk::Image, not an adaptor");

  /** Seeds: an image of the same region, 0 outside all seeds. Default: none. */
  itkSetInputMacro(SeedImage, TOutputImage);
  itkGetInputMacro(SeedImage, TOutputImage);

  /** The height in physical units, or in per cent of the lower peak (HeightInPercent, default: off). A negative one,
   * the default, means 0.75 of the smallest spacing. */
  itkSetMacro(Height, double);
  itkGetConstMacro(Height, double);
  itkSetMacro(HeightInPercent, bool);
  itkGetConstMacro(HeightInPercent, bool);
  itkBooleanMacro(HeightInPercent);

  /** Whether neighbors may differ in every coordinate. Default: on. */
  itkSetMacro(FullyConnected, bool);
  itkGetConstReferenceMacro(FullyConnected, bool);
  itkBooleanMacro(FullyConnected);

  /** The axes along which opposite ends of the image are neighbors (brickccl::PeriodicAxes::FromNames). Default: none.
   */
  itkBrickPeriodicAxesMacro();

  /** The number of objects in the output. Valid after Update. */
  itkGetConstMacro(NumberOfObjects, SizeValueType);

protected:
  itkBrickWholeImageMacro();
  void
  GenerateData() override
  {
    m_NumberOfObjects = 0;
    RunBrickWork(this, [this] {
      const auto                 region = this->GetInput()->GetLargestPossibleRegion();
      const BrickRegionView      input = MakeBrickRegionView(this->GetInput(), region);
      BrickRegionView            seeds;
      BrickProgress              progress(this);
      std::vector<std::uint32_t> objects(static_cast<std::size_t>(input.view.extent.VoxelCount()));
      brickccl::SplitOptions     options;
      options.connectivity = MakeBrickConnectivity(m_FullyConnected, ImageDimension);
      options.periodic = m_PeriodicAxes;
      options.geometry = MakeBrickGeometry(this->GetInput());
      options.threads = BrickThreadsOf(this);
      options.progress = progress.Hooks();
      if (!(m_Height < 0))
      {
        options.height = brickccl::SplitHeight(m_Height, m_HeightInPercent);
      }
      if (this->GetSeedImage() != nullptr)
      {
        seeds = MakeBrickRegionView(this->GetSeedImage(), region);
        options.seeds = seeds.view;
      }
      progress.Stage(0, 0.9);
      const brickccl::SplitReport report = brickccl::Split(input.view, objects.data(), options);
      const std::uint32_t         largest = report.objects.empty() ? 0 : report.objects.back().number;
      if (largest > static_cast<std::uint64_t>(std::numeric_limits<OutputPixelType>::max()))
      {
        throw brickccl::LabelOverflow("object " + std::to_string(largest) + " does not fit the output pixel type");
      }
      progress.Stage(0.9, 1);
      this->AllocateOutputs();
      OutputPixelType * const output = this->GetOutput()->GetBufferPointer();
      const auto              count = static_cast<std::int64_t>(objects.size());
      ForBrickPieces(this, progress, count, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i)
        {
          output[i] = static_cast<OutputPixelType>(objects[static_cast<std::size_t>(i)]);
        }
      });
      m_NumberOfObjects = report.objects.size();
    });
  }

private:
  double m_Height{ -1 };
  bool   m_HeightInPercent{ false };
  bool   m_FullyConnected{ true };

  brickccl::PeriodicAxes m_PeriodicAxes;

  SizeValueType m_NumberOfObjects{ 0 };
};

} // namespace itk

#endif
