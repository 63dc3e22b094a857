// SPDX-License-Identifier: Apache-2.0
#ifndef itkBrickRelabelComponentImageFilter_h
#define itkBrickRelabelComponentImageFilter_h

#include "itkBrickImageView.h"
#include "itkBrickLabelCounts.h"
#include "itkBrickMacro.h"

#include "itkInPlaceImageFilter.h"

#include <algorithm>
#include <vector>

namespace itk
{

/** \class BrickRelabelComponentImageFilter
 * \brief Numbers the objects of a label image 1, 2, 3 ... by size or in their order, and drops small ones; replaces
 * RelabelComponentImageFilter.
 *
 * Every nonzero value is the label of an object. Objects are numbered by size, the largest first, equal sizes by label
 * (SortByObjectSizeOff: all by label). Objects with fewer pixels than MinimumObjectSize become 0. The output equals the
 * output of ITK's filter; it can also run in place, and produces only the requested region.
 *
 * If the output pixel type cannot hold the numbers, Update throws before anything is written; this also holds for
 * floating types, which ITK's filter rounds. NaN is an error. Sizes are not looked up in a map for each pixel, so it is
 * faster, especially with many objects.
 *
 * \sa RelabelComponentImageFilter, BrickConnectedComponentImageFilter */
template <typename TInputImage, typename TOutputImage>
class ITK_TEMPLATE_EXPORT BrickRelabelComponentImageFilter : public InPlaceImageFilter<TInputImage, TOutputImage>
{
public:
  itkBrickClassMacro(BrickRelabelComponentImageFilter, InPlaceImageFilter<TInputImage, TOutputImage>);
  itkNewMacro(Self);

  using InputImageType = TInputImage;
  using InputImagePointer = typename Superclass::InputImagePointer;
  using InputPixelType = typename TInputImage::PixelType;
  using InputInternalPixelType = typename TInputImage::InternalPixelType;
  using OutputImageType = TOutputImage;
  using OutputPixelType = typename TOutputImage::PixelType;
  using OutputInternalPixelType = typename TOutputImage::InternalPixelType;
  using IndexType = typename TInputImage::IndexType;
  using SizeType = typename TInputImage::SizeType;
  using RegionType = typename TOutputImage::RegionType;
  using LabelType = InputPixelType;
  using ObjectSizeType = SizeValueType;
  using ObjectSizeInPixelsContainerType = std::vector<ObjectSizeType>;
  using ObjectSizeInPhysicalUnitsContainerType = std::vector<float>;
  static constexpr unsigned int ImageDimension = TOutputImage::ImageDimension;
  static constexpr unsigned int InputImageDimension = TInputImage::ImageDimension;
  static_assert(ImageDimension == InputImageDimension, "input and output must have the same dimension");
  static_assert(IsBrickPlainImage<TOutputImage>, "the output must be an itk::Image, not an adaptor");

  /** The number of objects in the output. Valid after Update. */
  itkGetConstMacro(NumberOfObjects, SizeValueType);

  /** The number of objects before small ones were dropped. Valid after Update. */
  itkGetConstMacro(OriginalNumberOfObjects, SizeValueType);

  /** The number of objects described by Print. Default: 10. */
  itkSetMacro(NumberOfObjectsToPrint, SizeValueType);
  itkGetConstReferenceMacro(NumberOfObjectsToPrint, SizeValueType);

  /** Objects with fewer pixels become background. Default: 0. */
  itkSetMacro(MinimumObjectSize, ObjectSizeType);
  itkGetConstMacro(MinimumObjectSize, ObjectSizeType);

  /** Whether to number objects by size, the largest first. Default: on. */
  itkSetMacro(SortByObjectSize, bool);
  itkGetConstMacro(SortByObjectSize, bool);
  itkBooleanMacro(SortByObjectSize);

