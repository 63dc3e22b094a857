// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Clean/Holes.h"

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Runs/AccumulateRuns.h"

namespace brickccl
{

namespace
{

struct BackgroundSum
{
  static constexpr bool IsExact = true;

  std::uint64_t voxels = 0;
  bool          touchesBorder = false;

  void
  Merge(const BackgroundSum & other)
  {
    voxels += other.voxels;
    touchesBorder = touchesBorder || other.touchesBorder;
  }
};

} // namespace

Border
BorderOfHoles(const Extent & extent, const Connectivity & connectivity, const PeriodicAxes & periodic)
{
  const Border border(extent, connectivity, periodic);
  ThrowIf<Unsupported>(!border.Exists(),
                       "holes cannot be filled in an image that is periodic along " + periodic.ToString() +
                         " and has no other axis of more than one voxel, because there is no border");
  return border;
}

Holes::Holes(const RunVolume &   background,
             std::uint64_t       components,
             const Border &      border,
             std::uint64_t       maximumVoxels,
             const HostContext & context)
  : m_HoleOf(static_cast<std::size_t>(components) + 1, None)
{
  const auto sums = AccumulateRuns<BackgroundSum>(
    background,
    components,
    context,
    [&](BackgroundSum & sum, std::int64_t, const RowPosition & row, std::int64_t begin, std::int64_t end) {
      sum.voxels += static_cast<std::uint64_t>(end - begin);
      sum.touchesBorder = sum.touchesBorder || border.Touches(row, begin, end);
    });
  for (std::size_t c = 0; c < sums.size(); ++c)
  {
    if (!sums[c].touchesBorder && sums[c].voxels <= maximumVoxels)
    {
      m_HoleOf[c + 1] = m_Sizes.size();
      m_Sizes.push_back(sums[c].voxels);
    }
  }
}

} // namespace brickccl
