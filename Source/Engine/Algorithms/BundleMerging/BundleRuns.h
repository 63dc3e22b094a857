// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_ALGORITHMS_BUNDLEMERGING_BUNDLERUNS_H
#define BRICKCCL_ALGORITHMS_BUNDLEMERGING_BUNDLERUNS_H

#include "BrickCCL/Host/Parallel.h"
#include "BrickCCL/Runs/Bundle.h"
#include "BrickCCL/Runs/RunVolume.h"
#include "BrickCCL/Algorithms/BundleMerging/LinkBundles.h"

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

/** The bundles of a volume's rows, and their runs, on the host. */
namespace brickccl
{

/** The position of a bundle, in bundles. */
struct BundlePlace
{
  std::int64_t y;
  std::int64_t z;
};

/** Bundles of N rows. They are numbered along y, then along z. */
template <Bundling VBundling>
struct BundleRows
{
  static constexpr int N = RowsOf(VBundling);
  static constexpr int RowsAlongY = 2;
  static constexpr int RowsAlongZ = N / 2;

  const RunVolume & volume;
  std::int64_t      countY;
  std::int64_t      count;
  std::vector<Word> zeros;

  explicit BundleRows(const RunVolume & runs)
    : volume(runs)
    , countY((runs.GetExtent().size[1] + RowsAlongY - 1) / RowsAlongY)
    , count(countY * ((runs.GetExtent().size[2] + RowsAlongZ - 1) / RowsAlongZ))
    , zeros(static_cast<std::size_t>(runs.WordsPerRow() + 2 * simd::MaximumWordsBeside), 0)
  {}

  const Word *
  EmptyRow() const
  {
    return zeros.data() + simd::MaximumWordsBeside;
  }
  std::int64_t
  NumberOf(BundlePlace place) const
  {
    return place.z * countY + place.y;
  }
  BundlePlace
  PlaceOf(std::int64_t bundle) const
  {
    return { bundle % countY, bundle / countY };
  }
  /** Finds the place of the n-th backward bundle. \return false if there is none */
  bool
  Backward(BundlePlace place, int n, BundlePlace & other) const
  {
    other = { place.y + BackwardStepY(n), place.z + BackwardStepZ(n) };
    return other.y >= 0 && other.y < countY && other.z >= 0;
  }
};

/** The words of a bundle's rows. Where the volume has no such row they are empty. */
template <Bundling VBundling>
struct BundleView
{
  static constexpr int N = RowsOf(VBundling);

  static_assert(StoredBits::PaddingWords >= simd::MaximumWordsBeside, "vector code reads outside rows");

  const Word * rows[N];

  BundleView(const BundleRows<VBundling> & bundles, BundlePlace place)
  {
    const Extent & extent = bundles.volume.GetExtent();
    for (int r = 0; r < N; ++r)
    {
      const std::int64_t y = place.y * BundleRows<VBundling>::RowsAlongY + (r & 1);
      const std::int64_t z = place.z * BundleRows<VBundling>::RowsAlongZ + (r >> 1);
      rows[r] = y < extent.size[1] && z < extent.size[2] ? bundles.volume.Foreground(z * extent.size[1] + y)
                                                         : bundles.EmptyRow();
    }
  }
  BRICKCCL_ALWAYS_INLINE BundleWindow<Word, N>
                         Window(std::int64_t w, std::int64_t words) const
  {
    BundleWindow<Word, N> window = {};
    for (int r = 0; r < N; ++r)
    {
      window.rows[r] = rows[r][w];
      window.before |= (w > 0 ? rows[r][w - 1] >> (BitsPerWord - 1) : 0) << r;
      window.after |= (w + 1 < words ? rows[r][w + 1] & 1u : 0) << r;
    }
    return window;
  }
};

/** BundleMerging's data in a volume's workspace. */
enum BundleBuffer : std::size_t
{
  UnitedBits,
  RunsBeforeWords,
  ParentsOfRuns,
  NumbersOfRuns
};

/** The runs of all bundles: united bits, the number of runs before every word, and the forest of all runs. */
template <typename TIndex>
struct BundleRuns
{
  std::int64_t  words = 0;
  Word *        united = nullptr;
  TIndex *      before = nullptr;
  TIndex *      parent = nullptr;
  std::int64_t  beforeCount = 0;
  std::uint64_t count = 0;

