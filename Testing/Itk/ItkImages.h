// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_TESTING_ITK_IMAGES_H
#define BRICKCCL_TESTING_ITK_IMAGES_H

#include "BrickCCL/Phantoms/Random.h"

#include "itkImage.h"
#include "itkImageRegionConstIterator.h"
#include "itkImageRegionIterator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <vector>

/** Images for the tests of ITK filters, from seeds, and what is read from them. */
namespace brickccl::testing
{

/** An image without content.
 *  \param shifted  whether its region begins at another index than 0 */
template <typename TImage>
typename TImage::Pointer
MakeEmptyImage(const std::vector<std::int64_t> & size, bool shifted = false)
{
  auto                        image = TImage::New();
  typename TImage::RegionType region;
  for (unsigned axis = 0; axis < TImage::ImageDimension; ++axis)
  {
    region.SetSize(axis, static_cast<itk::SizeValueType>(size[axis]));
    region.SetIndex(axis, shifted ? static_cast<itk::IndexValueType>(axis) * 5 - 3 : 0);
  }
  image->SetRegions(region);
  image->Allocate(true);
  return image;
}

/** Sets every pixel to a function of a random number that belongs to its place. */
template <typename TImage, typename TPixelOf>
void
FillFromSeed(TImage * image, std::uint64_t seed, const TPixelOf & pixelOf)
{
  std::uint64_t voxel = 0;
  for (itk::ImageRegionIterator<TImage> it(image, image->GetBufferedRegion()); !it.IsAtEnd(); ++it, ++voxel)
  {
    it.Set(static_cast<typename TImage::PixelType>(pixelOf(brickccl::HashOf(seed, voxel))));
  }
}

/** A quarter of the pixels are 1, 2 or 3, the others 0. */
template <typename TImage>
typename TImage::Pointer
MakeImage(const std::vector<std::int64_t> & size, std::uint64_t seed, bool shifted = false)
{
  auto image = MakeEmptyImage<TImage>(size, shifted);
  FillFromSeed(image.GetPointer(), seed, [](std::uint64_t number) { return number % 4 == 0 ? 1 + number / 4 % 3 : 0; });
  return image;
}

template <typename TImage>
std::vector<typename TImage::PixelType>
PixelsOf(const TImage * image)
{
  const auto * begin = image->GetBufferPointer();
  return { begin, begin + image->GetBufferedRegion().GetNumberOfPixels() };
}

/** The same partition with labels 1, 2, 3 ... by first pixels, and 0 where `labels` has 0. */
template <typename TLabel>
std::vector<std::uint64_t>
NumberedByFirstPixel(const std::vector<TLabel> & labels)
{
  std::map<TLabel, std::uint64_t> numbers{ { TLabel(0), 0 } };
  std::vector<std::uint64_t>      result;
  for (const TLabel label : labels)
  {
    result.push_back(numbers.try_emplace(label, numbers.size()).first->second);
  }
  return result;
}

/** Labels of any type as numbers. */
template <typename TImage>
std::vector<std::uint64_t>
LabelsOf(const TImage * image)
{
  const auto pixels = PixelsOf(image);
  return { pixels.begin(), pixels.end() };
}

/** Compares a filter of connected components with the ITK filter that it replaces: the same components in the same
 * order. ITK's labels have gaps. */
template <template <typename, typename, typename> class TOurs,
          template <typename, typename, typename>
          class TTheirs,
          typename TImage,
          typename TMask,
          typename TThreshold>
void
ExpectComponentsOfItk(const TImage * image, TThreshold threshold, bool fully, const TMask * mask)
{
  using Labels = itk::Image<unsigned int, TImage::ImageDimension>;
  auto ours = TOurs<TImage, Labels, TMask>::New();
  auto theirs = TTheirs<TImage, Labels, TMask>::New();
  ours->SetInput(image);
  theirs->SetInput(image);
  ours->SetDistanceThreshold(threshold);
  theirs->SetDistanceThreshold(threshold);
  ours->SetFullyConnected(fully);
  theirs->SetFullyConnected(fully);
  if (mask != nullptr)
  {
    ours->SetMaskImage(mask);
    theirs->SetMaskImage(mask);
  }
  ours->Update();
  theirs->Update();
  const auto expected = NumberedByFirstPixel(PixelsOf(theirs->GetOutput()));
  ASSERT_EQ(LabelsOf(ours->GetOutput()), expected);
  EXPECT_EQ(ours->GetObjectCount(), *std::max_element(expected.begin(), expected.end()));
  EXPECT_GT(ours->GetObjectCount(), 0u);
}

} // namespace brickccl::testing

#endif
