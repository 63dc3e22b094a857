// SPDX-License-Identifier: Apache-2.0
#include "itkBrickVectorConnectedComponentImageFilter.h"

#include "ItkImages.h"

#include "itkVector.h"
#include "itkVectorConnectedComponentImageFilter.h"
#include "itkVectorImage.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace
{

using brickccl::testing::MakeEmptyImage;
using brickccl::testing::MakeImage;
using brickccl::testing::PixelsOf;

/** Unit vectors whose angles are one of `directions`, forwards and backwards. */
template <typename TImage>
typename TImage::Pointer
MakeDirections(const std::vector<std::int64_t> & size, std::uint64_t seed, unsigned directions)
{
  using Vector = typename TImage::PixelType;
  auto          image = MakeEmptyImage<TImage>(size, true);
  std::uint64_t voxel = 0;
  for (itk::ImageRegionIterator<TImage> it(image, image->GetLargestPossibleRegion()); !it.IsAtEnd(); ++it, ++voxel)
  {
    const std::uint64_t number = brickccl::HashOf(seed, voxel);
    const double        angle = 3.14159265358979 * static_cast<double>(number % directions) / directions;
    const double        sign = number / 1024 % 2 == 0 ? 1 : -1;
    Vector              vector;
    vector.Fill(0);
    vector[0] = static_cast<typename Vector::ValueType>(sign * std::cos(angle));
    vector[1] = static_cast<typename Vector::ValueType>(sign * std::sin(angle));
    it.Set(vector);
  }
  return image;
}

template <typename TImage, typename TMask>
void
ExpectComponentsOfItk(const TImage *                        image,
                      typename TImage::PixelType::ValueType threshold,
                      bool                                  fully,
                      const TMask *                         mask = nullptr)
{
  brickccl::testing::ExpectComponentsOfItk<itk::BrickVectorConnectedComponentImageFilter,
                                           itk::VectorConnectedComponentImageFilter>(image, threshold, fully, mask);
}

template <typename TValue, unsigned int VComponents, unsigned int VDimension>
void
CheckType(const std::vector<std::int64_t> & size)
{
  using Image = itk::Image<itk::Vector<TValue, VComponents>, VDimension>;
  using Mask = itk::Image<unsigned char, VDimension>;
  const auto mask = MakeImage<Mask>(size, 3, true);
  for (const unsigned directions : { 1u, 3u, 40u })
  {
    const auto image = MakeDirections<Image>(size, directions, directions);
    for (const TValue threshold : { TValue(0), TValue(1e-6), TValue(0.02), TValue(0.5), TValue(1) })
    {
      for (const bool fully : { false, true })
      {
        ExpectComponentsOfItk<Image, Mask>(image, threshold, fully);
        ExpectComponentsOfItk<Image, Mask>(image, threshold, fully, mask);
      }
    }
  }
}

TEST(BrickVectorConnectedComponentImageFilter, HasTheComponentsOfItksFilter)
{
  CheckType<float, 2, 2>({ 40, 30 });
  CheckType<float, 3, 3>({ 14, 11, 6 });
  CheckType<double, 3, 3>({ 14, 11, 6 });
  CheckType<double, 2, 2>({ 40, 30 });
}

TEST(BrickVectorConnectedComponentImageFilter, VectorsThatAreNoUnitVectorsAndNan)
{
  using Image = itk::Image<itk::Vector<float, 3>, 2>;
  using Mask = itk::Image<unsigned char, 2>;
  auto          image = MakeEmptyImage<Image>({ 40, 30 });
  std::uint64_t voxel = 0;
  for (itk::ImageRegionIterator<Image> it(image, image->GetLargestPossibleRegion()); !it.IsAtEnd(); ++it, ++voxel)
  {
    for (unsigned i = 0; i < 3; ++i)
    {
      const std::uint64_t number = brickccl::HashOf(voxel, i);
      it.Value()[i] = number % 50 == 0 ? std::numeric_limits<float>::quiet_NaN()
                    : number % 51 == 0 ? std::numeric_limits<float>::infinity()
                                       : static_cast<float>(number % 1000) / 400 - 1.2f;
    }
  }
  for (const float threshold : { -1.0f, 0.0f, 0.7f })
  {
    ExpectComponentsOfItk<Image, Mask>(image, threshold, false);
    ExpectComponentsOfItk<Image, Mask>(image, threshold, true);
  }
}

TEST(BrickVectorConnectedComponentImageFilter, VectorImagesAreTheSame)
{
  using Fixed = itk::Image<itk::Vector<float, 3>, 3>;
  using Variable = itk::VectorImage<float, 3>;
  using Labels = itk::Image<unsigned short, 3>;
  const auto fixed = MakeDirections<Fixed>({ 14, 11, 6 }, 4, 5);
  auto       variable = Variable::New();
  variable->SetRegions(fixed->GetLargestPossibleRegion());
  variable->SetNumberOfComponentsPerPixel(3);
  variable->Allocate();
  std::copy_n(fixed->GetBufferPointer()->GetDataPointer(), 14 * 11 * 6 * 3, variable->GetBufferPointer());
  auto ofFixed = itk::BrickVectorConnectedComponentImageFilter<Fixed, Labels, Labels>::New();
  auto ofVariable = itk::BrickVectorConnectedComponentImageFilter<Variable, Labels, Labels>::New();
  ofFixed->SetInput(fixed);
  ofVariable->SetInput(variable);
  for (const auto distance : { itk::BrickVectorDistance::Direction, itk::BrickVectorDistance::SumOfDifferences })
  {
    ofFixed->SetDistance(distance);
    ofVariable->SetDistance(distance);
    ofFixed->SetDistanceThreshold(0.1f);
    ofVariable->SetDistanceThreshold(0.1f);
    ofFixed->Update();
    ofVariable->Update();
    EXPECT_GT(ofFixed->GetObjectCount(), 10u);
    EXPECT_EQ(PixelsOf(ofFixed->GetOutput()), PixelsOf(ofVariable->GetOutput()));
  }
}

TEST(BrickVectorConnectedComponentImageFilter, SumOfDifferencesTellsOppositeVectorsApart)
{
  using Image = itk::Image<itk::Vector<double, 2>, 2>;
  using Labels = itk::Image<unsigned char, 2>;
  auto         image = MakeEmptyImage<Image>({ 4, 1 });
  const double values[] = { 1, -1, -1, 0 };
  for (int x = 0; x < 4; ++x)
  {
    image->GetPixel({ { x, 0 } })[0] = values[x];
    image->GetPixel({ { x, 0 } })[1] = x == 3 ? 1 : 0;
  }
  auto ours = itk::BrickVectorConnectedComponentImageFilter<Image, Labels, Labels>::New();
  EXPECT_EQ(ours->GetDistance(), itk::BrickVectorDistance::Direction);
  ours->SetInput(image);
  ours->SetDistanceThreshold(0.5);
  ours->Update();
  EXPECT_EQ(PixelsOf(ours->GetOutput()), (std::vector<unsigned char>{ 1, 1, 1, 2 }));
  ours->SetDistance(itk::BrickVectorDistance::SumOfDifferences);
  ours->Update();
  EXPECT_EQ(PixelsOf(ours->GetOutput()), (std::vector<unsigned char>{ 1, 2, 2, 3 }));
  ours->SetDistanceThreshold(2);
  ours->Update();
  EXPECT_EQ(ours->GetObjectCount(), 1u);
  ours->SetDistanceThreshold(-1);
  EXPECT_THROW(ours->Update(), itk::ExceptionObject);
}

TEST(BrickVectorConnectedComponentImageFilter, AbortsAndGoesOn)
{
  using Image = itk::Image<itk::Vector<float, 2>, 2>;
  using Labels = itk::Image<unsigned int, 2>;
  const auto image = MakeDirections<Image>({ 300, 300 }, 4, 9);
  auto       ours = itk::BrickVectorConnectedComponentImageFilter<Image, Labels, Labels>::New();
  ours->SetInput(image);
  const auto tag =
    ours->AddObserver(itk::ProgressEvent(), [&](const itk::EventObject &) { ours->AbortGenerateDataOn(); });
  EXPECT_THROW(ours->Update(), itk::ProcessAborted);
  ours->RemoveObserver(tag);
  ours->Update();
  const auto first = PixelsOf(ours->GetOutput());
  ours->SetNumberOfWorkUnits(1);
  ours->Modified();
  ours->Update();
  EXPECT_EQ(PixelsOf(ours->GetOutput()), first);
}

} // namespace
