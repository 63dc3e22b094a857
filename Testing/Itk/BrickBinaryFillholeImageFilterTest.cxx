// SPDX-License-Identifier: Apache-2.0
#include "itkBrickBinaryFillholeImageFilter.h"

#include "BrickCCL/Phantoms/Phantoms.h"
#include "ItkImages.h"

#include "itkBinaryFillholeImageFilter.h"
#include "itkImageAdaptor.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace
{

using brickccl::testing::FillFromSeed;
using brickccl::testing::MakeEmptyImage;
using brickccl::testing::PixelsOf;

template <typename TImage>
void
ExpectResultOfItk(const TImage * image, typename TImage::PixelType foreground)
{
  for (const bool fully : { false, true })
  {
    auto ours = itk::BrickBinaryFillholeImageFilter<TImage>::New();
    auto theirs = itk::BinaryFillholeImageFilter<TImage>::New();
    ours->SetInput(image);
    theirs->SetInput(image);
    ours->SetForegroundValue(foreground);
    theirs->SetForegroundValue(foreground);
    ours->SetFullyConnected(fully);
    theirs->SetFullyConnected(fully);
    ours->Update();
    theirs->Update();
    ASSERT_EQ(PixelsOf(ours->GetOutput()), PixelsOf(theirs->GetOutput()));
    EXPECT_EQ(ours->GetOutput()->GetLargestPossibleRegion(), image->GetLargestPossibleRegion());
  }
}

/** Objects of a foreground value and other values around and in them. */
template <typename TImage>
typename TImage::Pointer
MakeObjects(const std::vector<std::int64_t> & size, typename TImage::PixelType foreground, unsigned percent)
{
  auto image = MakeEmptyImage<TImage>(size, true);
  FillFromSeed(image.GetPointer(), percent, [&](std::uint64_t number) {
    return number % 100 < percent ? foreground : static_cast<typename TImage::PixelType>(number / 128 % 3);
  });
  return image;
}

template <typename TPixel>
void
CheckType(TPixel foreground)
{
  for (const unsigned percent : { 0u, 30u, 50u, 70u, 85u, 97u, 100u })
  {
    using Image2 = itk::Image<TPixel, 2>;
    using Image3 = itk::Image<TPixel, 3>;
    ExpectResultOfItk<Image2>(MakeObjects<Image2>({ 50, 40 }, foreground, percent), foreground);
    ExpectResultOfItk<Image3>(MakeObjects<Image3>({ 20, 15, 10 }, foreground, percent), foreground);
    ExpectResultOfItk<Image3>(MakeObjects<Image3>({ 20, 15, 1 }, foreground, percent), foreground);
    ExpectResultOfItk<Image3>(MakeObjects<Image3>({ 2, 15, 10 }, foreground, percent), foreground);
  }
}

TEST(BrickBinaryFillholeImageFilter, HasTheResultOfItksFilterForEveryPixelType)
{
  CheckType<unsigned char>(255);
  CheckType<unsigned char>(0);
  CheckType<short>(-7);
  CheckType<unsigned short>(1);
  CheckType<int>(70000);
  CheckType<float>(0.5f);
  using Image4 = itk::Image<unsigned char, 4>;
  ExpectResultOfItk<Image4>(MakeObjects<Image4>({ 9, 8, 7, 5 }, 255, 80), 255);
}

TEST(BrickBinaryFillholeImageFilter, NestedShellsAndHolesThatTouchAtCorners)
{
  using Image = itk::Image<unsigned char, 3>;
  auto image = MakeEmptyImage<Image>({ 21, 21, 21 });
  for (itk::ImageRegionIterator<Image> it(image, image->GetLargestPossibleRegion()); !it.IsAtEnd(); ++it)
  {
    const auto index = image->ComputeIndex(&it.Value() - image->GetBufferPointer());
    const auto radius = std::max({ std::abs(index[0] - 10), std::abs(index[1] - 10), std::abs(index[2] - 10) });
    it.Set(radius == 8 || radius == 5 || radius == 2 ? 255 : 0);
  }
  ExpectResultOfItk<Image>(image, 255);
  // A way out for the space between the shells.
  image->SetPixel({ { 2, 10, 10 } }, 0);
  ExpectResultOfItk<Image>(image, 255);
  // A cell that touches the outside only at an edge.
  auto plane = itk::Image<unsigned char, 2>::New();
  plane = MakeEmptyImage<itk::Image<unsigned char, 2>>({ 9, 9 });
  for (const auto & place : { std::pair{ 4, 3 }, { 3, 4 }, { 5, 4 }, { 4, 5 } })
  {
    plane->SetPixel({ { place.first, place.second } }, 255);
  }
  ExpectResultOfItk<itk::Image<unsigned char, 2>>(plane, 255);
}

TEST(BrickBinaryFillholeImageFilter, DefaultsAreThoseOfItk)
{
  using Image = itk::Image<short, 3>;
  auto ours = itk::BrickBinaryFillholeImageFilter<Image>::New();
  auto theirs = itk::BinaryFillholeImageFilter<Image>::New();
  EXPECT_EQ(ours->GetFullyConnected(), theirs->GetFullyConnected());
  EXPECT_EQ(ours->GetForegroundValue(), theirs->GetForegroundValue());
}

TEST(BrickBinaryFillholeImageFilter, NanIsNoObject)
{
  using Image = itk::Image<float, 2>;
  auto image = MakeEmptyImage<Image>({ 5, 5 });
  for (int y = 1; y < 4; ++y)
  {
    for (int x = 1; x < 4; ++x)
    {
      image->SetPixel({ { x, y } }, 1);
    }
  }
  image->SetPixel({ { 2, 2 } }, std::numeric_limits<float>::quiet_NaN());
  image->SetPixel({ { 0, 0 } }, std::numeric_limits<float>::quiet_NaN());
  auto ours = itk::BrickBinaryFillholeImageFilter<Image>::New();
  ours->SetInput(image);
  ours->SetForegroundValue(1);
  ours->Update();
  EXPECT_EQ(ours->GetOutput()->GetPixel({ { 2, 2 } }), 1);
  EXPECT_TRUE(std::isnan(ours->GetOutput()->GetPixel({ { 0, 0 } })));
  EXPECT_EQ(ours->GetNumberOfFilledHoles(), 1u);
}

TEST(BrickBinaryFillholeImageFilter, HolesGoOnThroughTheEndsOfPeriodicAxes)
{
  // Two walls along x, with a gap between them that goes from one end of x to the other.
  using Image = itk::Image<unsigned char, 2>;
  auto image = Image::New();
  image->SetRegions(Image::SizeType{ { 5, 5 } });
  image->Allocate(true);
  for (int x = 0; x < 5; ++x)
  {
    image->SetPixel({ { x, 1 } }, 255);
    image->SetPixel({ { x, 3 } }, 255);
  }
  auto ours = itk::BrickBinaryFillholeImageFilter<Image>::New();
  ours->SetInput(image);
  ours->Update();
  EXPECT_EQ(ours->GetNumberOfFilledHoles(), 0u);
  ours->SetPeriodicAxes(brickccl::PeriodicAxes::FromNames("x"));
  ours->Update();
  EXPECT_EQ(ours->GetNumberOfFilledHoles(), 1u);
  EXPECT_EQ(ours->GetOutput()->GetPixel({ { 0, 2 } }), 255);
  EXPECT_EQ(ours->GetOutput()->GetPixel({ { 0, 0 } }), 0);
  ours->SetPeriodicAxes(brickccl::PeriodicAxes::FromNames("xy"));
  EXPECT_THROW(ours->Update(), itk::ExceptionObject);
}

TEST(BrickBinaryFillholeImageFilter, LargeHolesStayIfAskedTo)
{
  using Image = itk::Image<unsigned char, 3>;
  const auto image = MakeObjects<Image>({ 40, 30, 20 }, 255, 85);
  auto       ours = itk::BrickBinaryFillholeImageFilter<Image>::New();
  ours->SetInput(image);
  ours->Update();
  const auto all = ours->GetNumberOfFilledHoles();
  ASSERT_GT(all, 10u);
  ours->SetMaximumHoleSize(1);
  ours->Update();
  EXPECT_LT(ours->GetNumberOfFilledHoles(), all);
  const auto         before = PixelsOf(image.GetPointer());
  const auto         after = PixelsOf(ours->GetOutput());
  itk::SizeValueType filled = 0;
  for (std::size_t i = 0; i < before.size(); ++i)
  {
    filled += before[i] != after[i] ? 1 : 0;
  }
  EXPECT_EQ(filled, ours->GetNumberOfFilledHoles());
  ours->SetMaximumHoleSize(0);
  ours->Update();
  EXPECT_EQ(PixelsOf(ours->GetOutput()), before);
}

TEST(BrickBinaryFillholeImageFilter, RunsAgainAbortsAndGoesOn)
{
  using Image = itk::Image<unsigned char, 3>;
  auto ours = itk::BrickBinaryFillholeImageFilter<Image>::New();
  for (const std::int64_t width : { 40, 20 })
  {
    const auto image = MakeObjects<Image>({ width, 30, 20 }, 255, 85);
    ours->SetInput(image);
    const auto tag = ours->AddObserver(itk::ProgressEvent(), [&](const itk::EventObject &) {
      if (ours->GetProgress() > 0.2f)
      {
        ours->AbortGenerateDataOn();
      }
    });
    EXPECT_THROW(ours->Update(), itk::ProcessAborted);
    ours->RemoveObserver(tag);
    ours->Update();
    auto theirs = itk::BinaryFillholeImageFilter<Image>::New();
    theirs->SetInput(image);
    theirs->Update();
    EXPECT_EQ(PixelsOf(ours->GetOutput()), PixelsOf(theirs->GetOutput()));
  }
}

} // namespace
