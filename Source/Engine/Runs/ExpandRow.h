// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Core/BitRow.h"

#include <cstdint>

namespace brickccl::simd
{

/** So many labels before the first and after the last run of a row must be readable. They are not used. */
inline constexpr int ReadableLabels = 16;

struct LabeledRow
{
  const Word * foreground;
  /** Bit x says that a run begins at x. It is null where each stretch of foreground is one run. */
  const Word * starts;
  std::int64_t length;
  /** The labels of the runs, in order. ReadableLabels before them and after them can be read. */
  const std::uint32_t * labels;
};

/** Writes the labels of a row: 0 where it has no foreground, and otherwise the label of the run. The labels must fit
 *  the type. With `pastCaches`, stores may go past the caches; call FlushStores before others read them. */
void ExpandRow(const LabeledRow & row, std::uint8_t * out, bool pastCaches);
void ExpandRow(const LabeledRow & row, std::uint16_t * out, bool pastCaches);
void ExpandRow(const LabeledRow & row, std::uint32_t * out, bool pastCaches);
void ExpandRow(const LabeledRow & row, std::uint64_t * out, bool pastCaches);
void ExpandRow(const LabeledRow & row, float * out, bool pastCaches);

/** Makes stores past the caches visible in order. */
void FlushStores();

} // namespace brickccl::simd
