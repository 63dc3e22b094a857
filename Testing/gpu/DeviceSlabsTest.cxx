// SPDX-License-Identifier: Apache-2.0
// Volumes that are labeled by slabs, on one device or several, have the CPU's labels. Where there is one device, it is
// named several times: the ways are the same.

#include "OnDevice.h"

#include "BrickCCL/Dispatch/SlabLabeler.h"
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Phantoms/Phantoms.h"
#include "BrickCCL/Phantoms/Random.h"

#include <algorithm>
#include <memory>
#include <sstream>

namespace brickccl
{
namespace
{

int
DeviceCount()
{
  int count = 0;
  EXPECT_EQ(cudaGetDeviceCount(&count), cudaSuccess);
  return count;
}

/** So many devices, which are the same ones again if there are fewer. */
std::vector<int>
SomeDevices(std::size_t count)
{
  std::vector<int> devices;
  const int        there = DeviceCount();
  for (std::size_t i = 0; i < count; ++i)
  {
    devices.push_back(static_cast<int>(i) % there);
  }
  return devices;
}

Device
DevicesOf(const std::vector<int> & indices)
{
  return { Device::Kind::Cuda, indices.front(), { indices.begin() + 1, indices.end() } };
}

/** Random values 0..3 in grains. */
template <typename T>
std::vector<T>
Grains(const Extent & extent, double density, int grain, std::uint64_t seed)
{
  const auto     random = MakeRandom(extent, density, grain, seed);
  std::vector<T> voxels(random.size());
  for (std::size_t i = 0; i < voxels.size(); ++i)
  {
    voxels[i] = static_cast<T>(random[i] * (1 + HashOf(seed, i / 5) % 3));
  }
  return voxels;
}

double
Density(std::size_t turn)
{
  return 0.3 + 0.1 * static_cast<double>(turn % 4);
}

struct SlabProblem
{
  Extent       extent;
  Criterion    criterion;
  Connectivity connectivity;

