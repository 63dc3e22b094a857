// The filters one after the other, as ITK's would stand, with a writer that asks for a piece at a time at the end.
#include "itkBrickConnectedComponentImageFilter.h"
#include "itkBrickRelabelComponentImageFilter.h"
#include "itkBrickScalarConnectedComponentImageFilter.h"
#include "itkBrickThresholdMaximumConnectedComponentsImageFilter.h"

#include "ItkImages.h"

#include "itkBinaryThresholdImageFilter.h"
#include "itkConnectedComponentImageFilter.h"
#include "itkImageFileReader.h"
#include "itkImageFileWriter.h"
#include "itkMetaImageIO.h"
#include "itkRelabelComponentImageFilter.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

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
  auto relabel = itk::BrickRelabelComponentImageFilter<Labels, Labels>::New();
  ours->SetInput(threshold->GetOutput());
  relabel->SetInput(ours->GetOutput());
  auto theirs = itk::ConnectedComponentImageFilter<Mask, Labels>::New();
  auto theirRelabel = itk::RelabelComponentImageFilter<Labels, Labels>::New();
  theirs->SetInput(threshold->GetOutput());
  theirRelabel->SetInput(theirs->GetOutput());
  int runs = 0;
  ours->AddObserver(itk::StartEvent(), [&](const itk::EventObject &) { ++runs; });
  theirs->Update();
  EXPECT_EQ(WrittenInPieces(ours->GetOutput(), 5), PixelsOf(theirs->GetOutput()));
  EXPECT_EQ(runs, 1) << "the labels of the whole are made once";
  for (const int lower : { 70, 40, 55 })
  {
    threshold->SetLowerThreshold(static_cast<short>(lower));
    theirRelabel->Update();
    for (const bool inPlace : { false, true, false })
    {
      relabel->SetInPlace(inPlace);
      EXPECT_EQ(WrittenInPieces(relabel->GetOutput(), inPlace ? 1 : 4), PixelsOf(theirRelabel->GetOutput()));
      EXPECT_EQ(relabel->GetNumberOfObjects(), theirRelabel->GetNumberOfObjects());
    }
  }
}

TEST(BrickFiltersInPipelines, OtherFiltersGiveTheWholeToAWriterOfPieces)
{
  auto image = MakeEmptyImage<Image>({ 40, 30, 24 }, true);
  FillFromSeed(image.GetPointer(), 3, [](std::uint64_t number) { return number % 100; });
  auto scalar = itk::BrickScalarConnectedComponentImageFilter<Image, Labels>::New();
  scalar->SetInput(image);
  scalar->SetDistanceThreshold(30);
  scalar->Update();
  const auto whole = PixelsOf(scalar->GetOutput());
  scalar->Modified();
  EXPECT_EQ(WrittenInPieces(scalar->GetOutput(), 6), whole);
  auto maximum = itk::BrickThresholdMaximumConnectedComponentsImageFilter<Image, Labels>::New();
  maximum->SetInput(image);
  maximum->Update();
  const auto pixels = PixelsOf(maximum->GetOutput());
  maximum->Modified();
  EXPECT_EQ(WrittenInPieces(maximum->GetOutput(), 6), pixels);
}

} // namespace
