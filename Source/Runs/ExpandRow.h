#ifndef BRICKCCL_RUNS_EXPANDROW_H
#define BRICKCCL_RUNS_EXPANDROW_H

#include "BrickCCL/Core/BitRow.h"

#include <cstdint>

namespace brickccl::simd
{

/** Labels before the first and after the last run of a row that may be read, though not used. */
inline constexpr int ReadableLabels = 16;

/** A row and the labels of its runs. */
struct LabeledRow
{
  const Word * foreground;
  /** Bit x says that a run begins at x; null where each stretch of foreground is one run. */
  const Word * starts;
  std::int64_t length;
  /** Labels of the runs, in order; can be read from ReadableLabels before its begin to as many after its end. */
  const std::uint32_t * labels;
};

/** Writes the labels of a row, which fit the type: 0 where it has no foreground, else the label of the run. With
 *  `pastCaches`, stores may go past the caches; call FlushStores before others read them. */
void ExpandRow(const LabeledRow & row, std::uint8_t * out, bool pastCaches);
void ExpandRow(const LabeledRow & row, std::uint16_t * out, bool pastCaches);
void ExpandRow(const LabeledRow & row, std::uint32_t * out, bool pastCaches);
void ExpandRow(const LabeledRow & row, std::uint64_t * out, bool pastCaches);
void ExpandRow(const LabeledRow & row, float * out, bool pastCaches);

/** Makes stores past the caches visible in order. */
void FlushStores();

} // namespace brickccl::simd

#endif
