// SPDX-License-Identifier: Apache-2.0
#include "itkBrickConnectedComponentImageFilter.h"

#include "BrickCCL/Phantoms/Phantoms.h"
#include "BrickCCL/Phantoms/Random.h"
#include "FloodFill.h"
#include "ItkImages.h"

#include "itkBinaryThresholdImageFilter.h"
#include "itkCommand.h"
#include "itkConnectedComponentImageFilter.h"
#include "itkMetaDataObject.h"
#include "itkRGBPixel.h"
#include "itkRegionOfInterestImageFilter.h"
#include "itkVectorImage.h"
#include "Patterns.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

namespace
{

using brickccl::testing::MakeImage;
using brickccl::testing::PixelsOf;

/** The filter as a replacement of itk::ConnectedComponentImageFilter. */
template <typename TInput, typename TOutput>
void
ExpectSameAsItk(const TInput * image, bool fully, typename TOutput::PixelType background, const TInput * mask)
{
  using Theirs = itk::ConnectedComponentImageFilter<TInput, TOutput>;
  using Ours = itk::BrickConnectedComponentImageFilter<TInput, TOutput>;
  auto theirs = Theirs::New();
  auto ours = Ours::New();
  theirs->SetInput(image);
  ours->SetInput(image);
  theirs->SetFullyConnected(fully);
  ours->SetFullyConnected(fully);
  theirs->SetBackgroundValue(background);
  ours->SetBackgroundValue(background);
  if (mask)
  {
    theirs->SetMaskImage(mask);
    ours->SetMaskImage(mask);
  }
  theirs->Update();
  ours->Update();
  ASSERT_EQ(ours->GetObjectCount(), theirs->GetObjectCount());
  ASSERT_GT(ours->GetObjectCount(), 0u);
  ASSERT_EQ(PixelsOf(ours->GetOutput()), PixelsOf(theirs->GetOutput()));
  EXPECT_EQ(ours->GetOutput()->GetLargestPossibleRegion(), image->GetLargestPossibleRegion());
}

template <typename TPixel, unsigned VDimension>
void
CheckType(const std::vector<std::int64_t> & size)
{
  using Image = itk::Image<TPixel, VDimension>;
  for (const bool shifted : { false, true })
  {
    const auto image = MakeImage<Image>(size, 4, shifted);
    const auto mask = MakeImage<Image>(size, 5, shifted);
    for (const bool fully : { false, true })
    {
      ExpectSameAsItk<Image, itk::Image<unsigned int, VDimension>>(image, fully, 0, nullptr);
      ExpectSameAsItk<Image, itk::Image<unsigned int, VDimension>>(image, fully, 0, mask);
      ExpectSameAsItk<Image, itk::Image<short, VDimension>>(image, fully, 3, nullptr);
    }
  }
}

TEST(BrickConnectedComponentImageFilter, TakesThePlaceOfItksFilterForEveryPixelType)
{
  const std::vector<std::int64_t> size{ 33, 12, 7, 3 };
  CheckType<unsigned char, 3>(size);
  CheckType<signed char, 3>(size);
  CheckType<short, 3>(size);
  CheckType<unsigned short, 3>(size);
  CheckType<int, 3>(size);
  CheckType<unsigned int, 3>(size);
  CheckType<long, 3>(size);
  CheckType<unsigned long, 3>(size);
  CheckType<long long, 3>(size);
  CheckType<float, 3>(size);
  CheckType<double, 3>(size);
  CheckType<unsigned char, 2>(size);
  CheckType<short, 4>(size);
  CheckType<float, 2>(size);
}

/** Compares with the flood fill, as a label map of the filter's own. */
template <typename TImage, typename TFilter>
void
ExpectSameAsFloodFill(TFilter * filter, const TImage * image, int channels, int rank)
{
  brickccl::testing::FloodFillProblem problem;
  problem.extent = ViewBrickBuffer(image).extent;
  problem.channels = channels;
  problem.rank = rank;
  problem.criterion = filter->GetCriterion();
  using Value = typename itk::NumericTraits<typename TImage::PixelType>::ValueType;
  const auto * values = reinterpret_cast<const Value *>(image->GetBufferPointer());
  problem.values.assign(values, values + problem.extent.VoxelCount() * channels);
  const auto expected = brickccl::testing::FloodFill(problem);
  filter->SetInput(image);
  filter->Update();
  const auto labels = PixelsOf(filter->GetOutput());
  EXPECT_EQ(std::vector<std::uint64_t>(labels.begin(), labels.end()), expected);
}

TEST(BrickConnectedComponentImageFilter, EveryConnectivityAndCriterion)
{
  using Image = itk::Image<short, 3>;
  const auto image = MakeImage<Image>({ 20, 10, 8 }, 6);
  for (const auto & criterion : { brickccl::Criterion::Foreground(),
                                  brickccl::Criterion::InRange(1, 2),
                                  brickccl::Criterion::EqualValue(),
                                  brickccl::Criterion::Tolerance(1, std::nullopt) })
  {
    const unsigned counts[] = { 6, 18, 26 };
    for (int rank = 1; rank <= 3; ++rank)
    {
      auto filter = itk::BrickConnectedComponentImageFilter<Image, itk::Image<unsigned short, 3>>::New();
      filter->SetCriterion(criterion);
      filter->SetConnectivity(counts[rank - 1]);
      ExpectSameAsFloodFill(filter.GetPointer(), image.GetPointer(), 1, rank);
    }
  }
}

TEST(BrickConnectedComponentImageFilter, RgbAndVectorPixels)
{
  using Rgb = itk::Image<itk::RGBPixel<unsigned char>, 2>;
  using Vector = itk::VectorImage<float, 2>;
  using Labels = itk::Image<unsigned short, 2>;
  auto            rgb = Rgb::New();
  auto            vector = Vector::New();
  Rgb::RegionType region;
  region.SetSize(0, 40);
  region.SetSize(1, 15);
  rgb->SetRegions(region);
  rgb->Allocate();
  vector->SetRegions(region);
  vector->SetNumberOfComponentsPerPixel(2);
  vector->Allocate();
  for (std::uint64_t i = 0; i < 600; ++i)
  {
    for (std::uint64_t c = 0; c < 3; ++c)
    {
      reinterpret_cast<unsigned char *>(rgb->GetBufferPointer())[3 * i + c] =
        static_cast<unsigned char>(brickccl::HashOf(1, i) % 2 * (brickccl::HashOf(c, i) % 3));
    }
    for (std::uint64_t c = 0; c < 2; ++c)
    {
      vector->GetBufferPointer()[2 * i + c] = static_cast<float>(brickccl::HashOf(3 + c, i) % 3);
    }
  }
  for (const auto & criterion :
       { brickccl::Criterion::Foreground(), brickccl::Criterion::EqualValue(), brickccl::Criterion::Tolerance(1) })
  {
    auto ofRgb = itk::BrickConnectedComponentImageFilter<Rgb, Labels, Labels>::New();
    ofRgb->SetCriterion(criterion);
    ofRgb->FullyConnectedOn();
    ExpectSameAsFloodFill(ofRgb.GetPointer(), rgb.GetPointer(), 3, 2);
    auto ofVector = itk::BrickConnectedComponentImageFilter<Vector, Labels, Labels>::New();
    ofVector->SetCriterion(criterion);
    ExpectSameAsFloodFill(ofVector.GetPointer(), vector.GetPointer(), 2, 1);
  }
}

TEST(BrickConnectedComponentImageFilter, GeometryAndMetaDataAreCarriedOver)
{
  using Image = itk::Image<unsigned char, 3>;
  const auto   image = MakeImage<Image>({ 9, 8, 7 }, 1, true);
  const double spacing[] = { 0.5, 2, 3 };
  const double origin[] = { -4, 5, 6 };
  image->SetSpacing(spacing);
  image->SetOrigin(origin);
  Image::DirectionType direction;
  direction.Fill(0);
  direction[0][1] = direction[1][0] = direction[2][2] = 1;
  image->SetDirection(direction);
  itk::EncapsulateMetaData<std::string>(image->GetMetaDataDictionary(), "patient", "none");
  auto filter = itk::BrickConnectedComponentImageFilter<Image, Image>::New();
  filter->SetInput(image);
  filter->Update();
  const Image * output = filter->GetOutput();
  EXPECT_EQ(output->GetSpacing(), image->GetSpacing());
  EXPECT_EQ(output->GetOrigin(), image->GetOrigin());
  EXPECT_EQ(output->GetDirection(), image->GetDirection());
  std::string patient;
  EXPECT_TRUE(itk::ExposeMetaData(output->GetMetaDataDictionary(), "patient", patient));
  EXPECT_EQ(patient, "none");
  // The label map comes from the last Update.
  image->SetMetaDataDictionary({});
  const auto map = filter->MakeLabelMap<itk::LabelMap<itk::LabelObject<unsigned int, 3>>>();
  EXPECT_TRUE(itk::ExposeMetaData(map->GetMetaDataDictionary(), "patient", patient));
  EXPECT_EQ(map->GetSpacing(), image->GetSpacing());
  EXPECT_EQ(map->GetOrigin(), image->GetOrigin());
  EXPECT_EQ(map->GetDirection(), image->GetDirection());

  // The table speaks of ITK's own indices and points.
  const auto & table = filter->GetComponentTable();
  ASSERT_EQ(table.components.size(), filter->GetObjectCount());
  const auto &     first = table.components.front();
  Image::IndexType corner;
  for (unsigned axis = 0; axis < 3; ++axis)
  {
    corner[axis] = first.boxMinimum[axis];
    EXPECT_GE(corner[axis], image->GetLargestPossibleRegion().GetIndex(axis));
  }
  itk::ContinuousIndex<double, 3> centroid(first.centroid);
  Image::PointType                point;
  image->TransformContinuousIndexToPhysicalPoint(centroid, point);
  for (const auto & column : brickccl::ColumnsOf(table))
  {
    const std::string axes = "xyz";
    for (unsigned axis = 0; axis < 3; ++axis)
    {
      if (column.name == std::string("centroid_") + axes[axis] + "_mm")
      {
        EXPECT_NEAR(std::get<double>(column.value(table, first)), point[axis], 1e-12);
      }
    }
  }
}

TEST(BrickConnectedComponentImageFilter, RunsAgainOnlyWhenSomethingChanged)
{
  using Image = itk::Image<short, 3>;
  const auto image = MakeImage<Image>({ 20, 10, 8 }, 6);
  auto       filter = itk::BrickConnectedComponentImageFilter<Image, Image>::New();
  int        runs = 0;
  filter->AddObserver(itk::StartEvent(), [&](const itk::EventObject &) { ++runs; });
  filter->SetInput(image);
  filter->Update();
  filter->Update();
  EXPECT_EQ(runs, 1);
  filter->SetCriterion(filter->GetCriterion());
  filter->SetConnectivity(0);
  filter->SetBackgroundValue(0);
  filter->Update();
  EXPECT_EQ(runs, 1) << "setting the same value changes nothing";
  filter->SetCriterion("equal value");
  EXPECT_EQ(filter->GetCriterion(), brickccl::Criterion::EqualValue());
  EXPECT_THROW(filter->SetCriterion("equal values"), itk::ExceptionObject);
  filter->Update();
  EXPECT_EQ(runs, 2);
  filter->SetConnectivity(18);
  filter->Update();
  EXPECT_EQ(runs, 3);
  image->Modified();
  filter->Update();
  EXPECT_EQ(runs, 4);
}

TEST(BrickConnectedComponentImageFilter, StandsInPipelinesOfRequestedRegions)
{
  using Image = itk::Image<short, 3>;
  using Mask = itk::Image<unsigned char, 3>;
  const auto image = MakeImage<Image>({ 20, 10, 8 }, 6);
  auto       threshold = itk::BinaryThresholdImageFilter<Image, Mask>::New();
  threshold->SetInput(image);
  threshold->SetLowerThreshold(1);
  auto filter = itk::BrickConnectedComponentImageFilter<Mask, Image>::New();
  filter->SetInput(threshold->GetOutput());
  auto              part = itk::RegionOfInterestImageFilter<Image, Image>::New();
  Image::RegionType region;
  region.SetIndex(0, 5);
  region.SetSize(0, 4);
  region.SetSize(1, 6);
  region.SetSize(2, 3);
  part->SetInput(filter->GetOutput());
  part->SetRegionOfInterest(region);
  part->Update();
  EXPECT_EQ(filter->GetOutput()->GetBufferedRegion(), image->GetLargestPossibleRegion())
    << "labels need the whole image, whatever part is asked for";
  EXPECT_EQ(part->GetOutput()->GetBufferedRegion().GetSize(), region.GetSize());

  auto small = itk::BrickConnectedComponentImageFilter<Mask, Image>::New();
  small->SetInput(threshold->GetOutput());
  small->GetOutput()->UpdateOutputInformation();
  small->GetOutput()->SetRequestedRegion(region);
  small->GetOutput()->Update();
  EXPECT_EQ(PixelsOf(small->GetOutput()), PixelsOf(filter->GetOutput()));
}

TEST(BrickConnectedComponentImageFilter, SizeFiltersOrderAndSlices)
{
  using Image = itk::Image<short, 3>;
  const auto image = MakeImage<Image>({ 20, 10, 8 }, 6);
  auto       filter = itk::BrickConnectedComponentImageFilter<Image, Image>::New();
  filter->SetInput(image);
  filter->Update();
  const auto all = filter->GetObjectCount();
  filter->SetMinimumObjectSize(4);
  filter->SetOrder(brickccl::LabelOrder::Size);
  filter->Update();
  EXPECT_LT(filter->GetObjectCount(), all);
  const auto & components = filter->GetComponentTable().components;
  for (std::size_t c = 1; c < components.size(); ++c)
  {
    EXPECT_GE(components[c - 1].voxelCount, components[c].voxelCount);
    EXPECT_GE(components[c].voxelCount, 4u);
  }
  filter->SetNumberOfLargestObjects(2);
  filter->Update();
  EXPECT_EQ(filter->GetObjectCount(), 2u);
  filter->SetMinimumObjectSize(0);
  filter->SetNumberOfLargestObjects(0);
  filter->SetSliceAxis(2);
  filter->SetConnectivity(8);
  filter->Update();
  for (const auto & component : filter->GetComponentTable().components)
  {
    EXPECT_EQ(component.boxMinimum[2], component.boxMaximum[2]);
  }
}

TEST(BrickConnectedComponentImageFilter, IntensityImageOfAnotherType)
{
  using Mask = itk::Image<unsigned char, 3>;
  using Ct = itk::Image<float, 3>;
  const auto mask = MakeImage<Mask>({ 20, 10, 8 }, 6);
  const auto ct = MakeImage<Ct>({ 20, 10, 8 }, 6);
  auto       filter = itk::BrickConnectedComponentImageFilter<Mask, itk::Image<int, 3>>::New();
  filter->SetInput(mask);
  filter->SetIntensityImage(ct.GetPointer());
  filter->Update();
  const auto & table = filter->GetComponentTable();
  EXPECT_TRUE(table.hasIntensity);
  double sum = 0;
  for (const auto & component : table.components)
  {
    sum += component.intensity.sum;
  }
  const auto values = PixelsOf(ct.GetPointer());
  EXPECT_DOUBLE_EQ(sum, std::accumulate(values.begin(), values.end(), 0.0));
}

TEST(BrickConnectedComponentImageFilter, PartImageGivesDistancesToItsSurface)
{
  using Image = itk::Image<unsigned char, 3>;
  using Part = itk::Image<short, 3>;
  auto              image = Image::New();
  auto              part = Part::New();
  Image::RegionType region;
  const double      spacing[] = { 1, 1, 2 };
  for (unsigned int axis = 0; axis < 3; ++axis)
  {
    region.SetSize(axis, 20);
  }
  image->SetRegions(region);
  part->SetRegions(region);
  image->SetSpacing(spacing);
  part->SetSpacing(spacing);
  image->Allocate(true);
  part->Allocate(true);
  // A part from 2 to 17 along every axis, with pores 1, 5 and 2 voxels (of 2 mm) below its surface.
  for (short z = 2; z < 18; ++z)
  {
    for (short y = 2; y < 18; ++y)
    {
      for (short x = 2; x < 18; ++x)
      {
        part->SetPixel({ { x, y, z } }, 7);
      }
    }
  }
  image->SetPixel({ { 10, 10, 4 } }, 1);
  image->SetPixel({ { 3, 10, 10 } }, 1);
  image->SetPixel({ { 7, 10, 10 } }, 1);
  auto filter = itk::BrickConnectedComponentImageFilter<Image, itk::Image<int, 3>>::New();
  filter->SetInput(image);
  filter->SetPartImage(part.GetPointer());
  filter->SetAlgorithm("LabelEquivalence:flag=global");
  filter->SetDevice("cpu");
  filter->Update();
  const auto & table = filter->GetComponentTable();
  ASSERT_TRUE(table.hasPart);
  const auto distances = table.measures.Of<brickccl::PartDistance>();
  ASSERT_EQ(distances.size(), 3u);
  EXPECT_EQ(distances[0].distance, 4);
  EXPECT_EQ(distances[1].distance, 1);
  EXPECT_EQ(distances[2].distance, 5);
  EXPECT_EQ(table.partTotals.voxels, 16u * 16 * 16);
  filter->SetAlgorithm("LabelEquivalence:flag=none");
  EXPECT_THROW(filter->Update(), itk::ExceptionObject);
}

TEST(BrickConnectedComponentImageFilter, ErrorsAreItkExceptionsAndLeaveNoLabels)
{
  using Image = itk::Image<unsigned char, 2>;
  auto              image = Image::New();
  Image::RegionType region;
  region.SetSize(0, 64);
  region.SetSize(1, 16);
  image->SetRegions(region);
  image->Allocate();
  const brickccl::Extent extent{ 64, 16 };
  const auto             board = brickccl::MakeCheckerboard(extent);
  std::copy(board.begin(), board.end(), image->GetBufferPointer());

  auto filter = itk::BrickConnectedComponentImageFilter<Image, Image>::New();
  filter->SetInput(image);
  try
  {
    filter->Update();
    FAIL() << "512 components fitted unsigned char";
  }
  catch (const itk::ExceptionObject & error)
  {
    EXPECT_NE(std::string(error.GetDescription()).find("512 components do not fit"), std::string::npos);
  }
  EXPECT_THROW(filter->GetComponentTable(), itk::ExceptionObject);
  filter->SetConnectivity(26);
  EXPECT_THROW(filter->Update(), itk::ExceptionObject) << "26 neighbors in 2-D";
  filter->SetConnectivity(8);
  filter->SetAlgorithm("Magic");
  EXPECT_THROW(filter->Update(), itk::ExceptionObject);
  filter->SetAlgorithm("Auto");
  filter->Update();
  EXPECT_EQ(filter->GetObjectCount(), 1u);

  auto other = Image::New();
  region.SetSize(1, 15);
  other->SetRegions(region);
  other->Allocate(true);
  filter->SetMaskImage(other);
  EXPECT_THROW(filter->Update(), itk::ExceptionObject) << "a mask of another size";
}

TEST(BrickConnectedComponentImageFilter, ReportsProgressAndAborts)
{
  using Image = itk::Image<unsigned char, 3>;
  const auto         image = MakeImage<Image>({ 256, 128, 64 }, 6);
  std::vector<float> progress;
  auto               filter = itk::BrickConnectedComponentImageFilter<Image, itk::Image<unsigned int, 3>>::New();
  filter->SetInput(image);
  const auto tag = filter->AddObserver(itk::ProgressEvent(),
                                       [&](const itk::EventObject &) { progress.push_back(filter->GetProgress()); });
  filter->Update();
  EXPECT_GT(progress.size(), 5u);
  EXPECT_TRUE(std::is_sorted(progress.begin(), progress.end()));
  EXPECT_FLOAT_EQ(progress.back(), 1.0f);

  filter->RemoveObserver(tag);
  filter->Modified();
  int events = 0;
  filter->AddObserver(itk::ProgressEvent(), [&](const itk::EventObject &) {
    if (++events == 2)
    {
      filter->AbortGenerateDataOn();
    }
  });
  EXPECT_THROW(filter->Update(), itk::ProcessAborted);
  EXPECT_THROW(filter->GetComponentTable(), itk::ExceptionObject);
}

TEST(BrickConnectedComponentImageFilter, LabelsDoNotDependOnTheNumberOfWorkUnits)
{
  using Image = itk::Image<unsigned char, 3>;
  const auto                image = MakeImage<Image>({ 130, 90, 40 }, 9);
  std::vector<unsigned int> expected;
  for (const unsigned units : { 1u, 2u, 5u })
  {
    auto filter = itk::BrickConnectedComponentImageFilter<Image, itk::Image<unsigned int, 3>>::New();
    filter->SetInput(image);
    filter->SetNumberOfWorkUnits(units);
    filter->Update();
    const auto labels = PixelsOf(filter->GetOutput());
    expected = units == 1 ? labels : expected;
    EXPECT_EQ(labels, expected);
  }
}

} // namespace
