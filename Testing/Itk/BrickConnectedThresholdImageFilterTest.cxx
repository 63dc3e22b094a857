// SPDX-License-Identifier: Apache-2.0
#include "itkBrickConnectedThresholdImageFilter.h"

#include "ItkImages.h"

#include "itkConnectedThresholdImageFilter.h"

#include <gtest/gtest.h>

#include <limits>

namespace
{

using brickccl::testing::FillFromSeed;
using brickccl::testing::MakeEmptyImage;
using brickccl::testing::PixelsOf;

template <typename TPixel, typename TOutput, unsigned int VDimension>
void
CheckType(const std::vector<std::int64_t> & size, TPixel lower, TPixel upper)
{
  using Image = itk::Image<TPixel, VDimension>;
  using Output = itk::Image<TOutput, VDimension>;
  auto image = MakeEmptyImage<Image>(size, true);
  FillFromSeed(image.GetPointer(), 3, [](std::uint64_t number) { return number % 100; });
  auto       ours = itk::BrickConnectedThresholdImageFilter<Image, Output>::New();
  auto       theirs = itk::ConnectedThresholdImageFilter<Image, Output>::New();
  const auto set = [&](const auto & change) {
    change(ours.GetPointer());
    change(theirs.GetPointer());
  };
  set([&](auto * filter) {
    filter->SetInput(image);
    filter->SetLower(lower);
    filter->SetUpper(upper);
    filter->SetReplaceValue(7);
  });
  std::size_t marked = 0;
  const auto  compare = [&] {
    ours->Update();
    theirs->Update();
    const auto pixels = PixelsOf(ours->GetOutput());
    ASSERT_EQ(pixels, PixelsOf(theirs->GetOutput()));
    marked += static_cast<std::size_t>(std::count(pixels.begin(), pixels.end(), TOutput(7)));
  };
  const auto region = image->GetLargestPossibleRegion();
  for (const bool fully : { false, true })
  {
    ours->SetConnectivity(fully ? decltype(ours)::ObjectType::ConnectivityEnum::FullConnectivity
                                : decltype(ours)::ObjectType::ConnectivityEnum::FaceConnectivity);
    theirs->SetConnectivity(fully ? itk::ConnectedThresholdImageFilterEnums::Connectivity::FullConnectivity
                                  : itk::ConnectedThresholdImageFilterEnums::Connectivity::FaceConnectivity);
    set([](auto * filter) { filter->ClearSeeds(); });
    compare();
    for (std::int64_t pixel = 0; pixel < 40; ++pixel)
    {
      const auto index = image->ComputeIndex(static_cast<itk::OffsetValueType>(
        brickccl::HashOf(9, static_cast<std::uint64_t>(pixel)) % region.GetNumberOfPixels()));
      set([&](auto * filter) { pixel == 10 ? filter->SetSeed(index) : filter->AddSeed(index); });
      compare();
    }
    EXPECT_EQ(ours->GetSeeds(), theirs->GetSeeds());
  }
  EXPECT_GT(marked, region.GetNumberOfPixels());
}

TEST(BrickConnectedThresholdImageFilter, HasTheResultOfItksFilterForEveryPixelType)
{
  CheckType<unsigned char, unsigned char, 2>({ 50, 40 }, 0, 55);
  CheckType<short, unsigned char, 3>({ 24, 18, 12 }, 70, 99);
  CheckType<float, short, 3>({ 24, 18, 12 }, -1.5f, 29.5f);
  CheckType<unsigned int, float, 2>({ 50, 40 }, 40, std::numeric_limits<unsigned int>::max());
}

TEST(BrickConnectedThresholdImageFilter, DefaultsAreThoseOfItk)
{
  using Image = itk::Image<float, 3>;
  auto ours = itk::BrickConnectedThresholdImageFilter<Image, Image>::New();
  auto theirs = itk::ConnectedThresholdImageFilter<Image, Image>::New();
  EXPECT_EQ(ours->GetLower(), theirs->GetLower());
  EXPECT_EQ(ours->GetUpper(), theirs->GetUpper());
  EXPECT_EQ(ours->GetReplaceValue(), theirs->GetReplaceValue());
  EXPECT_EQ(static_cast<int>(ours->GetConnectivity()), static_cast<int>(theirs->GetConnectivity()));
  EXPECT_TRUE(ours->GetSeeds().empty());
}

TEST(BrickConnectedThresholdImageFilter, MistakesAreErrorsAndThresholdsComeFromThePipeline)
{
  using Image = itk::Image<unsigned char, 2>;
  auto image = MakeEmptyImage<Image>({ 9, 8 });
  image->FillBuffer(50);
  auto ours = itk::BrickConnectedThresholdImageFilter<Image, Image>::New();
  ours->SetInput(image);
  ours->SetSeed({ { 8, 8 } });
  EXPECT_THROW(ours->Update(), itk::ExceptionObject) << "a seed outside of the image";
  ours->SetSeed({ { 8, 7 } });
  ours->SetLower(60);
  ours->SetUpper(40);
  EXPECT_THROW(ours->Update(), itk::ExceptionObject) << "the lower bound above the upper one";
  auto lower = itk::SimpleDataObjectDecorator<unsigned char>::New();
  lower->Set(40);
  ours->SetLowerInput(lower);
  ours->SetUpper(60);
  ours->Update();
  EXPECT_EQ(ours->GetOutput()->GetPixel({ { 0, 0 } }), 1);
  lower->Set(51);
  ours->Update();
  EXPECT_EQ(ours->GetOutput()->GetPixel({ { 0, 0 } }), 0);
}

} // namespace