  const Word *
  United(std::int64_t bundle) const
  {
    return united + bundle * words;
  }
  /** The number of runs of a bundle. */
  std::int64_t
  CountOf(std::int64_t bundle) const
  {
    const std::int64_t next = (bundle + 1) * words;
    return static_cast<std::int64_t>((next < beforeCount ? std::uint64_t{ before[next] } : count) -
                                     before[bundle * words]);
  }
  /** The run of a bundle that covers x. */
  BRICKCCL_ALWAYS_INLINE TIndex
  RunAt(std::int64_t bundle, std::int64_t x) const
  {
    const std::int64_t w = x / BitsPerWord;
    const Word *       bits = United(bundle);
    const Word         starts = bits[w] & ~FromLeft(bits[w], w > 0 ? bits[w - 1] : 0);
    const Word         upTo = BitsUpTo(static_cast<int>(x % BitsPerWord));
    return before[bundle * words + w] + static_cast<TIndex>(CountBits(starts & upTo)) - 1;
  }
};

/** Finds united bits and numbers their runs. */
template <Bundling VBundling, typename TIndex>
void
FindBundleRuns(const BundleRows<VBundling> & bundles,
               const Chunks &                slabs,
               const HostContext &           context,
               Workspace &                   scratch,
               BundleRuns<TIndex> &          runs)
{
  runs.words = bundles.volume.WordsPerRow();
  runs.united =
    scratch.Get<Word>(UnitedBits, static_cast<std::size_t>(bundles.count * runs.words + simd::MaximumWordsBeside));
  runs.beforeCount = bundles.count * runs.words;
  runs.before = scratch.Get<TIndex>(RunsBeforeWords, static_cast<std::size_t>(runs.beforeCount));
  std::vector<std::uint64_t> runsOfSlab(static_cast<std::size_t>(slabs.count) + 1, 0);
  ParallelFor(slabs.count, context.Part(0, 0.5), [&](std::int64_t slab) {
    std::uint64_t count = 0;
    for (std::int64_t bundle = slabs.Begin(slab); bundle < slabs.End(slab); ++bundle)
    {
      const BundleView<VBundling> view(bundles, bundles.PlaceOf(bundle));
      Word *                      united = runs.united + bundle * runs.words;
      TIndex *                    before = runs.before + bundle * runs.words;
      Word                        last = 0;
      for (std::int64_t w = 0; w < runs.words; ++w)
      {
        Word bits = 0;
        for (const Word * row : view.rows)
        {
          bits |= row[w];
        }
        united[w] = bits;
        before[w] = static_cast<TIndex>(count);
        count += static_cast<std::uint64_t>(CountBits(bits & ~FromLeft(bits, last)));
        last = bits;
      }
    }
    runsOfSlab[static_cast<std::size_t>(slab) + 1] = count;
  });
  std::partial_sum(runsOfSlab.begin(), runsOfSlab.end(), runsOfSlab.begin());
  runs.count = runsOfSlab.back();
  runs.parent = scratch.Get<TIndex>(ParentsOfRuns, static_cast<std::size_t>(runs.count));
  ParallelFor(slabs.count, context.Part(0.5, 1), [&](std::int64_t slab) {
    const auto first = runsOfSlab[static_cast<std::size_t>(slab)];
    for (std::int64_t i = slabs.Begin(slab) * runs.words; i < slabs.End(slab) * runs.words && first != 0; ++i)
    {
      runs.before[i] += static_cast<TIndex>(first);
    }
    for (std::uint64_t run = first; run < runsOfSlab[static_cast<std::size_t>(slab) + 1]; ++run)
    {
      runs.parent[run] = static_cast<TIndex>(run);
    }
  });
}

} // namespace brickccl

#endif