  std::string
  ToString() const
  {
    return extent.ToString() + ", " + criterion.ToString() + ", " + connectivity.ToString();
  }
};

std::vector<SlabProblem>
Problems([[maybe_unused]] std::size_t first)
{
  std::vector<SlabProblem> problems;
  for (const Criterion & criterion : { Criterion::Foreground(),
                                       Criterion::InRange(1, 2),
                                       Criterion::EqualValue(),
                                       Criterion::Tolerance(1),
                                       Criterion::Tolerance(1, std::nullopt) })
  {
    for (const Extent & extent :
         { Extent{ 140, 19, 17 }, Extent{ 64, 8, 3 }, Extent{ 130, 33 }, Extent{ 40, 7, 5, 6 } })
    {
      for (int rank = 1; rank <= extent.dimension; ++rank)
      {
        problems.push_back({ extent, criterion, Connectivity(extent.dimension, rank) });
      }
      for (int axis = 1; axis < extent.dimension && extent.dimension == 3; ++axis)
      {
        problems.push_back({ extent, criterion, Connectivity(2, 2).WithinSlices(axis) });
      }
    }
  }
#ifdef BRICKCCL_CUDA_ON_HOST
  // Kernels on the host take long: every third one, from a first one that differs between the tests.
  std::vector<SlabProblem> some;
  for (std::size_t i = first; i < problems.size(); i += 3)
  {
    some.push_back(problems[i]);
  }
  return some;
#else
  return problems;
#endif
}

LabelOptions
OptionsFor(const SlabProblem & problem, const Device & device)
{
  LabelOptions options;
  options.criterion = problem.criterion;
  options.connectivity = problem.connectivity;
  options.device = device;
  return options;
}

template <typename T>
std::vector<std::uint32_t>
LabelsOf(const std::vector<T> & voxels, const Extent & extent, const LabelOptions & options)
{
  std::vector<std::uint32_t> labels(voxels.size());
  Label(ImageView(voxels.data(), extent), options).Write(labels.data());
  return labels;
}

TEST_F(OnCuda, VolumesOfTheHostLabeledBySlabsEqualTheCpu)
{
  std::size_t turn = 0;
  for (const SlabProblem & problem : Problems(0))
  {
    for (const std::size_t devices : { std::size_t{ 2 }, std::size_t{ 3 } })
    {
      const auto   voxels = Grains<std::int16_t>(problem.extent, Density(turn), 1 + static_cast<int>(turn % 3), turn);
      LabelOptions options = OptionsFor(problem, { Device::Kind::Cpu, 0 });
      const auto   mask = MakeRandom(problem.extent, 0.9, 2, 5);
      if (turn % 3 == 0)
      {
        options.mask = ImageView(mask.data(), problem.extent);
      }
      options.relabel.minimumSize = turn % 5 == 0 ? 3 : 0;
      const auto expected = LabelsOf(voxels, problem.extent, options);
      options.device = DevicesOf(SomeDevices(devices));
      ASSERT_EQ(LabelsOf(voxels, problem.extent, options), expected) << problem.ToString() << ", turn " << turn;
      ++turn;
    }
  }
}

TEST_F(OnCuda, TablesAndRepeatedUseOfALabelingBySlabsAreThoseOfTheCpu)
{
  Labeling labeling;
  for (const Extent & extent : { Extent{ 90, 30, 40 }, Extent{ 200, 7, 3 }, Extent{ 90, 30, 40 } })
  {
    const auto   voxels = Grains<std::uint8_t>(extent, 0.35, 2, 9);
    LabelOptions options =
      OptionsFor({ extent, Criterion::EqualValue(), Connectivity::Full(3) }, { Device::Kind::Cpu, 0 });
    std::ostringstream expected;
    WriteDelimited(expected, Label(ImageView(voxels.data(), extent), options).Measure(), ',');
    options.device = DevicesOf(SomeDevices(2));
    Label(ImageView(voxels.data(), extent), options, labeling);
    std::ostringstream found;
    WriteDelimited(found, labeling.Measure(), ',');
    ASSERT_EQ(found.str(), expected.str());
    EXPECT_EQ(labeling.UsedDevice().device.Indices().size(), 2u);
  }
}

TEST_F(OnCuda, LabelingBySlabsReportsProgressAndEndsWhenAskedTo)
{
  const Extent extent{ 128, 96, 60 };
  const auto   voxels = MakeRandom(extent, 0.3, 3, 7);
  LabelOptions options =
    OptionsFor({ extent, Criterion::Foreground(), Connectivity::Full(3) }, DevicesOf(SomeDevices(2)));
  std::vector<std::uint32_t> expected = LabelsOf(voxels, extent, options);
  double                     last = 0;
  int                        reports = 0;
  options.progress.report = [&](double fraction) {
    EXPECT_GE(fraction, last);
    last = fraction;
    ++reports;
  };
  Labeling labeling;
  Label(ImageView(voxels.data(), extent), options, labeling);
  EXPECT_EQ(last, 1);
  EXPECT_GE(reports, 4);
  options.progress.report = {};
  for (const int end : { 0, 1, 2, 3, 5 })
  {
    int calls = 0;
    options.progress.canceled = [&] { return calls++ == end; };
    try
    {
      Label(ImageView(voxels.data(), extent), options, labeling);
    }
    catch (const Canceled &)
    {}
    options.progress.canceled = {};
    Label(ImageView(voxels.data(), extent), options, labeling);
    std::vector<std::uint32_t> labels(voxels.size());
    labeling.Write(labels.data());
    ASSERT_EQ(labels, expected) << "after an end at call " << end;
  }
}

#ifdef BRICKCCL_CUDA_ON_HOST
TEST_F(OnCuda, VolumesLargerThanTheDevicesMemoryAreLabeledBySlabs)
{
  const Extent extent{ 600, 300, 100 };
  const auto   voxels = MakeRandom(extent, 0.2, 6, 7);
  LabelOptions options =
    OptionsFor({ extent, Criterion::Foreground(), Connectivity::Face(3) }, { Device::Kind::Cpu, 0 });
  const auto expected = LabelsOf(voxels, extent, options);
  options.device = { Device::Kind::Cuda, 0 };
  cuda::onhost::freeMemory = std::size_t{ 20 } << 20;
  const auto found = LabelsOf(voxels, extent, options);
  cuda::onhost::freeMemory = std::size_t{ 1 } << 32;
  EXPECT_EQ(found, expected);
}
#endif

/** A volume on several devices, by slabs. */
template <typename T>
class SlabsOnDevices
{
public:
  /** \param heights  the slices of each slab. They follow each other. */
  SlabsOnDevices(const std::vector<T> &            voxels,
                 const Extent &                    extent,
                 const std::vector<std::uint8_t> * mask,
                 const std::vector<std::int64_t> & heights)
    : m_Axis(extent.dimension - 1)
  {
    const auto     perSlice = static_cast<std::ptrdiff_t>(extent.VoxelCount() / extent.size[m_Axis]);
    std::ptrdiff_t begin = 0;
    const auto     devices = SomeDevices(heights.size());
    for (std::size_t i = 0; i < heights.size(); ++i)
    {
      EXPECT_EQ(cudaSetDevice(devices[i]), cudaSuccess);
      const std::ptrdiff_t end = begin + heights[i] * perSlice;
      Extent               own = extent;
      own.size[m_Axis] = heights[i];
      m_Images.push_back(std::make_unique<OnDevice<T>>(std::vector<T>(voxels.begin() + begin, voxels.begin() + end)));
      DeviceSlab slab;
      slab.device = devices[i];
      slab.image = ImageView(m_Images.back()->Data(), own);
      if (mask != nullptr)
      {
        m_Masks.push_back(std::make_unique<OnDevice<std::uint8_t>>(
          std::vector<std::uint8_t>(mask->begin() + begin, mask->begin() + end)));
        slab.mask = ImageView(m_Masks.back()->Data(), own);
      }
      m_Sizes.push_back(static_cast<std::size_t>(end - begin));
      m_Labels.push_back(
        std::make_unique<OnDevice<std::uint32_t>>(std::vector<std::uint32_t>(m_Sizes.back(), Untouched)));
      pointers.push_back(m_Labels.back()->Data());
      slabs.push_back(slab);
      begin = end;
    }
    EXPECT_EQ(cudaSetDevice(0), cudaSuccess);
  }

