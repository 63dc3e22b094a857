// SPDX-License-Identifier: Apache-2.0
// What only a GPU can show: labels in device memory equal the CPU's, on a caller's stream, from several threads, and
// for volumes past 2^31 voxels; and errors leave the labeler usable. Without a GPU these tests are skipped, visibly.

#include "OnDevice.h"

#include "BrickCCL/Dispatch/DeviceLabeler.h"
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Phantoms/Phantoms.h"
#include "BrickCCL/Phantoms/Random.h"
#include "Ridges.h"
#include "Patterns.h"

#include <algorithm>
#include <cstring>
#include <iostream>
#include <thread>
#include <vector>

namespace brickccl
{
namespace
{

TEST_F(OnCuda, ManySeededVolumesOfOddExtentsEqualTheCpu)
{
  CudaLabeler labeler(0);
  for (std::uint64_t seed = 0; seed < VolumeCount; ++seed)
  {
    const Extent                  extent{ static_cast<std::int64_t>(1 + 2 * (HashOf(seed, 0) % 100)),
                         static_cast<std::int64_t>(1 + 2 * (HashOf(seed, 1) % 20) / Reduction),
                         static_cast<std::int64_t>(1 + 2 * (HashOf(seed, 2) % 20) / Reduction) };
    const auto                    voxels = MakeRandom(extent, UniformOf(seed, 3), 1 + static_cast<int>(seed % 3), seed);
    const auto                    connectivity = Connectivity(3, 1 + static_cast<int>(seed % 3));
    const auto                    expected = CpuLabels(voxels, extent, Criterion::Foreground(), connectivity);
    const OnDevice<std::uint8_t>  image(voxels);
    const OnDevice<std::uint32_t> labels(voxels.size());
    for (const std::string & algorithm : SupportingAlgorithms(extent, Criterion::Foreground(), connectivity))
    {
      LabelToMap(labeler, algorithm, image, extent, Criterion::Foreground(), connectivity, labels);
      ASSERT_EQ(labels.Download(voxels.size()), expected) << algorithm << ", seed " << seed;
    }
  }
}

TEST_F(OnCuda, LargeVolumesUnderEveryCriterionAndRepeatedRunsAreIdentical)
{
  const Extent              extent{ 500, 166 / Reduction / Reduction, 125 / Reduction / Reduction };
  std::vector<std::int16_t> voxels(static_cast<std::size_t>(extent.VoxelCount()));
  for (std::size_t i = 0; i < voxels.size(); ++i)
  {
    voxels[i] = static_cast<std::int16_t>(HashOf(1, i / 3) % 5 * 100);
  }
  CudaLabeler                   labeler(0);
  const OnDevice<std::int16_t>  image(voxels);
  const OnDevice<std::uint32_t> labels(voxels.size());
  for (const Criterion & criterion : { Criterion::Foreground(),
                                       Criterion::InRange(100, 300),
                                       Criterion::EqualValue(),
                                       Criterion::Tolerance(100, std::nullopt) })
  {
    for (int rank = 1; rank <= 3; ++rank)
    {
      const auto expected = CpuLabels(voxels, extent, criterion, Connectivity(3, rank));
      for (const std::string & algorithm : SupportingAlgorithms(extent, criterion, Connectivity(3, rank)))
      {
        for (int repeat = 0; repeat < 2; ++repeat)
        {
          LabelToMap(labeler, algorithm, image, extent, criterion, Connectivity(3, rank), labels);
          ASSERT_EQ(labels.Download(voxels.size()), expected)
            << algorithm << ", " << criterion.ToString() << ", rank " << rank;
        }
      }
    }
  }
}

/** Checks label maps of one type that begin `offset` labels into the device's memory. */
template <typename TLabel>
void
ExpectLabelMap(CudaLabeler &                      labeler,
               const std::string &                algorithm,
               const Extent &                     extent,
               const OnDevice<std::uint8_t> &     image,
               const Criterion &                  criterion,
               const Connectivity &               connectivity,
               const std::vector<std::uint32_t> & expected,
               std::size_t                        offset)
{
  const OnDevice<TLabel> labels(std::vector<TLabel>(expected.size() + 2 * offset, TLabel{ 77 }));
  labeler.LabelOnDevice(algorithm,
                        ImageView(image.Data(), extent),
                        criterion,
                        {},
                        connectivity,
                        labels.Data() + offset,
                        sizeof(TLabel) == 1   ? LabelType::UInt8
                        : sizeof(TLabel) == 2 ? LabelType::UInt16
                        : sizeof(TLabel) == 4 ? LabelType::UInt32
                                              : LabelType::UInt64);
  std::vector<TLabel> all(expected.size() + 2 * offset, TLabel{ 77 });
  std::copy(expected.begin(), expected.end(), all.begin() + static_cast<std::ptrdiff_t>(offset));
  ASSERT_EQ(labels.Download(all.size()), all)
    << algorithm << ", " << sizeof(TLabel) << " bytes per label, extent " << extent.ToString() << ", offset " << offset
    << ", " << criterion.ToString() << ", " << connectivity.ToString();
}

TEST_F(OnCuda, LabelMapsOfEveryTypeLieWhereTheCallerSays)
{
  CudaLabeler labeler(0);
  for (const Extent & extent :
       { Extent{ 160, 10, 6 }, Extent{ 132, 6, 3 }, Extent{ 131, 9, 5 }, Extent{ 300, 20 }, Extent{ 33, 70 } })
  {
    // The components are few enough for 8 bits: cubes, and stripes of two values in them.
    auto voxels = MakeRandom(extent, 0.6, 7, 3);
    for (std::size_t i = 0; i < voxels.size(); ++i)
    {
      voxels[i] = static_cast<std::uint8_t>(voxels[i] * (1 + i / 50 % 2));
    }
    const OnDevice<std::uint8_t> image(voxels);
    for (const Criterion & criterion : { Criterion::Foreground(), Criterion::EqualValue() })
    {
      for (const int rank : { 1, extent.dimension })
      {
        const Connectivity connectivity(extent.dimension, rank);
        const auto         expected = CpuLabels(voxels, extent, criterion, connectivity);
        const bool         fits = *std::max_element(expected.begin(), expected.end()) <= 255;
        // Each of these algorithms has its own way to write.
        for (const char * const algorithm : { "BundleMerging", "RunMerging", "LabelEquivalence" })
        {
          for (const std::size_t offset : { std::size_t{ 0 }, std::size_t{ 1 } })
          {
            if (!AlgorithmRunsOnCuda(algorithm, extent, criterion, connectivity))
            {
              continue;
            }
            if (fits)
            {
              ExpectLabelMap<std::uint8_t>(labeler,
                                           algorithm,
                                           extent,
                                           image,
                                           criterion,
                                           connectivity,
                                           expected,
                                           offset);
            }
            ExpectLabelMap<std::uint16_t>(labeler, algorithm, extent, image, criterion, connectivity, expected, offset);
            ExpectLabelMap<std::uint32_t>(labeler, algorithm, extent, image, criterion, connectivity, expected, offset);
            ExpectLabelMap<std::uint64_t>(labeler, algorithm, extent, image, criterion, connectivity, expected, offset);
            if (HasFatalFailure())
            {
              return;
            }
          }
        }
      }
    }
  }
}

TEST_F(OnCuda, WorksOnTheCallersStreamAndFromSeveralThreads)
{
  const Extent             extent{ 200, 150 / Reduction / Reduction, 100 / Reduction };
  std::vector<std::thread> threads;
  std::vector<int>         wrong(4, 0);
  for (int t = 0; t < 4; ++t)
  {
    threads.emplace_back([&, t] {
      const auto   voxels = MakeRandom(extent, 0.2 + 0.15 * t, 1, static_cast<std::uint64_t>(t));
      const auto   expected = CpuLabels(voxels, extent, Criterion::Foreground(), Connectivity::Full(3));
      CudaLabeler  labeler(0);
      cudaStream_t stream = nullptr;
      cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
      const OnDevice<std::uint8_t>  image(voxels);
      const OnDevice<std::uint32_t> labels(voxels.size());
      for (int repeat = 0; repeat < 10; ++repeat)
      {
        labeler.LabelOnDevice("Auto",
                              ImageView(image.Data(), extent),
                              Criterion::Foreground(),
                              {},
                              Connectivity::Full(3),
                              labels.Data(),
                              LabelType::UInt32,
                              stream);
        cudaStreamSynchronize(stream);
        wrong[static_cast<std::size_t>(t)] += labels.Download(voxels.size()) != expected;
      }
      cudaStreamDestroy(stream);
    });
  }
  for (std::thread & thread : threads)
  {
    thread.join();
  }
  EXPECT_EQ(wrong, std::vector<int>(4, 0));
}

TEST_F(OnCuda, ErrorsNameTheRemedyAndLeaveTheLabelerUsable)
{
  const Extent                  extent{ 64, 16 };
  const auto                    board = MakeCheckerboard(extent);
  const OnDevice<std::uint8_t>  image(board);
  const OnDevice<std::uint32_t> labels(board.size());
  CudaLabeler                   labeler(0);
  const auto                    label = [&](const Extent & of, LabelType type) {
    return labeler.LabelOnDevice("Auto",
                                 ImageView(image.Data(), of),
                                 Criterion::Foreground(),
                                 {},
                                 Connectivity::Face(2),
                                 labels.Data(),
                                 type);
  };
  EXPECT_THROW(label(extent, LabelType::UInt8), LabelOverflow);
#ifndef BRICKCCL_CUDA_ON_HOST
  try
  {
    // For 2^44 voxels, just the scratch memory is larger than any device's memory.
    label(Extent{ std::int64_t{ 1 } << 22, std::int64_t{ 1 } << 22 }, LabelType::UInt32);
    FAIL() << "2^44 voxels fitted";
  }
  catch (const cuda::DeviceError & error)
  {
    EXPECT_NE(std::string(error.what()).find("--device cpu"), std::string::npos) << error.what();
  }
#endif
  EXPECT_EQ(label(extent, LabelType::UInt32), 512u) << "usable after errors";
  EXPECT_THROW(CudaLabeler(99), cuda::DeviceError);
}

TEST_F(OnCuda, DestroyedLabelersLeaveTheCallersDeviceCurrent)
{
#ifdef BRICKCCL_CUDA_ON_HOST
  cuda::onhost::deviceCount = 2;
#endif
  int count = 0;
  EXPECT_EQ(cudaGetDeviceCount(&count), cudaSuccess);
  const Extent extent{ 40, 20 };
  const auto   board = MakeCheckerboard(extent);
  for (int own = 0; own < count; ++own)
  {
    EXPECT_EQ(cudaSetDevice(own), cudaSuccess);
    const OnDevice<std::uint8_t>  image(board);
    const OnDevice<std::uint32_t> labels(2 * board.size());
    const auto                    below = labels.Data() + board.size();
    for (int other = 0; other < count; ++other)
    {
      {
        const CudaLabeler labeler(own);
        CudaSlabLabeler   slabs;
        DeviceSlab        slab;
        slab.device = own;
        slab.image = ImageView(image.Data(), extent);
        slabs.Label("Auto",
                    { slab, slab },
                    Criterion::Foreground(),
                    Connectivity::Face(2),
                    { labels.Data(), below },
                    LabelType::UInt32);
        EXPECT_EQ(cudaSetDevice(other), cudaSuccess);
      }
      int current = -1;
      EXPECT_EQ(cudaGetDevice(&current), cudaSuccess);
      EXPECT_EQ(current, other) << "labelers on " << own;
      EXPECT_EQ(cudaSetDevice(own), cudaSuccess);
    }
  }
  EXPECT_EQ(cudaSetDevice(0), cudaSuccess);
#ifdef BRICKCCL_CUDA_ON_HOST
  cuda::onhost::deviceCount = 1;
#endif
}

TEST_F(OnCuda, PlanesOfEveryConnectivity)
{
  for (const Extent & extent :
       { Extent{ 700 / Reduction, 301 / Reduction }, Extent{ 33, 513 / Reduction }, Extent{ 1000 } })
  {
    for (const double density : { 0.1, 0.4, 0.6, 0.9 })
    {
      for (int rank = 1; rank <= extent.dimension; ++rank)
      {
        const auto                    voxels = MakeRandom(extent, density, 1, 3);
        const Connectivity            connectivity(extent.dimension, rank);
        const auto                    expected = CpuLabels(voxels, extent, Criterion::Foreground(), connectivity);
        const OnDevice<std::uint8_t>  image(voxels);
        const OnDevice<std::uint32_t> labels(voxels.size());
        CudaLabeler                   labeler(0);
        for (const std::string & algorithm : SupportingAlgorithms(extent, Criterion::Foreground(), connectivity))
        {
          LabelToMap(labeler, algorithm, image, extent, Criterion::Foreground(), connectivity, labels);
          ASSERT_EQ(labels.Download(voxels.size()), expected) << algorithm << ' ' << extent.ToString() << ' ' << rank;
        }
      }
    }
  }
}

#ifndef BRICKCCL_CUDA_ON_HOST
/** A volume of 2^31 voxels or more, the algorithms that label it, and the device memory that this takes. */
struct ManyVoxels
{
  Extent                    extent;
  Connectivity              connectivity;
  std::vector<const char *> algorithms;
  std::size_t               bytesPerVoxel;
};

/** Some volumes need 32-bit numbers of voxels up to the last one, others 64-bit numbers. Rows of eight voxels fill
 *  bricks badly, so bricks have room for more runs than 32 bits can count. LinkPropagation's lengths for 26 directions
 *  would not fit the device's memory. Algorithms that walk along lines would take minutes. */
TEST_F(OnCuda, MoreThan2To31And2To32Voxels)
{
  const Connectivity full = Connectivity::Full(3);
  for (const ManyVoxels & volume :
       { ManyVoxels{ { 2048, 1024, 1027 }, full, { "LabelEquivalence" }, 14 },
         ManyVoxels{ { 2048, 2048, 1024 }, full, { "BundleMerging" }, 6 },
         ManyVoxels{ { 8, 16384, 32767 }, Connectivity::Face(3), { "BundleMerging" }, 16 },
         ManyVoxels{ { 2048, 1024, 2051 }, full, { "RunMerging", "BrickMerging", "HawickLabelEquivalence" }, 26 } })
  {
    std::size_t free = 0;
    std::size_t total = 0;
    ASSERT_EQ(cudaMemGetInfo(&free, &total), cudaSuccess);
    const auto count = static_cast<std::size_t>(volume.extent.VoxelCount());
    if (free < count * volume.bytesPerVoxel)
    {
      std::cout << "left out, for want of device memory: " << volume.extent.ToString() << std::endl;
      continue;
    }
    auto voxels = MakeRandom(volume.extent, 0.3, 8, 5);
    voxels.back() = 1;
    const auto expected = CpuLabels(voxels, volume.extent, Criterion::Foreground(), volume.connectivity);
    const OnDevice<std::uint8_t> image(voxels);
    for (const char * algorithm : volume.algorithms)
    {
      const OnDevice<std::uint32_t> labels(count);
      CudaLabeler                   labeler(0);
      LabelToMap(labeler, algorithm, image, volume.extent, Criterion::Foreground(), volume.connectivity, labels);
      const auto found = labels.Download(count);
      ASSERT_EQ(std::memcmp(found.data(), expected.data(), count * 4), 0)
        << algorithm << ' ' << volume.extent.ToString();
      std::cout << algorithm << ", " << volume.extent.ToString() << ": "
                << static_cast<double>(labeler.ScratchBytes()) / static_cast<double>(count)
                << " bytes of scratch a voxel" << std::endl;
    }
  }
}
#endif

/** The rounds are the papers'. Hawick's form does not change labels while they are read, and takes exactly l
 *  rounds for a ridge pattern of level l. The form that reads new labels at once takes at most l. Spirals take 2. */
TEST_F(OnCuda, RoundsOfLabelEquivalenceAreThoseOfThePapers)
{
  DeviceLabeler labeler(0);
  const auto    rounds = [&](const char * algorithm, const std::vector<std::uint8_t> & pixels, const Extent & extent) {
    const OnDevice<std::uint8_t>  image(pixels);
    const OnDevice<std::uint32_t> labels(pixels.size());
    LabelToMap(labeler, algorithm, image, extent, Criterion::Foreground(), Connectivity::Full(2), labels);
    return labeler.LastIterations();
  };
  const Extent extent{ 512, 512 };
  for (int level = 1; level <= 8; ++level)
  {
    RidgeImage image;
    image.level = level;
    const auto pixels = MakeRidges(extent, image);
    EXPECT_EQ(rounds("HawickLabelEquivalence", pixels, extent), level);
    EXPECT_LE(rounds("LabelEquivalence", pixels, extent), level);
    EXPECT_LE(rounds("LabelEquivalence:atomics=on,first-scan=earlier", pixels, extent), level);
  }
  for (const std::int64_t side : std::vector<std::int64_t>{ 65, 256, 1000 / Reduction })
  {
    EXPECT_EQ(rounds("HawickLabelEquivalence", MakeSpiral(Extent{ side, side }), Extent{ side, side }), 2) << side;
  }
  EXPECT_EQ(rounds("BundleMerging", MakeSpiral(Extent{ 99, 99 }), Extent{ 99, 99 }), 0)
    << "none that depend on the image";
}

TEST_F(OnCuda, StagesAreTimedOnRequest)
{
  const Extent                  extent{ 300, 200 };
  const OnDevice<std::uint8_t>  image(MakeRandom(extent, 0.5, 1, 1));
  const OnDevice<std::uint32_t> labels(static_cast<std::size_t>(extent.VoxelCount()));
  DeviceLabeler                 labeler(0);
  for (const bool wanted : { false, true, false })
  {
    labeler.MeasureStages(wanted);
    LabelToMap(labeler, "TileMerging", image, extent, Criterion::Foreground(), Connectivity::Full(2), labels);
    std::string stages;
    for (const auto & [stage, milliseconds] : labeler.LastStages())
    {
      EXPECT_GE(milliseconds, 0);
      stages += stage + ';';
    }
    EXPECT_EQ(stages, wanted ? "links;clear properties;kernel 1;kernel 2;kernel 3;kernel 4;labels;" : "");
  }
  labeler.MeasureStages(true);
  EXPECT_TRUE(labeler.LastStages().empty()) << "the last call took no times";
}

} // namespace
} // namespace brickccl
