// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Algorithms/BundleMerging/BundleMerging.h"

#include "BrickCCL/Algorithms/BundleMerging/LabelRows.h"
#include "BrickCCL/Forest/Forest.h"
#include "BrickCCL/Runs/FindRuns.h"
#include "BrickCCL/Algorithms/BundleMerging/LinkBundles.h"
#include "BrickCCL/Runs/ListRuns.h"

#include <algorithm>
#include <vector>

namespace brickccl
{

namespace
{

/** Unites the runs of bundles in one slab, or across its lower seam. */
template <Bundling VBundling, typename TIndex, typename TUnite>
class BundleMerger
{
public:
  BundleMerger(const BundleRows<VBundling> & bundles, const BundleRuns<TIndex> & runs, TUnite unite)
    : m_Bundles(bundles)
    , m_Runs(runs)
    , m_Words(static_cast<std::size_t>(runs.words))
    , m_Unite(unite)
  {
    for (std::vector<Word> * row : { &m_JoinedY, &m_JoinedZ, &m_JoinedZOfLast, &m_Same, &m_Left, &m_Right, &m_Joined })
    {
      row->resize(m_Words + simd::MaximumWordsBeside);
    }
    m_ListedBits.resize(3 * m_Words + simd::WordListPadding);
    m_ListedPlaces.resize(m_ListedBits.size());
  }

  void
  MergeSlab(std::int64_t begin, std::int64_t end)
  {
    const std::int64_t countY = m_Bundles.countY;
    // Where links along y join runs in the layer before, and in this layer as far as it is done.
    m_JoinedYOfLayer.assign(m_Words * static_cast<std::size_t>(countY) + simd::MaximumWordsBeside, 0);
    BundlePlace place = m_Bundles.PlaceOf(begin);
    BundlePlace last = place;
    for (std::int64_t bundle = begin; bundle < end; ++bundle)
    {
      Word * const joinedYBelow = m_JoinedYOfLayer.data() + static_cast<std::size_t>(place.y) * m_Words;
      BundlePlace  other;
      const auto   hasInside = [&](BundlePlace from, int n) {
        return m_Bundles.Backward(from, n, other) && m_Bundles.NumberOf(other) >= begin;
      };
      std::fill(m_JoinedY.begin(), m_JoinedY.end(), 0);
      std::fill(m_JoinedZ.begin(), m_JoinedZ.end(), 0);
      const bool hasLast = place.y > 0 && bundle > begin;
      if (hasLast)
      {
        Merge<0>(place, last, {}, m_JoinedY.data());
      }
      else
      {
        std::fill(m_JoinedZOfLast.begin(), m_JoinedZOfLast.end(), 0);
      }
      // A link is left out if links by way of a third bundle imply it. None of those is left out because of it.
      if (hasInside(place, 1))
      {
        Merge<1>(place, other, { { m_JoinedY.data(), m_JoinedZOfLast.data(), joinedYBelow }, 3 }, m_JoinedZ.data());
      }
      if (hasInside(place, 2))
      {
        Merge<2>(place, other, { { m_JoinedY.data(), m_JoinedZOfLast.data() }, 2, { m_JoinedZ.data(), joinedYBelow } });
      }
      // The last bundle's link to the one after it in the layer before waits for this bundle, which may imply it.
      if (hasLast && hasInside(last, 3))
      {
        Merge<3>(last, other, { { m_JoinedY.data(), m_JoinedZ.data() }, 2, { m_JoinedZOfLast.data(), joinedYBelow } });
      }
      std::copy_n(m_JoinedY.begin(), m_Words, joinedYBelow);
      std::swap(m_JoinedZ, m_JoinedZOfLast);
      last = place;
      if (bundle + 1 == end && hasInside(last, 3))
      {
        Merge<3>(last, other);
      }
      place = place.y + 1 < countY ? BundlePlace{ place.y + 1, place.z } : BundlePlace{ 0, place.z + 1 };
    }
  }

