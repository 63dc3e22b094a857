// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Phantoms/ScanParts.h"

#include <algorithm>
#include <cmath>

namespace brickccl
{

namespace
{

struct Knot
{
  Direction direction;
  double    height;
  double    rise;
  double    opening;
  double    length;
};

struct Crack
{
  Direction direction;
  double    begin;
  double    end;
  double    halfWidth;
  double    low;
  double    high;
};

/** A triangle wave between 0 and 1 of period 1. */
double
Triangle(double phase)
{
  const double fraction = phase - std::floor(phase);
  return fraction < 0.5 ? 2 * fraction : 2 - 2 * fraction;
}

} // namespace

Scan
MakeLog(const Extent & extent, std::uint64_t seed, const ScanArtifacts & artifacts)
{
  CheckScanExtent(extent, "a log");
  Sequence     random{ seed };
  const double radius = 0.46 * static_cast<double>(std::min(extent.size[0], extent.size[1]));
  const auto   length = static_cast<double>(extent.size[2]);
  const double centerX = 0.5 * static_cast<double>(extent.size[0] - 1);
  const double centerY = 0.5 * static_cast<double>(extent.size[1] - 1);
  const double pithX = centerX + radius * random.Between(-0.12, 0.12);
  const double pithY = centerY + radius * random.Between(-0.12, 0.12);
  const double leanX = radius * random.Between(-0.1, 0.1) / length;
  const double leanY = radius * random.Between(-0.1, 0.1) / length;
  const double ringWidth = radius / random.Between(11, 16);

  std::vector<Knot> knots;
  const double      whorlDistance = std::max(12.0, 0.8 * radius);
  double            whorl = random.Between(0.2, 0.6) * whorlDistance;
  for (; whorl < length; whorl += whorlDistance) // NOLINT(clang-analyzer-security.FloatLoopCounter): no count to reach
  {
    const int branches = 3 + static_cast<int>(random.Between(0, 3));
    for (int branch = 0; branch < branches; ++branch)
    {
      Knot knot;
      knot.direction = RandomDirection(random);
      knot.height = whorl + random.Between(-2, 2);
      knot.rise = random.Between(0.05, 0.35);
      knot.opening = random.Between(0.06, 0.12);
      knot.length = radius * random.Between(0.45, 0.95);
      knots.push_back(knot);
    }
  }
  std::vector<Crack> cracks;
  const int          crackCount = 6 + static_cast<int>(random.Between(0, 5));
  for (int i = 0; i < crackCount; ++i)
  {
    Crack crack;
    crack.direction = RandomDirection(random);
    crack.begin = radius * random.Between(0.08, 0.4);
    crack.end = crack.begin + radius * random.Between(0.15, 0.4);
    crack.halfWidth = std::max(0.6, radius * random.Between(0.01, 0.025));
    crack.low = length * random.Between(-0.1, 0.8);
    crack.high = crack.low + length * random.Between(0.1, 0.35);
    cracks.push_back(crack);
  }

  Scan scan;
  scan.truth.assign(static_cast<std::size_t>(extent.VoxelCount()), 0);
  ScanMaker maker(extent, artifacts, seed, centerX, centerY, radius);
  ForAllVoxels(extent, [&](std::size_t index, const double(&at)[3]) {
    const double height = at[2];
    const double fromCenter = std::sqrt(Square(at[0] - centerX) + Square(at[1] - centerY));
    const double dx = at[0] - pithX - leanX * (height - length / 2);
    const double dy = at[1] - pithY - leanY * (height - length / 2);
    const double fromPith = std::sqrt(dx * dx + dy * dy);
    double       value = -1000;
    if (fromCenter < radius)
    {
      value = fromCenter > 0.95 * radius ? -650 : -550 + 180 * Square(Triangle(fromPith / ringWidth));
      for (const Knot & knot : knots)
      {
        const double along = dx * knot.direction.x + dy * knot.direction.y;
        const double across = dx * knot.direction.y - dy * knot.direction.x;
        const double above = height - knot.height - knot.rise * along;
        if (along > 0 && along < knot.length && fromCenter < 0.95 * radius &&
            across * across + above * above < Square(1 + knot.opening * along))
        {
          value = 120;
          scan.truth[index] = static_cast<std::uint8_t>(Defect::Knot);
        }
      }
      for (const Crack & crack : cracks)
      {
        const double along = dx * crack.direction.x + dy * crack.direction.y;
        const double across = dx * crack.direction.y - dy * crack.direction.x;
        if (along > crack.begin && along < crack.end && height >= crack.low && height <= crack.high &&
            std::fabs(across) < crack.halfWidth && fromCenter < 0.93 * radius)
        {
          value = -950;
          scan.truth[index] = static_cast<std::uint8_t>(Defect::Crack);
        }
      }
    }
    maker.Set(value, fromCenter < radius && value > -700);
  });
  scan.image = maker.Finish();
  return scan;
}

} // namespace brickccl
