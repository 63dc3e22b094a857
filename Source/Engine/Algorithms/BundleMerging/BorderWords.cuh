// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_ALGORITHMS_BUNDLEMERGING_BORDERWORDS_CUH
#define BRICKCCL_ALGORITHMS_BUNDLEMERGING_BORDERWORDS_CUH

#include "BrickCCL/Algorithms/BundleMerging/WordLinks.cuh"

/** Reads at the borders of bricks: words along z and y, ends of bundles along x. */
namespace brickccl::cuda
{

/** A word of a bundle at a border, with what is needed to find its links and the components of its runs. */
template <typename TLayout>
struct BorderWord
{
  RowWords<TLayout::rowCount> rows;
  /** Bits of rows: bits 0 to 3 are those before the word, bits 4 to 7 those behind it. Bit 8 says whether a run is
   *  known to start there. */
  unsigned   beside;
  DeviceWord starts;
  /** The runs before the word, counted over all bricks. */
  unsigned runsBefore;
  /** The offset of its runs' components in the brick. */
  unsigned   component;
  __device__ BundleWindow<DeviceWord, TLayout::rowCount>
             Window() const
  {
    BundleWindow<DeviceWord, TLayout::rowCount> window;
#pragma unroll
    for (int r = 0; r < TLayout::rowCount; ++r)
    {
      window.rows[r] = rows.rows[r];
    }
    window.before = beside & 0xFu;
    window.after = beside >> 4 & 0xFu;
    return window;
  }
  __device__ bool
  StartsAfter() const
  {
    return (beside >> 8 & 1u) != 0;
  }
  /** The run that covers bit x, numbered over all bricks. */
  __device__ unsigned
  RunAt(int x) const
  {
    return cuda::RunAt(runsBefore, starts, x);
  }
};

/** A lane's part of a word. It is read first for several words, so that their latencies overlap. */
template <typename TLayout>
struct FetchedWord
{
  using Kept = typename TLayout::Kept;
  /** Face connectivity does not use the bits adjacent to a word. */
  static constexpr bool readsBeside = TLayout::bundling != Bundling::Rows || TLayout::keepsStarts;

  Kept kept;
  /** The kept part of the adjacent word in the next brick, if the word is at its brick's border along x. */
  Kept      beside;
  unsigned  runsBefore;
  BrickBase base;

  /** Starts to read the word of this lane in its bundle's row, if `has` says that there is one. */
  __device__ void
  Fetch(const BrickArrays & bricks, bool has, const BrickWord & word, bool hasLeftBrick, bool hasRightBrick)
  {
    kept = {};
    beside = {};
    runsBefore = 0;
    base = {};
    if (has)
    {
      const int         inRow = word.local % WordsPerBrickRow;
      const std::size_t index = word.Index();
      kept = bricks.Kept<TLayout>(index);
      const bool hasLeft = inRow == 0 && hasLeftBrick;
      const bool hasRight = inRow == WordsPerBrickRow - 1 && hasRightBrick;
      if (readsBeside && (hasLeft || hasRight))
      {
        beside = bricks.Kept<TLayout>(word.Beside(hasLeft ? -1 : 1).Index());
      }
      runsBefore = bricks.runsBefore[index];
      base = bricks.bases[word.brick];
    }
  }
  /** All lanes must call: adjacent lanes have adjacent words. */
  __device__ BorderWord<TLayout>
             Finish() const
  {
    const int           inRow = static_cast<int>(threadIdx.x) % WordsPerBrickRow;
    const bool          isFirst = inRow == 0;
    const bool          isLast = inRow == WordsPerBrickRow - 1;
    BorderWord<TLayout> word;
    word.rows = TLayout::Rows(kept);
    const unsigned lastBits = __shfl_up_sync(AllLanes, word.rows.LastBits(), 1);
    const unsigned firstBits = __shfl_down_sync(AllLanes, word.rows.FirstBits(), 1);
    word.beside = (isFirst ? TLayout::Rows(beside).LastBits() : lastBits) |
                  (isLast ? TLayout::Rows(beside).FirstBits() : firstBits) << 4;
    word.starts = TLayout::Starts(kept, !isFirst && lastBits != 0 ? 1u << 31 : 0u);
    if constexpr (TLayout::keepsStarts)
    {
      const unsigned next = __shfl_down_sync(AllLanes, word.starts, 1);
      word.beside |= ((isLast ? TLayout::Starts(beside, 0) : next) & 1u) << 8;
    }
    word.runsBefore = base.run + runsBefore;
    word.component = base.component;
    return word;
  }
};

/** The ends of a brick's bundles at its lower border along x. */
struct BorderEnds
{
  static constexpr int bundles = WordsPerBrick / WordsPerBrickRow;

  /** Bits of each bundle's rows: bits 0 to 3 are the last ones to the left of the border, bits 4 to 7 the first ones to
   *  its right. */
  unsigned char bits[bundles];
  /** The components of the runs there, numbered over all bricks. */
  unsigned left[bundles];
  unsigned right[bundles];
};

/** The ends of one bundle while they are read. */
template <typename TLayout>
struct BundleEnds
{
  typename TLayout::Kept      left;
  RowWords<TLayout::rowCount> beforeLeft;
  typename TLayout::Kept      right;
  unsigned                    runsLeft;
  unsigned                    runsRight;
  BrickBase                   baseLeft;
  BrickBase                   baseRight;
  /** Bits of rows as in BorderEnds. */
  unsigned bits;
  /** The components of the runs there, if there are any. */
  unsigned atLeft;
  unsigned atRight;

  /** Starts to read a bundle's last word in the brick before `brick` and its first word in `brick`. */
  __device__ void
  Fetch(const BrickArrays & bricks, unsigned brick, int bundle)
  {
    const BrickWord atRight(brick, bundle * WordsPerBrickRow);
    const BrickWord atLeft = atRight.Beside(-1);
    left = bricks.Kept<TLayout>(atLeft.Index());
    beforeLeft = {};
    if constexpr (!TLayout::keepsStarts)
    {
      beforeLeft = bricks.Rows<TLayout>(atLeft.Index() - 1);
    }
    right = bricks.Kept<TLayout>(atRight.Index());
    runsLeft = bricks.runsBefore[atLeft.Index()];
    runsRight = bricks.runsBefore[atRight.Index()];
    baseLeft = bricks.bases[atLeft.brick];
    baseRight = bricks.bases[atRight.brick];
  }
  /** Starts to read the components. */
  __device__ void
  FetchComponents(const BrickArrays & bricks, bool fits)
  {
    const unsigned lasts = fits ? TLayout::Rows(left).LastBits() : 0u;
    const unsigned firsts = fits ? TLayout::Rows(right).FirstBits() : 0u;
    bits = lasts | firsts << 4;
    atLeft = 0;
    atRight = 0;
    if (lasts != 0)
    {
      const DeviceWord starts = TLayout::Starts(left, beforeLeft.United());
      atLeft = bricks.ComponentOf(baseLeft, RunAt(runsLeft, starts, 31));
    }
    if (firsts != 0)
    {
      atRight = bricks.ComponentOf(baseRight, runsRight);
    }
  }
  __device__ void
  Store(int bundle, BorderEnds & ends) const
  {
    ends.bits[bundle] = static_cast<unsigned char>(bits);
    ends.left[bundle] = atLeft;
    ends.right[bundle] = atRight;
  }
};

} // namespace brickccl::cuda

#endif
