// SPDX-License-Identifier: Apache-2.0
// A fixed small workload whose instructions count_instructions.py counts: labels an input by one thread, twice, and
// writes the label map; only the second time is in Workload().
//
//   brickccl-instruction-workload NAME | --list | --target

#include "BrickCCL/BrickCCL.h"
#include "BrickCCL/Phantoms/Phantoms.h"
#include <hwy/targets.h>

#include <iostream>
#include <string>
#include <vector>

using namespace brickccl;

namespace
{

struct Case
{
  const char * name;
  int          neighbors;
  Criterion    criterion;
  std::vector<std::int16_t> (*make)(const Extent & extent);
};

std::vector<std::int16_t>
Balls(const Extent & extent)
{
  const auto balls = MakeBalls(extent, 0.2, 1);
  return { balls.begin(), balls.end() };
}

std::vector<std::int16_t>
Noise(const Extent & extent)
{
  const auto noise = MakeRandom(extent, 0.4, 1, 1);
  return { noise.begin(), noise.end() };
}

/** Cubes of a value each. */
std::vector<std::int16_t>
Cubes(const Extent & extent)
{
  std::vector<std::int16_t> voxels;
  for (std::int64_t i = 0; i < extent.VoxelCount(); ++i)
  {
    const std::int64_t cell =
      i % extent.size[0] / 11 + i / extent.size[0] / 9 % 7 * 5 + i / extent.size[0] / extent.size[1] / 13 * 3;
    voxels.push_back(static_cast<std::int16_t>(1 + cell * 37 % 20));
  }
  return voxels;
}

/** Cubes with a slope in them. */
std::vector<std::int16_t>
Slopes(const Extent & extent)
{
  std::vector<std::int16_t> voxels;
  for (std::int64_t i = 0; i < extent.VoxelCount(); ++i)
  {
    const std::int64_t x = i % extent.size[0];
    const std::int64_t cell = x / 11 + i / extent.size[0] / 9 % 7 * 5 + i / extent.size[0] / extent.size[1] / 13 * 3;
    voxels.push_back(static_cast<std::int16_t>(1 + cell * 37 % 20 * 100 + x % 11));
  }
  return voxels;
}

const Case cases[] = {
  { "balls, 6", 6, Criterion::Foreground(), Balls },
  { "balls, 26", 26, Criterion::Foreground(), Balls },
  { "noise, 6", 6, Criterion::Foreground(), Noise },
  { "noise, 18", 18, Criterion::Foreground(), Noise },
  { "noise, 26", 26, Criterion::Foreground(), Noise },
  { "cubes, 6, equal", 6, Criterion::EqualValue(), Cubes },
  { "cubes, 26, equal", 26, Criterion::EqualValue(), Cubes },
  { "slopes, 26, equal", 26, Criterion::EqualValue(), Slopes },
  { "slopes, 26, tolerance", 26, Criterion::Tolerance(3), Slopes },
};

} // namespace

/** The counted part. */
extern "C" __attribute__((noinline)) void
Workload(const ImageView & image, const LabelOptions & options, Labeling & labeling, std::uint32_t * labels)
{
  Label(image, options, labeling);
  labeling.Write(labels, LabelType::UInt32);
  labeling.Measure();
}

int
main(int argc, char ** argv)
{
  const std::string name = argc == 2 ? argv[1] : "";
  if (name == "--target")
  {
    std::cout << hwy::TargetName(hwy::SupportedTargets() & -hwy::SupportedTargets()) << std::endl;
    return 0;
  }
  bool found = name == "--list";
  for (const Case & workload : cases)
  {
    if (name == "--list")
    {
      std::cout << workload.name << std::endl;
    }
    else if (name == workload.name)
    {
      found = true;
      const Extent               extent{ 150, 90, 60 };
      const auto                 voxels = workload.make(extent);
      std::vector<std::uint32_t> labels(voxels.size());
      LabelOptions               options;
      options.connectivity = Connectivity::FromNeighborCount(workload.neighbors, 3);
      options.criterion = workload.criterion;
      options.threads = 1;
      options.device = { Device::Kind::Cpu, 0 };
      Labeling labeling;
      Label(ImageView(voxels.data(), extent), options, labeling);
      Workload(ImageView(voxels.data(), extent), options, labeling, labels.data());
      std::cout << labeling.ComponentCount() << std::endl;
    }
  }
  return found ? 0 : 1;
}
