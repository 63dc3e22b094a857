// SPDX-License-Identifier: Apache-2.0
#include "itkBrickSplitTouchingImageFilter.h"

#include "ItkImages.h"
#include "SplitOracle.h"

#include <gtest/gtest.h>

#include <limits>

namespace
{

using brickccl::testing::FillFromSeed;
using brickccl::testing::MakeEmptyImage;
using brickccl::testing::PixelsOf;

/** Compares the filter with the definition, pixel by pixel. */
template <typename TImage, typename TLabels>
void
ExpectAsDefined(const std::vector<std::int64_t> & size, std::uint64_t seed, bool isFullyConnected, bool hasSeeds)
{
  constexpr unsigned dimension = TImage::ImageDimension;
  auto               image = MakeEmptyImage<TImage>(size, true);
  FillFromSeed(image.GetPointer(), seed, [](std::uint64_t number) {
    return number % 11 == 0 ? 0 : 1 + number % 97 / 96;
  });
  const double spacing[] = { 0.5, 0.75, 1 };
  image->SetSpacing(spacing);
  brickccl::testing::SplitProblem problem;
  problem.extent = brickccl::Extent(dimension, size.data());
  const auto pixels = PixelsOf(image.GetPointer());
  problem.labels.assign(pixels.begin(), pixels.end());
  problem.weights = { 4, 9, dimension > 2 ? 16.0 : 0, 0 };
  const auto connectivity =
    isFullyConnected ? brickccl::Connectivity::Full(dimension) : brickccl::Connectivity::Face(dimension);
  for (const auto & offset : connectivity.Offsets())
  {
    problem.offsets.insert(offset);
  }
  problem.depth = seed % 2 == 0 ? 0.75 * 2 : 0.3 * 4;
  auto filter = itk::BrickSplitTouchingImageFilter<TImage, TLabels>::New();
  filter->SetInput(image);
  filter->SetFullyConnected(isFullyConnected);
  if (hasSeeds)
  {
    auto seeds = MakeEmptyImage<TLabels>(size, true);
    seeds->SetSpacing(spacing);
    FillFromSeed(seeds.GetPointer(), seed + 1, [](std::uint64_t number) {
      return number % 40 == 0 ? 1 + number / 40 % 100 : 0;
    });
    const auto numbers = PixelsOf(seeds.GetPointer());
    problem.seeds.emplace(numbers.begin(), numbers.end());
    filter->SetSeedImage(seeds);
  }
  else if (seed % 2 == 1)
  {
    problem.percent = seed == 3 ? 20 : 0;
    filter->SetHeight(seed == 3 ? 20 : 0.3);
    filter->SetHeightInPercent(seed == 3);
  }
  if (seed >= 2)
  {
    problem.periodic = { 0 };
    filter->SetPeriodicAxes(brickccl::PeriodicAxes::FromNames("x"));
  }
  filter->Update();
  const auto expected = SplitLabels(problem);
  const auto found = PixelsOf(filter->GetOutput());
  EXPECT_EQ(std::vector<std::uint32_t>(found.begin(), found.end()), expected.objects)
    << problem.extent.ToString() << ", seed " << seed << ", " << isFullyConnected << hasSeeds;
  EXPECT_EQ(filter->GetNumberOfObjects(), expected.peaks.size());
  EXPECT_EQ(filter->GetOutput()->GetLargestPossibleRegion(), image->GetLargestPossibleRegion());
}

TEST(BrickSplitTouchingImageFilter, SplitsAsDefined)
{
  for (std::uint64_t seed = 0; seed < 4; ++seed)
  {
    for (const bool isFullyConnected : { false, true })
    {
      for (const bool hasSeeds : { false, true })
      {
        using Bytes3 = itk::Image<unsigned char, 3>;
        ExpectAsDefined<Bytes3, itk::Image<short, 3>>({ 13, 9, 7 }, seed, isFullyConnected, hasSeeds);
        ExpectAsDefined<Bytes3, itk::Image<unsigned long, 3>>({ 5, 8, 11 }, seed, isFullyConnected, hasSeeds);
        using Floats2 = itk::Image<float, 2>;
        ExpectAsDefined<Floats2, itk::Image<unsigned int, 2>>({ 31, 22 }, seed, isFullyConnected, hasSeeds);
      }
    }
  }
}

TEST(BrickSplitTouchingImageFilter, WrongInputIsAnException)
{
  using Image = itk::Image<short, 2>;
  auto image = MakeEmptyImage<Image>({ 90, 90 });
  FillFromSeed(image.GetPointer(), 1, [](std::uint64_t number) { return number % 2; });
  auto filter = itk::BrickSplitTouchingImageFilter<Image, itk::Image<signed char, 2>>::New();
  filter->SetInput(image);
  filter->FullyConnectedOff();
  // More objects than the type holds.
  EXPECT_THROW(filter->Update(), itk::ExceptionObject);
  filter->FullyConnectedOn();
  auto seeds = MakeEmptyImage<itk::Image<signed char, 2>>({ 90, 90 });
  filter->SetSeedImage(seeds);
  filter->Update();
  EXPECT_EQ(filter->GetNumberOfObjects(), 0u);
  seeds->FillBuffer(-1);
  seeds->Modified();
  EXPECT_THROW(filter->Update(), itk::ExceptionObject);
  seeds->FillBuffer(5);
  seeds->Modified();
  filter->Update();
  EXPECT_EQ(filter->GetNumberOfObjects(), 1u);
  filter->SetHeight(1);
  EXPECT_THROW(filter->Update(), itk::ExceptionObject);
  filter->SetSeedImage(nullptr);
  filter->Update();
  filter->SetHeight(std::numeric_limits<double>::quiet_NaN());
  EXPECT_THROW(filter->Update(), itk::ExceptionObject);
}

} // namespace
