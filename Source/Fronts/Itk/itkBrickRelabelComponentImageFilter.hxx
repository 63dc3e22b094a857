// SPDX-License-Identifier: Apache-2.0
#ifndef itkBrickRelabelComponentImageFilter_hxx
#define itkBrickRelabelComponentImageFilter_hxx

#include "itkBrickRelabelComponentImageFilter.h"

#include <algorithm>
#include <numeric>

namespace itk
{

template <typename TInputImage, typename TOutputImage>
void
BrickRelabelComponentImageFilter<TInputImage, TOutputImage>::GenerateData()
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

template <typename TInputImage, typename TOutputImage>
std::vector<typename TOutputImage::PixelType>
BrickRelabelComponentImageFilter<TInputImage, TOutputImage>::NumberObjects(const CountsType & counts)
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

template <typename TInputImage, typename TOutputImage>
void
BrickRelabelComponentImageFilter<TInputImage, TOutputImage>::WriteNumbers(BrickProgress &                      progress,
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
        std::fill(to + x, to + next, numbers[value == InputPixelType(0) ? numbers.size() - 1 : counts.PlaceOf(value)]);
        x = next;
      }
    }
  });
}

template <typename TInputImage, typename TOutputImage>
void
BrickRelabelComponentImageFilter<TInputImage, TOutputImage>::PrintSelf(std::ostream & os, Indent indent) const
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

} // namespace itk

#endif
