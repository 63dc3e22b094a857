// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_CLEAN_FILLEDLINKS_H
#define BRICKCCL_CLEAN_FILLEDLINKS_H

#include "BrickCCL/Clean/Holes.h"
#include "BrickCCL/Criteria/RowLinks.h"

#include <algorithm>

namespace brickccl
{

/** Links of a foreground that is made from other bits. */
class ForegroundLinks : public RowLinks
{
public:
  bool
  FollowForeground() const override
  {
    return true;
  }

  void
  PackLinks(std::int64_t, std::int64_t, int, const Word * candidates, Word * bits) const override
  {
    std::copy(candidates, candidates + WordsForBits(m_RowLength), bits);
  }

  bool
  AreJoined(std::int64_t, std::int64_t) const override
  {
    return true;
  }

protected:
  explicit ForegroundLinks(const Extent & extent)
    : m_RowLength(extent.RowLength())
  {}

  const std::int64_t m_RowLength;
};

/** The background of other links. */
class BackgroundLinks final : public ForegroundLinks
{
public:
  BackgroundLinks(const RowLinks & links, const Extent & extent)
    : ForegroundLinks(extent)
    , m_Links(links)
  {}

  void
  PackForeground(std::int64_t row, Word * bits) const override
  {
    m_Links.PackForeground(row, bits);
    const std::int64_t words = WordsForBits(m_RowLength);
    std::transform(bits, bits + words, bits, [](Word word) { return ~word; });
    bits[words - 1] &= BitsUpTo(static_cast<int>((m_RowLength - 1) % BitsPerWord));
  }

private:
  const RowLinks & m_Links;
};

/** The foreground of other links with its holes. */
class FilledLinks final : public ForegroundLinks
{
public:
  /** \param background  the labeled background that `holes` are components of */
  FilledLinks(const RowLinks & links, const RunVolume & background, const Holes & holes)
    : ForegroundLinks(background.GetExtent())
    , m_Links(links)
    , m_Background(background)
    , m_Holes(holes)
  {}

  void
  PackForeground(std::int64_t row, Word * bits) const override
  {
    m_Links.PackForeground(row, bits);
    m_Background.ForEachRun(row, [&](std::int64_t begin, std::int64_t end, std::uint64_t run) {
      if (m_Holes.OfLabel(m_Background.Label(run)) == Holes::None)
      {
        return;
      }
      for (std::int64_t w = begin / BitsPerWord; w <= (end - 1) / BitsPerWord; ++w)
      {
        const int first = static_cast<int>(std::max<std::int64_t>(begin - w * BitsPerWord, 0));
        const int last = static_cast<int>(std::min<std::int64_t>(end - w * BitsPerWord, BitsPerWord)) - 1;
        bits[w] |= BitsUpTo(last) & (~Word{ 0 } << first);
      }
    });
  }

private:
  const RowLinks &  m_Links;
  const RunVolume & m_Background;
  const Holes &     m_Holes;
};

} // namespace brickccl

#endif
