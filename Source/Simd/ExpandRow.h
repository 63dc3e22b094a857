#ifndef BRICKCCL_SIMD_EXPANDROW_H
#define BRICKCCL_SIMD_EXPANDROW_H

#include "BrickCCL/Core/BitRow.h"

#include <cstdint>

namespace brickccl::simd
{

/** Labels before the first and after the last run of a row that may be read, though not used. */
inline constexpr int ReadableLabels = 16;

/** Whether this build has vector code (Google Highway), chosen for the processor at run time. */
bool HasVectors();

/** Writes the labels of a row: 0 where `foreground` has no bit, else the label of the run. Bit x of `starts` says that
 * a run begins at x; runs are labeled in order by `labels`, which can be read from ReadableLabels before its begin to
 * as many after its end. With `pastCaches`, stores go past the caches; call FlushStores before others read them. Only
 * where HasVectors(). */
void ExpandRow(const Word *          foreground,
               const Word *          starts,
               std::int64_t          length,
               const std::uint32_t * labels,
               std::uint32_t *       out,
               bool                  pastCaches);

/** Makes stores past the caches visible in order. */
void FlushStores();

} // namespace brickccl::simd

#endif