  /** The sizes of the objects 1, 2, 3 ... Valid after Update. */
  const ObjectSizeInPixelsContainerType &
  GetSizeOfObjectsInPixels() const
  {
    return m_SizeOfObjectsInPixels;
  }
  const ObjectSizeInPhysicalUnitsContainerType &
  GetSizeOfObjectsInPhysicalUnits() const
  {
    return m_SizeOfObjectsInPhysicalUnits;
  }

  /** The size of one object; 0 if there is no such object. Valid after Update. */
  ObjectSizeType
  GetSizeOfObjectInPixels(LabelType object) const
  {
    return IsObject(object) ? m_SizeOfObjectsInPixels[static_cast<std::size_t>(object) - 1] : 0;
  }
  float
  GetSizeOfObjectInPhysicalUnits(LabelType object) const
  {
    return IsObject(object) ? m_SizeOfObjectsInPhysicalUnits[static_cast<std::size_t>(object) - 1] : 0;
  }

protected:
  BrickRelabelComponentImageFilter()
  {
    this->InPlaceOff();
  }
  ~BrickRelabelComponentImageFilter() override = default;

  itkBrickWholeInputMacro();
  void
  GenerateData() override
  {
    m_NumberOfObjects = 0;
    m_OriginalNumberOfObjects = 0;
    m_SizeOfObjectsInPixels.clear();
    m_SizeOfObjectsInPhysicalUnits.clear();
    RunBrickWork(this, [this] {
      BrickProgress progress(this);
      progress.Stage(0, 0.5);
      const BrickRegionView input = MakeBrickRegionView(this->GetInput(), this->GetInput()->GetLargestPossibleRegion());
      const auto * const    pixels = static_cast<const InputPixelType *>(input.view.data);
      const CountsType      counts(this, progress, pixels, input.view.extent.VoxelCount(), InputPixelType(0));
      std::vector<OutputPixelType> numbers = this->NumberObjects(counts);
      progress.Stage(0.5, 1);
      this->AllocateOutputs();
      this->WriteNumbers(progress, pixels, counts, numbers);
    });
  }
  void
  PrintSelf(std::ostream & os, Indent indent) const override
  {
    Superclass::PrintSelf(os, indent);
    os << indent << "NumberOfObjects: " << m_NumberOfObjects << std::endl;
    os << indent << "OriginalNumberOfObjects: " << m_OriginalNumberOfObjects << std::endl;
    os << indent << "NumberOfObjectsToPrint: " << m_NumberOfObjectsToPrint << std::endl;
    os << indent << "MinimumObjectSizes: " << m_MinimumObjectSize << std::endl;
    os << indent << "SortByObjectSize: " << m_SortByObjectSize << std::endl;
    const SizeValueType printed = std::min<SizeValueType>(m_NumberOfObjectsToPrint, m_NumberOfObjects);
    for (SizeValueType i = 0; i < printed; ++i)
    {
      os << indent << "Object #" << i + 1 << ": " << m_SizeOfObjectsInPixels[i] << " pixels, "
         << m_SizeOfObjectsInPhysicalUnits[i] << " physical units" << std::endl;
    }
    if (printed < m_NumberOfObjects)
    {
      os << indent << "..." << std::endl;
    }
  }

private:
  using CountsType = BrickLabelCounts<InputPixelType>;

  bool
  IsObject(LabelType object) const
  {
    return object > LabelType(0) && static_cast<SizeValueType>(object) <= m_NumberOfObjects;
  }

