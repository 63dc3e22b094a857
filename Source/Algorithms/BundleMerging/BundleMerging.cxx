#include "BrickCCL/Algorithms/BundleMerging/BundleMerging.h"

#include "BrickCCL/Forest/Forest.h"
#include "BrickCCL/Runs/Bundle.h"
#include "BrickCCL/Runs/FindRuns.h"
#include "BrickCCL/Runs/Marks.h"
#include "BrickCCL/Simd/ExpandRow.h"
#include "BrickCCL/Simd/LinkBundles.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

namespace brickccl
{

namespace
{

/** Where a bundle lies among the bundles. */
struct BundlePlace
{
  std::int64_t y;
  std::int64_t z;
};

/** Bundles of N rows, numbered along y, then along z. */
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
    , zeros(static_cast<std::size_t>(runs.WordsPerRow() + 2 * simd::MostWordsBeside), 0)
  {}

  const Word *
  EmptyRow() const
  {
    return zeros.data() + simd::MostWordsBeside;
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
  /** The place of the n-th backward bundle. \return false if there is none. */
  bool
  Backward(BundlePlace place, int n, BundlePlace & other) const
  {
    other = { place.y + BackwardStepY(n), place.z + BackwardStepZ(n) };
    return other.y >= 0 && other.y < countY && other.z >= 0;
  }
};

/** The words of a bundle's rows; empty ones where the volume has no such row. */
template <Bundling VBundling>
struct BundleView
{
  static constexpr int N = RowsOf(VBundling);

  static_assert(RunVolume::PaddingWords >= simd::MostWordsBeside, "vector code reads beside rows");

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

/** Which rows of a bundle and of one before it face each other, in up to two ways; see LinksTo. */
struct BundleFaces
{
  int  count;
  bool areStraight;
  /** Of each way the rows of the bundle, then those of the other one, one of them twice where there is one. */
  int rows[2][2][2];
};

template <Bundling VBundling>
constexpr BundleFaces
FacesTo(int backward)
{
  if (VBundling == Bundling::Pairs)
  {
    return backward == 0 ? BundleFaces{ 1, false, { { { 0, 0 }, { 1, 1 } } } }
         : backward == 1 ? BundleFaces{ 2, false, { { { 0, 0 }, { 0, 0 } }, { { 1, 1 }, { 1, 1 } } } }
         : backward == 2 ? BundleFaces{ 1, true, { { { 0, 0 }, { 1, 1 } } } }
                         : BundleFaces{ 1, true, { { { 1, 1 }, { 0, 0 } } } };
  }
  return backward == 0 ? BundleFaces{ 1, false, { { { 0, 2 }, { 1, 3 } } } }
       : backward == 1 ? BundleFaces{ 1, false, { { { 0, 1 }, { 2, 3 } } } }
       : backward == 2 ? BundleFaces{ 1, false, { { { 0, 0 }, { 3, 3 } } } }
                       : BundleFaces{ 1, false, { { { 1, 1 }, { 2, 2 } } } };
}

/** The runs of all bundles: united bits, the runs before every word, and the forest of all runs. */
template <typename TIndex>
struct BundleRuns
{
  std::int64_t  words = 0;
  Word *        united = nullptr;
  TIndex *      before = nullptr;
  TIndex *      parent = nullptr;
  std::uint64_t count = 0;
  /** Where those of each slab of bundles begin, then their number. */
  std::vector<std::uint64_t> firsts;

  const Word *
  United(std::int64_t bundle) const
  {
    return united + bundle * words;
  }
  /** The run of a bundle that covers voxel x of a word. */
  BRICKCCL_ALWAYS_INLINE TIndex
  RunAt(std::int64_t bundle, std::int64_t w, int x) const
  {
    const Word * bits = United(bundle);
    const Word   starts = bits[w] & ~FromLeft(bits[w], w > 0 ? bits[w - 1] : 0);
    return before[bundle * words + w] + static_cast<TIndex>(CountBits(starts & BitsUpTo(x))) - 1;
  }
};

/** Unites the runs of bundles that lie in one slab, or those across its lower border. */
template <Bundling VBundling, typename TIndex, typename TUnite>
class BundleMerger
{
public:
  BundleMerger(const BundleRows<VBundling> & bundles, const BundleRuns<TIndex> & runs, TUnite unite)
    : m_Bundles(bundles)
    , m_Runs(runs)
    , m_Words(static_cast<std::size_t>(runs.words))
    , m_Unite(unite)
    , m_JoinedY(m_Words, 0)
    , m_JoinedZ(m_Words, 0)
    , m_JoinedZOfLast(m_Words, 0)
  {
    for (std::vector<Word> * links : { &m_Same, &m_Left, &m_Right, &m_Joined })
    {
      links->resize(m_Words + simd::MostWordsBeside);
    }
  }

