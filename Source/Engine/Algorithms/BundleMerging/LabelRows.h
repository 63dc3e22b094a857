// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Algorithms/BundleMerging/LinkBundles.h"
#include "BrickCCL/Host/Parallel.h"
#include "BrickCCL/Runs/Bundle.h"
#include "BrickCCL/Runs/NumberRoots.h"
#include "BrickCCL/Runs/ExpandRow.h"
#include "BrickCCL/Runs/ListRuns.h"
#include "BrickCCL/Runs/RunVolume.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

/** The bundles of a volume's rows and their runs, which become labels of the runs of rows, on the host. */
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
  std::int64_t
  CountOf(std::int64_t bundle) const
  {
    const std::int64_t next = (bundle + 1) * words;
    return static_cast<std::int64_t>((next < beforeCount ? std::uint64_t{ before[next] } : count) -
                                     before[bundle * words]);
  }
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

/** Calls `function(run, run of the bundle)` for the runs of the rows [begin, end), in order. */
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
  std::vector<Word>  bits(static_cast<std::size_t>(words + simd::WordListPadding));
  std::vector<Word>  places(bits.size());
  // A division for every row would take as long as a row with few runs.
  RowPosition position(extent, begin);
  for (std::int64_t row = begin; row < end; ++row, position.Advance(extent))
  {
    std::uint64_t run = volume.FirstRun(row);
    if (volume.FirstRun(row + 1) == run)
    {
      continue;
    }
    const std::int64_t bundle = position.at[1] / BundleRows<VBundling>::RowsAlongZ * bundles.countY +
                                position.at[0] / BundleRows<VBundling>::RowsAlongY;
    const Word * united = bundleRuns.United(bundle);
    if constexpr (sizeof(TIndex) == sizeof(std::uint32_t))
    {
      const bool hasMany = volume.FirstRun(row + 1) - run > static_cast<std::uint64_t>(words);
      if (hasMany)
      {
        std::uint32_t nodes[simd::ListWords * BitsPerWord + simd::ListPadding];
        for (std::int64_t w = 0; w < words; w += simd::ListWords)
        {
          const auto some = static_cast<int>(std::min<std::int64_t>(simd::ListWords, words - w));
          const int  count =
            simd::ListRunsUnder(volume.Foreground(row), { united, bundleRuns.before + bundle * words }, w, some, nodes);
          for (int i = 0; i < count; ++i)
          {
            function(run++, nodes[i]);
          }
        }
        continue;
      }
    }
    simd::WordList list{ bits.data(), places.data(), 0 };
    simd::ListStarts(volume.Foreground(row), words, list);
    for (std::int64_t i = 0; i < list.count; ++i)
    {
      const auto   w = static_cast<std::int64_t>(list.places[i] / simd::PlacesPerWord);
      const Word   unitedStarts = united[w] & ~FromLeft(united[w], w > 0 ? united[w - 1] : 0);
      const TIndex before = bundleRuns.before[bundle * words + w] - 1;
      for (Word starts = list.bits[i]; starts != 0; starts &= starts - 1)
      {
        // All bits up to the first bit of the run.
        const Word upTo = starts ^ (starts - 1);
        function(run++, before + static_cast<TIndex>(CountBits(unitedStarts & upTo)));
      }
    }
  }
}

/** Parts of a volume. A part begins at a row where a bundle begins, and all rows before it are in bundles before it. So
 *  parts meet components in raster order. */
template <Bundling VBundling, typename TIndex>
class RowParts
{
public:
  RowParts(const BundleRows<VBundling> & bundles, const BundleRuns<TIndex> & runs, const HostContext & context)
    : m_Bundles(bundles)
    , m_Runs(runs)
    , m_Unit(BundleRows<VBundling>::RowsAlongZ > 1 ? bundles.countY : 1)
    , m_Units(bundles.count / m_Unit, LeastUnits(context), MaximumParts(context))
  {}

