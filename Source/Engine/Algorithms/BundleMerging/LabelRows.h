// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_ALGORITHMS_BUNDLEMERGING_LABELROWS_H
#define BRICKCCL_ALGORITHMS_BUNDLEMERGING_LABELROWS_H

#include "BrickCCL/Algorithms/BundleMerging/BundleRuns.h"
#include "BrickCCL/Runs/NumberRoots.h"
#include "BrickCCL/Runs/ExpandRow.h"
#include "BrickCCL/Runs/ListRuns.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

/** Turns united runs of bundles into labels of the runs of rows, on the host. */
namespace brickccl
{

/** Calls `function(run, node)` for the runs of the rows [begin, end), in order. `node` is the run of the bundle that
 *  holds the run. */
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
  /** The first run of a part's bundles. */
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

/** Labels the runs of rows by the roots of bundles, in raster order. Each part of the volume numbers its own roots in
 *  the order in which its runs of rows meet them. Nodes whose root is in an earlier part get foreign numbers, which
 *  become final when all parts have counted. */
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

#endif
