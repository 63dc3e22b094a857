// SPDX-License-Identifier: Apache-2.0
#include "itkBrickScalarConnectedComponentImageFilter.h"

#include "ItkImages.h"

#include "itkImageAdaptor.h"
#include "itkScalarConnectedComponentImageFilter.h"

#include <gtest/gtest.h>

#include <limits>

namespace
{

using brickccl::testing::MakeEmptyImage;
using brickccl::testing::MakeImage;

/** Both filters with the same parameters: the same components in the same order. ITK's labels have gaps. */
template <typename TImage, typename TMask = TImage>
void
ExpectComponentsOfItk(const TImage *             image,
                      typename TImage::PixelType threshold,
                      bool                       fully,
                      const TMask *              mask = nullptr)
{
  brickccl::testing::ExpectComponentsOfItk<itk::BrickScalarConnectedComponentImageFilter,
                                           itk::ScalarConnectedComponentImageFilter>(image, threshold, fully, mask);
}

template <typename TPixel, unsigned int VDimension>
void
CheckType(const std::vector<std::int64_t> & size)
{
  using Image = itk::Image<TPixel, VDimension>;
  using Mask = itk::Image<unsigned char, VDimension>;
  for (const bool shifted : { false, true })
  {
    const auto mask = MakeImage<Mask>(size, 7, shifted);
    for (const int levels : { 2, 5, 90 })
    {
      auto image = MakeEmptyImage<Image>(size, shifted);
      brickccl::testing::FillFromSeed(image.GetPointer(), 3, [levels](std::uint64_t number) {
        return number % static_cast<std::uint64_t>(levels);
      });
      for (const int threshold : { 0, 1, 20 })
      {
        for (const bool fully : { false, true })
        {
          ExpectComponentsOfItk<Image, Mask>(image, static_cast<TPixel>(threshold), fully);
          ExpectComponentsOfItk<Image, Mask>(image, static_cast<TPixel>(threshold), fully, mask);
        }
      }
    }
  }
}

TEST(BrickScalarConnectedComponentImageFilter, HasTheComponentsOfItksFilter)
{
  CheckType<unsigned char, 2>({ 33, 20 });
  CheckType<signed char, 3>({ 17, 9, 5 });
  CheckType<short, 3>({ 17, 9, 5 });
  CheckType<unsigned short, 2>({ 33, 20 });
  CheckType<int, 3>({ 17, 9, 5 });
  CheckType<float, 3>({ 17, 9, 5 });
  CheckType<double, 2>({ 33, 20 });
}

TEST(BrickScalarConnectedComponentImageFilter, GradientsAndFencesOfPixels)
{
  using Image = itk::Image<unsigned char, 2>;
  // A ramp, whose neighbors are all within 1, and columns that are 2 apart except at one end: a long way round.
  auto ramp = MakeEmptyImage<Image>({ 200, 40 });
  auto comb = MakeEmptyImage<Image>({ 64, 40 });
  for (itk::ImageRegionIterator<Image> it(ramp, ramp->GetLargestPossibleRegion()); !it.IsAtEnd(); ++it)
  {
    it.Set(static_cast<unsigned char>(ramp->ComputeIndex(&it.Value() - ramp->GetBufferPointer())[0]));
  }
  for (int y = 0; y < 40; ++y)
  {
    for (int x = 0; x < 64; ++x)
    {
      comb->SetPixel({ { x, y } }, static_cast<unsigned char>(x % 2 == 0 || (x % 4 == 1 ? y == 0 : y == 39) ? 5 : 200));
    }
  }
  for (const int bound : { 0, 1, 2, 195, 255 })
  {
    const auto threshold = static_cast<unsigned char>(bound);
    for (const bool fully : { false, true })
    {
      ExpectComponentsOfItk<Image, Image>(ramp, threshold, fully);
      ExpectComponentsOfItk<Image, Image>(comb, threshold, fully);
    }
  }
}

TEST(BrickScalarConnectedComponentImageFilter, DefaultsAndMembersAreThoseOfItk)
{
  using Image = itk::Image<short, 3>;
  auto ours = itk::BrickScalarConnectedComponentImageFilter<Image, Image>::New();
  auto theirs = itk::ScalarConnectedComponentImageFilter<Image, Image>::New();
  EXPECT_EQ(ours->GetDistanceThreshold(), theirs->GetDistanceThreshold());
  EXPECT_EQ(ours->GetFullyConnected(), theirs->GetFullyConnected());
  EXPECT_EQ(ours->GetBackgroundValue(), theirs->GetBackgroundValue());
  EXPECT_STREQ(ours->GetNameOfClass(), "BrickScalarConnectedComponentImageFilter");
  std::ostringstream text;
  ours->SetDistanceThreshold(77);
  ours->Print(text);
  EXPECT_NE(text.str().find("DistanceThreshold: 77"), std::string::npos);
}

TEST(BrickScalarConnectedComponentImageFilter, DifferencesDoNotWrap)
{
  using Image = itk::Image<short, 2>;
  auto image = MakeEmptyImage<Image>({ 2, 1 });
  image->SetPixel({ { 0, 0 } }, -20000);
  image->SetPixel({ { 1, 0 } }, 20000);
  auto ours = itk::BrickScalarConnectedComponentImageFilter<Image, Image>::New();
  ours->SetInput(image);
  ours->SetDistanceThreshold(10);
  ours->Update();
  EXPECT_EQ(ours->GetObjectCount(), 2u);

  using Wide = itk::Image<std::int64_t, 2>;
  auto wide = MakeEmptyImage<Wide>({ 2, 1 });
  wide->SetPixel({ { 0, 0 } }, std::numeric_limits<std::int64_t>::min());
  wide->SetPixel({ { 1, 0 } }, std::numeric_limits<std::int64_t>::max());
  auto ofWide = itk::BrickScalarConnectedComponentImageFilter<Wide, Image>::New();
  ofWide->SetInput(wide);
  ofWide->SetDistanceThreshold(std::numeric_limits<std::int64_t>::max());
  ofWide->Update();
  EXPECT_EQ(ofWide->GetObjectCount(), 2u);
}

TEST(BrickScalarConnectedComponentImageFilter, BadInputIsAnError)
{
  using Image = itk::Image<short, 2>;
  using Bytes = itk::Image<unsigned char, 2>;
  auto image = MakeEmptyImage<Image>({ 40, 40 });
  brickccl::testing::FillFromSeed(image.GetPointer(), 1, [](std::uint64_t number) { return number % 1000; });
  auto ours = itk::BrickScalarConnectedComponentImageFilter<Image, Bytes>::New();
  ours->SetInput(image);
  EXPECT_THROW(ours->Update(), itk::ExceptionObject) << "too many components for a byte, which ITK merges";
  ours->SetDistanceThreshold(-1);
  EXPECT_THROW(ours->Update(), itk::ExceptionObject);
  ours->SetDistanceThreshold(2000);
  ours->Update();
  EXPECT_EQ(ours->GetObjectCount(), 1u);
}

TEST(BrickScalarConnectedComponentImageFilter, ACriterionThatWrappedLanguagesSetIsRefused)
{
  using Image = itk::Image<short, 2>;
  auto ours = itk::BrickScalarConnectedComponentImageFilter<Image, Image>::New();
  ours->SetInput(MakeEmptyImage<Image>({ 4, 4 }));
  itk::BrickConnectedComponentImageFilter<Image, Image> * const base = ours;
  base->SetCriterion("foreground within [1, 2]");
  EXPECT_THROW(ours->Update(), itk::ExceptionObject);
}

TEST(BrickScalarConnectedComponentImageFilter, RunsAgainWhenTheThresholdChanges)
{
  using Image = itk::Image<short, 3>;
  auto image = MakeEmptyImage<Image>({ 20, 12, 9 });
  brickccl::testing::FillFromSeed(image.GetPointer(), 2, [](std::uint64_t number) { return number % 50; });
  auto ours = itk::BrickScalarConnectedComponentImageFilter<Image, Image>::New();
  int  runs = 0;
  ours->AddObserver(itk::StartEvent(), [&](const itk::EventObject &) { ++runs; });
  ours->SetInput(image);
  itk::SizeValueType before = std::numeric_limits<itk::SizeValueType>::max();
  for (const int threshold : { 0, 5, 5, 30 })
  {
    ours->SetDistanceThreshold(static_cast<short>(threshold));
    ours->Update();
    EXPECT_LE(ours->GetObjectCount(), before);
    before = ours->GetObjectCount();
  }
  EXPECT_EQ(runs, 3);
  // The size filters of the base class serve here, too.
  ours->SetDistanceThreshold(5);
  ours->SetMinimumObjectSize(4);
  ours->Update();
  for (const auto & component : ours->GetComponentTable().components)
  {
    EXPECT_GE(component.voxelCount, 4u);
  }
}

} // namespace
