// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Phantoms/ScanParts.h"

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/Printable.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace brickccl
{

namespace
{

/** No pore comes nearer to the surface than this, in voxels. */
constexpr double Skin = 2;
/** The thickness of a printed layer, in voxels. */
constexpr double Layer = 4;

struct Block
{
  double low[3];
  double high[3];
  double boreX;
  double boreY;
  double boreRadius;

  explicit Block(const Extent & extent)
  {
    const double margins[3] = { 0.1, 0.15, extent.size[2] >= 16 ? 0.08 : 0.0 };
    for (int axis = 0; axis < 3; ++axis)
    {
      const auto size = static_cast<double>(extent.size[axis]);
      low[axis] = margins[axis] * size;
      high[axis] = size - 1 - margins[axis] * size;
    }
    boreX = low[0] + 0.25 * (high[0] - low[0]);
    boreY = 0.5 * (low[1] + high[1]);
    boreRadius = 0.1 * std::min(high[0] - low[0], high[1] - low[1]);
  }

  /** Whether a place is metal at least this deep below the surface. */
  bool
  Holds(double x, double y, double z, double depth) const
  {
    const double at[3] = { x, y, z };
    for (int axis = 0; axis < 3; ++axis)
    {
      // A block that reaches through all slices has no surface there.
      const double margin = axis == 2 && low[2] <= 0 ? 0 : depth;
      if (at[axis] < low[axis] + margin || at[axis] > high[axis] - margin)
      {
        return false;
      }
    }
    return Square(x - boreX) + Square(y - boreY) >= Square(boreRadius + depth);
  }
};

class PorePainter
{
public:
  Sequence                  random;
  std::vector<std::uint8_t> truth;

  PorePainter(const Extent & extent, const Block & block, std::uint64_t seed)
    : random{ seed }
    , truth(static_cast<std::size_t>(extent.VoxelCount()), 0)
    , m_Extent(extent)
    , m_Block(block)
  {}
  double
  Within(int axis)
  {
    return random.Between(m_Block.low[axis], m_Block.high[axis]);
  }

  /** Paints the part of an ellipsoid inside the metal. */
  void
  Paint(double x, double y, double z, double radius, double height)
  {
    ForVoxels(x, y, z, radius, height, 0, [&](std::size_t index, double share, const double(&at)[3]) {
      if (share <= 1 && m_Block.Holds(at[0], at[1], at[2], Skin))
      {
        truth[index] = static_cast<std::uint8_t>(Defect::Pore);
      }
    });
  }

  /** Paints a ball if it is completely inside the metal, with a gap of at least 2 voxels to all other pores. */
  bool
  PaintAlone(double x, double y, double z, double radius)
  {
    const bool isFlat = m_Extent.size[2] == 1;
    bool       fits = (isFlat || (z - radius >= 0 && z + radius <= static_cast<double>(m_Extent.size[2] - 1)));
    ForVoxels(x, y, z, radius, radius, 3, [&](std::size_t index, double, const double(&at)[3]) {
      const double distance = std::sqrt(Square(at[0] - x) + Square(at[1] - y) + Square(at[2] - z));
      fits = fits && (distance > radius + 3 || truth[index] == 0) &&
             (distance > radius || m_Block.Holds(at[0], at[1], at[2], Skin));
    });
    if (fits)
    {
      Paint(x, y, z, radius, radius);
    }
    return fits;
  }

private:
  /** Calls `visit(index, share, at)` for the voxels around an ellipsoid; share is at most 1 in it. */
  template <typename TVisit>
  void
  ForVoxels(double x, double y, double z, double radius, double height, double margin, TVisit && visit)
  {
    const double reach[3] = { radius + margin, radius + margin, height + margin };
    ForVoxelsAround(m_Extent, { x, y, z }, reach, [&](std::size_t index, const double(&at)[3]) {
      visit(index, (Square(at[0] - x) + Square(at[1] - y)) / Square(radius) + Square((at[2] - z) / height), at);
    });
  }

  const Extent & m_Extent;
  const Block &  m_Block;
};

void
PaintKinds(const Extent & extent, const Block & block, PorePainter & painter)
{
  const auto   voxels = static_cast<double>(extent.VoxelCount());
  const double side = std::min(block.high[0] - block.low[0], block.high[1] - block.low[1]);
  const int    keyholes = 16 + static_cast<int>(voxels / 50000);
  for (int i = 0; i < keyholes; ++i)
  {
    const double x = painter.Within(0);
    const double y = painter.Within(1);
    const double z = painter.Within(2);
    const double radius = 1.5 + 0.03 * side * Square(painter.random.Between(0, 1));
    painter.Paint(x, y, z, radius, radius);
  }
  const int flat = 6 + static_cast<int>(voxels / 200000);
  for (int i = 0; i < flat; ++i)
  {
    const double x = painter.Within(0);
    const double y = painter.Within(1);
    const double z = Layer * std::floor(painter.Within(2) / Layer);
    const double radius = 2.5 + 0.06 * side * painter.random.Between(0, 1);
    painter.Paint(x, y, z, radius, painter.random.Between(1.2, 2));
  }
  const int below = 8 + static_cast<int>(voxels / 100000);
  for (int i = 0; i < below; ++i)
  {
    const double y = painter.Within(1);
    const double z = painter.Within(2);
    const double radius = painter.random.Between(1.5, 2.2);
    const double depth = Skin + radius + painter.random.Between(0, 2);
    const double x = painter.random.Between(0, 1) < 0.5 ? block.low[0] + depth : block.high[0] - depth;
    painter.Paint(x, y, z, radius, radius);
  }
}

void
PaintBalls(const Extent & extent, const std::vector<double> & diameters, PorePainter & painter)
{
  const std::int64_t wanted = std::max<std::int64_t>(1, extent.VoxelCount() / 4000);
  std::size_t        number = 0;
  for (std::int64_t trial = 0; trial < 20 * wanted && static_cast<std::int64_t>(number) < wanted; ++trial)
  {
    const double x = std::floor(painter.Within(0));
    const double y = std::floor(painter.Within(1));
    const double z = extent.size[2] == 1 ? 0 : std::floor(painter.Within(2));
    number += painter.PaintAlone(x, y, z, diameters[number % diameters.size()] / 2) ? 1 : 0;
  }
  ThrowIf<InvalidArgument>(static_cast<std::int64_t>(number) < wanted && number < diameters.size(),
                           "no place was found for a pore of diameter " +
                             Shortest(diameters[number % diameters.size()]) + " in an image of " + extent.ToString() +
                             " voxels; lower the diameter, or make the image larger");
}

} // namespace

Scan
MakePrint(const Extent &              extent,
          std::uint64_t               seed,
          const ScanArtifacts &       artifacts,
          const std::vector<double> & diameters)
{
  CheckScanExtent(extent, "a printed part");
  for (const double diameter : diameters)
  {
    ThrowIf<InvalidArgument>(!(diameter >= 1 && diameter <= 1000),
                             "the diameter " + Shortest(diameter) + " of pores must be from 1 to 1000 voxels");
  }
  const Block  block(extent);
  const double centerX = 0.5 * static_cast<double>(extent.size[0] - 1);
  const double centerY = 0.5 * static_cast<double>(extent.size[1] - 1);
  ScanMaker    maker(extent, artifacts, seed, centerX, centerY, std::max(centerX, centerY));
  PorePainter  painter(extent, block, seed);
  if (diameters.empty())
  {
    PaintKinds(extent, block, painter);
  }
  else
  {
    PaintBalls(extent, diameters, painter);
  }
  Scan scan;
  scan.truth = std::move(painter.truth);
  ForAllVoxels(extent, [&](std::size_t index, const double(&at)[3]) {
    const bool metal = scan.truth[index] == 0 && block.Holds(at[0], at[1], at[2], 0);
    maker.Set(metal ? 2400 : -1000, metal);
  });
  scan.image = maker.Finish();
  return scan;
}

} // namespace brickccl
