// The filter of itk::CudaImage, with the kernels compiled for the host and a stand-in for ITKCudaCommon: its labels and
// tables beside those of the filter for the host, and that nothing goes through the host that need not.
#include "itkBrickCudaConnectedComponentImageFilter.h"

#include "ItkImages.h"

#include "itkShapeLabelObject.h"

#include <gtest/gtest.h>

#include <sstream>
#include <string>

namespace
{

using brickccl::testing::FillFromSeed;
using brickccl::testing::MakeEmptyImage;
using brickccl::testing::MakeImage;
using brickccl::testing::PixelsOf;

using Image = itk::CudaImage<short, 3>;
using Labels = itk::CudaImage<unsigned int, 3>;
using Mask = itk::CudaImage<unsigned char, 3>;
using Ours = itk::BrickCudaConnectedComponentImageFilter<Image, Labels, Mask>;
using HostFilter = itk::BrickConnectedComponentImageFilter<Image, Labels, Mask>;
using Manager = itk::CudaDataManager;

/** How often pixels went to the device and to the host. */
struct Copies
{
  std::size_t uploads = Manager::uploads;
  std::size_t downloads = Manager::downloads;
};

/** Leaves the newest pixels on the device alone, as a filter does that works there. */
template <typename TImage>
void
PutOnDevice(const TImage * image)
{
  image->GetCudaDataManager()->GetGPUBufferPointerPtr();
}

template <typename TImage = Image>
typename TImage::Pointer
MakeImageOnDevice(std::uint64_t seed, const std::vector<std::int64_t> & size = { 37, 21, 18 })
{
  auto image = MakeImage<TImage>(size, seed, true);
  PutOnDevice(image.GetPointer());
  return image;
}

std::string
TextOf(const brickccl::ComponentTable & table)
{
  std::ostringstream text;
  brickccl::WriteDelimited(text, table, ',');
  return text.str();
}

/** Runs the filter, which must not copy, and the host's, and compares all that they make. */
template <typename TOurs, typename TSet>
void
CompareWithHost(typename TOurs::InputImageType * image, const TSet & set, const std::string & what)
{
  auto ours = TOurs::New();
  auto host = TOurs::HostFilter::New();
  ours->SetInput(image);
  set(ours.GetPointer());
  PutOnDevice(image);
  if (const auto * const mask = ours->GetMaskImage())
  {
    PutOnDevice(mask);
  }
  const Copies before;
  ours->Update();
  EXPECT_EQ(Manager::uploads, before.uploads) << what;
  EXPECT_EQ(Manager::downloads, before.downloads) << what;
  EXPECT_STREQ(ours->GetHostReason(), "") << what;
  host->SetInput(image);
  host->SetDevice("cpu");
  set(host.GetPointer());
  host->Update();
  EXPECT_EQ(PixelsOf(ours->GetOutput()), PixelsOf(host->GetOutput())) << what;
  EXPECT_EQ(ours->GetObjectCount(), host->GetObjectCount()) << what;
  EXPECT_GT(ours->GetObjectCount(), 0u) << what;
  EXPECT_EQ(TextOf(ours->GetComponentTable()), TextOf(host->GetComponentTable())) << what;
  EXPECT_EQ(ours->GetOutput()->GetOrigin(), image->GetOrigin()) << what;
  EXPECT_EQ(ours->GetOutput()->GetLargestPossibleRegion(), image->GetLargestPossibleRegion()) << what;
}

TEST(BrickCudaConnectedComponent, LabelsAndMeasuresAsOnTheHostWithoutCopies)
{
  const auto   image = MakeImageOnDevice(1);
  const double spacing[] = { 0.5, 0.25, 2 };
  image->SetSpacing(spacing);
  const auto mask = MakeImageOnDevice<Mask>(2);
  mask->SetSpacing(spacing);
  CompareWithHost<Ours>(
    image,
    [](auto *) {},
    "defaults");
  CompareWithHost<Ours>(
    image,
    [](auto * filter) { filter->FullyConnectedOn(); },
    "26 neighbours");
  CompareWithHost<Ours>(
    image,
    [](auto * filter) { filter->SetConnectivity(18); },
    "18 neighbours");
  CompareWithHost<Ours>(
    image,
    [](auto * filter) { filter->SetSliceAxis(2); },
    "slices");
  CompareWithHost<Ours>(
    image,
    [](auto * filter) { filter->SetDevice("cuda:0"); },
    "the device by its number");
  CompareWithHost<Ours>(
    image,
    [&](auto * filter) { filter->SetMaskImage(mask); },
    "mask");
  CompareWithHost<Ours>(
    image,
    [](auto * filter) { filter->SetMinimumObjectSize(4); },
    "small ones dropped");
  CompareWithHost<Ours>(
    image,
    [](auto * filter) { filter->SetMinimumObjectVolume(0.9); },
    "small volumes dropped");
  CompareWithHost<Ours>(
    image,
    [](auto * filter) {
      filter->SetOrder(brickccl::LabelOrder::Size);
      filter->SetNumberOfLargestObjects(7);
    },
    "the largest");
  for (const auto & criterion : { brickccl::Criterion::InRange(2, 3),
                                  brickccl::Criterion::EqualValue(),
                                  brickccl::Criterion::Tolerance(1, std::nullopt) })
  {
    CompareWithHost<Ours>(
      image,
      [&](auto * filter) { filter->SetCriterion(criterion); },
      criterion.ToString());
  }
}

TEST(BrickCudaConnectedComponent, TakesOtherTypesAndDimensions)
{
  using Small = itk::CudaImage<float, 2>;
  using SmallLabels = itk::CudaImage<short, 2>;
  CompareWithHost<itk::BrickCudaConnectedComponentImageFilter<Small, SmallLabels>>(
    MakeImageOnDevice<Small>(3, { 70, 41 }),
    [](auto *) {},
    "2-D of float to short");
}

TEST(BrickCudaConnectedComponent, UploadsOnceAndKeepsTheHostsPixels)
{
  const auto image = MakeImage<Image>({ 37, 21, 18 }, 4);
  auto       ours = Ours::New();
  ours->SetInput(image);
  const Copies before;
  ours->Update();
  ours->FullyConnectedOn();
  ours->Update();
  EXPECT_EQ(Manager::uploads, before.uploads + 1);
  // The host's pixels of the input are as new as they were.
  EXPECT_FALSE(image->GetCudaDataManager()->IsCPUBufferDirty());
  EXPECT_EQ(Manager::downloads, before.downloads);
  EXPECT_TRUE(ours->GetOutput()->GetCudaDataManager()->IsCPUBufferDirty());
  EXPECT_FALSE(ours->GetOutput()->GetCudaDataManager()->IsGPUBufferDirty());
}

/** Runs the filter with what only the host can do. */
template <typename TSet>
void
ExpectThroughHost(Image * image, const TSet & set, const std::string & reason)
{
  auto ours = Ours::New();
  auto host = HostFilter::New();
  ours->SetInput(image);
  host->SetInput(image);
  host->SetDevice("cpu");
  set(ours.GetPointer());
  set(host.GetPointer());
  ours->GlobalWarningDisplayOff();
  ours->Update();
  ours->GlobalWarningDisplayOn();
  host->Update();
  EXPECT_NE(std::string(ours->GetHostReason()).find(reason), std::string::npos) << ours->GetHostReason();
  EXPECT_EQ(PixelsOf(ours->GetOutput()), PixelsOf(host->GetOutput())) << reason;
  EXPECT_EQ(TextOf(ours->GetComponentTable()), TextOf(host->GetComponentTable())) << reason;
}

TEST(BrickCudaConnectedComponent, GoesThroughTheHostForWhatOnlyTheHostCanDo)
{
  const auto image = MakeImageOnDevice(5);
  const auto axes = brickccl::PeriodicAxes::FromNames("xy");
  const auto steps =
    brickccl::Connectivity::FromOffsets(3, { { 1, 0, 0, 0 }, { -1, 0, 0, 0 }, { 0, 1, 1, 0 }, { 0, -1, -1, 0 } });
  const auto groups = brickccl::ColumnGroups::FromNames("shape");
  const auto larger = MakeEmptyImage<Mask>({ 50, 40, 40 }, true);
  FillFromSeed(larger.GetPointer(), 6, [](std::uint64_t number) { return number % 2; });
  ExpectThroughHost(
    image,
    [&](auto * filter) { filter->SetPeriodicAxes(axes); },
    "periodic axes");
  ExpectThroughHost(
    image,
    [&](auto * filter) { filter->SetNeighbourhood(steps); },
    "no rank");
  ExpectThroughHost(
    image,
    [](auto * filter) { filter->SetBackgroundValue(9); },
    "background");
  ExpectThroughHost(
    image,
    [&](auto * filter) { filter->SetColumnGroups(groups); },
    "default columns");
  ExpectThroughHost(
    image,
    [&](auto * filter) { filter->SetIntensityImage(image); },
    "intensities");
  ExpectThroughHost(
    image,
    [&](auto * filter) { filter->SetPartImage(image); },
    "part");
  ExpectThroughHost(
    image,
    [&](auto * filter) { filter->SetMaskImage(larger); },
    "mask");
}

TEST(BrickCudaConnectedComponent, RefusesLabelsThatDoNotFitBeforeAnythingIsWritten)
{
  using Bytes = itk::CudaImage<signed char, 3>;
  auto       ours = itk::BrickCudaConnectedComponentImageFilter<Image, Bytes>::New();
  const auto image = MakeImageOnDevice(7);
  ours->SetInput(image);
  try
  {
    ours->Update();
    FAIL() << ours->GetObjectCount() << " labels in signed bytes";
  }
  catch (const itk::ExceptionObject & error)
  {
    EXPECT_NE(std::string(error.what()).find("whose largest label is 127"), std::string::npos) << error.what();
  }
  EXPECT_EQ(ours->GetObjectCount(), 0u);
  EXPECT_THROW(ours->GetComponentTable(), itk::ExceptionObject);
  // The filter can be used again.
  ours->SetNumberOfLargestObjects(100);
  ours->Update();
  EXPECT_EQ(ours->GetObjectCount(), 100u);
}

TEST(BrickCudaConnectedComponent, HasTheErrorsOfTheFilterForTheHost)
{
  const auto image = MakeImageOnDevice(8);
  auto       ours = Ours::New();
  EXPECT_THROW(ours->Update(), itk::ExceptionObject);
  ours->SetInput(image);
  ours->SetConnectivity(7);
  EXPECT_THROW(ours->Update(), itk::ExceptionObject);
  ours->SetConnectivity(6);
  ours->SetAlgorithm("NoSuchAlgorithm");
  EXPECT_THROW(ours->Update(), itk::ExceptionObject);
  ours->SetAlgorithm("Auto");
  ours->SetDevice("gpu");
  EXPECT_THROW(ours->Update(), itk::ExceptionObject);
  ours->SetDevice("auto");
  ours->SetMinimumObjectVolume(-1);
  EXPECT_THROW(ours->Update(), itk::ExceptionObject);
  ours->SetMinimumObjectVolume(0);
  const auto abort =
    ours->AddObserver(itk::ProgressEvent(), [&](const itk::EventObject &) { ours->AbortGenerateDataOn(); });
  EXPECT_THROW(ours->Update(), itk::ProcessAborted);
  EXPECT_EQ(ours->GetObjectCount(), 0u);
  ours->RemoveObserver(abort);
  ours->Update();
  EXPECT_GT(ours->GetObjectCount(), 0u);
}

TEST(BrickCudaConnectedComponent, MakesLabelMapsOfLabelsThatWereMadeThroughTheHost)
{
  using LabelMap = itk::LabelMap<itk::ShapeLabelObject<itk::SizeValueType, 3>>;
  const auto image = MakeImageOnDevice(9);
  auto       ours = Ours::New();
  ours->SetInput(image);
  ours->Update();
  EXPECT_THROW(ours->MakeLabelMap<LabelMap>(), itk::ExceptionObject);
  const auto labels = PixelsOf(ours->GetOutput());
  ours->GPUEnabledOff();
  ours->Update();
  EXPECT_STREQ(ours->GetHostReason(), "GPUEnabled is off");
  EXPECT_EQ(PixelsOf(ours->GetOutput()), labels);
  EXPECT_EQ(ours->MakeLabelMap<LabelMap>()->GetNumberOfLabelObjects(), ours->GetObjectCount());
}

} // namespace
