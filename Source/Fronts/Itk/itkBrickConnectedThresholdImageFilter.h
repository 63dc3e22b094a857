// SPDX-License-Identifier: Apache-2.0
#ifndef itkBrickConnectedThresholdImageFilter_h
#define itkBrickConnectedThresholdImageFilter_h

#include "BrickCCL/Clean/Clean.h"
#include "itkBrickImageView.h"
#include "itkBrickProcess.h"

#include "itkImageToImageFilter.h"
#include "itkSimpleDataObjectDecorator.h"

#include <vector>

namespace itk
{

/** The neighbors of BrickConnectedThresholdImageFilter, with ITK's names. */
enum class BrickConnectedThresholdConnectivity
{
  FaceConnectivity,
  FullConnectivity
};

/** \class BrickConnectedThresholdImageFilter
 * \brief Marks the components of pixels within [Lower, Upper] that contain a seed; replaces
 * ConnectedThresholdImageFilter.
 *
 * The output is ReplaceValue there and 0 elsewhere, as in ITK. A seed outside the range is ignored. Two mistakes that
 * ITK ignores are errors: a seed outside the image, and Lower above Upper.
 *
 * \sa ConnectedThresholdImageFilter, brickccl::ComponentFilter */
template <typename TInputImage, typename TOutputImage>
class ITK_TEMPLATE_EXPORT BrickConnectedThresholdImageFilter : public ImageToImageFilter<TInputImage, TOutputImage>
{
public:
  itkBrickClassMacro(BrickConnectedThresholdImageFilter, ImageToImageFilter<TInputImage, TOutputImage>);
  itkNewMacro(Self);

  // Superclass has the other usual types of ITK filters.
  using InputImagePixelType = typename TInputImage::PixelType;
  using OutputImagePixelType = typename TOutputImage::PixelType;
  using OutputImagePointer = typename TOutputImage::Pointer;
  using IndexType = typename TInputImage::IndexType;
  using SizeType = typename TInputImage::SizeType;
  using SeedContainerType = std::vector<IndexType>;
  using InputPixelObjectType = SimpleDataObjectDecorator<InputImagePixelType>;
  using ConnectivityEnum = BrickConnectedThresholdConnectivity;
  static_assert(IsBrickPlainImage<TOutputImage>, "the output must be an itk::Image, not an adaptor");

  /** The seeds. Default: none. */
  void
  SetSeed(const IndexType & seed)
  {
    m_Seeds.clear();
    this->AddSeed(seed);
  }
  void
  AddSeed(const IndexType & seed)
  {
    m_Seeds.push_back(seed);
    this->Modified();
  }
  void
  ClearSeeds()
  {
    m_Seeds.clear();
    this->Modified();
  }
  itkGetConstReferenceMacro(Seeds, SeedContainerType);

  /** The value of the components with a seed. Default: 1. */
  itkSetMacro(ReplaceValue, OutputImagePixelType);
  itkGetConstMacro(ReplaceValue, OutputImagePixelType);

  /** The range, as values or as inputs from the pipeline. Default: all values of the type. */
  itkSetGetDecoratedInputMacro(Lower, InputImagePixelType);
  itkSetGetDecoratedInputMacro(Upper, InputImagePixelType);

  /** Whether neighbors may differ in every coordinate. Default: off. */
  itkSetMacro(FullyConnected, bool);
  itkGetConstMacro(FullyConnected, bool);
  itkBooleanMacro(FullyConnected);

  /** The same with ITK's enumeration. Default: FaceConnectivity. */
  void
  SetConnectivity(ConnectivityEnum connectivity)
  {
    this->SetFullyConnected(connectivity == ConnectivityEnum::FullConnectivity);
  }
  ConnectivityEnum
  GetConnectivity() const
  {
    return m_FullyConnected ? ConnectivityEnum::FullConnectivity : ConnectivityEnum::FaceConnectivity;
  }

protected:
  BrickConnectedThresholdImageFilter()
  {
    this->SetLower(NumericTraits<InputImagePixelType>::NonpositiveMin());
    this->SetUpper(NumericTraits<InputImagePixelType>::max());
  }
  ~BrickConnectedThresholdImageFilter() override = default;

  itkBrickWholeImageMacro();

  void
  GenerateData() override
  {
    RunBrickWork(this, [this] {
      BrickProgress         progress(this);
      const auto            region = this->GetInput()->GetLargestPossibleRegion();
      const BrickRegionView input = MakeBrickRegionView(this->GetInput(), region);
      progress.Stage(0, 0.9);
      brickccl::LabelOptions options;
      options.connectivity = MakeBrickConnectivity(m_FullyConnected, TInputImage::ImageDimension);
      options.criterion = brickccl::Criterion::InRange(this->GetLower(), this->GetUpper());
      options.threads = BrickThreadsOf(this);
      options.progress = progress.Hooks();
      brickccl::ComponentFilter filter;
      filter.seeds.emplace();
      for (const IndexType & seed : m_Seeds)
      {
        filter.seeds->push_back(PlaceOf(seed, region));
      }
      brickccl::Labeling labeling;
      brickccl::Label(input.view, options, filter, labeling);

      progress.Stage(0.9, 1);
      this->AllocateOutputs();
      OutputImagePixelType * const output = this->GetOutput()->GetBufferPointer();
      const brickccl::Extent &     extent = labeling.GetExtent();
      ForBrickPieces(this, progress, extent.RowCount(), [&](std::int64_t begin, std::int64_t end) {
        std::fill(output + begin * extent.RowLength(), output + end * extent.RowLength(), OutputImagePixelType{});
        for (const brickccl::LabelRun & run : labeling.ListRuns(begin, end))
        {
          if (run.label != 0)
          {
            std::fill_n(output + run.place, run.length, m_ReplaceValue);
          }
        }
      });
    });
  }

private:
  /** \throws brickccl::InvalidArgument for a seed outside the region */
  static std::int64_t
  PlaceOf(const IndexType & seed, const typename TInputImage::RegionType & region)
  {
    if (!region.IsInside(seed))
    {
      std::ostringstream message;
      message << "the seed " << seed << " is outside the image, whose first pixel is " << region.GetIndex()
              << " and whose last one is " << region.GetUpperIndex();
      throw brickccl::InvalidArgument(message.str());
    }
    return BrickPlaceOf(seed, region);
  }

  SeedContainerType    m_Seeds;
  OutputImagePixelType m_ReplaceValue{ NumericTraits<OutputImagePixelType>::OneValue() };
  bool                 m_FullyConnected{ false };
};

} // namespace itk

#endif
