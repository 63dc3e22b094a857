// SPDX-License-Identifier: Apache-2.0
// The filters that remove objects by a shape attribute, compared with BrickBinaryShapeKeepNObjectsImageFilter.
#include "itkBrickBinaryShapeOpeningImageFilter.h"
#include "itkBrickLabelShapeKeepNObjectsImageFilter.h"

#include "BrickCCL/Phantoms/Phantoms.h"
#include "ItkImages.h"

#include "itkBinaryShapeOpeningImageFilter.h"
#include "itkLabelShapeKeepNObjectsImageFilter.h"

#include <gtest/gtest.h>

#include <set>

namespace
{

using brickccl::testing::FillFromSeed;
using brickccl::testing::MakeEmptyImage;
using brickccl::testing::PixelsOf;

/** Runs a filter and the ITK filter that it replaces with the same parameters. \return the values of the output */
template <template <typename> class TOurs, template <typename> class TTheirs, typename TImage, typename TSet>
std::set<typename TImage::PixelType>
ExpectResultOfItk(const TImage * image, const std::string & attribute, bool isReverse, const TSet & set)
{
  auto       ours = TOurs<TImage>::New();
  auto       theirs = TTheirs<TImage>::New();
  const auto run = [&](auto * filter) {
    filter->SetInput(image);
    filter->SetAttribute(attribute);
    filter->SetReverseOrdering(isReverse);
    set(filter);
    filter->Update();
    return PixelsOf(filter->GetOutput());
  };
  const auto pixels = run(ours.GetPointer());
  EXPECT_EQ(pixels, run(theirs.GetPointer())) << attribute << " " << isReverse;
  return { pixels.begin(), pixels.end() };
}

template <typename TPixel, unsigned int VDimension>
void
CheckOpening(const std::vector<std::int64_t> & size, TPixel foreground)
{
  using Image = itk::Image<TPixel, VDimension>;
  const auto blobs = brickccl::MakeRandom(brickccl::Extent(VDimension, size.data()), 0.25, 3, 4);
  auto       image = MakeEmptyImage<Image>(size, true);
  FillFromSeed(image.GetPointer(), 3, [](std::uint64_t number) { return number % 4; });
  double spacing[VDimension];
  for (unsigned axis = 0; axis < VDimension; ++axis)
  {
    spacing[axis] = 0.7;
  }
  image->SetSpacing(spacing);
  for (std::size_t i = 0; i < blobs.size(); ++i)
  {
    TPixel & pixel = image->GetBufferPointer()[i];
    pixel = blobs[i] != 0 ? foreground : pixel;
  }
  const double voxel = VDimension == 3 ? 0.7 * 0.7 * 0.7 : 0.7 * 0.7;
  int          changed = 0;
  for (const auto & [attribute, lambda] : std::vector<std::pair<std::string, double>>{ { "NumberOfPixels", 30 },
                                                                                       { "PhysicalSize", 27 * voxel },
                                                                                       { "NumberOfPixelsOnBorder", 1 },
                                                                                       { "PerimeterOnBorder", 1 },
                                                                                       { "Label", 5 },
                                                                                       { "FeretDiameter", 3.1 },
                                                                                       { "Perimeter", 20.3 },
                                                                                       { "Roundness", 0.813 },
                                                                                       { "Elongation", 1.513 },
                                                                                       { "Flatness", 1.213 } })
  {
    for (const bool isReverse : { false, true })
    {
      for (const bool fully : { false, true })
      {
        const auto set = [&, limit = lambda](auto * filter) {
          filter->SetForegroundValue(foreground);
          filter->SetBackgroundValue(3);
          filter->SetFullyConnected(fully);
          filter->SetLambda(limit);
        };
        const auto values =
          ExpectResultOfItk<itk::BrickBinaryShapeOpeningImageFilter, itk::BinaryShapeOpeningImageFilter, Image>(
            image,
            attribute,
            isReverse,
            set);
        changed += values.count(foreground) != 0 ? 1 : 0;
      }
    }
  }
  EXPECT_GT(changed, 20) << "some objects stay";
}

TEST(BrickBinaryShapeOpeningImageFilter, HasTheResultOfItksFilter)
{
  CheckOpening<unsigned char, 3>({ 30, 22, 16 }, 255);
  CheckOpening<short, 3>({ 24, 18, 12 }, -5);
  CheckOpening<float, 2>({ 50, 40 }, 0.5f);
}

TEST(BrickBinaryShapeOpeningImageFilter, DefaultsAreThoseOfItkAndUnknownAttributesAreErrors)
{
  using Image = itk::Image<short, 3>;
  auto ours = itk::BrickBinaryShapeOpeningImageFilter<Image>::New();
  auto theirs = itk::BinaryShapeOpeningImageFilter<Image>::New();
  EXPECT_EQ(ours->GetFullyConnected(), theirs->GetFullyConnected());
  EXPECT_EQ(ours->GetBackgroundValue(), theirs->GetBackgroundValue());
  EXPECT_EQ(ours->GetForegroundValue(), theirs->GetForegroundValue());
  EXPECT_EQ(ours->GetLambda(), theirs->GetLambda());
  EXPECT_EQ(ours->GetReverseOrdering(), theirs->GetReverseOrdering());
  EXPECT_EQ(ours->GetAttribute(), theirs->GetAttribute());
  ours->SetInput(MakeEmptyImage<Image>({ 4, 4, 4 }));
  ours->SetAttribute("Centroid");
  EXPECT_THROW(ours->Update(), itk::ExceptionObject);
}

template <typename TPixel, unsigned int VDimension>
void
CheckLabels(const std::vector<std::int64_t> & size)
{
  using Image = itk::Image<TPixel, VDimension>;
  const auto cells = brickccl::MakeVoronoi(brickccl::Extent(VDimension, size.data()), 6, 1);
  auto       image = MakeEmptyImage<Image>(size, true);
  for (std::size_t i = 0; i < cells.size(); ++i)
  {
    const bool isNoise = brickccl::HashOf(2, i) % 5 == 0;
    image->GetBufferPointer()[i] = static_cast<TPixel>(isNoise ? 0 : cells[i] % 50);
  }
  for (const TPixel background : { TPixel(0), TPixel(7) })
  {
    for (const bool isReverse : { false, true })
    {
      for (const itk::SizeValueType kept : { 0u, 1u, 6u, 1000u })
      {
        const auto set = [&](auto * filter) {
          filter->SetBackgroundValue(background);
          filter->SetNumberOfObjects(kept);
        };
        for (const char * attribute : { "NumberOfPixels", "PhysicalSize", "NumberOfPixelsOnBorder", "Label" })
        {
          const auto values = ExpectResultOfItk<itk::BrickLabelShapeKeepNObjectsImageFilter,
                                                itk::LabelShapeKeepNObjectsImageFilter,
                                                Image>(image, attribute, isReverse, set);
          EXPECT_EQ(values.size(), std::min<std::size_t>(kept + 1, 50)) << "with the background";
        }
      }
      const auto keepTwo = [](auto * filter) { filter->SetNumberOfObjects(2); };
      for (const char * attribute : { "FeretDiameter", "Perimeter", "Roundness", "Elongation", "Flatness" })
      {
        ExpectResultOfItk<itk::BrickLabelShapeKeepNObjectsImageFilter, itk::LabelShapeKeepNObjectsImageFilter, Image>(
          image,
          attribute,
          isReverse,
          keepTwo);
      }
    }
  }
}

TEST(BrickLabelShapeKeepNObjectsImageFilter, HasTheResultOfItksFilter)
{
  CheckLabels<unsigned char, 3>({ 30, 22, 16 });
  CheckLabels<short, 2>({ 60, 50 });
  CheckLabels<unsigned int, 3>({ 24, 25, 26 });
}

TEST(BrickLabelShapeKeepNObjectsImageFilter, DefaultsAreThoseOfItkAndItRunsAgain)
{
  using Image = itk::Image<short, 3>;
  auto ours = itk::BrickLabelShapeKeepNObjectsImageFilter<Image>::New();
  auto theirs = itk::LabelShapeKeepNObjectsImageFilter<Image>::New();
  EXPECT_EQ(ours->GetBackgroundValue(), theirs->GetBackgroundValue());
  EXPECT_EQ(ours->GetNumberOfObjects(), theirs->GetNumberOfObjects());
  EXPECT_EQ(ours->GetReverseOrdering(), theirs->GetReverseOrdering());
  EXPECT_EQ(ours->GetAttribute(), theirs->GetAttribute());
  for (const std::int64_t width : { 40, 20 })
  {
    ours->SetInput(brickccl::testing::MakeImage<Image>({ width, 30, 20 }, 3));
    ours->SetBackgroundValue(0);
    const auto tag =
      ours->AddObserver(itk::ProgressEvent(), [&](const itk::EventObject &) { ours->AbortGenerateDataOn(); });
    EXPECT_THROW(ours->Update(), itk::ProcessAborted);
    ours->RemoveObserver(tag);
    ours->Update();
    const auto pixels = PixelsOf(ours->GetOutput());
    EXPECT_EQ(std::set<short>(pixels.begin(), pixels.end()).size(), 2u);
  }
}

} // namespace
