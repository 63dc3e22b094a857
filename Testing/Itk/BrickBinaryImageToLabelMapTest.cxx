// SPDX-License-Identifier: Apache-2.0
// The filters that make label maps of binary images.
#include "itkBrickBinaryImageToShapeLabelMapFilter.h"
#include "itkBrickBinaryImageToStatisticsLabelMapFilter.h"

#include "BrickCCL/Phantoms/Phantoms.h"
#include "ItkImages.h"
#include "LabelMaps.h"

#include "itkBinaryImageToShapeLabelMapFilter.h"
#include "itkBinaryImageToStatisticsLabelMapFilter.h"

#include <gtest/gtest.h>

#include <limits>

namespace
{

using brickccl::testing::ExpectSameShapes;
using brickccl::testing::ExpectSameStatistics;
using brickccl::testing::FillFromSeed;
using brickccl::testing::MakeEmptyImage;

/** Blobs of one value in noise of others. */
template <typename TImage>
typename TImage::Pointer
MakeBlobs(const std::vector<std::int64_t> & size, typename TImage::PixelType foreground)
{
  const auto blobs =
    brickccl::MakeRandom(brickccl::Extent(static_cast<int>(TImage::ImageDimension), size.data()), 0.2, 3, 4);
  auto image = MakeEmptyImage<TImage>(size, true);
  FillFromSeed(image.GetPointer(), 5, [](std::uint64_t number) { return number % 3; });
  for (std::size_t i = 0; i < blobs.size(); ++i)
  {
    typename TImage::PixelType & pixel = image->GetBufferPointer()[i];
    pixel = blobs[i] != 0 ? foreground : pixel;
  }
  return image;
}

template <typename TPixel, unsigned int VDimension, typename TLabel = itk::SizeValueType>
void
CheckShapes(const std::vector<std::int64_t> & size, TPixel foreground, std::initializer_list<TLabel> backgrounds)
{
  using Image = itk::Image<TPixel, VDimension>;
  using Map = itk::LabelMap<itk::ShapeLabelObject<TLabel, VDimension>>;
  auto ours = itk::BrickBinaryImageToShapeLabelMapFilter<Image, Map>::New();
  auto theirs = itk::BinaryImageToShapeLabelMapFilter<Image, Map>::New();
  for (const bool isIsotropic : { true, false })
  {
    const auto image = MakeBlobs<Image>(size, foreground);
    double     spacing[VDimension];
    for (unsigned axis = 0; axis < VDimension; ++axis)
    {
      spacing[axis] = isIsotropic ? 0.5 : 0.4 + axis;
    }
    image->SetSpacing(spacing);
    for (const TLabel background : backgrounds)
    {
      const auto set = [&](auto * filter) {
        filter->SetInput(image);
        filter->SetInputForegroundValue(foreground);
        filter->SetOutputBackgroundValue(background);
        filter->SetFullyConnected(!filter->GetFullyConnected());
        filter->SetComputeFeretDiameter(isIsotropic);
        filter->SetComputeOrientedBoundingBox(!isIsotropic);
        filter->SetComputePerimeter(background == 0);
      };
      set(ours.GetPointer());
      set(theirs.GetPointer());
      ExpectSameShapes(ours.GetPointer(), theirs.GetPointer(), isIsotropic);
    }
  }
}

TEST(BrickBinaryImageToShapeLabelMapFilter, HasTheObjectsOfItksFilter)
{
  CheckShapes<unsigned char, 3>({ 23, 17, 12 }, 255, { 0u, 3u, 100000u });
  CheckShapes<short, 3>({ 23, 17, 12 }, -7, { 0u, 1u });
  CheckShapes<float, 2>({ 43, 37 }, 0.5f, { 0u, 7u });
  CheckShapes<unsigned short, 2, short>({ 43, 37 }, 9, { 0, -3, 4, std::numeric_limits<short>::lowest() });
}

TEST(BrickBinaryImageToShapeLabelMapFilter, DefaultsAreThoseOfItk)
{
  using Image = itk::Image<short, 3>;
  auto ours = itk::BrickBinaryImageToShapeLabelMapFilter<Image>::New();
  auto theirs = itk::BinaryImageToShapeLabelMapFilter<Image>::New();
  EXPECT_EQ(ours->GetFullyConnected(), theirs->GetFullyConnected());
  EXPECT_EQ(ours->GetInputForegroundValue(), theirs->GetInputForegroundValue());
  EXPECT_EQ(ours->GetOutputBackgroundValue(), theirs->GetOutputBackgroundValue());
  EXPECT_EQ(ours->GetComputePerimeter(), theirs->GetComputePerimeter());
  EXPECT_EQ(ours->GetComputeFeretDiameter(), theirs->GetComputeFeretDiameter());
  EXPECT_EQ(ours->GetComputeOrientedBoundingBox(), theirs->GetComputeOrientedBoundingBox());
  EXPECT_STREQ(ours->GetNameOfClass(), "BrickBinaryImageToShapeLabelMapFilter");
}

TEST(BrickBinaryImageToShapeLabelMapFilter, NoObjectsTooManyAndAnAbort)
{
  using Image = itk::Image<unsigned char, 3>;
  using Map = itk::LabelMap<itk::ShapeLabelObject<signed char, 3>>;
  const auto image = MakeBlobs<Image>({ 90, 60, 40 }, 255);
  auto       ours = itk::BrickBinaryImageToShapeLabelMapFilter<Image, Map>::New();
  ours->SetInput(image);
  EXPECT_THROW(ours->Update(), itk::ExceptionObject) << "more than 127 objects";
  ours->SetInputForegroundValue(77);
  ours->Update();
  EXPECT_EQ(ours->GetOutput()->GetNumberOfLabelObjects(), 0u);
  const auto tag =
    ours->AddObserver(itk::ProgressEvent(), [&](const itk::EventObject &) { ours->AbortGenerateDataOn(); });
  ours->Modified();
  EXPECT_THROW(ours->Update(), itk::ProcessAborted);
  ours->RemoveObserver(tag);
  ours->SetInput(MakeBlobs<Image>({ 9, 8, 7 }, 77));
  ours->Update();
  EXPECT_GT(ours->GetOutput()->GetNumberOfLabelObjects(), 0u);
}

template <typename TFeature, typename TValueOf>
void
CheckStatistics(const TValueOf & valueOf, double binWidth)
{
  using Image = itk::Image<unsigned char, 3>;
  using Feature = itk::Image<TFeature, 3>;
  const auto image = MakeBlobs<Image>({ 23, 17, 12 }, 200);
  auto       feature = MakeEmptyImage<Feature>({ 23, 17, 12 }, true);
  FillFromSeed(feature.GetPointer(), 7, valueOf);
  auto ours = itk::BrickBinaryImageToStatisticsLabelMapFilter<Image, Feature>::New();
  auto theirs = itk::BinaryImageToStatisticsLabelMapFilter<Image, Feature>::New();
  ours->SetInput1(image);
  theirs->SetInput1(image);
  ours->SetInputForegroundValue(200);
  theirs->SetInputForegroundValue(200);
  ours->FullyConnectedOn();
  theirs->FullyConnectedOn();
  EXPECT_THROW(ours->Update(), itk::ExceptionObject) << "no feature image";
  ours->SetInput2(feature);
  theirs->SetInput2(feature);
  ExpectSameStatistics(ours.GetPointer(), theirs.GetPointer(), binWidth);
}

TEST(BrickBinaryImageToStatisticsLabelMapFilter, HasTheAttributesOfItksFilter)
{
  CheckStatistics<unsigned char>([](std::uint64_t number) { return 1 + number % 200; }, 0.51);
  CheckStatistics<short>([](std::uint64_t number) { return 10 + number % 5000; }, 1);
  CheckStatistics<float>([](std::uint64_t number) { return static_cast<double>(number % 1000) / 300; }, 3.4 / 127);
}

} // namespace