  /** Merges all links of the bundles [begin, end) to those before `begin`. */
  void
  MergeSeam(std::int64_t begin, std::int64_t end)
  {
    for (std::int64_t bundle = begin; bundle < std::min(end, begin + m_Bundles.countY + 1); ++bundle)
    {
      const BundlePlace place = m_Bundles.PlaceOf(bundle);
      BundlePlace       other;
      const auto        hasAcross = [&](int n) {
        return m_Bundles.Backward(place, n, other) && m_Bundles.NumberOf(other) < begin;
      };
      if (hasAcross(0))
      {
        Merge<0>(place, other);
      }
      if (hasAcross(1))
      {
        Merge<1>(place, other);
      }
      if (hasAcross(2))
      {
        Merge<2>(place, other);
      }
      if (hasAcross(3))
      {
        Merge<3>(place, other);
      }
    }
  }

private:
  /** Unites along the links from bundle a to its n-th backward bundle b, except those that are implied. `joined`, whose
   *  bits are 0, gets those at which these links join the runs of both bundles, unless it is null. */
  template <int VBackward>
  void
  Merge(BundlePlace placeA, BundlePlace placeB, const simd::ImpliedLinks & implied = {}, Word * joined = nullptr)
  {
    const std::int64_t a = m_Bundles.NumberOf(placeA);
    const std::int64_t b = m_Bundles.NumberOf(placeB);
    if (m_Runs.CountOf(a) == 0 || m_Runs.CountOf(b) == 0)
    {
      return;
    }
    const bool       isListed = !HasManyRuns(a);
    simd::LinkedRows links{ m_Same.data(),
                            m_Left.data(),
                            m_Right.data(),
                            joined != nullptr ? joined : m_Joined.data(),
                            { isListed ? m_ListedBits.data() : nullptr, m_ListedPlaces.data(), 0 } };
    FindLinks<VBackward>({ m_Bundles, placeA },
                         { m_Bundles, placeB },
                         m_Runs.United(a),
                         m_Runs.United(b),
                         implied,
                         links);
    if (links.list.count > 0)
    {
      UniteLinked(a, b, links);
    }
  }

  /** Whether the links of a bundle are found many at once. Few are found as fast one by one. */
  bool
  HasManyRuns(std::int64_t bundle) const
  {
    return sizeof(TIndex) == sizeof(std::uint32_t) && m_Runs.CountOf(bundle) > m_Runs.words;
  }

  void
  UniteLinked(std::int64_t a, std::int64_t b, const simd::LinkedRows & links)
  {
    const auto words = static_cast<std::int64_t>(m_Words);
    if constexpr (sizeof(TIndex) == sizeof(std::uint32_t))
    {
      if (HasManyRuns(a))
      {
        for (std::int64_t w = 0; w < words; w += simd::ListWords)
        {
          simd::ListLinkedRuns({ links.same + w, links.left + w, links.right + w },
                               { m_Runs.United(a) + w, m_Runs.before + a * words + w },
                               { m_Runs.United(b) + w, m_Runs.before + b * words + w },
                               w > 0,
                               words - w,
                               static_cast<int>(std::min<std::int64_t>(simd::ListWords, words - w)),
                               m_Pairs);
          for (int i = 0; i < m_Pairs.count; ++i)
          {
            m_Unite(m_Pairs.a[i], m_Pairs.b[i]);
          }
        }
        return;
      }
    }
    simd::ForEachBit(links.list, [&](int kind, std::int64_t x, std::int64_t) {
      const std::int64_t other = x + (kind == simd::LinkedSame ? 0 : kind == simd::LinkedLeft ? -1 : 1);
      m_Unite(m_Runs.RunAt(a, x), m_Runs.RunAt(b, other));
    });
  }

  /** Finds the links between two bundles, without repeats and implied ones. */
  template <int VBackward>
  void
  FindLinks(const BundleView<VBundling> & a,
            const BundleView<VBundling> & b,
            const Word *                  unitedA,
            const Word *                  unitedB,
            const simd::ImpliedLinks &    implied,
            simd::LinkedRows &            found)
  {
    constexpr BundleFaces faces = FacesTo<VBundling>(VBackward);
    const auto            words = static_cast<std::int64_t>(m_Words);
    simd::FacingBundles   bundles{ {}, faces.count, faces.areStraight, unitedA, unitedB, words };
    for (int f = 0; f < faces.count; ++f)
    {
      const auto & rows = faces.rows[f];
      bundles.faces[f] = { { a.rows[rows[0][0]], a.rows[rows[0][1]] }, { b.rows[rows[1][0]], b.rows[rows[1][1]] } };
    }
    simd::LinkBundles(bundles, implied, found);
  }

