// SPDX-License-Identifier: Apache-2.0
#include <BrickCCL/BrickCCL.h>
#include <BrickCCL/Phantoms/Phantoms.h>

#include <cstdio>

int
main()
{
  const brickccl::Extent   extent{ 20, 10, 5 };
  const auto               voxels = brickccl::MakeRandom(extent, 1, 1, 1);
  const brickccl::Labeling labeling = brickccl::Label(brickccl::ImageView(voxels.data(), extent));
  std::printf("BrickCCL %s: %llu components\n",
              brickccl::Version,
              static_cast<unsigned long long>(labeling.ComponentCount()));
  return labeling.ComponentCount() == 1 ? 0 : 1;
}