  /** All links of the bundles [begin, end) among each other. */
  void
  MergeSlab(std::int64_t begin, std::int64_t end)
  {
    const std::int64_t countY = m_Bundles.countY;
    const auto         nothing = [](std::size_t) { return Word{ 0 }; };
    // What is known of links along y in the layer before; of this layer as far as it is done.
    m_JoinedYOfLayer.assign(m_Words * static_cast<std::size_t>(countY), 0);
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
        Merge<0>(place, last, nothing, m_JoinedY.data());
      }
      else
      {
        std::fill(m_JoinedZOfLast.begin(), m_JoinedZOfLast.end(), 0);
      }
      // A link is left out if links by way of a third bundle say the same; none of those is left out because of it.
      if (hasInside(place, 1))
      {
        Merge<1>(
          place,
          other,
          [&](std::size_t w) { return m_JoinedY[w] & m_JoinedZOfLast[w] & joinedYBelow[w]; },
          m_JoinedZ.data());
      }
      if (hasInside(place, 2))
      {
        Merge<2>(
          place,
          other,
          [&](std::size_t w) { return m_JoinedY[w] & m_JoinedZOfLast[w]; },
          nullptr);
      }
      // The last bundle's link to the one after it in the layer before waits for this one, which may imply it.
      if (hasLast && hasInside(last, 3))
      {
        Merge<3>(
          last,
          other,
          [&](std::size_t w) { return m_JoinedY[w] & m_JoinedZ[w]; },
          nullptr);
      }
      std::copy(m_JoinedY.begin(), m_JoinedY.end(), joinedYBelow);
      std::swap(m_JoinedZ, m_JoinedZOfLast);
      last = place;
      if (bundle + 1 == end && hasInside(last, 3))
      {
        Merge<3>(last, other, nothing, nullptr);
      }
      place = place.y + 1 < countY ? BundlePlace{ place.y + 1, place.z } : BundlePlace{ 0, place.z + 1 };
    }
  }

  /** All links of the bundles [begin, end) to those before `begin`. */
  void
  MergeSeam(std::int64_t begin, std::int64_t end)
  {
    const auto nothing = [](std::size_t) { return Word{ 0 }; };
    for (std::int64_t bundle = begin; bundle < std::min(end, begin + m_Bundles.countY + 1); ++bundle)
    {
      const BundlePlace place = m_Bundles.PlaceOf(bundle);
      BundlePlace       other;
      const auto        hasAcross = [&](int n) {
        return m_Bundles.Backward(place, n, other) && m_Bundles.NumberOf(other) < begin;
      };
      if (hasAcross(0))
      {
        Merge<0>(place, other, nothing, nullptr);
      }
      if (hasAcross(1))
      {
        Merge<1>(place, other, nothing, nullptr);
      }
      if (hasAcross(2))
      {
        Merge<2>(place, other, nothing, nullptr);
      }
      if (hasAcross(3))
      {
        Merge<3>(place, other, nothing, nullptr);
      }
    }
  }

private:
  /** Unites along the links from bundle a to its n-th backward bundle b. Links to the same x in `implied(w)` are left
   *  out; `joined` gets the bits at which the runs of both are known to be linked. */
  template <int VBackward, typename TImplied>
  void
  Merge(BundlePlace placeA, BundlePlace placeB, TImplied && implied, Word * joined)
  {
    const std::int64_t a = m_Bundles.NumberOf(placeA);
    const std::int64_t b = m_Bundles.NumberOf(placeB);
    const Word *       unitedA = m_Runs.United(a);
    const Word *       unitedB = m_Runs.United(b);
    if (!FindLinks<VBackward>({ m_Bundles, placeA }, { m_Bundles, placeB }, unitedA, unitedB))
    {
      if (joined != nullptr)
      {
        std::fill_n(joined, m_Words, Word{ 0 });
      }
      return;
    }
    bool isOpen = false;
    for (std::size_t word = 0; word < m_Words; ++word)
    {
      const auto w = static_cast<std::int64_t>(word);
      Word       same = m_Same[word];
      Word       known = m_Joined[word];
      if (isOpen)
      {
        // The stretch that goes on from the word before: its runs have been linked there.
        const Word both = unitedA[w] & unitedB[w];
        const Word going = both & ~(both + 1);
        known |= going;
        same &= ~going;
      }
      isOpen = (known >> (BitsPerWord - 1)) != 0;
      if (joined != nullptr)
      {
        joined[word] = known;
      }
      if (same != 0)
      {
        same &= ~implied(word);
      }
      for (; same != 0; same &= same - 1)
      {
        const int x = LowestBit(same);
        m_Unite(m_Runs.RunAt(a, w, x), m_Runs.RunAt(b, w, x));
      }
      for (Word rest = m_Left[word]; rest != 0; rest &= rest - 1)
      {
        const int x = LowestBit(rest);
        m_Unite(m_Runs.RunAt(a, w, x), x > 0 ? m_Runs.RunAt(b, w, x - 1) : m_Runs.RunAt(b, w - 1, BitsPerWord - 1));
      }
      for (Word rest = m_Right[word]; rest != 0; rest &= rest - 1)
      {
        const int x = LowestBit(rest);
        m_Unite(m_Runs.RunAt(a, w, x), x + 1 < BitsPerWord ? m_Runs.RunAt(b, w, x + 1) : m_Runs.RunAt(b, w + 1, 0));
      }
    }
  }

