#ifndef BRICKCCL_COMPONENTS_ROWVOXELSFINDER_H
#define BRICKCCL_COMPONENTS_ROWVOXELSFINDER_H

#include "BrickCCL/Components/ComponentSums.h"
#include "BrickCCL/Runs/RunVolume.h"
#include "BrickCCL/Simd/JoinRuns.h"

#include <cstdint>
#include <type_traits>

namespace brickccl
{

/** Finds the voxels of each component in some rows. Where vector code can, what runs side by side have in common is
 *  added up first: a sum in memory can be added to again only once it was written.
 *  \tparam VHasSquares  whether the sum of x^2 is asked for, which vector code has not */
template <bool VHasSquares>
class RowVoxelsFinder
{
public:
  explicit RowVoxelsFinder(const RunVolume & volume)
    : m_Joins(!VHasSquares && simd::JoinsRuns() && volume.GetExtent().RowLength() <= simd::JoinedRuns::LongestRow)
  {}

  /** What runs side by side have in common, if vector code adds it up; null if it does not. */
  template <typename TLabel>
  const simd::JoinedRuns *
  Join(const RunsOfRows & runs, const TLabel * labels)
  {
    if constexpr (std::is_same_v<TLabel, std::uint32_t> && !VHasSquares)
    {
      constexpr int fewRuns = 8;
      if (m_Joins && runs.count > fewRuns)
      {
        simd::JoinRuns(runs, labels, m_Joined);
        return &m_Joined;
      }
    }
    return nullptr;
  }

  /** Calls `function(row, label, voxels)`, with the row counted from the first of `runs`; `labels` are those of its
   *  runs. */
  template <typename TLabel, typename TFunction>
  void
  ForEach(const RunsOfRows & runs, const TLabel * labels, TFunction function)
  {
    if (const simd::JoinedRuns * const joined = Join(runs, labels))
    {
      ForEachJoined(*joined, function);
      return;
    }
    const std::int32_t * begin = runs.begins;
    const std::int32_t * end = runs.ends;
    const std::int32_t   lastInRow = runs.LastInRow();
    for (int i = 0; i < runs.count; ++i, begin += runs.step, end += runs.step)
    {
      const std::int64_t x = *begin & lastInRow;
      function(*begin >> runs.shift, labels[i], RowVoxels::OfRun(x, x + *end - *begin));
    }
  }

private:
  template <typename TFunction>
  static void
  ForEachJoined(const simd::JoinedRuns & joined, TFunction function)
  {
    for (int i = 0; i < joined.count; ++i)
    {
      RowVoxels voxels;
      voxels.begin = joined.begins[i];
      voxels.end = joined.ends[i];
      voxels.count = joined.voxels[i];
      voxels.sum = joined.sums[i];
      voxels.squares = 0;
      function(joined.rows[i], joined.labels[i], voxels);
    }
  }

  struct Nothing
  {};

  const bool                                                 m_Joins;
  std::conditional_t<VHasSquares, Nothing, simd::JoinedRuns> m_Joined;
};

} // namespace brickccl

#endif