  const BundleRows<VBundling> & m_Bundles;
  const BundleRuns<TIndex> &    m_Runs;
  std::size_t                   m_Words;
  TUnite                        m_Unite;
  std::vector<Word>             m_JoinedY;
  std::vector<Word>             m_JoinedZ;
  std::vector<Word>             m_JoinedZOfLast;
  std::vector<Word>             m_JoinedYOfLayer;
  std::vector<Word>             m_Same;
  std::vector<Word>             m_Left;
  std::vector<Word>             m_Right;
  std::vector<Word>             m_Joined;
  std::vector<Word>             m_ListedBits;
  std::vector<Word>             m_ListedPlaces;
  simd::RunPairs                m_Pairs;
};

template <Bundling VBundling, typename TIndex>
std::uint64_t
LabelBundles(const HostContext & context, RunVolume & volume, TIndex * labels)
{
  const BundleRows<VBundling> bundles(volume);
  const std::int64_t          leastBundles = 1 + context.grain / (volume.GetExtent().RowLength() * RowsOf(VBundling));
  const Chunks       slabs(bundles.count, leastBundles, std::int64_t{ 4 } * EffectiveThreadCount(context.threads));
  BundleRuns<TIndex> runs;
  FindBundleRuns(bundles, slabs, context.Part(0, 0.2), volume.Scratch(), runs);
  TIndex * const parent = runs.parent;
  ParallelFor(slabs.count, context.Part(0.2, 0.6), [&](std::int64_t slab) {
    BundleMerger(bundles, runs, [parent](TIndex a, TIndex b) {
      Unite(parent, a, b);
    }).MergeSlab(slabs.Begin(slab), slabs.End(slab));
  });
  ParallelFor(slabs.count - 1, context.Part(0.6, 0.7), [&](std::int64_t slab) {
    BundleMerger(bundles, runs, [parent](TIndex a, TIndex b) {
      UniteShared(parent, a, b);
    }).MergeSeam(slabs.Begin(slab + 1), slabs.End(slab + 1));
  });
  return LabelRows(bundles, context.Part(0.7, 1), runs, volume, labels);
}

std::uint64_t
Label(const RowLinks &     links,
      const Extent &       extent,
      const Connectivity & connectivity,
      const HostContext &  context,
      bool                 alwaysWide,
      RunVolume &          result)
{
  FindRuns(links, extent, {}, context.Part(0, 0.3), result);
  result.ResizeLabels(alwaysWide || result.RunCount() >= RunVolume::MaximumNarrowRuns);
  const HostContext rest = context.Part(0.3, 1);
  return result.VisitLabels([&](auto * labels) {
    return connectivity.Rank() == 2 ? LabelBundles<Bundling::Pairs>(rest, result, labels)
                                    : LabelBundles<Bundling::Squares>(rest, result, labels);
  });
}

} // namespace

bool
SupportsBundleMerging(const ProblemTraits & problem)
{
  const Connectivity & connectivity = problem.connectivity;
  return problem.followsForeground && connectivity.UsesEveryAxis() && connectivity.Rank() >= 2 &&
         problem.extent.dimension <= 3;
}

std::uint64_t
LabelByBundleMerging(const RowLinks &     links,
                     const Extent &       extent,
                     const Connectivity & connectivity,
                     const HostContext &  context,
                     RunVolume &          result)
{
  return Label(links, extent, connectivity, context, false, result);
}

std::uint64_t
testing::LabelByWideBundleMerging(const RowLinks &     links,
                                  const Extent &       extent,
                                  const Connectivity & connectivity,
                                  const HostContext &  context,
                                  RunVolume &          result)
{
  return Label(links, extent, connectivity, context, true, result);
}

/** There must be neighbors along every axis, or slices must have so many rows (lines along y in slices orthogonal to x)
 * that bricks, which have rows of only one slice, are not mostly empty. 32 bits must number the voxels and count the
 * runs and the voxels of a row, 31 the bundles of rows along an axis, also when bricks are filled up. */
static bool
SupportsBundlesOnCuda(const ProblemTraits & problem)
{
  constexpr std::int64_t numbers = std::int64_t{ 1 } << 32;
  constexpr std::int64_t maximumRows = numbers / 2 - 256;
  const Extent &         extent = problem.extent;
  const Connectivity &   neighbors = problem.connectivity;
  constexpr std::int64_t leastRows = 16;
  const bool             areSlices = extent.dimension == 3 && neighbors.AxisCount() == 2;
  const bool areLarge = areSlices && extent.size[neighbors.Uses(0) && neighbors.Uses(1) ? 1 : 2] >= leastRows;
  const bool isAlongY = !neighbors.Uses(0);
  return (neighbors.UsesEveryAxis() || areLarge) && extent.dimension <= 3 && extent.size[1] <= maximumRows &&
         extent.size[2] <= maximumRows && extent.RowLength() < (isAlongY ? maximumRows : numbers) &&
         extent.VoxelCount() <= numbers && problem.MaximumRunCount() < numbers;
}

std::vector<Algorithm>
BundleMergingRows()
{
  return { { "BundleMerging",
             "bundles of rows as runs of their united bits; on CUDA devices brick by brick in shared memory",
             { [](const RowLinks &     links,
                  const Extent &       extent,
                  const Connectivity & connectivity,
                  const OptionValues &,
                  const HostContext & context,
                  RunVolume & result) { return LabelByBundleMerging(links, extent, connectivity, context, result); },
               SupportsBundleMerging,
               // In a plane RunMerging takes three quarters of its time (noise of all densities and grains).
               [](const ProblemTraits & problem) { return problem.extent.dimension > 2; } },
             { SupportsBundlesOnCuda, BRICKCCL_IF_CUDA(cuda::MakeBundleMerging) },
             {} } };
}

} // namespace brickccl
