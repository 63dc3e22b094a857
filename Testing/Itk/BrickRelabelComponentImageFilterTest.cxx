// SPDX-License-Identifier: Apache-2.0
#include "itkBrickRelabelComponentImageFilter.h"

#include "ItkImages.h"

#include "itkImageAdaptor.h"
#include "itkRegionOfInterestImageFilter.h"
#include "itkRelabelComponentImageFilter.h"
#include "itkStreamingImageFilter.h"

#include <gtest/gtest.h>

#include <limits>

namespace
{

using brickccl::testing::FillFromSeed;
using brickccl::testing::MakeEmptyImage;
using brickccl::testing::PixelsOf;

template <typename TInput, typename TOutput>
void
ExpectResultOfItk(const TInput * image, itk::SizeValueType minimumSize, bool sorted)
{
  auto ours = itk::BrickRelabelComponentImageFilter<TInput, TOutput>::New();
  auto theirs = itk::RelabelComponentImageFilter<TInput, TOutput>::New();
  ours->SetInput(image);
  theirs->SetInput(image);
  ours->SetMinimumObjectSize(minimumSize);
  theirs->SetMinimumObjectSize(minimumSize);
  ours->SetSortByObjectSize(sorted);
  theirs->SetSortByObjectSize(sorted);
  ours->Update();
  theirs->Update();
  ASSERT_EQ(PixelsOf(ours->GetOutput()), PixelsOf(theirs->GetOutput()));
  EXPECT_EQ(ours->GetNumberOfObjects(), theirs->GetNumberOfObjects());
  EXPECT_EQ(ours->GetOriginalNumberOfObjects(), theirs->GetOriginalNumberOfObjects());
  EXPECT_EQ(ours->GetSizeOfObjectsInPixels(), theirs->GetSizeOfObjectsInPixels());
  EXPECT_EQ(ours->GetSizeOfObjectsInPhysicalUnits(), theirs->GetSizeOfObjectsInPhysicalUnits());
  using Label = typename TInput::PixelType;
  for (int object = 0; object < 6; ++object)
  {
    EXPECT_EQ(ours->GetSizeOfObjectInPixels(Label(object)), theirs->GetSizeOfObjectInPixels(Label(object)));
    EXPECT_EQ(ours->GetSizeOfObjectInPhysicalUnits(Label(object)),
              theirs->GetSizeOfObjectInPhysicalUnits(Label(object)));
  }
  EXPECT_EQ(ours->GetOutput()->GetLargestPossibleRegion(), image->GetLargestPossibleRegion());
  EXPECT_EQ(ours->GetOutput()->GetSpacing(), image->GetSpacing());
}

/** Few objects with gaps between their labels, many equal sizes, negative labels where there are such. */
template <typename TPixel, unsigned int VDimension>
void
CheckType(const std::vector<std::int64_t> & size)
{
  using Image = itk::Image<TPixel, VDimension>;
  const auto image = MakeEmptyImage<Image>(size, true);
  double     spacing[VDimension];
  std::fill_n(spacing, VDimension, 0.3);
  image->SetSpacing(spacing);
  const TPixel lowest = std::numeric_limits<TPixel>::lowest();
  for (const std::uint64_t labels : { 4u, 60u, 100u })
  {
    FillFromSeed(image.GetPointer(), labels, [&](std::uint64_t number) {
      const auto label = static_cast<TPixel>(number % labels);
      return number / 1024 % 3 == 0 ? TPixel(0) : number / 4096 % 9 == 0 && label > 0 ? TPixel(lowest + label) : label;
    });
    for (const bool sorted : { true, false })
    {
      for (const itk::SizeValueType minimum : { 0u, 1u, 8u, 100000u })
      {
        ExpectResultOfItk<Image, itk::Image<unsigned int, VDimension>>(image, minimum, sorted);
        ExpectResultOfItk<Image, itk::Image<float, VDimension>>(image, minimum, sorted);
      }
    }
  }
}

TEST(BrickRelabelComponentImageFilter, HasTheResultOfItksFilterForEveryPixelType)
{
  CheckType<unsigned char, 2>({ 40, 30 });
  CheckType<signed char, 3>({ 14, 11, 6 });
  CheckType<unsigned short, 3>({ 14, 11, 6 });
  CheckType<short, 3>({ 14, 11, 6 });
  CheckType<int, 2>({ 40, 30 });
  CheckType<unsigned int, 3>({ 14, 11, 6 });
  CheckType<std::uint64_t, 3>({ 14, 11, 6 });
  CheckType<std::int64_t, 4>({ 7, 6, 5, 3 });
  CheckType<float, 3>({ 14, 11, 6 });
  CheckType<double, 2>({ 40, 30 });
}

TEST(BrickRelabelComponentImageFilter, ImagesOfNothingOfOneObjectAndOfAsManyAsPixels)
{
  using Image = itk::Image<unsigned int, 3>;
  auto image = MakeEmptyImage<Image>({ 30, 20, 10 });
  for (const bool sorted : { true, false })
  {
    ExpectResultOfItk<Image, Image>(image, 0, sorted);
  }
  FillFromSeed(image.GetPointer(), 1, [](std::uint64_t) { return 77; });
  ExpectResultOfItk<Image, Image>(image, 0, true);
  FillFromSeed(image.GetPointer(), 1, [](std::uint64_t number) { return number; });
  for (const bool sorted : { true, false })
  {
    ExpectResultOfItk<Image, Image>(image, 0, sorted);
    ExpectResultOfItk<Image, Image>(image, 2, sorted);
  }
}

TEST(BrickRelabelComponentImageFilter, DefaultsAreThoseOfItk)
{
  using Image = itk::Image<unsigned short, 2>;
  auto ours = itk::BrickRelabelComponentImageFilter<Image, Image>::New();
  auto theirs = itk::RelabelComponentImageFilter<Image, Image>::New();
  EXPECT_EQ(ours->GetInPlace(), theirs->GetInPlace());
  EXPECT_EQ(ours->CanRunInPlace(), theirs->CanRunInPlace());
  EXPECT_EQ(ours->GetSortByObjectSize(), theirs->GetSortByObjectSize());
  EXPECT_EQ(ours->GetMinimumObjectSize(), theirs->GetMinimumObjectSize());
  EXPECT_EQ(ours->GetNumberOfObjectsToPrint(), theirs->GetNumberOfObjectsToPrint());
  EXPECT_EQ(ours->GetNumberOfObjects(), theirs->GetNumberOfObjects());
  EXPECT_EQ(ours->GetSizeOfObjectInPixels(1), theirs->GetSizeOfObjectInPixels(1));
  auto image = MakeEmptyImage<Image>({ 30, 20 });
  FillFromSeed(image.GetPointer(), 1, [](std::uint64_t number) { return number % 20; });
  ours->SetInput(image);
  ours->SetNumberOfObjectsToPrint(2);
  ours->Update();
  std::ostringstream text;
  ours->Print(text);
  EXPECT_NE(text.str().find("Object #2: "), std::string::npos);
  EXPECT_EQ(text.str().find("Object #3: "), std::string::npos);
}

TEST(BrickRelabelComponentImageFilter, RunsInPlaceWhereItIsAskedTo)
{
  using Image = itk::Image<unsigned short, 3>;
  const auto make = [] {
    auto image = MakeEmptyImage<Image>({ 30, 20, 10 });
    FillFromSeed(image.GetPointer(), 5, [](std::uint64_t number) { return number % 20; });
    return image;
  };
  auto apart = itk::BrickRelabelComponentImageFilter<Image, Image>::New();
  apart->SetInput(make());
  apart->Update();
  auto         image = make();
  const auto * buffer = image->GetBufferPointer();
  auto         inPlace = itk::BrickRelabelComponentImageFilter<Image, Image>::New();
  inPlace->SetInput(image);
  inPlace->InPlaceOn();
  inPlace->Update();
  EXPECT_EQ(inPlace->GetOutput()->GetBufferPointer(), buffer);
  EXPECT_EQ(PixelsOf(inPlace->GetOutput()), PixelsOf(apart->GetOutput()));
  EXPECT_EQ(image->GetBufferPointer(), nullptr) << "the input has given its pixels away";
}

TEST(BrickRelabelComponentImageFilter, MakesTheRequestedRegionAlone)
{
  using Image = itk::Image<unsigned short, 3>;
  auto image = MakeEmptyImage<Image>({ 30, 20, 12 }, true);
  FillFromSeed(image.GetPointer(), 5, [](std::uint64_t number) { return number % 20; });
  auto whole = itk::BrickRelabelComponentImageFilter<Image, Image>::New();
  whole->SetInput(image);
  whole->Update();
  auto streamed = itk::BrickRelabelComponentImageFilter<Image, Image>::New();
  streamed->SetInput(image);
  int runs = 0;
  streamed->AddObserver(itk::StartEvent(), [&](const itk::EventObject &) { ++runs; });
  auto stream = itk::StreamingImageFilter<Image, Image>::New();
  stream->SetInput(streamed->GetOutput());
  stream->SetNumberOfStreamDivisions(4);
  stream->Update();
  EXPECT_EQ(runs, 4);
  EXPECT_EQ(PixelsOf(stream->GetOutput()), PixelsOf(whole->GetOutput()));
  auto              region = image->GetLargestPossibleRegion();
  Image::RegionType part = region;
  part.ShrinkByRadius(3);
  streamed->GetOutput()->SetRequestedRegion(part);
  streamed->GetOutput()->Update();
  EXPECT_EQ(streamed->GetOutput()->GetBufferedRegion(), part);
  for (itk::ImageRegionConstIterator<Image> it(streamed->GetOutput(), part); !it.IsAtEnd(); ++it)
  {
    ASSERT_EQ(it.Get(), whole->GetOutput()->GetPixel(it.GetIndex()));
  }
}

TEST(BrickRelabelComponentImageFilter, NumbersThatDoNotFitAreAnError)
{
  using Image = itk::Image<unsigned int, 2>;
  using Bytes = itk::Image<unsigned char, 2>;
  auto image = MakeEmptyImage<Image>({ 256, 1 });
  for (int x = 0; x < 256; ++x)
  {
    image->SetPixel({ { x, 0 } }, static_cast<unsigned int>(1000 * x + 1));
  }
  auto ours = itk::BrickRelabelComponentImageFilter<Image, Bytes>::New();
  auto theirs = itk::RelabelComponentImageFilter<Image, Bytes>::New();
  ours->SetInput(image);
  theirs->SetInput(image);
  EXPECT_THROW(theirs->Update(), itk::ExceptionObject);
  EXPECT_THROW(ours->Update(), itk::ExceptionObject);
  EXPECT_EQ(ours->GetNumberOfObjects(), 0u);
  image->SetPixel({ { 9, 0 } }, 0);
  image->Modified();
  ours->Update();
  EXPECT_EQ(ours->GetNumberOfObjects(), 255u);

  using Floats = itk::Image<float, 2>;
  auto floats = MakeEmptyImage<Floats>({ 20, 20 });
  floats->SetPixel({ { 3, 4 } }, std::numeric_limits<float>::quiet_NaN());
  auto ofFloats = itk::BrickRelabelComponentImageFilter<Floats, Bytes>::New();
  ofFloats->SetInput(floats);
  EXPECT_THROW(ofFloats->Update(), itk::ExceptionObject) << "NaN is no label";
}

TEST(BrickRelabelComponentImageFilter, ReportsProgressAbortsAndGoesOn)
{
  using Image = itk::Image<unsigned short, 3>;
  auto image = MakeEmptyImage<Image>({ 60, 50, 40 });
  FillFromSeed(image.GetPointer(), 5, [](std::uint64_t number) { return number % 200; });
  auto               ours = itk::BrickRelabelComponentImageFilter<Image, Image>::New();
  std::vector<float> progress;
  ours->SetInput(image);
  auto tag =
    ours->AddObserver(itk::ProgressEvent(), [&](const itk::EventObject &) { progress.push_back(ours->GetProgress()); });
  ours->Update();
  EXPECT_GT(progress.size(), 10u);
  EXPECT_TRUE(std::is_sorted(progress.begin(), progress.end()));
  EXPECT_FLOAT_EQ(progress.back(), 1.0f);
  const auto first = PixelsOf(ours->GetOutput());
  ours->RemoveObserver(tag);
  ours->Modified();
  tag = ours->AddObserver(itk::ProgressEvent(), [&](const itk::EventObject &) {
    if (ours->GetProgress() > 0.3f)
    {
      ours->AbortGenerateDataOn();
    }
  });
  EXPECT_THROW(ours->Update(), itk::ProcessAborted);
  ours->RemoveObserver(tag);
  for (const unsigned units : { 1u, 3u })
  {
    ours->SetNumberOfWorkUnits(units);
    ours->Modified();
    ours->Update();
    EXPECT_EQ(PixelsOf(ours->GetOutput()), first);
  }
}

} // namespace
