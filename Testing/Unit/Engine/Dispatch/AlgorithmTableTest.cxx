// SPDX-License-Identifier: Apache-2.0
#include "RandomVolume.h"

#include "FloodFill.h"
#include "BrickCCL/Algorithms/BundleMerging/BundleMerging.h"
#include "BrickCCL/Algorithms/RunMerging/RunMerging.h"
#include "BrickCCL/BrickCCL.h"
#include "BrickCCL/Labels/ExpandLabels.h"
#include "BrickCCL/Criteria/RowLinks.h"
#include "BrickCCL/Dispatch/AlgorithmTable.h"
#include "BrickCCL/Dispatch/LabelingImplementation.h"
#include "BrickCCL/Phantoms/Phantoms.h"
#include "BrickCCL/Runs/FindRuns.h"
#include "BrickCCL/Runs/RunBounds.h"

#include <gtest/gtest.h>

namespace brickccl
{
namespace
{

TEST(AlgorithmTable, AnAlgorithmThatDoesNotLabelAProblemNamesThoseThatDo)
{
  const auto   voxels = Volume();
  LabelOptions options;
  options.device = { Device::Kind::Cpu, 0 };
  options.algorithm = "BundleMerging";
  options.connectivity = Connectivity::Full(3);
  EXPECT_EQ(Label(ImageView(voxels.data(), VolumeExtent), options).AlgorithmName(), "BundleMerging");
  options.connectivity = Connectivity::Face(3);
  try
  {
    Label(ImageView(voxels.data(), VolumeExtent), options);
    FAIL() << "BundleMerging has no bundles for faces on the CPU";
  }
  catch (const Unsupported & error)
  {
    EXPECT_NE(std::string(error.what()).find("algorithm BundleMerging does not label an image of 3 dimensions"),
              std::string::npos)
      << error.what();
    EXPECT_NE(std::string(error.what()).find("choose one of Auto, RunMerging"), std::string::npos) << error.what();
  }
}

TEST(AlgorithmTable, BundlesOnCudaAreOfferedAsFarAsTheirNumbersReach)
{
  const auto supports = [](const Extent & extent, const Criterion & criterion = Criterion::Foreground()) {
    const auto full = Connectivity::Full(extent.dimension);
    EXPECT_TRUE(AlgorithmRunsOnCuda("RunMerging", extent, criterion, full)) << extent.ToString();
    return AlgorithmRunsOnCuda("BundleMerging", extent, criterion, full);
  };
  constexpr std::int64_t many = std::int64_t{ 1 } << 31;
  EXPECT_TRUE((supports({ 2048, 2048, 1024 })));
  EXPECT_FALSE((supports({ 2049, 2048, 1024 })));
  EXPECT_TRUE((supports({ 2 * many - 1, 1 })));
  EXPECT_FALSE((supports({ 2 * many, 1 })));
  // Runs of equal values may be as many as voxels, and so may runs in rows of one voxel.
  EXPECT_TRUE((supports({ 2048, 2048, 1023 }, Criterion::EqualValue())));
  EXPECT_FALSE((supports({ 2048, 2048, 1024 }, Criterion::EqualValue())));
  EXPECT_TRUE((supports({ 2, many / 2, 2 })));
  EXPECT_FALSE((supports({ 1, many, 2 })));
  EXPECT_FALSE((supports({ 1, many / 2, 4 })));
  // So many rows have no numbers when the last brick is filled up.
  EXPECT_TRUE((supports({ 1, many - 256 })));
  EXPECT_FALSE((supports({ 1, many - 255 })));
  EXPECT_FALSE((supports({ 1, 1, many })));
}

TEST(AlgorithmTable, OptionsOfAlgorithmsAreCheckedBeforeAnythingElse)
{
  const auto reason = [](const std::string & algorithm) {
    try
    {
      ParseAlgorithm(algorithm);
    }
    catch (const InvalidArgument & error)
    {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(reason("LabelEquivalence:atomics=on,flag=global,threads=64"), "");
  EXPECT_EQ(reason("LinkPropagation:"), "");
  EXPECT_NE(reason("LinkPropagation:gather").find("write gather=1..65535"), std::string::npos);
  EXPECT_NE(reason("LinkPropagation:gather=0").find("1..65535"), std::string::npos);
  EXPECT_NE(reason("LinkPropagation:gather=12x").find("1..65535"), std::string::npos);
  EXPECT_NE(reason("LinkPropagation:master=maybe").find("master=off|on"), std::string::npos);
  EXPECT_NE(reason("TileMerging:tile=32").find("properties=none|size|moments"), std::string::npos);
  EXPECT_NE(reason("Auto:fast=on").find("none"), std::string::npos);
  EXPECT_EQ(ParseOptions("Name", ParseAlgorithm("LinkPropagation").algorithm->options, "master=off,gather=7"),
            (OptionValues{ 7, 1, 1, 0 }));
}

TEST(AlgorithmTable, TheChosenAlgorithmKeepsItsOptionsOnBothSides)
{
  const ProblemTraits   traits({ 8, 8, 8 }, Connectivity::Face(3), true);
  const AlgorithmChoice asked = ParseAlgorithm("LabelEquivalence:atomics=on,threads=64");
  for (const Backend backend : { Backend::Cpu, Backend::Cuda })
  {
    const AlgorithmChoice chosen = ChooseAlgorithm(asked, traits, backend);
    EXPECT_STREQ(chosen.algorithm->name, "LabelEquivalence");
    EXPECT_EQ(chosen.options, (OptionValues{ 1, 0, 1, 0, 64 }));
  }
  EXPECT_EQ(ChooseAlgorithm({}, traits, Backend::Cuda).options.size(), 0u) << "BundleMerging has none";
}

} // namespace
} // namespace brickccl
