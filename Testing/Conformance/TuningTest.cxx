// SPDX-License-Identifier: Apache-2.0
// BundleMerging on CUDA is compiled here with random legal numbers (BRICKCCL_TUNING_SEED, see
// BundleMergingTuning.h). Its results must be those of the flood fill and of the CPU, as with the numbers that were
// measured. The kernels run on the host.

#include "CubesOfValues.h"
#include "FloodFill.h"

#include "BrickCCL/Algorithms/BundleMerging/BundleMergingTuning.h"
#include "BrickCCL/BrickCCL.h"
#include "BrickCCL/Dispatch/DeviceLabeler.h"
#include "BrickCCL/Phantoms/Phantoms.h"
#include "BrickCCL/Tables/ComponentTable.h"

#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

namespace brickccl
{
namespace
{

/** Rows end within bricks, and there are several bricks along every axis. In the volume rows begin at whole vectors. */
std::vector<Extent>
Extents()
{
  return { { 144, 19, 18 }, { 150, 75 } };
}

/** Labels, and measures the table, on the CUDA device by BundleMerging. */
template <typename T>
void
ExpectFloodFill(const std::string &    what,
                const std::vector<T> & voxels,
                const Extent &         extent,
                const Criterion &      criterion)
{
  static CudaLabeler        labeler(0); // its memory holds what other images left
  testing::FloodFillProblem problem;
  problem.extent = extent;
  problem.criterion = criterion;
  problem.values.assign(voxels.begin(), voxels.end());
  for (problem.rank = 1; problem.rank <= extent.dimension; ++problem.rank)
  {
    SCOPED_TRACE(what + ", extent " + extent.ToString() + ", rank " + std::to_string(problem.rank) + ", " +
                 criterion.ToString());
    const Connectivity         connectivity(extent.dimension, problem.rank);
    std::vector<std::uint64_t> labels(voxels.size(), 12345);
    // On the host, the device's memory is the process's.
    const std::uint64_t count = labeler.LabelOnDevice("BundleMerging",
                                                      ImageView(voxels.data(), extent),
                                                      criterion,
                                                      std::nullopt,
                                                      connectivity,
                                                      labels.data(),
                                                      LabelType::UInt64);
    ASSERT_EQ(labels, testing::FloodFill(problem));
    LabelOptions options;
    options.device = { Device::Kind::Cpu, 0 };
    options.criterion = criterion;
    options.connectivity = connectivity;
    std::ostringstream expected;
    WriteDelimited(expected, Label(ImageView(voxels.data(), extent), options).Measure(), ',');
    std::ostringstream measured;
    WriteDelimited(measured, labeler.FetchTable({}), ',');
    ASSERT_EQ(measured.str(), expected.str());
    std::vector<std::uint64_t> sizes(static_cast<std::size_t>(count));
    labeler.SizesOnDevice(sizes.data());
    std::vector<std::uint64_t> counted(sizes.size());
    for (const std::uint64_t label : labels)
    {
      if (label != 0)
      {
        ++counted[label - 1];
      }
    }
    ASSERT_EQ(sizes, counted);
  }
}

TEST(Tuning, NumbersAreNotThoseThatWereMeasured)
{
  int others = 0;
  for (const cuda::TuningRow & row : cuda::TuningTable)
  {
    EXPECT_TRUE(row.legal.Have(cuda::ValueOf(row.number))) << static_cast<int>(row.number);
    others += cuda::ValueOf(row.number) != row.value ? 1 : 0;
  }
  EXPECT_GT(others, static_cast<int>(cuda::Tuned::Count) / 2);
}

TEST(Tuning, MasksAreThoseOfTheFloodFill)
{
  for (const Extent & extent : Extents())
  {
    for (const double density : { 0.2, 0.5, 0.97 })
    {
      for (const int grain : { 1, 4 })
      {
        ExpectFloodFill("mask of density " + std::to_string(density),
                        MakeRandom(extent, density, grain, 31),
                        extent,
                        Criterion::Foreground());
        if (HasFatalFailure())
        {
          return;
        }
      }
    }
  }
}

/** Noise, cubes, and slopes of few steps, which have many links of every kind. */
template <typename T>
void
CheckValues()
{
  for (const Extent & extent : Extents())
  {
    for (const std::int64_t grain : { 1, 4 })
    {
      const auto voxels = testing::CubesOfValues<T>(extent, grain);
      ExpectFloodFill("grain " + std::to_string(grain), voxels, extent, Criterion::EqualValue());
      ExpectFloodFill("grain " + std::to_string(grain), voxels, extent, Criterion::Tolerance(1));
      if (::testing::Test::HasFatalFailure())
      {
        return;
      }
    }
  }
}

TEST(Tuning, BytesAreThoseOfTheFloodFill)
{
  CheckValues<std::uint8_t>();
}

TEST(Tuning, VoxelsOfTwoBytesAreThoseOfTheFloodFill)
{
  CheckValues<std::int16_t>();
}

TEST(Tuning, VoxelsOfFourBytesAreThoseOfTheFloodFill)
{
  CheckValues<float>();
}

TEST(Tuning, VoxelsOfEightBytesAreThoseOfTheFloodFill)
{
  CheckValues<std::uint64_t>();
}

} // namespace
} // namespace brickccl