  std::vector<std::uint32_t>
  Download() const
  {
    std::vector<std::uint32_t> all;
    for (std::size_t i = 0; i < m_Labels.size(); ++i)
    {
      EXPECT_EQ(cudaSetDevice(slabs[i].device), cudaSuccess);
      const auto part = m_Labels[i]->Download(m_Sizes[i]);
      all.insert(all.end(), part.begin(), part.end());
    }
    EXPECT_EQ(cudaSetDevice(0), cudaSuccess);
    return all;
  }

  static constexpr std::uint32_t Untouched = 0xABCDEF01;

  std::vector<DeviceSlab> slabs;
  std::vector<void *>     pointers;

private:
  int                                                   m_Axis;
  std::vector<std::unique_ptr<OnDevice<T>>>             m_Images;
  std::vector<std::unique_ptr<OnDevice<std::uint8_t>>>  m_Masks;
  std::vector<std::unique_ptr<OnDevice<std::uint32_t>>> m_Labels;
  std::vector<std::size_t>                              m_Sizes;
};

/** Cuts this many slices into slabs of random heights, or of 1 if `areThin`. */
std::vector<std::int64_t>
Heights(std::int64_t slices, bool areThin, std::uint64_t seed)
{
  std::vector<std::int64_t> heights;
  for (std::int64_t left = slices; left > 0; left -= heights.back())
  {
    const auto height = static_cast<std::int64_t>(1 + HashOf(seed, static_cast<std::uint64_t>(left)) % 7);
    heights.push_back(areThin ? 1 : std::min(left, height));
  }
  return heights;
}

TEST_F(OnCuda, SlabsOnDevicesHaveTheLabelsOfTheVolume)
{
  CudaSlabLabeler labeler;
  std::size_t     turn = 0;
  for (const SlabProblem & problem : Problems(1))
  {
    const std::int64_t slices = problem.extent.size[problem.extent.dimension - 1];
    const auto   voxels = Grains<std::uint8_t>(problem.extent, Density(turn), 1 + static_cast<int>(turn % 3), turn);
    const auto   mask = MakeRandom(problem.extent, 0.9, 2, 5);
    const bool   hasMask = turn % 3 == 0;
    LabelOptions options = OptionsFor(problem, { Device::Kind::Cpu, 0 });
    if (hasMask)
    {
      options.mask = ImageView(mask.data(), problem.extent);
    }
    const auto                         expected = LabelsOf(voxels, problem.extent, options);
    const SlabsOnDevices<std::uint8_t> there(voxels,
                                             problem.extent,
                                             hasMask ? &mask : nullptr,
                                             Heights(slices, turn % 4 == 0, turn));
    std::string                        algorithm = "Auto";
    if (turn % 5 == 4)
    {
      const auto supporting = SupportingAlgorithms(problem.extent, problem.criterion, problem.connectivity);
      algorithm = supporting[turn % supporting.size()];
    }
    const auto count =
      labeler.Label(algorithm, there.slabs, problem.criterion, problem.connectivity, there.pointers, LabelType::UInt32);
    ASSERT_EQ(there.Download(), expected) << problem.ToString() << ", " << algorithm << ", turn " << turn;
    ASSERT_EQ(count, *std::max_element(expected.begin(), expected.end()));
    ++turn;
  }
}

TEST_F(OnCuda, NoiseInSlabsOnDevicesHasTheLabelsOfTheVolume)
{
  CudaSlabLabeler labeler;
  for (const double density : { 0.05, 0.15, 0.3, 0.5 })
  {
    for (int rank = 1; rank <= 3; ++rank)
    {
      const Extent                       extent{ 200, 100 / Reduction, 24 };
      const auto                         voxels = MakeRandom(extent, density, 1, 77);
      const SlabsOnDevices<std::uint8_t> there(voxels, extent, nullptr, { 8, 8, 7, 1 });
      labeler
        .Label("Auto", there.slabs, Criterion::Foreground(), Connectivity(3, rank), there.pointers, LabelType::UInt32);
      ASSERT_EQ(there.Download(), CpuLabels(voxels, extent, Criterion::Foreground(), Connectivity(3, rank))) << density;
    }
  }
}

/** Seams of more rows than a flat brick of BundleMerging has, between slabs of one slice. */
TEST_F(OnCuda, SlabsOnDevicesOfOneSliceAndManyRows)
{
  CudaSlabLabeler labeler;
  const Extent    extent{ 150, 290, 3 };
  for (const double density : { 0.2, 0.35, 0.6 })
  {
    for (int rank = 1; rank <= 3; ++rank)
    {
      const auto                         voxels = MakeRandom(extent, density, rank, 78);
      const SlabsOnDevices<std::uint8_t> there(voxels, extent, nullptr, { 1, 1, 1 });
      labeler
        .Label("Auto", there.slabs, Criterion::Foreground(), Connectivity(3, rank), there.pointers, LabelType::UInt32);
      ASSERT_EQ(there.Download(), CpuLabels(voxels, extent, Criterion::Foreground(), Connectivity(3, rank)))
        << density << ", rank " << rank;
    }
  }
}

/** A comb whose teeth are joined only in the last slice, and one that is joined only in the first. */
TEST_F(OnCuda, ComponentsThatGoThroughAllSlabsAreOne)
{
  const Extent              extent{ 70, 9, 12 };
  std::vector<std::uint8_t> voxels(static_cast<std::size_t>(extent.VoxelCount()), 0);
  for (std::int64_t z = 0; z < 12; ++z)
  {
    for (std::int64_t y = 0; y < 9; ++y)
    {
      for (std::int64_t x = 0; x < 70; ++x)
      {
        const bool isTooth = x % 2 == 0;
        voxels[static_cast<std::size_t>((z * 9 + y) * 70 + x)] =
          (y == 1 && (isTooth || z == 11)) || (y == 5 && (isTooth || z == 0)) || (y == 7 && isTooth) ? 1 : 0;
      }
    }
  }
  const SlabsOnDevices<std::uint8_t> there(voxels, extent, nullptr, std::vector<std::int64_t>(12, 1));
  CudaSlabLabeler                    labeler;
  const auto                         connectivity = Connectivity::Face(3);
  EXPECT_EQ(
    labeler.Label("Auto", there.slabs, Criterion::Foreground(), connectivity, there.pointers, LabelType::UInt32),
    37u);
  EXPECT_EQ(there.Download(), CpuLabels(voxels, extent, Criterion::Foreground(), connectivity));
}

TEST_F(OnCuda, SlabsOnDevicesTellHowFarTheyHadComeWhen)
{
  const Extent                       extent{ 90, 30, 20 };
  const auto                         voxels = MakeRandom(extent, 0.1, 1, 3);
  const SlabsOnDevices<std::uint8_t> there(voxels, extent, nullptr, { 9, 6, 5 });
  CudaSlabLabeler                    labeler;
  for (const bool measures : { false, true, false })
  {
    labeler.MeasureStages(measures);
    labeler
      .Label("Auto", there.slabs, Criterion::Foreground(), Connectivity::Face(3), there.pointers, LabelType::UInt32);
    there.Download();
    const auto times = labeler.LastTimes();
    ASSERT_EQ(times.size(), 3u);
    for (std::size_t slab = 0; slab < times.size(); ++slab)
    {
      const CudaSlabLabeler::SlabTimes & own = times[slab];
      const std::vector<double>          steps{ 0, own.begun, own.queued, own.labeled, own.joinsQueued, own.counted };
      EXPECT_TRUE(std::is_sorted(steps.begin(), steps.end()));
      std::vector<std::string> stages;
      for (const auto & [stage, milliseconds] : own.stages)
      {
        stages.push_back(stage);
        EXPECT_GE(milliseconds, 0);
      }
      const std::vector<std::string> all{ "label", "wait for seams", "join and number", "write" };
      EXPECT_EQ(stages, measures ? all : std::vector<std::string>());
      ASSERT_EQ(own.stagesOfSeams.size(), slab == 1 ? 2u : 1u);
      EXPECT_EQ(own.stagesOfSeams[0].size(), measures ? 4u : 0u);
    }
  }
}

TEST_F(OnCuda, SlabsThatDoNotFitAndTypesThatAreTooSmallAreErrors)
{
  const Extent                       extent{ 90, 30, 20 };
  const auto                         voxels = MakeRandom(extent, 0.1, 1, 3);
  const SlabsOnDevices<std::uint8_t> there(voxels, extent, nullptr, { 12, 8 });
  CudaSlabLabeler                    labeler;
  const auto                         connectivity = Connectivity::Face(3);
  const auto label = [&](const std::vector<DeviceSlab> & slabs, const std::vector<void *> & labels, LabelType type) {
    return labeler.Label("Auto", slabs, Criterion::Foreground(), connectivity, labels, type);
  };
  EXPECT_THROW(labeler.Write(there.pointers, LabelType::UInt32), InvalidArgument);
  EXPECT_THROW(label({}, {}, LabelType::UInt32), InvalidArgument);
  EXPECT_THROW(label(there.slabs, { there.pointers[0] }, LabelType::UInt32), InvalidArgument);
  auto others = there.slabs;
  others[1].image.extent.size[0] = 89;
  EXPECT_THROW(label(others, there.pointers, LabelType::UInt32), InvalidArgument);
  others = there.slabs;
  others[1].image.type = ScalarType::Int8;
  EXPECT_THROW(label(others, there.pointers, LabelType::UInt32), InvalidArgument);
  others = there.slabs;
  others[0].mask = others[0].image;
  EXPECT_THROW(label(others, there.pointers, LabelType::UInt32), InvalidArgument);
  EXPECT_THROW(label(there.slabs, there.pointers, LabelType::UInt8), LabelOverflow);
  const auto untouched = there.Download();
  EXPECT_EQ(std::count(untouched.begin(), untouched.end(), SlabsOnDevices<std::uint8_t>::Untouched),
            static_cast<std::ptrdiff_t>(voxels.size()));
  // The volume was labeled all the same.
  labeler.Write(there.pointers, LabelType::UInt32);
  EXPECT_EQ(there.Download(), CpuLabels(voxels, extent, Criterion::Foreground(), connectivity));
}

TEST_F(OnCuda, SeveralDevicesAreNamedAndMissingOnesAreTold)
{
  const int count = DeviceCount();
  EXPECT_EQ(ResolveDevice(Device::FromName("cuda:all")).device.Indices().size(), static_cast<std::size_t>(count));
  const ResolvedDevice missing = ResolveDevice(Device::FromName("cuda:0," + std::to_string(count)));
  EXPECT_EQ(missing.device.kind, Device::Kind::Cpu);
  EXPECT_NE(missing.remark.find("the machine has " + std::to_string(count) + " CUDA device"), std::string::npos);
}

} // namespace
} // namespace brickccl
