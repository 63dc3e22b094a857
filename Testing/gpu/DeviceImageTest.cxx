// SPDX-License-Identifier: Apache-2.0
// Images that stay on a device give the CPU's labels, parts and pores again and again.

#include "OnDevice.h"

#include "BrickCCL/Dispatch/ImageOnDevice.h"
#include "BrickCCL/Phantoms/Phantoms.h"
#include "BrickCCL/Segmenting/FillPart.h"

#include <algorithm>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

namespace brickccl
{
namespace
{

std::unique_ptr<ImageOnDevice>
Keep(const ImageView & image)
{
  return ImageOnDevice::Keep(image, { Device::Kind::Cuda, 0 }, {});
}

std::string
TextOf(const Labeling & labeling)
{
  std::ostringstream text;
  WriteDelimited(text, labeling.Measure(), ',');
  return text.str();
}

void
ExpectSame(const Labeling & found, const Labeling & expected, const std::string & what)
{
  std::vector<std::uint32_t> labels[2];
  for (const std::size_t i : { 0, 1 })
  {
    labels[i].resize(static_cast<std::size_t>(expected.GetExtent().VoxelCount()));
    (i == 0 ? found : expected).Write(labels[i].data());
  }
  ASSERT_EQ(labels[0], labels[1]) << what;
  EXPECT_EQ(TextOf(found), TextOf(expected)) << what;
}

/** The labels of a mask's voxels. */
Labeling
LabelMask(const std::vector<std::uint8_t> & mask, const Extent & extent, const LabelOptions & options)
{
  LabelOptions own = options;
  own.criterion = Criterion::Foreground();
  return Label(ImageView(mask.data(), extent), own);
}

/** Compares the part and its pores with the CPU's. \return the number of bores; nothing where there is no part */
std::optional<std::uint64_t>
ExpectSamePores(ImageOnDevice & kept, const ImageView & image, const LabelOptions & options, const std::string & what)
{
  PoreOptions pores;
  pores.material = options.criterion;
  pores.device.kind = Device::Kind::Cpu;
  pores.findsOpenings = false;
  PoresOfPart expected;
  try
  {
    expected = FindPores(image, pores);
  }
  catch (const InvalidArgument & failure)
  {
    std::string error;
    try
    {
      MarkPartOnDevice(kept, image.extent, pores);
    }
    catch (const InvalidArgument & own)
    {
      error = own.what();
    }
    EXPECT_EQ(error, failure.what());
    return {};
  }
  EXPECT_EQ(MarkPartOnDevice(kept, image.extent, pores), expected.partVoxels) << what;
  Labeling found;
  kept.Label(ImageOnDevice::Of::Pores, options, found);
  ExpectSame(found, LabelMask({ expected.pores.begin(), expected.pores.end() }, image.extent, options), what);
  LabelOptions whole;
  whole.connectivity = Connectivity::Full(image.extent.dimension);
  kept.Label(ImageOnDevice::Of::Part, whole, found);
  EXPECT_EQ(found.ComponentCount(), 1u) << "the part is one piece";
  whole.device.kind = Device::Kind::Cpu;
  ExpectSame(found, LabelMask({ expected.part.begin(), expected.part.end() }, image.extent, whole), what);
  return expected.bores;
}

TEST_F(OnCuda, KeptImagesGiveTheCpusLabelsPartsAndPores)
{
  int parts = 0;
  for (const Extent & extent : { Extent{ 70, 60, 40 }, Extent{ 33, 47, 21 }, Extent{ 90, 64 }, Extent{ 1, 30, 40 } })
  {
    Scan            scan = MakeCasting(extent.size[2] > 1 && extent.size[0] > 1 ? extent : Extent{ 90, 64, 40 }, 3);
    const ImageView image(scan.image.data(), extent);
    const auto      kept = Keep(image);
    for (const int threshold : { 300, 900, -1050, 30000, 500 })
    {
      LabelOptions options;
      options.device.kind = Device::Kind::Cpu;
      options.criterion = Criterion::InRange(threshold, 40000);
      options.geometry.spacing[0] = 0.5;
      options.minimumVolume = threshold == 500 ? 1.2 : 0;
      for (int rank = Reduction > 1 ? extent.dimension : 1; rank <= extent.dimension; ++rank)
      {
        options.connectivity = Connectivity(extent.dimension, rank);
        const std::string what =
          extent.ToString() + " from " + std::to_string(threshold) + ", rank " + std::to_string(rank);
        Labeling found;
        kept->Label(ImageOnDevice::Of::Image, options, found);
        ExpectSame(found, Label(image, options), what);
        parts += ExpectSamePores(*kept, image, options, what) ? 1 : 0;
      }
    }
  }
  EXPECT_GT(parts, Reduction > 1 ? 5 : 15);
}

TEST_F(OnCuda, PartsThatTheImageCutsAreTheCpus)
{
  // A block with cavities fills the image: some are cut by its faces, one has a floating grain, one runs
  // through.
  for (const bool hasBore : { false, true })
  {
    const Extent              extent{ 24, 20, 16 };
    std::vector<std::uint8_t> voxels(static_cast<std::size_t>(extent.VoxelCount()), 200);
    const auto                dig = [&](int x0, int x1, int y0, int y1, int z0, int z1, std::uint8_t value) {
      for (int z = z0; z < z1; ++z)
      {
        for (int y = y0; y < y1; ++y)
        {
          std::fill_n(voxels.begin() + (z * 20 + y) * 24 + x0, x1 - x0, value);
        }
      }
    };
    dig(0, 4, 6, 9, 5, 8, 10);
    dig(8, 15, 8, 15, 4, 11, 10);
    dig(11, 12, 11, 12, 7, 8, 200);
    dig(20, 24, 0, 5, 3, 6, 10);
    hasBore ? dig(16, 21, 10, 15, 0, 16, 10) : dig(16, 18, 10, 12, 0, 3, 10);
    LabelOptions options;
    options.device.kind = Device::Kind::Cpu;
    options.criterion = Criterion::InRange(100, 255);
    options.connectivity = Connectivity::Full(3);
    const ImageView image(voxels.data(), extent);
    EXPECT_EQ(ExpectSamePores(*Keep(image), image, options, "a block"), hasBore ? 1 : 0);
  }
}

} // namespace
} // namespace brickccl
