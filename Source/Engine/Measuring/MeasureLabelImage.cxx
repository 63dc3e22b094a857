// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Measuring/Measuring.h"

#include "BrickCCL/Core/BitRow.h"
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Criteria/RowLinks.h"
#include "BrickCCL/Host/Buffer.h"
#include "BrickCCL/Host/Parallel.h"
#include "BrickCCL/Host/UninitializedVector.h"
#include "BrickCCL/Measuring/Measure.h"
#include "BrickCCL/Runs/FindRuns.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <string>
#include <type_traits>
#include <vector>

namespace brickccl
{

namespace
{

/** Marks on elements, one bit each. Counted, they turn sparse labels into consecutive numbers. One per workspace. */
class Marks
{
public:
  Marks(Workspace & workspace, std::uint64_t elements, const HostContext & context)
    : m_Context(context.Quiet())
    , m_Parts(WordsForBits(static_cast<std::int64_t>(elements)),
              1 + context.grain / BitsPerWord,
              std::int64_t{ 4 } * EffectiveThreadCount(context.threads))
    , m_Bits(workspace.Get<Word>(BitsOfElements, static_cast<std::size_t>(m_Parts.size)))
    , m_Before(workspace.Get<std::uint64_t>(MarksBeforeWords, static_cast<std::size_t>(m_Parts.size)))
  {}

  void
  Clear()
  {
    ParallelFor(m_Parts.count, m_Context, [this](std::int64_t part) {
      std::fill(m_Bits + m_Parts.Begin(part), m_Bits + m_Parts.End(part), Word{ 0 });
    });
  }
  /** Marks an element. Several threads may do so at once. */
  void
  Set(std::uint64_t element)
  {
    __atomic_fetch_or(m_Bits + element / BitsPerWord, Word{ 1 } << (element % BitsPerWord), __ATOMIC_RELAXED);
  }

  /** Whether an element is marked. It may miss marks that other threads set meanwhile. */
  bool
  Has(std::uint64_t element) const
  {
    const Word bits = __atomic_load_n(m_Bits + element / BitsPerWord, __ATOMIC_RELAXED);
    return (bits >> (element % BitsPerWord) & 1u) != 0;
  }
  /** Calls `function(element)` for all marked elements, in order. */
  template <typename TFunction>
  void
  ForEach(TFunction function) const
  {
    for (std::int64_t w = 0; w < m_Parts.size; ++w)
    {
      for (Word bits = m_Bits[w]; bits != 0; bits &= bits - 1)
      {
        function(static_cast<std::uint64_t>(w) * BitsPerWord + static_cast<std::uint64_t>(LowestBit(bits)));
      }
    }
  }

  /** Counts the marks; to be called when all are set. \return their number. */
  std::uint64_t
  Count()
  {
    std::vector<std::uint64_t> marksBefore(static_cast<std::size_t>(m_Parts.count) + 1, 0);
    ParallelFor(m_Parts.count, m_Context, [&](std::int64_t part) {
      std::uint64_t marks = 0;
      for (std::int64_t w = m_Parts.Begin(part); w < m_Parts.End(part); ++w)
      {
        m_Before[w] = marks;
        marks += static_cast<std::uint64_t>(CountBits(m_Bits[w]));
      }
      marksBefore[static_cast<std::size_t>(part) + 1] = marks;
    });
    std::partial_sum(marksBefore.begin(), marksBefore.end(), marksBefore.begin());
    ParallelFor(m_Parts.count, m_Context, [&](std::int64_t part) {
      for (std::int64_t w = m_Parts.Begin(part); w < m_Parts.End(part); ++w)
      {
        m_Before[w] += marksBefore[static_cast<std::size_t>(part)];
      }
    });
    return marksBefore.back();
  }

  /** The number of marks up to an element, including its own. */
  std::uint64_t
  RankOf(std::uint64_t element) const
  {
    const Word upTo = BitsUpTo(static_cast<int>(element % BitsPerWord));
    return m_Before[element / BitsPerWord] +
           static_cast<std::uint64_t>(CountBits(m_Bits[element / BitsPerWord] & upTo));
  }

private:
  enum MarksBuffer : std::size_t
  {
    BitsOfElements,
    MarksBeforeWords
  };

  HostContext     m_Context;
  Chunks          m_Parts;
  Word *          m_Bits;
  std::uint64_t * m_Before;
};

/** The shortest text that reads back as the same number. */
template <typename T>
std::string
ShortestText(T value)
{
  char digits[64];
  return { digits, std::to_chars(digits, digits + sizeof(digits), value).ptr };
}

template <typename T>
std::uint64_t
ToLabel(T value)
{
  bool whole = value >= T(0);
  if constexpr (std::is_floating_point_v<T>)
  {
    whole = whole && std::floor(value) == value && value < T(18446744073709551615.0);
  }
  if (!whole)
  {
    throw InvalidArgument("the label image holds the value " + ShortestText(value) +
                          "; labels must be whole numbers, 0 (background) or above");
  }
  return static_cast<std::uint64_t>(value);
}

/** The labels of the runs of a chunk of rows. */
struct alignas(64) LabelsOfRuns
{
  UninitializedVector<std::uint64_t> labels;
  std::uint64_t                      largest = 0;