  /** \return for every label, by index, its number in the output, and 0 for the background */
  std::vector<OutputPixelType>
  NumberObjects(const CountsType & counts)
  {
    const auto &             sizes = counts.Counts();
    std::vector<std::size_t> kept;
    for (std::size_t place = 0; place < sizes.size(); ++place)
    {
      if (sizes[place] >= m_MinimumObjectSize)
      {
        kept.push_back(place);
      }
    }
    if (m_SortByObjectSize)
    {
      std::stable_sort(kept.begin(), kept.end(), [&](std::size_t a, std::size_t b) { return sizes[a] > sizes[b]; });
    }
    constexpr int  digits = std::numeric_limits<OutputPixelType>::digits;
    constexpr auto largest = digits >= 64                        ? std::numeric_limits<std::uint64_t>::max()
                           : std::is_integral_v<OutputPixelType> ? (std::uint64_t{ 1 } << (digits % 64)) - 1
                                                                 : std::uint64_t{ 1 } << (digits % 64);
    if (kept.size() > largest)
    {
      throw brickccl::LabelOverflow(std::to_string(kept.size()) +
                                    " objects do not fit the output pixel type, whose largest label is " +
                                    std::to_string(largest));
    }

    // As ITK computes it, in this precision.
    float pixelSize = 1;
    for (unsigned int axis = 0; axis < ImageDimension; ++axis)
    {
      pixelSize = static_cast<float>(pixelSize * this->GetInput()->GetSpacing()[axis]);
    }
    std::vector<OutputPixelType> numbers(sizes.size() + 1, OutputPixelType(0));
    for (std::size_t i = 0; i < kept.size(); ++i)
    {
      numbers[kept[i]] = static_cast<OutputPixelType>(i + 1);
      m_SizeOfObjectsInPixels.push_back(sizes[kept[i]]);
      m_SizeOfObjectsInPhysicalUnits.push_back(static_cast<float>(sizes[kept[i]]) * pixelSize);
    }
    m_OriginalNumberOfObjects = sizes.size();
    m_NumberOfObjects = kept.size();
    return numbers;
  }

  /** Writes the rows of the output's requested region. */
  void
  WriteNumbers(BrickProgress &                      progress,
               const InputPixelType *               pixels,
               const CountsType &                   counts,
               const std::vector<OutputPixelType> & numbers)
  {
    OutputImageType * const output = this->GetOutput();
    const RegionType        whole = output->GetLargestPossibleRegion();
    const RegionType        asked = output->GetRequestedRegion();
    const auto              length = static_cast<std::int64_t>(asked.GetSize(0));
    const std::int64_t      rows = length == 0 ? 0 : static_cast<std::int64_t>(asked.GetNumberOfPixels()) / length;
    OutputPixelType * const written = output->GetBufferPointer();
    ForBrickPieces(this, progress, rows, [&](std::int64_t begin, std::int64_t end, std::size_t) {
      for (std::int64_t row = begin; row < end; ++row)
      {
        IndexType    index = asked.GetIndex();
        std::int64_t rest = row;
        for (unsigned int axis = 1; axis < ImageDimension; ++axis)
        {
          index[axis] += static_cast<IndexValueType>(rest % static_cast<std::int64_t>(asked.GetSize(axis)));
          rest /= static_cast<std::int64_t>(asked.GetSize(axis));
        }
        const InputPixelType * const from = pixels + BrickPlaceOf(index, whole);
        OutputPixelType * const      to = written + output->ComputeOffset(index);
        for (std::int64_t x = 0; x < length;)
        {
          const InputPixelType value = from[x];
          const std::int64_t   next = EndOfBrickStretch(from, x, length);
          std::fill(to + x,
                    to + next,
                    numbers[value == InputPixelType(0) ? numbers.size() - 1 : counts.PlaceOf(value)]);
          x = next;
        }
      }
    });
  }

  SizeValueType                          m_NumberOfObjects{ 0 };
  SizeValueType                          m_NumberOfObjectsToPrint{ 10 };
  SizeValueType                          m_OriginalNumberOfObjects{ 0 };
  ObjectSizeType                         m_MinimumObjectSize{ 0 };
  bool                                   m_SortByObjectSize{ true };
  ObjectSizeInPixelsContainerType        m_SizeOfObjectsInPixels;
  ObjectSizeInPhysicalUnitsContainerType m_SizeOfObjectsInPhysicalUnits;
};

} // namespace itk

#endif
