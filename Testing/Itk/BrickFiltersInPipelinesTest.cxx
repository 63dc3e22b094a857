// SPDX-License-Identifier: Apache-2.0
// The filters one after the other, as ITK's would stand, with a writer that asks for a piece at a time at the end.
#include "itkBrickBinaryFillholeImageFilter.h"
#include "itkBrickConnectedComponentImageFilter.h"
#include "itkBrickLabelImageToShapeLabelMapFilter.h"
#include "itkBrickScalarConnectedComponentImageFilter.h"

#include "ItkImages.h"

#include "itkBinaryThresholdImageFilter.h"
#include "itkConnectedComponentImageFilter.h"
#include "itkImageFileReader.h"
#include "itkImageFileWriter.h"
#include "itkMetaDataObject.h"
#include "itkMetaImageIO.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace
{

using brickccl::testing::FillFromSeed;
using brickccl::testing::MakeEmptyImage;
using brickccl::testing::PixelsOf;

using Image = itk::Image<short, 3>;
using Mask = itk::Image<unsigned char, 3>;
using Labels = itk::Image<unsigned short, 3>;

/** Writes in pieces and reads again. */
std::vector<unsigned short>
WrittenInPieces(Labels * labels, unsigned int pieces)
{
  const auto name = (std::filesystem::temp_directory_path() /
                     ("brickccl-pieces-" + std::to_string(std::hash<const void *>()(labels)) + ".mha"))
                      .string();
  auto writer = itk::ImageFileWriter<Labels>::New();
  writer->SetInput(labels);
  writer->SetFileName(name);
  writer->SetImageIO(itk::MetaImageIO::New());
  writer->SetNumberOfStreamDivisions(pieces);
  writer->Update();
  auto reader = itk::ImageFileReader<Labels>::New();
  reader->SetFileName(name);
  reader->SetImageIO(itk::MetaImageIO::New());
  reader->Update();
  std::filesystem::remove(name);
  return PixelsOf(reader->GetOutput());
}

TEST(BrickFiltersInPipelines, AWriterThatAsksForPiecesGetsTheLabelsOfTheWhole)
{
  auto image = MakeEmptyImage<Image>({ 40, 30, 24 }, true);
  FillFromSeed(image.GetPointer(), 3, [](std::uint64_t number) { return number % 100; });
  auto threshold = itk::BinaryThresholdImageFilter<Image, Mask>::New();
  threshold->SetInput(image);
  auto ours = itk::BrickConnectedComponentImageFilter<Mask, Labels>::New();
  ours->SetInput(threshold->GetOutput());
  auto theirs = itk::ConnectedComponentImageFilter<Mask, Labels>::New();
  theirs->SetInput(threshold->GetOutput());
  int runs = 0;
  ours->AddObserver(itk::StartEvent(), [&](const itk::EventObject &) { ++runs; });
  theirs->Update();
  EXPECT_EQ(WrittenInPieces(ours->GetOutput(), 5), PixelsOf(theirs->GetOutput()));
  EXPECT_EQ(runs, 1) << "the labels of the whole are made once";
  for (const int lower : { 70, 40, 55 })
  {
    threshold->SetLowerThreshold(static_cast<short>(lower));
    theirs->Update();
    EXPECT_EQ(WrittenInPieces(ours->GetOutput(), 4), PixelsOf(theirs->GetOutput()));
  }
}

/** A writer of pieces gets what one of the whole gets, from one run for all pieces. */
template <typename TFilter>
void
ExpectTheWholeInPieces(TFilter * filter)
{
  auto * const input = const_cast<typename TFilter::InputImageType *>(filter->GetInput());
  itk::EncapsulateMetaData<std::string>(input->GetMetaDataDictionary(), "patient", "none");
  filter->Update();
  EXPECT_TRUE(filter->GetOutput()->GetMetaDataDictionary().HasKey("patient"));
  const auto whole = PixelsOf(filter->GetOutput());
  EXPECT_GT(std::set<unsigned short>(whole.begin(), whole.end()).size(), 1u);
  int runs = 0;
  filter->AddObserver(itk::StartEvent(), [&](const itk::EventObject &) { ++runs; });
  filter->Modified();
  EXPECT_EQ(WrittenInPieces(filter->GetOutput(), 6), whole);
  EXPECT_EQ(runs, 1);
}

TEST(BrickFiltersInPipelines, OtherFiltersGiveTheWholeToAWriterOfPieces)
{
  auto image = MakeEmptyImage<Image>({ 40, 30, 24 }, true);
  FillFromSeed(image.GetPointer(), 3, [](std::uint64_t number) { return number % 100; });
  auto scalar = itk::BrickScalarConnectedComponentImageFilter<Image, Labels>::New();
  scalar->SetInput(image);
  scalar->SetDistanceThreshold(30);
  ExpectTheWholeInPieces(scalar.GetPointer());

  auto mask = MakeEmptyImage<Labels>({ 40, 30, 24 }, true);
  FillFromSeed(mask.GetPointer(), 4, [](std::uint64_t number) { return number % 3 == 0 ? 0 : 1; });
  auto fill = itk::BrickBinaryFillholeImageFilter<Labels>::New();
  fill->SetInput(mask);
  fill->SetForegroundValue(1);
  ExpectTheWholeInPieces(fill.GetPointer());
}

TEST(BrickFiltersInPipelines, LabelMapsHaveTheMetadataOfTheImage)
{
  auto labels = brickccl::testing::MakeImage<Labels>({ 20, 10, 8 }, 3, true);
  itk::EncapsulateMetaData<std::string>(labels->GetMetaDataDictionary(), "patient", "none");
  auto shapes = itk::BrickLabelImageToShapeLabelMapFilter<Labels>::New();
  shapes->SetInput(labels);
  shapes->Update();
  EXPECT_TRUE(shapes->GetOutput()->GetMetaDataDictionary().HasKey("patient"));
}

/** Runs two filters again and again with masks that are set, changed, exchanged and taken away. */
template <typename TMaskImage>
void
ExpectEqualLabelsWhileMasksChange()
{
  const auto image = brickccl::testing::MakeImage<Image>({ 20, 10, 8 }, 3, true);
  auto       ours = itk::BrickConnectedComponentImageFilter<Image, Labels, TMaskImage>::New();
  auto       theirs = itk::ConnectedComponentImageFilter<Image, Labels, TMaskImage>::New();
  ours->SetInput(image);
  theirs->SetInput(image);
  std::vector<std::vector<unsigned short>> maps;
  const auto                               compare = [&](const TMaskImage * mask) {
    ours->SetMaskImage(mask);
    theirs->SetMaskImage(mask);
    ours->Update();
    theirs->Update();
    maps.push_back(PixelsOf(ours->GetOutput()));
    EXPECT_EQ(maps.back(), PixelsOf(theirs->GetOutput()));
    EXPECT_EQ(ours->GetObjectCount(), theirs->GetObjectCount());
  };
  const auto makeMask = [](std::uint64_t seed) {
    auto mask = MakeEmptyImage<TMaskImage>({ 20, 10, 8 }, true);
    FillFromSeed(mask.GetPointer(), seed, [](std::uint64_t number) { return number % 3; });
    return mask;
  };
  const auto mask = makeMask(8);
  compare(nullptr);
  compare(mask);
  FillFromSeed(mask.GetPointer(), 9, [](std::uint64_t number) { return number % 2; });
  mask->Modified();
  compare(mask);
  compare(makeMask(10));
  compare(nullptr);
  EXPECT_EQ(maps.back(), maps.front());
  EXPECT_EQ(std::set<std::vector<unsigned short>>(maps.begin(), maps.end()).size(), 4u) << "each mask counts";
}

TEST(BrickFiltersInPipelines, MasksOfAnyTypeMayChangeBetweenRuns)
{
  ExpectEqualLabelsWhileMasksChange<itk::Image<unsigned char, 3>>();
  ExpectEqualLabelsWhileMasksChange<itk::Image<short, 3>>();
  ExpectEqualLabelsWhileMasksChange<itk::Image<unsigned long long, 3>>();
  ExpectEqualLabelsWhileMasksChange<itk::Image<double, 3>>();
}

} // namespace
