// SPDX-License-Identifier: Apache-2.0
// The filter with neighbors that ITK's filter does not have, compared with the flood fill.
#include "itkBrickConnectedComponentImageFilter.h"

#include "FloodFill.h"
#include "ItkImages.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>

namespace
{

using brickccl::testing::MakeImage;
using brickccl::testing::PixelsOf;

using Image = itk::Image<short, 3>;
using Labels = itk::Image<unsigned int, 3>;
using Ours = itk::BrickConnectedComponentImageFilter<Image, Labels>;

TEST(BrickConnectedComponentNeighbors, TakesAnySymmetricNeighborhood)
{
  const auto                          image = MakeImage<Image>({ 31, 10, 8 }, 6);
  brickccl::testing::FloodFillProblem problem;
  problem.extent = { 31, 10, 8 };
  const auto pixels = PixelsOf(image.GetPointer());
  problem.values.assign(pixels.begin(), pixels.end());
  problem.offsets = { { 1, 0, 0, 0 }, { -1, 0, 0, 0 }, { 0, 1, 1, 0 }, { 0, -1, -1, 0 } };
  auto ours = Ours::New();
  ours->SetInput(image);
  ours->SetNeighborhood(brickccl::Connectivity::FromOffsets(3, { problem.offsets->begin(), problem.offsets->end() }));
  ours->Update();
  const auto expected = brickccl::testing::FloodFill(problem);
  const auto labels = PixelsOf(ours->GetOutput());
  EXPECT_TRUE(std::equal(labels.begin(), labels.end(), expected.begin(), expected.end()));
}

TEST(BrickConnectedComponentNeighbors, GoesOnThroughTheEndsOfPeriodicAxes)
{
  const auto                          image = MakeImage<Image>({ 31, 10, 8 }, 6);
  brickccl::testing::FloodFillProblem problem;
  problem.extent = { 31, 10, 8 };
  const auto pixels = PixelsOf(image.GetPointer());
  problem.values.assign(pixels.begin(), pixels.end());
  auto ours = Ours::New();
  ours->SetInput(image);
  ours->Update();
  const auto without = ours->GetObjectCount();
  for (const char * const axes : { "x", "z", "xyz" })
  {
    ours->SetPeriodicAxes(brickccl::PeriodicAxes::FromNames(axes));
    ours->Update();
    for (std::size_t axis = 0; axis < 3; ++axis)
    {
      problem.periodic[axis] = ours->GetPeriodicAxes().Has(static_cast<int>(axis));
    }
    const auto expected = brickccl::testing::FloodFill(problem);
    const auto labels = PixelsOf(ours->GetOutput());
    EXPECT_TRUE(std::equal(labels.begin(), labels.end(), expected.begin(), expected.end())) << axes;
    EXPECT_LT(ours->GetObjectCount(), without) << axes;
  }
  ours->SetPeriodicAxes(brickccl::PeriodicAxes::FromNames("t"));
  EXPECT_THROW(ours->Update(), itk::ExceptionObject);
}

} // namespace