  /** Adds the runs of the rows [begin, end), whose voxels are `pixels`. */
  template <typename T>
  void
  Collect(const T * pixels, const RunVolume & volume, std::int64_t begin, std::int64_t end)
  {
    for (std::int64_t row = begin; row < end; ++row, pixels += volume.GetExtent().RowLength())
    {
      volume.ForEachRun(row, [&](std::int64_t x, std::int64_t, std::uint64_t) {
        labels.push_back(ToLabel(pixels[x]));
        largest = std::max(largest, labels.back());
      });
    }
  }
};

/** Replaces labels up to `largest` by their places, from 1 on, among those that occur. \return these, ascending. */
std::vector<std::uint64_t>
PlacesByMarks(std::uint64_t               largest,
              const HostContext &         context,
              Workspace &                 workspace,
              std::vector<LabelsOfRuns> & chunks)
{
  const auto count = static_cast<std::int64_t>(chunks.size());
  Marks      marks(workspace, largest + 1, context);
  marks.Clear();
  ParallelFor(count, context.Quiet(), [&](std::int64_t chunk) {
    for (const std::uint64_t label : chunks[static_cast<std::size_t>(chunk)].labels)
    {
      if (!marks.Has(label))
      {
        marks.Set(label);
      }
    }
  });
  std::vector<std::uint64_t> values;
  values.reserve(static_cast<std::size_t>(marks.Count()));
  marks.ForEach([&values](std::uint64_t label) { values.push_back(label); });
  ParallelFor(count, context.Quiet(), [&](std::int64_t chunk) {
    for (std::uint64_t & label : chunks[static_cast<std::size_t>(chunk)].labels)
    {
      label = marks.RankOf(label);
    }
  });
  return values;
}

/** The same for labels of any size. */
std::vector<std::uint64_t>
PlacesBySearch(const HostContext & context, std::vector<LabelsOfRuns> & chunks)
{
  std::vector<std::uint64_t> values;
  for (const LabelsOfRuns & chunk : chunks)
  {
    values.insert(values.end(), chunk.labels.begin(), chunk.labels.end());
  }
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  ParallelFor(static_cast<std::int64_t>(chunks.size()), context.Quiet(), [&](std::int64_t chunk) {
    for (std::uint64_t & label : chunks[static_cast<std::size_t>(chunk)].labels)
    {
      const auto place = std::lower_bound(values.begin(), values.end(), label) - values.begin();
      label = static_cast<std::uint64_t>(place) + 1;
    }
  });
  return values;
}

/** Finds the runs of equal labels. \return the labels of each chunk of `rows`. */
std::vector<LabelsOfRuns>
FindLabeledRuns(const ImageView & labels, const Chunks & rows, const HostContext & context, RunVolume & volume)
{
  std::vector<LabelsOfRuns> chunks(static_cast<std::size_t>(rows.count));
  const std::int64_t        rowLength = labels.extent.RowLength();
  VisitScalarType(labels.type, [&](auto tag) {
    const auto * voxels = static_cast<const typename decltype(tag)::Type *>(labels.data);
    FindRuns(*MakeRowLinks(labels, Criterion::EqualValue(0)),
             labels.extent,
             {},
             context,
             volume,
             [&](std::int64_t chunk, std::int64_t begin, std::int64_t end) {
               chunks[static_cast<std::size_t>(chunk)].Collect(voxels + begin * rowLength, volume, begin, end);
             });
  });
  return chunks;
}

/** Gives the runs of a volume their places in the table as labels. */
void
StorePlaces(const Chunks &                    rows,
            const std::vector<LabelsOfRuns> & chunks,
            std::uint64_t                     components,
            const HostContext &               context,
            RunVolume &                       volume)
{
  volume.ResizeLabels(components > std::numeric_limits<std::uint32_t>::max());
  volume.VisitLabels([&](auto * labelOfRun) {
    using Label = std::remove_reference_t<decltype(*labelOfRun)>;
    ParallelFor(rows.count, context.Quiet(), [&](std::int64_t chunk) {
      const LabelsOfRuns & own = chunks[static_cast<std::size_t>(chunk)];
      const std::uint64_t  first = volume.FirstRun(rows.Begin(chunk));
      std::transform(own.labels.begin(), own.labels.end(), labelOfRun + first, [](std::uint64_t place) {
        return static_cast<Label>(place);
      });
    });
  });
}

} // namespace

ComponentTable
MeasureLabelImage(const ImageView &      labels,
                  const Geometry &       geometry,
                  const MeasureOptions & options,
                  int                    threads,
                  const ProgressHooks &  hooks)
{
  RunVolume volume;
  return MeasureLabelImage(labels, geometry, options, { threads, Progress(hooks) }, volume);
}

ComponentTable
MeasureLabelImage(const ImageView &             labels,
                  const Geometry &              geometry,
                  const MeasureOptions &        options,
                  const HostContext &           context,
                  RunVolume &                   volume,
                  const std::function<void()> & release)
{
  ThrowIf<InvalidArgument>(labels.channels != 1,
                           "the label image has " + std::to_string(labels.channels) +
                             " channels; it must have 1: export overlapping segments to one label map");
  const Chunks              rows = RowChunks(labels.extent, context);
  std::vector<LabelsOfRuns> chunks = FindLabeledRuns(labels, rows, context.Part(0, 0.4), volume);
  std::uint64_t             largest = 0;
  for (const LabelsOfRuns & chunk : chunks)
  {
    largest = std::max(largest, chunk.largest);
  }
  // A mark takes 2 bits, the label of a run 64.
  const std::uint64_t              markLimit = std::max(std::uint64_t{ 1 } << 20, 8 * volume.RunCount());
  const std::vector<std::uint64_t> values =
    largest < markLimit ? PlacesByMarks(largest, context, volume.Scratch(), chunks) : PlacesBySearch(context, chunks);
  StorePlaces(rows, chunks, values.size(), context, volume);
  chunks = std::vector<LabelsOfRuns>();
  if (release)
  {
    release();
  }
  ComponentTable table =
    MeasureComponents(volume, values.size(), geometry, options, std::nullopt, context.Part(0.5, 1));
  SetLabels(table, values);
  return table;
}

} // namespace brickccl
