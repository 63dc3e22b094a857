// Voxels that go to the device while they are read: the labels are the same whatever has arrived before, and what has
// arrived is what is labeled.

#include "OnDevice.h"

#include "BrickCCL/Cuda/EarlyUpload.h"
#include "BrickCCL/Dispatch/LabelingImplementation.h"
#include "BrickCCL/Dispatch/SlabLabeler.h"
#include "BrickCCL/Labels/ExpandLabels.h"
#include "BrickCCL/Phantoms/Phantoms.h"
#include "BrickCCL/Phantoms/Random.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <thread>

namespace brickccl
{
namespace
{

constexpr cuda::EarlyUploadTuning AnySize = { 1, 5, "" };

/** Values 0..3 in grains, of a type. */
template <typename T>
std::vector<T>
MakeVoxels(const Extent & extent, std::uint64_t seed)
{
  const auto     random = MakeRandom(extent, 0.5, 1 + static_cast<int>(seed % 3), seed);
  std::vector<T> voxels(random.size());
  for (std::size_t i = 0; i < voxels.size(); ++i)
  {
    voxels[i] = static_cast<T>(random[i] * (1 + HashOf(seed, i / 5) % 3));
  }
  return voxels;
}

/** Voxels that are told of as a reader does, and go up. */
template <typename T>
struct Reading
{
  Reading(std::vector<T> values, int device)
    : voxels(std::move(values))
    , size(voxels.size() * sizeof(T))
  {
    auto upload = std::make_shared<cuda::EarlyUpload>(
      bytes,
      [device] { return device; },
      AnySize);
    ImplementationOf(result).earlyUpload = upload;
    m_Upload = upload;
    bytes->Begin(reinterpret_cast<const std::byte *>(voxels.data()), size);
  }

