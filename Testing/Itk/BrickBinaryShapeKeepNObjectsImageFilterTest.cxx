// SPDX-License-Identifier: Apache-2.0
#include "itkBrickBinaryShapeKeepNObjectsImageFilter.h"

#include "BrickCCL/Phantoms/Phantoms.h"
#include "ItkImages.h"

#include "itkBinaryShapeKeepNObjectsImageFilter.h"
#include "itkImageAdaptor.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <set>

namespace
{

using brickccl::testing::FillFromSeed;
using brickccl::testing::MakeEmptyImage;
using brickccl::testing::PixelsOf;

/** Objects of one value in a matter of others. */
template <typename TImage>
typename TImage::Pointer
MakeObjects(const std::vector<std::int64_t> & size, typename TImage::PixelType foreground, int cell)
{
  const brickccl::Extent extent(static_cast<int>(TImage::ImageDimension), size.data());
  const auto             blobs = brickccl::MakeRandom(extent, 0.25, cell, 4);
  auto                   image = MakeEmptyImage<TImage>(size, true);
  std::uint64_t          voxel = 0;
  for (itk::ImageRegionIterator<TImage> it(image, image->GetLargestPossibleRegion()); !it.IsAtEnd(); ++it, ++voxel)
  {
    const auto other = static_cast<typename TImage::PixelType>(brickccl::HashOf(3, voxel) % 4);
    it.Set(blobs[voxel] != 0 ? foreground : other);
  }
  return image;
}

template <typename TImage>
void
ExpectResultOfItk(const TImage *             image,
                  typename TImage::PixelType foreground,
                  const std::string &        attribute,
                  itk::SizeValueType         kept,
                  bool                       reverse,
                  bool                       fully)
{
  auto       ours = itk::BrickBinaryShapeKeepNObjectsImageFilter<TImage>::New();
  auto       theirs = itk::BinaryShapeKeepNObjectsImageFilter<TImage>::New();
  const auto set = [&](auto filter) {
    filter->SetInput(image);
    filter->SetForegroundValue(foreground);
    filter->SetBackgroundValue(9);
    filter->SetAttribute(attribute);
    filter->SetNumberOfObjects(kept);
    filter->SetReverseOrdering(reverse);
    filter->SetFullyConnected(fully);
    filter->Update();
  };
  set(ours);
  set(theirs);
  ASSERT_EQ(PixelsOf(ours->GetOutput()), PixelsOf(theirs->GetOutput()))
    << attribute << " " << kept << " " << reverse << " " << fully;
}

template <typename TPixel, unsigned int VDimension>
void
CheckType(const std::vector<std::int64_t> & size, TPixel foreground)
{
  using Image = itk::Image<TPixel, VDimension>;
  for (const int cell : { 1, 3 })
  {
    const auto image = MakeObjects<Image>(size, foreground, cell);
    for (const bool reverse : { false, true })
    {
      for (const bool fully : { false, true })
      {
        for (const itk::SizeValueType kept : { 0u, 1u, 5u, 100000u })
        {
          ExpectResultOfItk<Image>(image, foreground, "NumberOfPixels", kept, reverse, fully);
        }
        for (const char * attribute : { "PhysicalSize", "NumberOfPixelsOnBorder", "PerimeterOnBorder", "Label" })
        {
          ExpectResultOfItk<Image>(image, foreground, attribute, 4, reverse, fully);
        }
      }
    }
  }
}

TEST(BrickBinaryShapeKeepNObjectsImageFilter, HasTheResultOfItksFilterForEveryPixelType)
{
  CheckType<unsigned char, 2>({ 50, 40 }, 255);
  CheckType<unsigned char, 3>({ 24, 18, 12 }, 17);
  CheckType<short, 3>({ 24, 18, 12 }, -5);
  CheckType<unsigned short, 2>({ 50, 40 }, 1000);
  CheckType<int, 3>({ 24, 18, 12 }, 70000);
  CheckType<float, 2>({ 50, 40 }, 0.5f);
}

TEST(BrickBinaryShapeKeepNObjectsImageFilter, OrdersByEveryAttributeOfItk)
{
  using Image = itk::Image<unsigned char, 3>;
  const auto image = MakeObjects<Image>({ 30, 22, 16 }, 255, 4);
  for (const char * attribute : { "FeretDiameter",
                                  "Perimeter",
                                  "Roundness",
                                  "EquivalentSphericalRadius",
                                  "EquivalentSphericalPerimeter",
                                  "Elongation",
                                  "Flatness" })
  {
    // Of objects whose values are the same but for rounding, any may be kept: only the largest one is compared.
    ExpectResultOfItk<Image>(image, 255, attribute, 1, false, false);
  }
  auto ours = itk::BrickBinaryShapeKeepNObjectsImageFilter<Image>::New();
  auto theirs = itk::BinaryShapeKeepNObjectsImageFilter<Image>::New();
  ours->SetInput(image);
  theirs->SetInput(image);
  ours->SetAttribute("Centroid");
  theirs->SetAttribute("Centroid");
  EXPECT_THROW(theirs->Update(), itk::ExceptionObject);
  EXPECT_THROW(ours->Update(), itk::ExceptionObject);
  EXPECT_THROW(ours->SetAttribute("Beauty"), itk::ExceptionObject);
}

TEST(BrickBinaryShapeKeepNObjectsImageFilter, DefaultsAreThoseOfItk)
{
  using Image = itk::Image<short, 3>;
  auto ours = itk::BrickBinaryShapeKeepNObjectsImageFilter<Image>::New();
  auto theirs = itk::BinaryShapeKeepNObjectsImageFilter<Image>::New();
  EXPECT_EQ(ours->GetFullyConnected(), theirs->GetFullyConnected());
  EXPECT_EQ(ours->GetBackgroundValue(), theirs->GetBackgroundValue());
  EXPECT_EQ(ours->GetForegroundValue(), theirs->GetForegroundValue());
  EXPECT_EQ(ours->GetNumberOfObjects(), theirs->GetNumberOfObjects());
  EXPECT_EQ(ours->GetReverseOrdering(), theirs->GetReverseOrdering());
  EXPECT_EQ(ours->GetAttribute(), theirs->GetAttribute());
}

TEST(BrickBinaryShapeKeepNObjectsImageFilter, RunsAgainAbortsAndGoesOn)
{
  using Image = itk::Image<unsigned char, 3>;
  auto ours = itk::BrickBinaryShapeKeepNObjectsImageFilter<Image>::New();
  for (const std::int64_t width : { 40, 20 })
  {
    const auto image = MakeObjects<Image>({ width, 30, 20 }, 255, 2);
    ours->SetInput(image);
    itk::SizeValueType before = 0;
    for (const unsigned kept : { 1u, 3u, 12u })
    {
      ours->SetNumberOfObjects(kept);
      const auto tag =
        ours->AddObserver(itk::ProgressEvent(), [&](const itk::EventObject &) { ours->AbortGenerateDataOn(); });
      EXPECT_THROW(ours->Update(), itk::ProcessAborted);
      ours->RemoveObserver(tag);
      ours->Update();
      const auto pixels = PixelsOf(ours->GetOutput());
      const auto count = static_cast<itk::SizeValueType>(std::count(pixels.begin(), pixels.end(), 255));
      EXPECT_GT(count, before);
      before = count;
    }
  }
}

} // namespace
