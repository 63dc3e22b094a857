// SPDX-License-Identifier: Apache-2.0
#ifndef itkBrickBinaryFillholeImageFilter_h
#define itkBrickBinaryFillholeImageFilter_h

#include "BrickCCL/Clean/Clean.h"
#include "itkBrickImageView.h"
#include "itkBrickProcess.h"

#include "itkImageToImageFilter.h"

#include <vector>

namespace itk
{

/** \class BrickBinaryFillholeImageFilter
 * \brief Fills the holes of the objects of a binary image; takes the place of BinaryFillholeImageFilter.
 *
 * The objects are the pixels that equal ForegroundValue. A hole is a component of the other pixels without a pixel on
 * the border of the image; its pixels get ForegroundValue. FullyConnected sets the neighbors of the other pixels, as in
 * ITK. All other pixels do not change. The output equals the output of ITK's filter. (In an image of one slice every
 * pixel is on the border, and nothing is filled.)
 *
 * In addition to ITK, holes larger than MaximumHoleSize stay, and axes may be periodic. Holes then have no
 * pixel at the ends of the other axes, of which there must be one.
 *
 * \sa BinaryFillholeImageFilter, brickccl::FillHoles */
template <typename TInputImage>
class ITK_TEMPLATE_EXPORT BrickBinaryFillholeImageFilter : public ImageToImageFilter<TInputImage, TInputImage>
{
public:
  itkBrickFilterMacro(BrickBinaryFillholeImageFilter, ImageToImageFilter<TInputImage, TInputImage>);

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

  /** Larger holes, in pixels, stay. Default: no limit. */
  itkSetMacro(MaximumHoleSize, SizeValueType);
  itkGetConstMacro(MaximumHoleSize, SizeValueType);

  /** The axes along which opposite ends of the image are neighbors (brickccl::PeriodicAxes::FromNames). Default: none.
   */
  itkBrickPeriodicAxesMacro();

  /** The number of filled holes. Valid after Update. */
  itkGetConstMacro(NumberOfFilledHoles, SizeValueType);

protected:
  itkBrickWholeImageMacro();

  void
  GenerateData() override
  {
    m_NumberOfFilledHoles = 0;
    RunBrickWork(this, [this] {
      const InputImagePixelType  foreground = m_ForegroundValue;
      BrickProgress              progress(this);
      const auto                 region = this->GetInput()->GetLargestPossibleRegion();
      const BrickRegionView      input = MakeBrickRegionView(this->GetInput(), region);
      const auto * const         pixels = static_cast<const InputImagePixelType *>(input.view.data);
      const std::int64_t         count = input.view.extent.VoxelCount();
      std::vector<unsigned char> isObject(static_cast<std::size_t>(count));
      progress.Stage(0, 0.1);
      ForBrickPieces(this, progress, count, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i)
        {
          isObject[static_cast<std::size_t>(i)] = pixels[i] == foreground ? 1 : 0;
        }
      });
      progress.Stage(0.1, 0.8);
      this->FillMask(brickccl::ImageView(isObject.data(), input.view.extent), isObject.data(), region, progress);
      progress.Stage(0.8, 1);
      this->AllocateOutputs();
      InputImagePixelType * const output = this->GetOutput()->GetBufferPointer();
      ForBrickPieces(this, progress, count, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i)
        {
          output[i] = isObject[static_cast<std::size_t>(i)] != 0 ? foreground : pixels[i];
        }
      });
    });
  }

private:
  void
  FillMask(const brickccl::ImageView &                       mask,
           unsigned char *                                   output,
           const typename Superclass::InputImageRegionType & region,
           BrickProgress &                                   progress)
  {
    // The engine's border leaves out axes of one voxel; ITK's does not.
    for (unsigned int axis = 0; axis < ImageDimension; ++axis)
    {
      if (region.GetSize(axis) == 1 && !m_PeriodicAxes.Has(static_cast<int>(axis)))
      {
        return;
      }
    }
    brickccl::CleanOptions options;
    options.holes.emplace();
    options.holes->connectivity = MakeBrickConnectivity(m_FullyConnected, ImageDimension);
    options.holes->maximumSize = m_MaximumHoleSize;
    options.periodic = m_PeriodicAxes;
    options.threads = BrickThreadsOf(this);
    options.progress = progress.Hooks();
    m_NumberOfFilledHoles = brickccl::FillHoles(mask, output, options).Total().filledHoles;
  }

  bool                m_FullyConnected{ false };
  InputImagePixelType m_ForegroundValue{ NumericTraits<InputImagePixelType>::max() };

  SizeValueType m_MaximumHoleSize{ NumericTraits<SizeValueType>::max() };
  SizeValueType m_NumberOfFilledHoles{ 0 };

  brickccl::PeriodicAxes m_PeriodicAxes;
};

} // namespace itk

#endif
