#ifndef BRICKCCL_COMPONENTS_ROWVOXELS_H
#define BRICKCCL_COMPONENTS_ROWVOXELS_H

#include "BrickCCL/Components/ComponentSums.h"
#include "BrickCCL/Runs/RunVolume.h"
#include "BrickCCL/Simd/JoinRuns.h"

#include <cstdint>
#include <limits>
#include <type_traits>

namespace brickccl
{

/** Whether the sum of x over the voxels of a row, twice, is a number of this type. */
template <typename TWord>
constexpr bool
RowSumsFit(std::int64_t rowLength)
{
  return rowLength <= std::int64_t{ 1 } << (std::numeric_limits<TWord>::digits / 2);
}

/** Finds the voxels of each component in some rows. What runs side by side have in common is added up first: a sum in
 *  memory can be added to again only once it was written.
 *  \tparam TWord  RowSumsFit in it, and the sum of squares if that is asked for */
template <typename TWord, bool VHasSquares>
class RowVoxelsFinder
{
public:
  /** Calls `function(row, label, voxels)`, with the row counted from the first of `runs`; `labels` are those of its
   *  runs. */
  template <typename TLabel, typename TFunction>
  void
  ForEach(const RunsOfRows & runs, const TLabel * labels, TFunction function)
  {
    constexpr int fewRuns = 8;
    if (runs.count <= fewRuns)
    {
      for (int i = 0; i < runs.count; ++i)
      {
        function(runs.Begin(i) >> runs.shift, labels[i], OfRun(runs, i));
      }
      return;
    }
    Join(runs, labels);
    const std::int32_t lastInRow = runs.LastInRow();
    int                first = 0;
    for (int i = 0; i < m_Joined.count; ++i)
    {
      const std::int32_t begin = runs.Begin(first);
      const std::int64_t rowBegin = begin - (begin & lastInRow);
      RowVoxels          voxels;
      voxels.begin = begin - rowBegin;
      voxels.end = runs.End(m_Joined.last[i]) - rowBegin;
      voxels.count = TWord(m_Joined.voxels[i + 1] - m_Joined.voxels[i]);
      voxels.sum = TWord(m_Joined.sums[i + 1] - m_Joined.sums[i]);
      voxels.squares = VHasSquares ? m_Squares[i + 1] - m_Squares[i] : 0;
      function(begin >> runs.shift, labels[first], voxels);
      first = m_Joined.last[i] + 1;
    }
  }

private:
  static RowVoxels
  OfRun(const RunsOfRows & runs, int i)
  {
    const std::int64_t x = runs.Begin(i) & runs.LastInRow();
    return RowVoxels::OfRun(x, x + runs.End(i) - runs.Begin(i));
  }

  template <typename TLabel>
  void
  Join(const RunsOfRows & runs, const TLabel * labels)
  {
    if constexpr (std::is_same_v<TWord, std::uint32_t> && std::is_same_v<TLabel, std::uint32_t> && !VHasSquares)
    {
      if (m_JoinsRuns)
      {
        simd::JoinRuns(runs, labels, m_Joined);
        return;
      }
    }
    TWord         voxels = 0;
    TWord         sum = 0;
    std::uint64_t squares = 0;
    int           count = 0;
    const auto    add = [&](int i) {
      const RowVoxels run = OfRun(runs, i);
      m_Joined.last[count] = i;
      m_Joined.voxels[count + 1] = voxels += static_cast<TWord>(run.count);
      m_Joined.sums[count + 1] = sum += static_cast<TWord>(run.sum);
      if constexpr (VHasSquares)
      {
        m_Squares[count + 1] = squares += run.squares;
      }
    };
    for (int i = 0; i + 1 < runs.count; ++i)
    {
      add(i);
      // Without a branch, since it is hard to foresee whether the next run is the same one's.
      const int isNextRow = (runs.Begin(i) ^ runs.Begin(i + 1)) > runs.LastInRow() ? 1 : 0;
      const int isOther = labels[i] != labels[i + 1] ? 1 : 0;
      count += isNextRow | isOther;
    }
    add(runs.count - 1);
    m_Joined.count = count + 1;
  }

  const bool              m_JoinsRuns = simd::JoinsRuns();
  simd::JoinedRuns<TWord> m_Joined;
  /** As JoinedRuns has other sums. */
  std::uint64_t m_Squares[VHasSquares ? simd::JoinedRuns<TWord>::Room + 1 : 1] = {};
};

} // namespace brickccl

#endif
