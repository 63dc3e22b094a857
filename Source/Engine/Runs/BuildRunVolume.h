// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Runs/RunVolume.h"

#include <algorithm>
#include <cstdint>
#include <type_traits>

namespace brickccl
{

/** Sets the bits [begin, end) of a row, at least one. */
inline void
SetBits(Word * words, std::int64_t begin, std::int64_t end)
{
  const std::int64_t first = begin / BitsPerWord;
  const std::int64_t last = (end - 1) / BitsPerWord;
  const Word         fromBegin = ~Word{ 0 } << (begin % BitsPerWord);
  const Word         upToEnd = ~Word{ 0 } >> (BitsPerWord - 1 - (end - 1) % BitsPerWord);
  if (first == last)
  {
    words[first] |= fromBegin & upToEnd;
    return;
  }
  words[first] |= fromBegin;
  std::fill(words + first + 1, words + last, ~Word{ 0 });
  words[last] |= upToEnd;
}

/** Whether one of the bits [begin, end) of a row, at least one, is set. */
inline bool
HasBits(const Word * words, std::int64_t begin, std::int64_t end)
{
  const std::int64_t first = begin / BitsPerWord;
  const std::int64_t last = (end - 1) / BitsPerWord;
  const Word         fromBegin = ~Word{ 0 } << (begin % BitsPerWord);
  const Word         upToEnd = ~Word{ 0 } >> (BitsPerWord - 1 - (end - 1) % BitsPerWord);
  return first == last ? (words[first] & fromBegin & upToEnd) != 0
                       : (words[first] & fromBegin) != 0 || (words[last] & upToEnd) != 0 ||
                           std::any_of(words + first + 1, words + last, [](Word word) { return word != 0; });
}

/** A volume of 32-bit labels: `forRow(row, add)`, called twice, calls `add(begin, end, label)` for runs in order. */
template <typename TForRow>
RunVolume
BuildRunVolume(const Extent & extent, TForRow forRow)
{
  RunVolume volume;
  volume.Reset(extent, false);
  std::uint64_t runs = 0;
  for (std::int64_t row = 0; row < extent.RowCount(); ++row)
  {
    volume.FirstRun(row) = runs;
    forRow(row, [&](std::int64_t, std::int64_t, std::uint64_t) { ++runs; });
  }
  volume.FirstRun(extent.RowCount()) = runs;
  volume.ResizeLabels(false);
  volume.VisitLabels([&](auto * labels) {
    using Label = std::remove_reference_t<decltype(*labels)>;
    std::uint64_t run = 0;
    for (std::int64_t row = 0; row < extent.RowCount(); ++row)
    {
      std::fill_n(volume.Foreground(row), volume.WordsPerRow(), Word{ 0 });
      std::fill_n(volume.StoredStarts(row), volume.WordsPerRow(), Word{ 0 });
      forRow(row, [&](std::int64_t begin, std::int64_t end, std::uint64_t label) {
        SetBits(volume.Foreground(row), begin, end);
        SetBits(volume.StoredStarts(row), begin, begin + 1);
        labels[run++] = static_cast<Label>(label);
      });
    }
  });
  return volume;
}

} // namespace brickccl