  /** The links between two bundles, without repeats, to m_Same, m_Left and m_Right, and the bits at which links of the
   *  same word are known to join both to m_Joined. \return false if there is no link. */
  template <int VBackward>
  bool
  FindLinks(const BundleView<VBundling> & a,
            const BundleView<VBundling> & b,
            const Word *                  unitedA,
            const Word *                  unitedB)
  {
    if (simd::HasVectors())
    {
      constexpr BundleFaces faces = FacesTo<VBundling>(VBackward);
      simd::FacingRows      facing[2];
      for (int f = 0; f < faces.count; ++f)
      {
        const auto & rows = faces.rows[f];
        facing[f] = { { a.rows[rows[0][0]], a.rows[rows[0][1]] }, { b.rows[rows[1][0]], b.rows[rows[1][1]] } };
      }
      return simd::LinkBundles(facing,
                               faces.count,
                               faces.areStraight,
                               unitedA,
                               unitedB,
                               static_cast<std::int64_t>(m_Words),
                               { m_Same.data(), m_Left.data(), m_Right.data(), m_Joined.data() });
    }
    const auto words = static_cast<std::int64_t>(m_Words);
    Word       any = 0;
    for (std::size_t word = 0; word < m_Words; ++word)
    {
      const auto        w = static_cast<std::int64_t>(word);
      const Word        bitsA = unitedA[w];
      const Word        bitsB = unitedB[w];
      BundleLinks<Word> links{ 0, 0, 0 };
      if (bitsA != 0)
      {
        links = WithoutRepeats(LinksTo<VBundling>(VBackward, a.Window(w, words), b.Window(w, words)), bitsA, bitsB);
      }
      m_Same[word] = links.same;
      m_Left[word] = links.left;
      m_Right[word] = links.right;
      m_Joined[word] = JoinedBits(links, bitsA & bitsB);
      any |= links.same | links.left | links.right;
    }
    return any != 0;
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
};

template <Bundling VBundling, typename TIndex, typename TUnite>
BundleMerger<VBundling, TIndex, TUnite>
MakeMerger(const BundleRows<VBundling> & bundles, const BundleRuns<TIndex> & runs, TUnite unite)
{
  return BundleMerger<VBundling, TIndex, TUnite>(bundles, runs, unite);
}

/** United bits, and numbers of their runs. */
template <Bundling VBundling, typename TIndex>
void
FindBundleRuns(const BundleRows<VBundling> & bundles,
               const Chunks &                slabs,
               const HostContext &           context,
               Workspace &                   scratch,
               BundleRuns<TIndex> &          runs)
{
  runs.words = bundles.volume.WordsPerRow();
  runs.united = scratch.Get<Word>(0, static_cast<std::size_t>(bundles.count * runs.words + simd::MostWordsBeside));
  runs.before = scratch.Get<TIndex>(1, static_cast<std::size_t>(bundles.count * runs.words));
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
  runs.parent = scratch.Get<TIndex>(2, static_cast<std::size_t>(runs.count));
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
  runs.firsts = std::move(runsOfSlab);
}

/** Makes `place` the smaller of it and `value` while other threads do the same. */
template <typename TIndex>
void
LowerShared(TIndex * place, TIndex value)
{
  TIndex seen = LoadShared(place);
  while (value < seen && !__atomic_compare_exchange_n(place, &seen, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
  {}
}

/** Calls `function(run, node)` for the runs of rows [begin, end), in order, and the runs of bundles that hold them. */
template <Bundling VBundling, typename TIndex, typename TFunction>
void
ForRunsOfRows(const BundleRows<VBundling> & bundles,
              const BundleRuns<TIndex> &    bundleRuns,
              std::int64_t                  begin,
              std::int64_t                  end,
              TFunction                     function)
{
  const RunVolume &  volume = bundles.volume;
  const Extent &     extent = volume.GetExtent();
  const std::int64_t words = volume.WordsPerRow();
  for (std::int64_t row = begin; row < end; ++row)
  {
    std::uint64_t      run = volume.FirstRun(row);
    const std::int64_t y = row % extent.size[1];
    const std::int64_t z = row / extent.size[1];
    const std::int64_t bundle =
      z / BundleRows<VBundling>::RowsAlongZ * bundles.countY + y / BundleRows<VBundling>::RowsAlongY;
    const Word * united = bundleRuns.United(bundle);
    for (std::int64_t w = 0; w < words; ++w)
    {
      Word rest = volume.Starts(row, w);
      if (rest == 0)
      {
        continue;
      }
      const Word   starts = united[w] & ~FromLeft(united[w], w > 0 ? united[w - 1] : 0);
      const TIndex before = bundleRuns.before[bundle * words + w] - 1;
      for (; rest != 0; rest &= rest - 1)
      {
        // All bits up to the run's first one.
        const Word upTo = rest ^ (rest - 1);
        function(run++, before + static_cast<TIndex>(CountBits(starts & upTo)));
      }
    }
  }
}

/** LabelRows by one thread, to which components come in raster order. */
template <Bundling VBundling, typename TIndex, typename TLabel>
std::uint64_t
LabelRowsInOrder(const BundleRows<VBundling> & bundles,
                 const HostContext &           context,
                 BundleRuns<TIndex> &          bundleRuns,
                 RunVolume &                   volume,
                 TLabel *                      labels)
{
  TIndex * const parent = bundleRuns.parent;
  TIndex * const number = volume.Scratch().template Get<TIndex>(3, static_cast<std::size_t>(bundleRuns.count));
  for (std::uint64_t node = 0; node < bundleRuns.count; ++node)
  {
    FlattenNextShared(parent, TIndex{ 0 }, static_cast<TIndex>(node));
    number[node] = 0;
  }
  TIndex       count = 0;
  const Chunks rows = RowChunks(volume.GetExtent(), context);
  for (std::int64_t chunk = 0; chunk < rows.count; ++chunk)
  {
    ForRunsOfRows(bundles, bundleRuns, rows.Begin(chunk), rows.End(chunk), [&](std::uint64_t run, TIndex node) {
      TIndex &     own = number[parent[node]];
      const TIndex known = own;
      count += known == 0 ? 1 : 0;
      own = known == 0 ? count : known;
      labels[run] = static_cast<TLabel>(known == 0 ? count : known);
    });
    context.progress.Update(static_cast<double>(chunk + 1) / static_cast<double>(rows.count));
  }
  return count;
}

/** Labels the runs of rows by the bundles' roots: first each run gets its root, which learns the first of its runs; the
 *  first runs, counted, number the components in raster order. */
template <Bundling VBundling, typename TIndex, typename TLabel>
std::uint64_t
LabelRows(const BundleRows<VBundling> & bundles,
          const HostContext &           context,
          BundleRuns<TIndex> &          bundleRuns,
          RunVolume &                   volume,
          TLabel *                      labels)
{
  const int threads = EffectiveThreadCount(context.threads);
  if (threads == 1)
  {
    return LabelRowsInOrder(bundles, context, bundleRuns, volume, labels);
  }
  const auto     runs = volume.RunCount();
  TIndex * const parent = bundleRuns.parent;
  TIndex * const firstRun = volume.Scratch().template Get<TIndex>(3, static_cast<std::size_t>(bundleRuns.count));
  const Chunks   nodes(static_cast<std::int64_t>(bundleRuns.count), context.grain, 4 * threads);
  const auto     slabs = static_cast<std::int64_t>(bundleRuns.firsts.size()) - 1;
  ParallelFor(slabs, context.Part(0, 0.2), [&](std::int64_t slab) {
    // Of a slab, few nodes have parents outside.
    const std::uint64_t first = bundleRuns.firsts[static_cast<std::size_t>(slab)];
    for (std::uint64_t node = first; node < bundleRuns.firsts[static_cast<std::size_t>(slab) + 1]; ++node)
    {
      FlattenNextShared(parent, static_cast<TIndex>(first), static_cast<TIndex>(node));
      firstRun[node] = std::numeric_limits<TIndex>::max();
    }
  });
  const Chunks rows = RowChunks(volume.GetExtent(), context);
  ParallelFor(rows.count, context.Part(0.2, 0.6), [&](std::int64_t chunk) {
    ForRunsOfRows(bundles, bundleRuns, rows.Begin(chunk), rows.End(chunk), [&](std::uint64_t run, TIndex node) {
      const TIndex root = parent[node];
      labels[run] = static_cast<TLabel>(root);
      if (LoadShared(firstRun + root) > run)
      {
        LowerShared(firstRun + root, static_cast<TIndex>(run));
      }
    });
  });

  // A component's number is that of its first run among all first runs.
  Marks<TIndex> firsts(volume.Scratch(), 4, runs, context);
  firsts.Clear();
  ParallelFor(nodes.count, context.Part(0.6, 0.7), [&](std::int64_t chunk) {
    for (std::int64_t node = nodes.Begin(chunk); node < nodes.End(chunk); ++node)
    {
      if (parent[node] == static_cast<TIndex>(node))
      {
        firsts.Set(firstRun[node]);
      }
    }
  });
  const std::uint64_t components = firsts.Count();
  TIndex * const      number = firstRun;
  ParallelFor(nodes.count, context.Part(0.7, 0.8), [&](std::int64_t chunk) {
    for (std::int64_t node = nodes.Begin(chunk); node < nodes.End(chunk); ++node)
    {
      if (parent[node] == static_cast<TIndex>(node))
      {
        number[node] = firsts.RankOf(firstRun[node]);
      }
    }
  });
  ParallelFor(firsts.PartCount(), context.Part(0.8, 1), [&](std::int64_t part) {
    for (std::uint64_t run = firsts.FirstOf(part); run < firsts.FirstOf(part + 1); ++run)
    {
      labels[run] = static_cast<TLabel>(number[labels[run]]);
    }
  });
  return components;
}

template <Bundling VBundling, typename TIndex>
std::uint64_t
LabelBundles(const HostContext & context, RunVolume & volume, TIndex * labels)
{
  const BundleRows<VBundling> bundles(volume);
  const std::int64_t          leastBundles = 1 + context.grain / (volume.GetExtent().RowLength() * RowsOf(VBundling));
  const Chunks                slabs(bundles.count, leastBundles, 4 * EffectiveThreadCount(context.threads));
  BundleRuns<TIndex>          runs;
  FindBundleRuns(bundles, slabs, context.Part(0, 0.2), volume.Scratch(), runs);
  TIndex * const parent = runs.parent;
  ParallelFor(slabs.count, context.Part(0.2, 0.6), [&](std::int64_t slab) {
    MakeMerger(bundles, runs, [parent](TIndex a, TIndex b) {
      Unite(parent, a, b);
    }).MergeSlab(slabs.Begin(slab), slabs.End(slab));
  });
  ParallelFor(slabs.count - 1, context.Part(0.6, 0.7), [&](std::int64_t slab) {
    MakeMerger(bundles, runs, [parent](TIndex a, TIndex b) {
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
  constexpr std::uint64_t narrowNodes = std::numeric_limits<std::uint32_t>::max();
  FindRuns(links, extent, {}, context.Part(0, 0.3), result);
  result.ResizeLabels(alwaysWide || result.RunCount() >= narrowNodes);
  const HostContext rest = context.Part(0.3, 1);
  return result.VisitLabels([&](auto * labels) {
    return connectivity.Rank() == 2 ? LabelBundles<Bundling::Pairs>(rest, result, labels)
                                    : LabelBundles<Bundling::Squares>(rest, result, labels);
  });
}

} // namespace

bool
OffersBundleMerging(const RowLinks & links, const Extent & extent, const Connectivity & connectivity)
{
  return links.FollowForeground() && connectivity.UsesEveryAxis() && connectivity.Rank() >= 2 && extent.dimension <= 3;
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

} // namespace brickccl
