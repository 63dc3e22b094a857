// SPDX-License-Identifier: Apache-2.0
// The filters that make label maps of label images.
#include "itkBrickLabelImageToShapeLabelMapFilter.h"

#include "BrickCCL/Phantoms/Phantoms.h"
#include "ItkImages.h"
#include "LabelMaps.h"

#include "itkImageAdaptor.h"
#include "itkLabelImageToShapeLabelMapFilter.h"
#include "itkLabelMapToLabelImageFilter.h"
#include "itkShapeOpeningLabelMapFilter.h"
#include "itkStatisticsLabelObject.h"

#include <gtest/gtest.h>

#include <limits>

namespace
{

using brickccl::testing::ExpectSameShapes;
using brickccl::testing::MakeEmptyImage;
using brickccl::testing::PixelsOf;

/** Cells of a few values, among them the lowest and 0, in a matter of noise. */
template <typename TImage>
typename TImage::Pointer
MakeLabels(const std::vector<std::int64_t> & size)
{
  using Pixel = typename TImage::PixelType;
  auto image = MakeEmptyImage<TImage>(size, true);
  for (itk::ImageRegionIterator<TImage> it(image, image->GetLargestPossibleRegion()); !it.IsAtEnd(); ++it)
  {
    const auto    index = image->ComputeIndex(&it.Value() - image->GetBufferPointer());
    std::uint64_t cell = 0;
    std::uint64_t place = 0;
    for (unsigned axis = 0; axis < TImage::ImageDimension; ++axis)
    {
      cell = cell * 4 + static_cast<std::uint64_t>(index[axis] + 3) / 5;
      place = place * 100 + static_cast<std::uint64_t>(index[axis] + 3);
    }
    const std::uint64_t label = brickccl::HashOf(1, cell) % 9;
    const bool          isNoise = brickccl::HashOf(2, place) % 6 == 0;
    it.Set(isNoise      ? static_cast<Pixel>(0)
           : label == 8 ? std::numeric_limits<Pixel>::lowest()
                        : static_cast<Pixel>(label * 14));
  }
  return image;
}

template <typename TPixel, unsigned int VDimension>
void
CheckShapes(const std::vector<std::int64_t> & size)
{
  using Image = itk::Image<TPixel, VDimension>;
  const auto image = MakeLabels<Image>(size);
  for (const bool isIsotropic : { true, false })
  {
    double spacing[VDimension];
    for (unsigned axis = 0; axis < VDimension; ++axis)
    {
      spacing[axis] = isIsotropic ? 0.5 : 0.4 + axis;
    }
    image->SetSpacing(spacing);
    for (const TPixel background : { std::numeric_limits<TPixel>::lowest(), TPixel(0), TPixel(28) })
    {
      auto ours = itk::BrickLabelImageToShapeLabelMapFilter<Image>::New();
      auto theirs = itk::LabelImageToShapeLabelMapFilter<Image>::New();
      EXPECT_EQ(ours->GetBackgroundValue(), theirs->GetBackgroundValue());
      ours->SetInput(image);
      theirs->SetInput(image);
      ours->SetBackgroundValue(background);
      theirs->SetBackgroundValue(background);
      ExpectSameShapes(ours.GetPointer(), theirs.GetPointer(), isIsotropic);
      ours->ComputeFeretDiameterOn();
      theirs->ComputeFeretDiameterOn();
      ours->ComputePerimeterOff();
      theirs->ComputePerimeterOff();
      ExpectSameShapes(ours.GetPointer(), theirs.GetPointer(), true);
      ours->ComputeFeretDiameterOff();
      theirs->ComputeFeretDiameterOff();
      ours->ComputeOrientedBoundingBoxOn();
      theirs->ComputeOrientedBoundingBoxOn();
      ExpectSameShapes(ours.GetPointer(), theirs.GetPointer(), true);
    }
  }
}

TEST(BrickLabelImageToShapeLabelMapFilter, HasTheObjectsOfItksFilterForEveryPixelType)
{
  CheckShapes<unsigned char, 3>({ 23, 17, 12 });
  CheckShapes<short, 3>({ 23, 17, 12 });
  CheckShapes<short, 2>({ 43, 37 });
  CheckShapes<signed char, 2>({ 43, 37 });
  CheckShapes<unsigned int, 3>({ 23, 17, 12 });
  CheckShapes<std::int64_t, 2>({ 43, 37 });
}

TEST(BrickLabelImageToShapeLabelMapFilter, DefaultsAreThoseOfItk)
{
  using Image = itk::Image<short, 3>;
  auto ours = itk::BrickLabelImageToShapeLabelMapFilter<Image>::New();
  auto theirs = itk::LabelImageToShapeLabelMapFilter<Image>::New();
  EXPECT_EQ(ours->GetBackgroundValue(), theirs->GetBackgroundValue());
  EXPECT_EQ(ours->GetComputePerimeter(), theirs->GetComputePerimeter());
  EXPECT_EQ(ours->GetComputeFeretDiameter(), theirs->GetComputeFeretDiameter());
  EXPECT_EQ(ours->GetComputeOrientedBoundingBox(), theirs->GetComputeOrientedBoundingBox());
}

TEST(BrickLabelImageToShapeLabelMapFilter, ObjectsWithAttributesOfIntensitiesHaveTheirShapesAlone)
{
  using Image = itk::Image<unsigned short, 3>;
  using Map = itk::LabelMap<itk::StatisticsLabelObject<unsigned long, 3>>;
  const auto image = MakeLabels<Image>({ 23, 17, 12 });
  auto       ours = itk::BrickLabelImageToShapeLabelMapFilter<Image, Map>::New();
  auto       theirs = itk::LabelImageToShapeLabelMapFilter<Image, Map>::New();
  ours->SetInput(image);
  theirs->SetInput(image);
  ExpectSameShapes(ours.GetPointer(), theirs.GetPointer(), true);
  for (const auto label : ours->GetOutput()->GetLabels())
  {
    EXPECT_EQ(ours->GetOutput()->GetLabelObject(label)->GetSum(), theirs->GetOutput()->GetLabelObject(label)->GetSum());
  }
}

TEST(BrickLabelImageToShapeLabelMapFilter, FourDimensionsWithoutPerimeters)
{
  using Image = itk::Image<unsigned char, 4>;
  const auto image = MakeLabels<Image>({ 12, 7, 6, 5 });
  auto       ours = itk::BrickLabelImageToShapeLabelMapFilter<Image>::New();
  auto       theirs = itk::LabelImageToShapeLabelMapFilter<Image>::New();
  ours->SetInput(image);
  theirs->SetInput(image);
  EXPECT_THROW(ours->Update(), itk::ExceptionObject);
  ours->ComputePerimeterOff();
  theirs->ComputePerimeterOff();
  ExpectSameShapes(ours.GetPointer(), theirs.GetPointer(), true);
}

TEST(BrickLabelImageToShapeLabelMapFilter, StandsInAPipelineThatRunsTwice)
{
  using Image = itk::Image<unsigned short, 3>;
  using Map = itk::LabelMap<itk::ShapeLabelObject<unsigned short, 3>>;
  auto image = MakeLabels<Image>({ 30, 20, 15 });
  auto map = itk::BrickLabelImageToShapeLabelMapFilter<Image, Map>::New();
  auto opening = itk::ShapeOpeningLabelMapFilter<Map>::New();
  auto back = itk::LabelMapToLabelImageFilter<Map, Image>::New();
  map->SetInput(image);
  opening->SetInput(map->GetOutput());
  opening->SetAttribute("NumberOfPixels");
  back->SetInput(opening->GetOutput());
  for (const double least : { 0.0, 1200.0, 500.0 })
  {
    opening->SetLambda(least);
    map->Modified();
    back->Update();
    std::map<unsigned short, int> counts;
    for (const unsigned short label : PixelsOf(image.GetPointer()))
    {
      ++counts[label];
    }
    const auto after = PixelsOf(back->GetOutput());
    const auto before = PixelsOf(image.GetPointer());
    for (std::size_t i = 0; i < before.size(); ++i)
    {
      ASSERT_EQ(after[i], counts[before[i]] >= least ? before[i] : 0);
    }
  }
  // Another image, of another region; then an abort, and on.
  image = MakeLabels<Image>({ 9, 8, 7 });
  map->SetInput(image);
  opening->SetLambda(0);
  back->Update();
  EXPECT_EQ(PixelsOf(back->GetOutput()), PixelsOf(image.GetPointer()));
  const auto tag =
    map->AddObserver(itk::ProgressEvent(), [&](const itk::EventObject &) { map->AbortGenerateDataOn(); });
  map->Modified();
  EXPECT_THROW(back->Update(), itk::ProcessAborted);
  map->RemoveObserver(tag);
  back->Update();
  EXPECT_EQ(PixelsOf(back->GetOutput()), PixelsOf(image.GetPointer()));
}

TEST(BrickLabelImageToShapeLabelMapFilter, LabelsThatDoNotFitAreAnError)
{
  using Image = itk::Image<unsigned short, 2>;
  using Map = itk::LabelMap<itk::ShapeLabelObject<unsigned char, 2>>;
  auto image = MakeEmptyImage<Image>({ 9, 9 });
  image->SetPixel({ { 2, 2 } }, 257);
  auto ours = itk::BrickLabelImageToShapeLabelMapFilter<Image, Map>::New();
  ours->SetInput(image);
  EXPECT_THROW(ours->Update(), itk::ExceptionObject) << "ITK makes it 1";
  image->SetPixel({ { 2, 2 } }, 255);
  image->Modified();
  ours->Update();
  EXPECT_EQ(ours->GetOutput()->GetNumberOfLabelObjects(), 1u);
  // An image of nothing but background.
  image->SetPixel({ { 2, 2 } }, 0);
  image->Modified();
  ours->Update();
  EXPECT_EQ(ours->GetOutput()->GetNumberOfLabelObjects(), 0u);
}

} // namespace
