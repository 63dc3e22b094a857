// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Phantoms/Phantoms.h"
#include "BrickCCL/Phantoms/Random.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

/** Common parts of the scans of logs, castings and printed parts. */
namespace brickccl
{

/** Random numbers in a fixed sequence. They serve the few numbers that describe a phantom's parts. */
struct Sequence
{
  std::uint64_t seed;
  std::uint64_t place = 0;
  double
  Between(double low, double high)
  {
    return low + (high - low) * UniformOf(seed, place++);
  }
};

struct Direction
{
  double x;
  double y;
};

/** A random direction in the plane. No trigonometric functions are used, since they differ from library to library. */
inline Direction
RandomDirection(Sequence & random)
{
  for (;;)
  {
    const double x = random.Between(-1, 1);
    const double y = random.Between(-1, 1);
    const double square = x * x + y * y;
    if (square > 0.01 && square <= 1)
    {
      const double length = std::sqrt(square);
      return { x / length, y / length };
    }
  }
}

inline double
Square(double value)
{
  return value * value;
}

/** Calls `visit(index, at)` for the voxels of an image around a center, up to a distance along each axis. */
template <typename TVisit>
void
ForVoxelsAround(const Extent & extent, const double (&center)[3], const double (&reach)[3], TVisit && visit)
{
  std::int64_t low[3];
  std::int64_t high[3];
  for (int axis = 0; axis < 3; ++axis)
  {
    low[axis] = std::max<std::int64_t>(0, static_cast<std::int64_t>(std::floor(center[axis] - reach[axis])));
    high[axis] = std::min(extent.size[axis] - 1, static_cast<std::int64_t>(std::ceil(center[axis] + reach[axis])));
  }
  for (std::int64_t k = low[2]; k <= high[2]; ++k)
  {
    for (std::int64_t j = low[1]; j <= high[1]; ++j)
    {
      for (std::int64_t i = low[0]; i <= high[0]; ++i)
      {
        const double at[3] = { static_cast<double>(i), static_cast<double>(j), static_cast<double>(k) };
        visit(static_cast<std::size_t>((k * extent.size[1] + j) * extent.size[0] + i), at);
      }
    }
  }
}

/** The same for all voxels of an image, in raster order. */
template <typename TVisit>
void
ForAllVoxels(const Extent & extent, TVisit && visit)
{
  const std::int64_t * const size = extent.size;
  const double reach[3] = { static_cast<double>(size[0]), static_cast<double>(size[1]), static_cast<double>(size[2]) };
  ForVoxelsAround(extent, { 0, 0, 0 }, reach, visit);
}

/** \throws InvalidArgument unless there are 2 or 3 dimensions, 8 voxels along x and y. \param what  named in it */
void CheckScanExtent(const Extent & extent, const char * what);

/** Combines the ideal material, the artifacts and the noise. Voxels are set in raster order. */
class ScanMaker
{
public:
  /** \param centerX  the axis of the rings, and of the beam hardening
   *  \param radius   where beam hardening ends */
  ScanMaker(const Extent &        extent,
            const ScanArtifacts & artifacts,
            std::uint64_t         seed,
            double                centerX,
            double                centerY,
            double                radius);

  /** Sets the next voxel. \param isHardened  whether it is of a material that hardens beams */
  void Set(double value, bool isHardened);

  /** The image, when all voxels are set. */
  std::vector<std::int16_t> Finish();

private:
  void   Blur();
  double RingAt(double squaredDistance) const;
  void   Write(double value);

  const Extent              m_Extent;
  const ScanArtifacts       m_Artifacts;
  std::uint64_t             m_Seed;
  double                    m_CenterX;
  double                    m_CenterY;
  double                    m_Radius;
  std::int64_t              m_X = 0;
  std::int64_t              m_Y = 0;
  std::vector<std::int16_t> m_Image;
  /** The values before they are blurred. */
  std::vector<float> m_Values;
};

} // namespace brickccl
