// SPDX-License-Identifier: Apache-2.0
#ifndef itkBrickThresholdMaximumConnectedComponentsImageFilter_hxx
#define itkBrickThresholdMaximumConnectedComponentsImageFilter_hxx

#include "itkBrickThresholdMaximumConnectedComponentsImageFilter.h"

#include "itkBrickLabelCounts.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace itk
{

template <typename TInputImage, typename TOutputImage>
BrickThresholdMaximumConnectedComponentsImageFilter<TInputImage,
                                                    TOutputImage>::BrickThresholdMaximumConnectedComponentsImageFilter()
{
  using SumType = typename NumericTraits<PixelType>::AccumulateType;
  m_ThresholdValue = static_cast<PixelType>(
    (SumType(NumericTraits<PixelType>::max()) + SumType(NumericTraits<PixelType>::NonpositiveMin())) / 2);
}

template <typename TInputImage, typename TOutputImage>
SizeValueType
BrickThresholdMaximumConnectedComponentsImageFilter<TInputImage, TOutputImage>::CountObjects(
  const brickccl::ImageView & image,
  PixelType                   threshold,
  BrickProgress &             progress)
{
  brickccl::LabelOptions options;
  options.criterion = brickccl::Criterion::InRange(threshold, m_UpperBoundary);
  options.relabel.minimumSize = m_MinimumObjectSizeInPixels;
  options.threads = BrickThreadsOf(this);
  options.progress.canceled = progress.Hooks().canceled;
  brickccl::Label(image, options, m_Labeling);
  return m_Labeling.ComponentCount();
}

template <typename TInputImage, typename TOutputImage>
void
BrickThresholdMaximumConnectedComponentsImageFilter<TInputImage, TOutputImage>::Bisect(
  const brickccl::ImageView & image,
  PixelType                   low,
  PixelType                   high,
  BrickProgress &             progress)
{
  // The same steps and types as in ITK's filter, for the same result.
  auto midpoint = static_cast<PixelType>((high - low) / 2);
  auto left = static_cast<PixelType>(low + (midpoint - low) / 2);
  auto right = static_cast<PixelType>(high - (high - midpoint) / 2);
  bool isCounted = false;
  for (int step = 0; high - low > 2; ++step)
  {
    // About as many steps as the range has bits.
    progress.Update(1 - std::pow(0.75, step));
    const SizeValueType ofRight = this->CountObjects(image, right, progress);
    const SizeValueType ofLeft = this->CountObjects(image, left, progress);
    if (ofRight > ofLeft)
    {
      low = midpoint;
      midpoint = right;
    }
    else
    {
      high = midpoint;
      midpoint = left;
    }
    m_NumberOfObjects = std::max(ofRight, ofLeft);
    isCounted = true;
    left = static_cast<PixelType>(low + (midpoint - low) / 2);
    right = static_cast<PixelType>(high - (high - midpoint) / 2);
  }
  m_ThresholdValue = midpoint;
  if (!isCounted)
  {
    m_NumberOfObjects = this->CountObjects(image, midpoint, progress);
  }
}

template <typename TInputImage, typename TOutputImage>
void
BrickThresholdMaximumConnectedComponentsImageFilter<TInputImage, TOutputImage>::GenerateData()
{
  m_NumberOfObjects = 0;
  RunBrickWork(this, [this] {
    BrickProgress         progress(this);
    const BrickRegionView input = MakeBrickRegionView(this->GetInput(), this->GetInput()->GetLargestPossibleRegion());
    const auto * const    pixels = static_cast<const PixelType *>(input.view.data);
    const std::int64_t    count = input.view.extent.VoxelCount();
    // As in MinimumMaximumImageCalculator: NaN is neither.
    PixelType smallest = NumericTraits<PixelType>::max();
    PixelType largest = NumericTraits<PixelType>::NonpositiveMin();
    for (std::int64_t i = 0; i < count; ++i)
    {
      smallest = pixels[i] < smallest ? pixels[i] : smallest;
      largest = pixels[i] > largest ? pixels[i] : largest;
    }
    largest = std::min(largest, m_UpperBoundary);
    if (std::is_signed_v<PixelType> && std::is_integral_v<PixelType> && sizeof(PixelType) >= sizeof(int) &&
        smallest < 0 && largest > std::numeric_limits<PixelType>::max() + smallest)
    {
      throw brickccl::InvalidArgument("the values from " + std::to_string(smallest) + " to " + std::to_string(largest) +
                                      " span too wide a range for their type; use a wider type");
    }
    progress.Stage(0, 0.9);
    this->Bisect(input.view, smallest, largest, progress);
    if (m_UpperBoundary < m_ThresholdValue)
    {
      throw brickccl::InvalidArgument("the threshold found is above the upper boundary");
    }
    progress.Stage(0.9, 1);
    this->AllocateOutputs();
    OutputPixelType * const output = this->GetOutput()->GetBufferPointer();
    ForBrickPieces(this, progress, count, [&](std::int64_t begin, std::int64_t end, std::size_t) {
      for (std::int64_t i = begin; i < end; ++i)
      {
        output[i] = m_ThresholdValue <= pixels[i] && pixels[i] <= m_UpperBoundary ? m_InsideValue : m_OutsideValue;
      }
    });
  });
}

template <typename TInputImage, typename TOutputImage>
void
BrickThresholdMaximumConnectedComponentsImageFilter<TInputImage, TOutputImage>::PrintSelf(std::ostream & os,
                                                                                          Indent         indent) const
{
  using InputPrintType = typename NumericTraits<PixelType>::PrintType;
  using OutputPrintType = typename NumericTraits<OutputPixelType>::PrintType;
  Superclass::PrintSelf(os, indent);
  os << indent << "MinimumObjectSizeInPixels: " << m_MinimumObjectSizeInPixels << std::endl;
  os << indent << "OutsideValue: " << static_cast<OutputPrintType>(m_OutsideValue) << std::endl;
  os << indent << "InsideValue: " << static_cast<OutputPrintType>(m_InsideValue) << std::endl;
  os << indent << "UpperBoundary: " << static_cast<InputPrintType>(m_UpperBoundary) << std::endl;
  os << indent << "Threshold Value: " << static_cast<InputPrintType>(m_ThresholdValue) << std::endl;
  os << indent << "NumberOfObjects: " << m_NumberOfObjects << std::endl;
}

} // namespace itk

#endif
