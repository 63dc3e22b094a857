#ifndef itkBrickBinaryFillholeImageFilter_h
#define itkBrickBinaryFillholeImageFilter_h

#include "BrickCCL/Clean/Clean.h"
#include "itkBrickImageView.h"
#include "itkBrickLabelCounts.h"
#include "itkBrickProcess.h"

#include "itkImageToImageFilter.h"

#include <algorithm>
#include <vector>

namespace itk
{

/** \class BrickBinaryFillholeImageFilter
 * \brief Fills the holes of the objects of a binary image; takes the place of BinaryFillholeImageFilter.
 *
 * The objects are the pixels that equal ForegroundValue. A hole is a component of the other pixels without a pixel on
 * the border of the image; its pixels get ForegroundValue. FullyConnected says which of the other pixels are
 * neighbours, as in ITK. All else stays as it is. The output is that of ITK's filter. (In an image of one slice every
 * pixel is on the border, and nothing is filled.)
 *
 * More than ITK's filter has: holes larger than MaximumHoleSize stay, and axes may be periodic. Holes then have no
 * pixel at the ends of the other axes, of which there must be one.
 *
 * \sa BinaryFillholeImageFilter, brickccl::FillHoles */
template <typename TInputImage>
class ITK_TEMPLATE_EXPORT BrickBinaryFillholeImageFilter : public ImageToImageFilter<TInputImage, TInputImage>
{
public:
  ITK_DISALLOW_COPY_AND_MOVE(BrickBinaryFillholeImageFilter);

  using Self = BrickBinaryFillholeImageFilter;
  using Superclass = ImageToImageFilter<TInputImage, TInputImage>;
  using Pointer = SmartPointer<Self>;
  using ConstPointer = SmartPointer<const Self>;

  itkNewMacro(Self);
  itkTypeMacro(BrickBinaryFillholeImageFilter, ImageToImageFilter);

  // Superclass has the other types that filters of ITK name.
  using InputImagePixelType = typename TInputImage::PixelType;
  using OutputImagePixelType = InputImagePixelType;
  using OutputImageConstPointer = typename TInputImage::ConstPointer;
  static constexpr unsigned int ImageDimension = TInputImage::ImageDimension;
  static_assert(IsBrickPlainImage<TInputImage>, "pixels are written to an itk::Image; they cannot go to an adaptor");

  /** Whether neighbours in a hole may differ in every coordinate. Default: off. */
  itkSetMacro(FullyConnected, bool);
  itkGetConstReferenceMacro(FullyConnected, bool);
  itkBooleanMacro(FullyConnected);

  /** The value of the objects. Default: the largest of the type. */
  itkSetMacro(ForegroundValue, InputImagePixelType);
  itkGetMacro(ForegroundValue, InputImagePixelType);

  /** Holes of more pixels stay. Default: no limit. */
  itkSetMacro(MaximumHoleSize, SizeValueType);
  itkGetConstMacro(MaximumHoleSize, SizeValueType);

  /** The axes along which the image goes on with its other end (brickccl::PeriodicAxes::FromNames). Default: none. */
  void
  SetPeriodicAxes(const brickccl::PeriodicAxes & axes)
  {
    if (m_PeriodicAxes != axes)
    {
      m_PeriodicAxes = axes;
      this->Modified();
    }
  }
  itkGetConstReferenceMacro(PeriodicAxes, brickccl::PeriodicAxes);

  /** The number of holes that were filled. Valid after Update. */
  itkGetConstMacro(NumberOfFilledHoles, SizeValueType);

protected:
  BrickBinaryFillholeImageFilter() = default;
  ~BrickBinaryFillholeImageFilter() override = default;

  void
  GenerateInputRequestedRegion() override
  {
    Superclass::GenerateInputRequestedRegion();
    RequestWholeBrickInputs(this, this->GetInput());
  }

  void
  EnlargeOutputRequestedRegion(DataObject * output) override
  {
    output->SetRequestedRegionToLargestPossibleRegion();
  }

  void
  GenerateData() override
  {
    m_NumberOfFilledHoles = 0;
    RunBrickWork(this, [this] {
      BrickProgress              progress(this);
      const auto                 region = this->GetInput()->GetLargestPossibleRegion();
      const BrickRegionView      input = MakeBrickRegionView(this->GetInput(), region);
      const auto * const         pixels = static_cast<const InputImagePixelType *>(input.view.data);
      const std::int64_t         count = input.view.extent.VoxelCount();
      std::vector<unsigned char> isObject(static_cast<std::size_t>(count));
      progress.Stage(0, 0.1);
      ForBrickPieces(this, progress, count, [&](std::int64_t begin, std::int64_t end, std::size_t) {
        for (std::int64_t i = begin; i < end; ++i)
        {
          isObject[static_cast<std::size_t>(i)] = pixels[i] == m_ForegroundValue ? 1 : 0;
        }
      });
      progress.Stage(0.1, 0.8);
      this->FillMask(brickccl::ImageView(isObject.data(), input.view.extent), isObject.data(), region, progress);
      progress.Stage(0.8, 1);
      this->AllocateOutputs();
      InputImagePixelType * const output = this->GetOutput()->GetBufferPointer();
      ForBrickPieces(this, progress, count, [&](std::int64_t begin, std::int64_t end, std::size_t) {
        for (std::int64_t i = begin; i < end; ++i)
        {
          output[i] = isObject[static_cast<std::size_t>(i)] != 0 ? m_ForegroundValue : pixels[i];
        }
      });
    });
  }

  void
  PrintSelf(std::ostream & os, Indent indent) const override
  {
    Superclass::PrintSelf(os, indent);
    os << indent
       << "ForegroundValue: " << static_cast<typename NumericTraits<InputImagePixelType>::PrintType>(m_ForegroundValue)
       << std::endl;
    os << indent << "FullyConnected: " << m_FullyConnected << std::endl;
    os << indent << "MaximumHoleSize: " << m_MaximumHoleSize << std::endl;
    os << indent << "PeriodicAxes: " << (m_PeriodicAxes.HasAny() ? m_PeriodicAxes.ToString() : "(none)") << std::endl;
    os << indent << "NumberOfFilledHoles: " << m_NumberOfFilledHoles << std::endl;
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
    options.holes->connectivity =
      m_FullyConnected ? brickccl::Connectivity::Full(ImageDimension) : brickccl::Connectivity::Face(ImageDimension);
    options.holes->maximumSize = m_MaximumHoleSize;
    options.periodic = m_PeriodicAxes;
    options.threads = BrickThreadsOf(this);
    options.progress = progress.Hooks();
    m_NumberOfFilledHoles = brickccl::FillHoles(mask, output, options).Total().filledHoles;
  }

  bool                m_FullyConnected{ false };
  InputImagePixelType m_ForegroundValue{ NumericTraits<InputImagePixelType>::max() };
  SizeValueType       m_MaximumHoleSize{ NumericTraits<SizeValueType>::max() };
  SizeValueType       m_NumberOfFilledHoles{ 0 };

  brickccl::PeriodicAxes m_PeriodicAxes;
};

} // namespace itk

#endif
