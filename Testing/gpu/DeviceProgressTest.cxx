// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/BrickCCL.h"
#include "BrickCCL/Phantoms/Phantoms.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

// Labelings on a CUDA device report progress, and callers can end them. The promises are the same as on the CPU.

namespace brickccl
{
namespace
{

const Extent extent{ 128, 96, 100 };

class ProgressOnCuda : public ::testing::Test
{
protected:
  void
  SetUp() override
  {
    if (ResolveDevice({ Device::Kind::Cuda, 0 }).device.kind != Device::Kind::Cuda)
    {
      GTEST_SKIP() << "no CUDA device here";
    }
  }

  static LabelOptions
  OptionsFor(const std::string & algorithm)
  {
    LabelOptions options;
    options.device = { Device::Kind::Cuda, 0 };
    options.connectivity = Connectivity::Full(3);
    options.algorithm = algorithm;
    return options;
  }

  /** These are more bytes than are copied at once without page-locked memory. */
  const std::vector<std::uint8_t> m_Voxels = MakeRandom(extent, 0.3, 3, 7);
};

std::vector<std::uint32_t>
LabelsOf(const Labeling & labeling)
{
  std::vector<std::uint32_t> labels(static_cast<std::size_t>(extent.VoxelCount()));
  labeling.Write(labels.data());
  return labels;
}

TEST_F(ProgressOnCuda, NeverFallsAndEndsAtOne)
{
  for (const char * algorithm : { "Auto", "LabelEquivalence" })
  {
    LabelOptions options = OptionsFor(algorithm);
    double       last = 0;
    int          reports = 0;
    options.progress.report = [&](double fraction) {
      EXPECT_GE(fraction, last) << algorithm;
      last = fraction;
      ++reports;
    };
    Label(ImageView(m_Voxels.data(), extent), options);
    EXPECT_EQ(last, 1) << algorithm;
    // There are reports for voxels sent, labeled, brought back and numbered.
    EXPECT_GE(reports, 4) << algorithm;
  }
}

TEST_F(ProgressOnCuda, EndsAtEveryReportThatItIsAskedToAndCanBeUsedAgain)
{
  LabelOptions options = OptionsFor("LabelEquivalence");
  Labeling     labeling;
  Label(ImageView(m_Voxels.data(), extent), options, labeling);
  const std::vector<std::uint32_t> expected = LabelsOf(labeling);
  for (int last = 0;; ++last)
  {
    int calls = 0;
    options.progress.canceled = [&] { return calls++ == last; };
    bool wasCanceled = false;
    try
    {
      Label(ImageView(m_Voxels.data(), extent), options, labeling);
    }
    catch (const Canceled &)
    {
      wasCanceled = true;
    }
    if (!wasCanceled)
    {
      EXPECT_GT(last, 5) << "it is hardly ever asked";
      break;
    }
    options.progress.canceled = {};
    Label(ImageView(m_Voxels.data(), extent), options, labeling);
    ASSERT_EQ(LabelsOf(labeling), expected) << "after an end at call " << last;
  }
}

} // namespace
} // namespace brickccl
