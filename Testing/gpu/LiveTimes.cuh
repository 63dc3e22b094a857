// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_TESTING_GPU_LIVETIMES_CUH
#define BRICKCCL_TESTING_GPU_LIVETIMES_CUH

#include "HostTimes.cuh"

#include "BrickCCL/Dispatch/ImageOnDevice.h"
#include "BrickCCL/Phantoms/Phantoms.h"
#include "BrickCCL/Segmenting/FillPart.h"

#include <cstdio>
#include <limits>
#include <string>
#include <utility>
#include <vector>

/** Times what `brickccl view` does for another threshold. */
namespace brickccl::benchmark
{

/** Prints the median of the steps from a threshold to labels and table on the host, and a sum that shows that both
 *  backends found the same. */
inline void
BenchmarkLive(const Extent & extent)
{
  // A casting of half the length, each voxel of which becomes eight with noise of their own.
  const Extent               half{ extent.size[0] / 2, extent.size[1] / 2, extent.size[2] / 2 };
  const Scan                 casting = MakeCasting(half, 1);
  std::vector<std::uint16_t> voxels(static_cast<std::size_t>(extent.VoxelCount()));
  for (std::size_t i = 0; i < voxels.size(); ++i)
  {
    const auto x = static_cast<std::int64_t>(i) % extent.size[0];
    const auto y = static_cast<std::int64_t>(i) / extent.size[0] % extent.size[1];
    const auto z = static_cast<std::int64_t>(i) / extent.size[0] / extent.size[1];
    const auto from = static_cast<std::size_t>((z / 2 * half.size[1] + y / 2) * half.size[0] + x / 2);
    voxels[i] = static_cast<std::uint16_t>(casting.image[from] + 2000 + static_cast<int>(i * 2654435761u >> 26 & 31u));
  }
  const ImageView image(voxels.data(), extent);
  const auto      kept = ImageOnDevice::Keep(image, { Device::Kind::Cuda, 0 }, {});
  for (const bool ofPores : { false, true })
  {
    for (const bool isOnDevice : { true, false })
    {
      Labeling      part;
      Labeling      labeling;
      PoresOfPart   memory;
      int           step = 0;
      std::uint64_t components = 0;
      std::uint64_t partVoxels = 0;
      const double  time = MedianOnHost([&] {
        LabelOptions options;
        options.connectivity = Connectivity::Full(3);
        options.device.kind = Device::Kind::Cpu;
        PoreOptions pores;
        pores.material = Criterion::InRange(2400 + step++ % 16, std::numeric_limits<std::uint16_t>::max());
        pores.device.kind = Device::Kind::Cpu;
        pores.findsOpenings = false;
        if (ofPores && isOnDevice)
        {
          partVoxels = MarkPartOnDevice(*kept, extent, pores);
          kept->Label(ImageOnDevice::Of::Part, options, part);
          kept->Label(ImageOnDevice::Of::Pores, options, labeling);
        }
        else if (ofPores)
        {
          memory = FindPores(image, pores, std::move(memory));
          partVoxels = memory.partVoxels;
          Label(memory.PoreView(), options, labeling);
        }
        else
        {
          options.criterion = pores.material;
          isOnDevice ? kept->Label(ImageOnDevice::Of::Image, options, labeling) : Label(image, options, labeling);
        }
        components = labeling.Measure().components.size();
      });
      std::printf("casting; %s,%s,26,live on the %s,%.4f,,%llu,%llu voxels of part\n",
                  ofPores ? "pores" : "threshold",
                  extent.ToString().c_str(),
                  isOnDevice ? "device" : "CPU",
                  time,
                  static_cast<unsigned long long>(components),
                  static_cast<unsigned long long>(partVoxels));
      std::fflush(stdout);
    }
  }
}

} // namespace brickccl::benchmark

#endif