  std::int64_t
  Count() const
  {
    return m_Units.count;
  }
  std::int64_t
  FirstRow(std::int64_t part) const
  {
    const Extent &    extent = m_Bundles.volume.GetExtent();
    const BundlePlace place = m_Bundles.PlaceOf(FirstBundle(part));
    return part == Count()
           ? extent.RowCount()
           : place.z * BundleRows<VBundling>::RowsAlongZ * extent.size[1] + place.y * BundleRows<VBundling>::RowsAlongY;
  }
  /** The first runs of all parts' bundles, then the number of all such runs. */
  std::vector<std::uint64_t>
  FirstNodes() const
  {
    std::vector<std::uint64_t> firsts;
    for (std::int64_t part = 0; part <= Count(); ++part)
    {
      firsts.push_back(FirstNode(part));
    }
    return firsts;
  }
  std::uint64_t
  FirstNode(std::int64_t part) const
  {
    return part == Count() ? m_Runs.count : m_Runs.before[FirstBundle(part) * m_Runs.words];
  }
  std::uint64_t
  FirstRun(std::int64_t part) const
  {
    const RunVolume & volume = m_Bundles.volume;
    return part == Count() ? volume.RunCount() : volume.FirstRun(FirstRow(part));
  }

private:
  std::int64_t
  FirstBundle(std::int64_t part) const
  {
    return m_Units.Begin(part) * m_Unit;
  }
  std::int64_t
  LeastUnits(const HostContext & context) const
  {
    return 1 + context.grain / (m_Bundles.volume.GetExtent().RowLength() * RowsOf(VBundling) * m_Unit);
  }
  static std::int64_t
  MaximumParts(const HostContext & context)
  {
    const int threads = EffectiveThreadCount(context.threads);
    return threads == 1 ? 1 : 4 * threads;
  }

  const BundleRows<VBundling> & m_Bundles;
  const BundleRuns<TIndex> &    m_Runs;
  /** So many bundles are never cut: a layer along z, if its rows do not follow each other bundle by bundle. */
  std::int64_t m_Unit;
  Chunks       m_Units;
};

/** Labels the runs of rows by the roots of bundles, in raster order. Each part numbers its own roots as its rows meet
 *  them. Nodes whose root is in an earlier part get foreign numbers, which become final when all parts have counted. */
template <Bundling VBundling, typename TIndex>
std::uint64_t
LabelRows(const BundleRows<VBundling> & bundles,
          const HostContext &           context,
          BundleRuns<TIndex> &          bundleRuns,
          RunVolume &                   volume,
          TIndex *                      labels)
{
  TIndex * const parent = bundleRuns.parent;
  TIndex * const number =
    volume.Scratch().template Get<TIndex>(NumbersOfRuns, static_cast<std::size_t>(bundleRuns.count));
  const RowParts<VBundling, TIndex> parts(bundles, bundleRuns, context);
  PartNumbers<TIndex>               numbers(parts.FirstNodes());
  ParallelFor(parts.Count(), context.Part(0, 0.8), [&](std::int64_t part) {
    const std::uint64_t                        first = parts.FirstNode(part);
    const std::uint64_t                        end = parts.FirstNode(part + 1);
    typename PartNumbers<TIndex>::ForeignNodes foreign;
    for (std::uint64_t node = first; node < end; ++node)
    {
      const TIndex up = parent[node];
      if (up < first)
      {
        number[node] = foreign.NumberOf(up);
        parent[node] = static_cast<TIndex>(node);
        continue;
      }
      parent[node] = parent[up];
      number[node] = 0;
    }
    TIndex own = 0;
    ForRunsOfRows(bundles,
                  bundleRuns,
                  parts.FirstRow(part),
                  parts.FirstRow(part + 1),
                  [&](std::uint64_t run, TIndex node) {
                    TIndex &     ofRoot = number[parent[node]];
                    const TIndex known = ofRoot;
                    own += known == 0 ? 1 : 0;
                    ofRoot = known == 0 ? own : known;
                    labels[run] = known == 0 ? own : known;
                  });
    numbers.Set(part, own, std::move(foreign));
  });
  const TIndex count = numbers.Join([=](TIndex node) { return number[parent[node]]; });
  numbers.Finish(
    context.Part(0.8, 1),
    [&parts](std::int64_t part) { return parts.FirstRun(part); },
    labels);
  return count;
}

} // namespace brickccl
