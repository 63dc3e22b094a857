// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Phantoms/ScanParts.h"

#include <algorithm>
#include <cmath>

namespace brickccl
{

Scan
MakeCasting(const Extent & extent, std::uint64_t seed, const ScanArtifacts & artifacts)
{
  CheckScanExtent(extent, "a casting");
  Sequence     random{ seed };
  const double radius = 0.45 * static_cast<double>(std::min(extent.size[0], extent.size[1]));
  const auto   length = static_cast<double>(extent.size[2]);
  const double centerX = 0.5 * static_cast<double>(extent.size[0] - 1);
  const double centerY = 0.5 * static_cast<double>(extent.size[1] - 1);
  // A skin of metal, at least a voxel thick, keeps every pore from the air outside.
  const double poreLimit = std::max(0.0, std::min(0.95 * radius, radius - 1));

  ScanMaker maker(extent, artifacts, seed, centerX, centerY, radius);
  Scan      scan;
  scan.truth.assign(static_cast<std::size_t>(extent.VoxelCount()), 0);
  const auto paintPore = [&](double px, double py, double pz, double poreRadius) {
    const double reach[3] = { poreRadius, poreRadius, poreRadius };
    ForVoxelsAround(extent, { px, py, pz }, reach, [&](std::size_t index, const double(&at)[3]) {
      if (Square(at[0] - px) + Square(at[1] - py) + Square(at[2] - pz) <= Square(poreRadius) &&
          Square(at[0] - centerX) + Square(at[1] - centerY) < Square(poreLimit))
      {
        scan.truth[index] = static_cast<std::uint8_t>(Defect::Pore);
      }
    });
  };

  const int gasPores = 20 + static_cast<int>(static_cast<double>(extent.VoxelCount()) / 40000);
  for (int i = 0; i < gasPores; ++i)
  {
    const Direction direction = RandomDirection(random);
    const double    distance = 0.9 * radius * std::sqrt(random.Between(0, 1));
    const double    size = 0.8 + radius * 0.05 * Square(random.Between(0, 1));
    paintPore(centerX + distance * direction.x, centerY + distance * direction.y, random.Between(0, length), size);
  }
  const int shrinkagePores = 2 + static_cast<int>(random.Between(0, 3));
  for (int i = 0; i < shrinkagePores; ++i)
  {
    double px = centerX + 0.4 * radius * random.Between(-1, 1);
    double py = centerY + 0.4 * radius * random.Between(-1, 1);
    double pz = length * random.Between(0.2, 0.8);
    for (int step = 0; step < 60; ++step)
    {
      const double size = std::max(1.0, 0.03 * radius * random.Between(0.5, 1.5));
      paintPore(px, py, pz, size);
      px += size * random.Between(-1.4, 1.4);
      py += size * random.Between(-1.4, 1.4);
      pz += size * random.Between(-1.4, 1.4);
    }
  }

  ForAllVoxels(extent, [&](std::size_t index, const double(&at)[3]) {
    const bool isInside = Square(at[0] - centerX) + Square(at[1] - centerY) < radius * radius;
    const bool metal = isInside && scan.truth[index] == 0;
    maker.Set(metal ? 1900 : -1000, metal);
  });
  scan.image = maker.Finish();
  return scan;
}

} // namespace brickccl
