// SPDX-License-Identifier: Apache-2.0
#include "itkBrickThresholdMaximumConnectedComponentsImageFilter.h"

#include "BrickCCL/Phantoms/Phantoms.h"
#include "ItkImages.h"

#include "itkImageAdaptor.h"
#include "itkThresholdMaximumConnectedComponentsImageFilter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <type_traits>

namespace
{

using brickccl::testing::FillFromSeed;
using brickccl::testing::MakeEmptyImage;
using brickccl::testing::PixelsOf;

template <typename TInput, typename TOutput>
void
ExpectResultOfItk(const TInput *              image,
                  unsigned int                minimumSize,
                  typename TInput::PixelType  upperBoundary,
                  typename TOutput::PixelType inside)
{
  auto ours = itk::BrickThresholdMaximumConnectedComponentsImageFilter<TInput, TOutput>::New();
  auto theirs = itk::ThresholdMaximumConnectedComponentsImageFilter<TInput, TOutput>::New();
  ours->SetInput(image);
  theirs->SetInput(image);
  ours->SetMinimumObjectSizeInPixels(minimumSize);
  theirs->SetMinimumObjectSizeInPixels(minimumSize);
  ours->SetUpperBoundary(upperBoundary);
  theirs->SetUpperBoundary(upperBoundary);
  ours->SetInsideValue(inside);
  theirs->SetInsideValue(inside);
  ours->Update();
  theirs->Update();
  EXPECT_EQ(ours->GetThresholdValue(), theirs->GetThresholdValue());
  EXPECT_EQ(ours->GetNumberOfObjects(), theirs->GetNumberOfObjects());
  EXPECT_GT(ours->GetNumberOfObjects(), 0u);
  ASSERT_EQ(PixelsOf(ours->GetOutput()), PixelsOf(theirs->GetOutput()));
}

/** Blobs of different brightness over noise. */
template <typename TPixel, unsigned int VDimension>
void
CheckType(const std::vector<std::int64_t> & size, double scale, double offset)
{
  using Image = itk::Image<TPixel, VDimension>;
  auto                   image = MakeEmptyImage<Image>(size, true);
  const brickccl::Extent extent(static_cast<int>(VDimension), size.data());
  const auto             blobs = brickccl::MakeRandom(extent, 0.2, 3, 4);
  std::uint64_t          voxel = 0;
  for (itk::ImageRegionIterator<Image> it(image, image->GetLargestPossibleRegion()); !it.IsAtEnd(); ++it, ++voxel)
  {
    const auto noise = static_cast<double>(brickccl::HashOf(9, voxel) % 60);
    it.Set(static_cast<TPixel>(offset + scale * (noise + (blobs[voxel] != 0 ? 40 : 0))));
  }
  using Bytes = itk::Image<unsigned char, VDimension>;
  for (const unsigned int minimum : { 0u, 3u, 20u })
  {
    for (const double boundary : { offset + 80 * scale, offset + 1000 * scale })
    {
      const auto upper =
        static_cast<TPixel>(std::min<double>(boundary, static_cast<double>(std::numeric_limits<TPixel>::max())));
      ExpectResultOfItk<Image, Bytes>(image, minimum, upper, 255);
      ExpectResultOfItk<Image, Image>(image, minimum, upper, TPixel(1));
    }
  }
}

TEST(BrickThresholdMaximumConnectedComponentsImageFilter, HasTheResultOfItksFilterForEveryPixelType)
{
  CheckType<unsigned char, 2>({ 60, 50 }, 2, 20);
  CheckType<unsigned char, 3>({ 20, 15, 10 }, 2, 0);
  CheckType<unsigned short, 2>({ 60, 50 }, 100, 0);
  CheckType<short, 3>({ 20, 15, 10 }, 30, -1000);
  CheckType<int, 2>({ 60, 50 }, 1000, 500);
  CheckType<unsigned int, 3>({ 20, 15, 10 }, 70, 0);
  CheckType<float, 2>({ 60, 50 }, 2.5, -30);
  CheckType<double, 3>({ 20, 15, 10 }, 1.5, 10);
}

TEST(BrickThresholdMaximumConnectedComponentsImageFilter, DefaultsAreThoseOfItk)
{
  using Short = itk::Image<short, 3>;
  using Float = itk::Image<float, 3>;
  const auto check = [](auto ours, auto theirs) {
    EXPECT_EQ(ours->GetMinimumObjectSizeInPixels(), theirs->GetMinimumObjectSizeInPixels());
    EXPECT_EQ(ours->GetInsideValue(), theirs->GetInsideValue());
    EXPECT_EQ(ours->GetOutsideValue(), theirs->GetOutsideValue());
    EXPECT_EQ(ours->GetUpperBoundary(), theirs->GetUpperBoundary());
    EXPECT_EQ(ours->GetThresholdValue(), theirs->GetThresholdValue());
    EXPECT_EQ(ours->GetNumberOfObjects(), theirs->GetNumberOfObjects());
  };
  check(itk::BrickThresholdMaximumConnectedComponentsImageFilter<Short>::New(),
        itk::ThresholdMaximumConnectedComponentsImageFilter<Short>::New());
  check(itk::BrickThresholdMaximumConnectedComponentsImageFilter<Float, Short>::New(),
        itk::ThresholdMaximumConnectedComponentsImageFilter<Float, Short>::New());
}

TEST(BrickThresholdMaximumConnectedComponentsImageFilter, DiffersOnPurposeWhereItksCountMeansNothing)
{
  using Image = itk::Image<unsigned char, 2>;
  auto image = MakeEmptyImage<Image>({ 30, 30 });
  FillFromSeed(image.GetPointer(), 3, [](std::uint64_t number) { return number % 5 == 0 ? 200 : number % 50; });
  auto ours = itk::BrickThresholdMaximumConnectedComponentsImageFilter<Image>::New();
  ours->SetInput(image);
  ours->Update();
  const auto threshold = ours->GetThresholdValue();
  const auto objects = ours->GetNumberOfObjects();
  EXPECT_GT(objects, 20u);
  ours->SetOutsideValue(7);
  ours->Update();
  EXPECT_EQ(ours->GetThresholdValue(), threshold);
  EXPECT_EQ(ours->GetNumberOfObjects(), objects);
  const auto output = PixelsOf(ours->GetOutput());
  EXPECT_EQ(std::count(output.begin(), output.end(), 7) + std::count(output.begin(), output.end(), 255), 900);

  // Of two values: nothing to try, but there are objects.
  FillFromSeed(image.GetPointer(), 3, [](std::uint64_t number) { return number % 50 == 0 ? 1 : 0; });
  image->Modified();
  ours->Update();
  EXPECT_EQ(ours->GetThresholdValue(), 0);
  EXPECT_EQ(ours->GetNumberOfObjects(), 1u) << "all is inside";

  using Wide = itk::Image<int, 2>;
  auto wide = MakeEmptyImage<Wide>({ 2, 1 });
  wide->SetPixel({ { 0, 0 } }, std::numeric_limits<int>::min());
  wide->SetPixel({ { 1, 0 } }, std::numeric_limits<int>::max());
  auto ofWide = itk::BrickThresholdMaximumConnectedComponentsImageFilter<Wide>::New();
  ofWide->SetInput(wide);
  EXPECT_THROW(ofWide->Update(), itk::ExceptionObject);
}

TEST(BrickThresholdMaximumConnectedComponentsImageFilter, RunsAgainAbortsAndGoesOn)
{
  using Image = itk::Image<unsigned short, 3>;
  auto image = MakeEmptyImage<Image>({ 40, 30, 20 });
  FillFromSeed(image.GetPointer(), 3, [](std::uint64_t number) { return number % 5000; });
  auto               ours = itk::BrickThresholdMaximumConnectedComponentsImageFilter<Image>::New();
  std::vector<float> progress;
  ours->SetInput(image);
  auto tag =
    ours->AddObserver(itk::ProgressEvent(), [&](const itk::EventObject &) { progress.push_back(ours->GetProgress()); });
  ours->Update();
  EXPECT_GT(progress.size(), 5u);
  EXPECT_TRUE(std::is_sorted(progress.begin(), progress.end()));
  EXPECT_FLOAT_EQ(progress.back(), 1.0f);
  const auto first = PixelsOf(ours->GetOutput());
  const auto objects = ours->GetNumberOfObjects();
  ours->RemoveObserver(tag);
  ours->SetMinimumObjectSizeInPixels(100000);
  ours->Update();
  EXPECT_EQ(ours->GetNumberOfObjects(), 0u);
  ours->SetMinimumObjectSizeInPixels(0);
  tag = ours->AddObserver(itk::ProgressEvent(), [&](const itk::EventObject &) {
    if (ours->GetProgress() > 0.5f)
    {
      ours->AbortGenerateDataOn();
    }
  });
  EXPECT_THROW(ours->Update(), itk::ProcessAborted);
  ours->RemoveObserver(tag);
  ours->Update();
  EXPECT_EQ(PixelsOf(ours->GetOutput()), first);
  EXPECT_EQ(ours->GetNumberOfObjects(), objects);
}

} // namespace
