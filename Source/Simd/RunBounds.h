#ifndef BRICKCCL_SIMD_RUNBOUNDS_H
#define BRICKCCL_SIMD_RUNBOUNDS_H

#include "BrickCCL/Core/BitRow.h"

#include <cstdint>

namespace brickccl::simd
{

/** So many words are taken at once. */
inline constexpr int BoundWords = 8;

/** Where runs begin and end in a few words of a row, as bits counted from the first of these words. */
struct RunBounds
{
  int beginCount;
  int endCount;
  /** Ascending; behind the last one is room for vector code. The first end is that of a run that begins before these
   *  words if there is one. */
  std::int32_t begins[BoundWords * BitsPerWord + 16];
  /** One past each run's last bit. */
  std::int32_t ends[BoundWords * BitsPerWord + 16];
};

/** The bounds of runs in the words [first, first + count), at most BoundWords, of a row of `words` words; `starts` has
 *  the bits at which runs begin, or is null if they follow from the foreground, of which BoundWords words from `first`
 * on can be read. Only where HasVectors() (ExpandRow.h). */
void FindRunBounds(const Word * foreground,
                   const Word * starts,
                   std::int64_t words,
                   std::int64_t first,
                   int          count,
                   RunBounds &  bounds);

} // namespace brickccl::simd

#endif
