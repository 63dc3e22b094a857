// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Dispatch/Label.h"

#include "BrickCCL/Core/ImageConnectivity.h"
#include "BrickCCL/Criteria/GraphLinks.h"
#include "BrickCCL/Dispatch/LabelingImplementation.h"
#include "BrickCCL/Host/Parallel.h"
#include "BrickCCL/Runs/BuildRunVolume.h"
#include "BrickCCL/Runs/FindRuns.h"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace brickccl
{

namespace
{

/** Writes the words of rows. One thread uses it. */
template <typename TWord>
class GraphWriter
{
public:
  GraphWriter(const RowLinks &     links,
              const Extent &       extent,
              const Connectivity & connectivity,
              const PeriodicAxes & periodic)
    : m_Links(links)
    , m_Extent(extent)
    , m_Periodic(periodic)
  {
    for (const NeighborOffset & step : connectivity.Offsets())
    {
      m_Steps.push_back({ step, static_cast<TWord>(TWord{ 1 } << VoxelGraphBit(step, extent.dimension)) });
    }
    // Rows that are the same for several steps come one after the other.
    std::stable_sort(m_Steps.begin(), m_Steps.end(), [](const Step & a, const Step & b) {
      return std::equal(a.along.begin() + 1, a.along.end(), b.along.begin() + 1)
             ? a.along[0] < b.along[0]
             : std::lexicographical_compare(a.along.begin() + 1, a.along.end(), b.along.begin() + 1, b.along.end());
    });
    const auto words = static_cast<std::size_t>(WordsForBits(extent.RowLength()));
    for (std::vector<Word> * row : { &m_Here, &m_There, &m_Candidates, &m_Found })
    {
      row->resize(words);
    }
  }

  void
  Write(std::int64_t row, const RowPosition & position, TWord * graph)
  {
    const std::int64_t length = m_Extent.RowLength();
    std::fill_n(graph, length, TWord{ 0 });
    m_Links.PackForeground(row, m_Here.data());
    std::int64_t packed = -1;
    for (const Step & step : m_Steps)
    {
      const std::int64_t other = NeighborRow(position, step.along, m_Extent, m_Periodic);
      if (other < 0)
      {
        std::for_each(graph, graph + length, [&](TWord & word) { word |= step.bit; });
        continue;
      }
      if (packed != other)
      {
        m_Links.PackForeground(other, m_There.data());
        packed = other;
      }
      WriteStep(row, other, step.along[0], step.bit, graph);
    }
  }

private:
  struct Step
  {
    NeighborOffset along;
    TWord          bit;
  };

  void
  WriteStep(std::int64_t row, std::int64_t other, int step, TWord bit, TWord * graph)
  {
    const std::int64_t length = m_Extent.RowLength();
    const std::size_t  words = m_Here.size();
    for (std::size_t w = 0; w < words; ++w)
    {
      const Word there = step == 0 ? m_There[w]
                       : step < 0  ? FromLeft(m_There[w], w > 0 ? m_There[w - 1] : 0)
                                   : FromRight(m_There[w], w + 1 < words ? m_There[w + 1] : 0);
      m_Candidates[w] = m_Here[w] & there;
    }
    m_Links.PackLinks(row, other, step, m_Candidates.data(), m_Found.data());
    for (std::size_t w = 0; w < words; ++w)
    {
      for (Word rest = m_Found[w]; rest != 0; rest &= rest - 1)
      {
        graph[static_cast<std::int64_t>(w) * BitsPerWord + LowestBit(rest)] |= bit;
      }
    }
    if (step != 0)
    {
      const std::int64_t x = step < 0 ? 0 : length - 1;
      const std::int64_t otherX = length - 1 - x;
      const bool         isJoined =
        !m_Periodic.Has(0) || (HasBits(m_Here.data(), x, x + 1) && HasBits(m_There.data(), otherX, otherX + 1) &&
                               m_Links.AreJoined(row * length + x, other * length + otherX));
      graph[x] |= isJoined ? bit : TWord{ 0 };
    }
  }

  const RowLinks &     m_Links;
  const Extent &       m_Extent;
  const PeriodicAxes & m_Periodic;
  std::vector<Step>    m_Steps;
  std::vector<Word>    m_Here;
  std::vector<Word>    m_There;
  std::vector<Word>    m_Candidates;
  std::vector<Word>    m_Found;
};

} // namespace

template <typename TWord>
void
WriteVoxelGraph(const ImageView & image, const LabelOptions & options, TWord * graph)
{
  const Extent &     extent = image.extent;
  const ImageView    written(graph, extent);
  const Connectivity connectivity = options.connectivity.value_or(Connectivity::Face(extent.dimension));
  // It checks that the word has the bits.
  MakeGraphLinks(written, {}, connectivity, {});
  CheckPeriodic(options.periodic, connectivity);
  const auto        links = MakeRowLinks(image, options.criterion, options.mask);
  const HostContext context{ options.threads, Progress(options.progress), options.grain };
  const Chunks      chunks = RowChunks(extent, context);
  ParallelFor(chunks.count, context, [&](std::int64_t chunk) {
    GraphWriter<TWord> writer(*links, extent, connectivity, options.periodic);
    RowPosition        position(extent, chunks.Begin(chunk));
    for (std::int64_t row = chunks.Begin(chunk); row < chunks.End(chunk); ++row, position.Advance(extent))
    {
      writer.Write(row, position, graph + row * extent.RowLength());
    }
  });
}

template void WriteVoxelGraph(const ImageView &, const LabelOptions &, std::uint8_t *);
template void WriteVoxelGraph(const ImageView &, const LabelOptions &, std::uint32_t *);

Labeling
LabelVoxelGraph(const ImageView & graph, const LabelOptions & options)
{
  LabelOptions own = options;
  if (!own.connectivity)
  {
    own.connectivity = FullConnectivityOfGraph(graph);
  }
  const auto        links = MakeGraphLinks(graph, own.mask, *own.connectivity, own.periodic);
  const HostContext context{ own.threads, {}, own.grain };
  const Chunks      chunks = RowChunks(graph.extent, context);
  ParallelFor(chunks.count, context, [&](std::int64_t chunk) {
    links->CheckSymmetry(chunks.Begin(chunk), chunks.End(chunk));
  });
  Labeling result;
  Label(*links, graph.extent, own, result);
  return result;
}

} // namespace brickccl
