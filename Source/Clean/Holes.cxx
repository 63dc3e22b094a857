#include "BrickCCL/Clean/Holes.h"

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

/** Says which voxels lie at the border. */
class Border
{
public:
  Border(const Extent & extent, const Connectivity & connectivity)
    : m_Extent(extent)
    , m_EveryVoxel(true)
  {
    for (int axis = 0; axis < MaximumDimension; ++axis)
    {
      m_Has[axis] = axis < extent.dimension && connectivity.Uses(axis) && extent.size[axis] > 1;
      m_EveryVoxel = m_EveryVoxel && !m_Has[axis];
    }
  }

  bool
  Touches(const RowPosition & row, std::int64_t begin, std::int64_t end) const
  {
    bool touches = m_EveryVoxel || (m_Has[0] && (begin == 0 || end == m_Extent.size[0]));
    for (int axis = 1; axis < MaximumDimension; ++axis)
    {
      const std::int64_t at = row.at[axis - 1];
      touches = touches || (m_Has[axis] && (at == 0 || at == m_Extent.size[axis] - 1));
    }
    return touches;
  }

private:
  Extent m_Extent;
  bool   m_Has[MaximumDimension];
  /** Where slices are single voxels, no object is around any of them. */
  bool m_EveryVoxel;
};

} // namespace

Holes::Holes(const RunVolume &    background,
             std::uint64_t        components,
             const Connectivity & connectivity,
             std::uint64_t        mostVoxels,
             const HostContext &  context)
  : m_HoleOf(static_cast<std::size_t>(components) + 1, None)
{
  const Border border(background.GetExtent(), connectivity);
  const auto   sums = AccumulateRuns<BackgroundSum>(
    background,
    components,
    context,
    [&](BackgroundSum & sum, std::int64_t, const RowPosition & row, std::int64_t begin, std::int64_t end) {
      sum.voxels += static_cast<std::uint64_t>(end - begin);
      sum.touchesBorder = sum.touchesBorder || border.Touches(row, begin, end);
    });
  for (std::size_t c = 0; c < sums.size(); ++c)
  {
    if (!sums[c].touchesBorder && sums[c].voxels <= mostVoxels)
    {
      m_HoleOf[c + 1] = m_Sizes.size();
      m_Sizes.push_back(sums[c].voxels);
    }
  }
}

} // namespace brickccl
