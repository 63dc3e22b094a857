// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Phantoms/ScanParts.h"

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/Printable.h"

#include <algorithm>
#include <string>

namespace brickccl
{

/** One in this many rings is brighter or darker. */
constexpr std::uint64_t RingsPerArtifact = 6;

void
CheckScanExtent(const Extent & extent, const char * what)
{
  ThrowIf<InvalidArgument>(extent.dimension < 2 || extent.dimension > 3 || extent.size[0] < 8 || extent.size[1] < 8,
                           std::string(what) + " needs 2 or 3 dimensions and at least 8 voxels along x and y, not " +
                             extent.ToString());
}

ScanMaker::ScanMaker(const Extent &        extent,
                     const ScanArtifacts & artifacts,
                     std::uint64_t         seed,
                     double                centerX,
                     double                centerY,
                     double                radius)
  : m_Extent(extent)
  , m_Artifacts(artifacts)
  , m_Seed(seed)
  , m_CenterX(centerX)
  , m_CenterY(centerY)
  , m_Radius(radius)
{
  for (const double amount : { artifacts.noise, artifacts.blur, artifacts.rings, artifacts.hardening })
  {
    ThrowIf<InvalidArgument>(!(amount >= 0 && amount <= 10000),
                             "an artifact of a scan is " + Shortest(amount) + "; it must be from 0 to 10000");
  }
  ThrowIf<InvalidArgument>(artifacts.blur > 20,
                           "the blur " + Shortest(artifacts.blur) + " is too wide; it must be at most 20 voxels");
  m_Image.reserve(static_cast<std::size_t>(extent.VoxelCount()));
  m_Values.reserve(artifacts.blur > 0 ? static_cast<std::size_t>(extent.VoxelCount()) : 0);
}

void
ScanMaker::Set(double value, bool isHardened)
{
  const double dx = static_cast<double>(m_X) - m_CenterX;
  const double dy = static_cast<double>(m_Y) - m_CenterY;
  if (isHardened)
  {
    // Beam hardening makes the inside look a little less dense.
    value = value + m_Artifacts.hardening * (dx * dx + dy * dy) / (m_Radius * m_Radius);
  }
  if (m_Artifacts.blur > 0)
  {
    m_Values.push_back(static_cast<float>(value));
  }
  else
  {
    Write(value + RingAt(dx * dx + dy * dy));
  }
  if (++m_X == m_Extent.size[0])
  {
    m_X = 0;
    m_Y = (m_Y + 1) % m_Extent.size[1];
  }
}

std::vector<std::int16_t>
ScanMaker::Finish()
{
  if (m_Artifacts.blur > 0)
  {
    Blur();
    const std::int64_t width = m_Extent.size[0];
    for (std::size_t index = 0; index < m_Values.size(); ++index)
    {
      const auto   place = static_cast<std::int64_t>(index);
      const double dx = static_cast<double>(place % width) - m_CenterX;
      const double dy = static_cast<double>(place / width % m_Extent.size[1]) - m_CenterY;
      Write(static_cast<double>(m_Values[index]) + RingAt(dx * dx + dy * dy));
    }
  }
  return std::move(m_Image);
}

/** Nearly a Gaussian: weights 1/4 and less to both sides, repeated. Exact operations: the same bits everywhere. */
void
ScanMaker::Blur()
{
  const double variance = m_Artifacts.blur * m_Artifacts.blur;
  const int    passes = static_cast<int>(std::ceil(2 * variance));
  const auto   side = static_cast<float>(variance / (2 * passes));
  std::int64_t step = 1;
  for (int axis = 0; axis < m_Extent.dimension; ++axis)
  {
    const std::int64_t size = m_Extent.size[axis];
    std::vector<float> line(static_cast<std::size_t>(size));
    for (std::int64_t begin = 0; begin < m_Extent.VoxelCount() && size > 1; ++begin)
    {
      if (begin / step % size != 0)
      {
        continue;
      }
      float * const values = m_Values.data() + begin;
      for (int pass = 0; pass < passes; ++pass)
      {
        for (std::int64_t i = 0; i < size; ++i)
        {
          line[static_cast<std::size_t>(i)] = values[i * step];
        }
        for (std::int64_t i = 0; i < size; ++i)
        {
          const float own = line[static_cast<std::size_t>(i)];
          const float before = line[static_cast<std::size_t>(i > 0 ? i - 1 : 0)];
          const float after = line[static_cast<std::size_t>(i + 1 < size ? i + 1 : i)];
          values[i * step] = own + side * ((before - own) + (after - own));
        }
      }
    }
    step *= size;
  }
}

double
ScanMaker::RingAt(double squaredDistance) const
{
  if (!(m_Artifacts.rings > 0))
  {
    return 0;
  }
  const auto          ring = static_cast<std::uint64_t>(std::sqrt(squaredDistance));
  const std::uint64_t number = HashOf(m_Seed + 2, ring);
  const double        strength = 2 * UniformOf(m_Seed + 3, ring) - 1;
  return number % RingsPerArtifact == 0 ? m_Artifacts.rings * strength : 0;
}

void
ScanMaker::Write(double value)
{
  // Nearly Gaussian noise of mean 0 and deviation 1, from four uniform numbers.
  double sum = -2;
  for (std::uint64_t i = 0; i < 4; ++i)
  {
    sum += UniformOf(m_Seed + 1, 4 * m_Image.size() + i);
  }
  const double noisy = value + m_Artifacts.noise * (sum * 1.7320508075688772);
  // Steps of 4 HU keep files small. A scanner's noise would allow that without loss.
  const double steps = std::floor(std::clamp(noisy, -32000.0, 32000.0) / 4 + 0.5);
  m_Image.push_back(static_cast<std::int16_t>(4 * static_cast<int>(steps)));
}

} // namespace brickccl