  /** Says that so many bytes have arrived, and waits until they were sent. */
  void
  Send(std::size_t count)
  {
    bytes->Arrived(count);
    while (m_Upload.lock()->Sent() < count)
    {
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
  }

  std::size_t
  Sent() const
  {
    return m_Upload.lock()->Sent();
  }

  std::vector<std::uint32_t>
  Labels(const Extent & extent, const LabelOptions & options)
  {
    Label(ImageView(voxels.data(), extent), options, result);
    std::vector<std::uint32_t> labels(voxels.size());
    result.Write(labels.data());
    return labels;
  }

  std::shared_ptr<ArrivingBytes> bytes = std::make_shared<ArrivingBytes>();
  std::vector<T>                 voxels;
  std::size_t                    size;
  Labeling                       result;

private:
  std::weak_ptr<cuda::EarlyUpload> m_Upload;
};

using EarlyUpload = OnCuda;

LabelOptions
OptionsFor(const Criterion & criterion, const Connectivity & connectivity)
{
  LabelOptions options;
  options.device = { Device::Kind::Cuda, 0 };
  options.criterion = criterion;
  options.connectivity = connectivity;
  return options;
}

template <typename T>
void
ExpectSameWhateverArrived(const Extent & extent, std::uint64_t seed)
{
  const auto         voxels = MakeVoxels<T>(extent, seed);
  const std::size_t  size = voxels.size() * sizeof(T);
  const Criterion    criterion = seed % 2 == 0 ? Criterion::Foreground() : Criterion::EqualValue();
  const LabelOptions options = OptionsFor(criterion, Connectivity(3, 1 + static_cast<int>(seed % 3)));
  const auto         expected = CpuLabels(voxels, extent, criterion, *options.connectivity);
  for (const std::size_t sent : { std::size_t{ 0 }, std::size_t{ 1 }, size / 2, size - 1, size })
  {
    Reading<T> reading(voxels, 0);
    reading.Send(sent);
    ASSERT_EQ(reading.Labels(extent, options), expected) << sent << " of " << size << " bytes, seed " << seed;
    // The next image of this result has not been sent.
    std::reverse(reading.voxels.begin(), reading.voxels.end());
    ASSERT_EQ(reading.Labels(extent, options), CpuLabels(reading.voxels, extent, criterion, *options.connectivity));
  }
}

TEST_F(EarlyUpload, LabelsAreTheSameWhateverHasArrived)
{
  for (std::uint64_t seed = 0; seed < 6; ++seed)
  {
    const Extent extent{ static_cast<std::int64_t>(3 + 2 * (HashOf(seed, 0) % 50)),
                         static_cast<std::int64_t>(1 + HashOf(seed, 1) % 20),
                         static_cast<std::int64_t>(1 + HashOf(seed, 2) % 20) };
    ExpectSameWhateverArrived<std::uint8_t>(extent, seed);
    ExpectSameWhateverArrived<std::int16_t>(extent, seed);
    ExpectSameWhateverArrived<float>(extent, seed);
  }
}

TEST_F(EarlyUpload, WhatArrivedIsWhatIsLabeled)
{
  const Extent          extent{ 50, 40, 30 };
  const auto            voxels = MakeVoxels<std::uint8_t>(extent, 1);
  const LabelOptions    options = OptionsFor(Criterion::Foreground(), Connectivity::Face(3));
  const auto            expected = CpuLabels(voxels, extent, options.criterion, *options.connectivity);
  Reading<std::uint8_t> reading(voxels, 0);
  reading.Send(reading.size);
  std::fill(reading.voxels.begin(), reading.voxels.end(), std::uint8_t{ 0 });
  EXPECT_EQ(reading.Labels(extent, options), expected) << "the copy on the device was not used";
}

TEST_F(EarlyUpload, WhatWasTakenBackOrIsAnotherImageIsUploadedAnew)
{
  const Extent       extent{ 50, 40, 30 };
  const auto         voxels = MakeVoxels<std::uint8_t>(extent, 1);
  const LabelOptions options = OptionsFor(Criterion::Foreground(), Connectivity::Face(3));
  const auto         expectedOf = [&](const std::vector<std::uint8_t> & image) {
    return CpuLabels(image, extent, options.criterion, *options.connectivity);
  };
  Reading<std::uint8_t> reading(voxels, 0);
  reading.Send(reading.size);
  reading.bytes->TakeBack();
  std::reverse(reading.voxels.begin(), reading.voxels.end());
  EXPECT_EQ(reading.Labels(extent, options), expectedOf(reading.voxels));

  Reading<std::uint8_t> other(voxels, 0);
  other.Send(other.size);
  auto smoothed = voxels;
  std::reverse(smoothed.begin(), smoothed.end());
  std::swap(other.voxels, smoothed);
  EXPECT_EQ(other.Labels(extent, options), expectedOf(other.voxels));

  Reading<std::uint8_t> nowhere(voxels, -1);
  nowhere.bytes->Arrived(nowhere.size);
  EXPECT_EQ(nowhere.Labels(extent, options), expectedOf(voxels));
}

TEST_F(EarlyUpload, EndsWithoutLabelingAtAnyTime)
{
  const std::vector<std::uint8_t> voxels(100000, 1);
  for (const std::size_t sent : { std::size_t{ 0 }, voxels.size() / 2, voxels.size() })
  {
    Reading<std::uint8_t> reading(voxels, 0);
    reading.bytes->Arrived(sent);
  }
  Labeling neverRead;
  EXPECT_NE(UploadWhileReading({ Device::Kind::Cuda, 0 }, neverRead), nullptr);
  EXPECT_EQ(UploadWhileReading({ Device::Kind::Auto, 0 }, neverRead), nullptr);
  EXPECT_EQ(UploadWhileReading({ Device::Kind::Cpu, 0 }, neverRead), nullptr);
}

/** The labels of slabs on the first device, where the image is at a place. */
std::vector<std::uint32_t>
LabelsOfSlabs(const Problem & problem, const cuda::EarlyUpload::Place & place)
{
  SlabLabeler labeler;
  RunVolume   runs;
  labeler.Label(ParseAlgorithm("Auto"), problem, { 0 }, {}, runs, place);
  std::vector<std::uint32_t> labels(static_cast<std::size_t>(problem.GetExtent().VoxelCount()));
  ExpandRows(runs, 0, problem.GetExtent().RowCount(), LabelType::UInt32, labels.data());
  return labels;
}

TEST_F(EarlyUpload, SlabsTakeTheirPartOfWhatHasArrived)
{
  const Extent       extent{ 50, 40, 31 };
  const auto         voxels = MakeVoxels<std::int16_t>(extent, 3);
  const std::size_t  size = voxels.size() * sizeof(std::int16_t);
  const Connectivity connectivity = Connectivity(3, 3);
  const Problem      problem(ImageView(voxels.data(), extent), Criterion::Foreground(), {}, connectivity);
  const auto         expected = CpuLabels(voxels, extent, Criterion::Foreground(), connectivity);
  for (const std::size_t uploaded : { std::size_t{ 0 }, size / 3 - 1, size - 1, size })
  {
    // Voxels behind are 0 on the device, so that they must be sent.
    std::vector<std::int16_t> part(voxels.size());
    std::copy_n(reinterpret_cast<const std::byte *>(voxels.data()),
                uploaded,
                reinterpret_cast<std::byte *>(part.data()));
    const OnDevice<std::int16_t> there(part);
    EXPECT_EQ(LabelsOfSlabs(problem, { reinterpret_cast<unsigned char *>(there.Data()), uploaded }), expected)
      << uploaded << " of " << size << " bytes";
  }
  const OnDevice<std::int16_t> zeros(std::vector<std::int16_t>(voxels.size()));
  const auto labels = LabelsOfSlabs(problem, { reinterpret_cast<unsigned char *>(zeros.Data()), size });
  EXPECT_EQ(std::count(labels.begin(), labels.end(), 0u), static_cast<std::ptrdiff_t>(labels.size()))
    << "the image on the device was not used";
}

#ifdef BRICKCCL_CUDA_ON_HOST
TEST_F(EarlyUpload, TooLittleMemoryLeavesItToTheUsualWay)
{
  const Extent       extent{ 300, 300, 200 };
  const auto         voxels = MakeVoxels<std::uint8_t>(extent, 5);
  const LabelOptions options = OptionsFor(Criterion::Foreground(), Connectivity::Face(3));
  const auto         expected = CpuLabels(voxels, extent, options.criterion, *options.connectivity);
  for (const bool isShortBefore : { true, false })
  {
    cuda::onhost::freeMemory = isShortBefore ? std::size_t{ 20 } << 20 : std::size_t{ 1 } << 32;
    Reading<std::uint8_t> reading(voxels, 0);
    if (isShortBefore)
    {
      reading.bytes->Arrived(reading.size);
    }
    else
    {
      reading.Send(reading.size);
    }
    // Others may have taken memory since.
    cuda::onhost::freeMemory = std::size_t{ 20 } << 20;
    const auto labels = reading.Labels(extent, options);
    cuda::onhost::freeMemory = std::size_t{ 1 } << 32;
    EXPECT_EQ(labels, expected);
  }
}
#endif

} // namespace
} // namespace brickccl
