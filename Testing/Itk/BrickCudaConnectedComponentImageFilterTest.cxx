// SPDX-License-Identifier: Apache-2.0
// The filter of itk::CudaImage: its labels and tables beside those of the filter for the host, and that nothing goes
// through the host that need not. ItkCuda runs these tests with the kernels compiled for the host and a stand-in for
// ITKCudaCommon, ItkCudaImage (Testing/gpu) with ITKCudaCommon itself, on a device.
#include "itkBrickCudaConnectedComponentImageFilter.h"

#include "BrickCCL/Dispatch/Label.h"
#include "ItkImages.h"

#include "itkShapeLabelObject.h"

#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <type_traits>

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

/** How often pixels went to the device and to the host. ITKCudaCommon does not count, the stand-in does. */
template <typename TManager, typename = void>
struct CopiesOf
{
  static constexpr bool AreCounted = false;

  std::size_t uploads = 0;
  std::size_t downloads = 0;
};
template <typename TManager>
struct CopiesOf<TManager, std::void_t<decltype(TManager::uploads)>>
{
  static constexpr bool AreCounted = true;

  std::size_t uploads = TManager::uploads;
  std::size_t downloads = TManager::downloads;
};
using Copies = CopiesOf<itk::CudaDataManager>;

class BrickCudaConnectedComponent : public testing::Test
{
protected:
  void
  SetUp() override
  {
    const auto resolved = brickccl::ResolveDevice({ brickccl::Device::Kind::Cuda, 0 });
    if (resolved.device.kind != brickccl::Device::Kind::Cuda)
    {
      GTEST_SKIP() << resolved.remark;
    }
  }
};

/** Whether the newest pixels of an image are only on the device. */
template <typename TImage>
bool
IsOnDeviceAlone(const TImage * image)
{
  const auto manager = image->GetCudaDataManager();
  return manager->IsCPUBufferDirty() && !manager->IsGPUBufferDirty();
}

/** Leaves the newest pixels only on the device, as a filter there does. */
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
  const Copies after;
  EXPECT_EQ(after.uploads, before.uploads) << what;
  EXPECT_EQ(after.downloads, before.downloads) << what;
  EXPECT_TRUE(IsOnDeviceAlone(image)) << what;
  EXPECT_TRUE(IsOnDeviceAlone(ours->GetOutput())) << what;
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

TEST_F(BrickCudaConnectedComponent, LabelsAndMeasuresAsOnTheHostWithoutCopies)
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
    "26 neighbors");
  CompareWithHost<Ours>(
    image,
    [](auto * filter) { filter->SetConnectivity(18); },
    "18 neighbors");
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

TEST_F(BrickCudaConnectedComponent, TakesOtherSizesTypesAndDimensions)
{
  for (const bool fully : { false, true })
  {
    CompareWithHost<Ours>(
      MakeImageOnDevice(10, { 123, 70, 51 }),
      [&](auto * filter) {
        filter->SetFullyConnected(fully);
        filter->SetMinimumObjectSize(2);
      },
      "many bricks");
  }
  using Small = itk::CudaImage<float, 2>;
  using SmallLabels = itk::CudaImage<short, 2>;
  CompareWithHost<itk::BrickCudaConnectedComponentImageFilter<Small, SmallLabels>>(
    MakeImageOnDevice<Small>(3, { 70, 41 }),
    [](auto *) {},
    "2-D of float to short");
}

TEST_F(BrickCudaConnectedComponent, UploadsOnceAndKeepsTheHostsPixels)
{
  const auto image = MakeImage<Image>({ 37, 21, 18 }, 4);
  auto       ours = Ours::New();
  ours->SetInput(image);
  const Copies before;
  ours->Update();
  ours->FullyConnectedOn();
  ours->Update();
  const Copies after;
  EXPECT_EQ(after.uploads, before.uploads + (Copies::AreCounted ? 1 : 0));
  EXPECT_EQ(after.downloads, before.downloads);
  // The host's pixels of the input are as new as they were, and the device has them, too.
  EXPECT_FALSE(image->GetCudaDataManager()->IsCPUBufferDirty());
  EXPECT_FALSE(image->GetCudaDataManager()->IsGPUBufferDirty());
  EXPECT_TRUE(IsOnDeviceAlone(ours->GetOutput()));
}

TEST_F(BrickCudaConnectedComponent, LabelsWhatTheHostHasWritten)
{
  const auto image = MakeImageOnDevice(11);
  auto       ours = Ours::New();
  ours->SetInput(image);
  ours->Update();
  const auto count = ours->GetObjectCount();
  FillFromSeed(image.GetPointer(), 12, [](std::uint64_t number) { return number % 32 == 0; });
  image->Modified();
  CompareWithHost<Ours>(
    image,
    [](auto *) {},
    "other pixels");
  ours->Update();
  EXPECT_NE(ours->GetObjectCount(), count);
}

TEST_F(BrickCudaConnectedComponent, HandsLabelsToTheNextFilterOnTheDevice)
{
  using OfLabels = itk::BrickCudaConnectedComponentImageFilter<Labels, Labels>;
  auto       first = Ours::New();
  auto       second = OfLabels::New();
  const auto image = MakeImageOnDevice(13);
  first->SetInput(image);
  second->SetInput(first->GetOutput());
  second->SetCriterion(brickccl::Criterion::EqualValue());
  const Copies before;
  second->Update();
  const Copies after;
  EXPECT_EQ(after.uploads, before.uploads);
  EXPECT_EQ(after.downloads, before.downloads);
  EXPECT_TRUE(IsOnDeviceAlone(first->GetOutput()));
  EXPECT_TRUE(IsOnDeviceAlone(second->GetOutput()));
  // A component has one label, so that it is a component of equal labels as well.
  EXPECT_EQ(second->GetObjectCount(), first->GetObjectCount());
  EXPECT_EQ(PixelsOf(second->GetOutput()), PixelsOf(first->GetOutput()));
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

TEST_F(BrickCudaConnectedComponent, GoesThroughTheHostForWhatOnlyTheHostCanDo)
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
    [&](auto * filter) { filter->SetNeighborhood(steps); },
    "that are a rank");
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

TEST_F(BrickCudaConnectedComponent, RefusesLabelsThatDoNotFitBeforeAnythingIsWritten)
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

TEST_F(BrickCudaConnectedComponent, HasTheErrorsOfTheFilterForTheHost)
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

TEST_F(BrickCudaConnectedComponent, MakesLabelMapsOfLabelsThatWereMadeThroughTheHost)
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
