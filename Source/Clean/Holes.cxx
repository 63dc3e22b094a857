#include "BrickCCL/Clean/Holes.h"

#include "BrickCCL/Clean/Border.h"
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
