// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_MEASURING_MARKS_H
#define BRICKCCL_MEASURING_MARKS_H

#include "BrickCCL/Core/BitRow.h"
#include "BrickCCL/Host/Buffer.h"
#include "BrickCCL/Host/Parallel.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

namespace brickccl
{

/** Marks on some of many elements, one bit each. Once they are counted, they give the number of marks up to any
 *  element, by which sparse labels become consecutive numbers. One workspace has room for one of these. */
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
  /** The data in the workspace. */
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

} // namespace brickccl

#endif
