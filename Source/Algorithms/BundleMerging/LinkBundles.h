#ifndef BRICKCCL_ALGORITHMS_BUNDLEMERGING_LINKBUNDLES_H
#define BRICKCCL_ALGORITHMS_BUNDLEMERGING_LINKBUNDLES_H

#include "BrickCCL/Core/BitRow.h"
#include "BrickCCL/Simd/WordList.h"

#include <cstdint>

namespace brickccl::simd
{

/** So many words before a row and past its end may be read, and past the end of results written, whatever they hold. */
inline constexpr std::int64_t MaximumWordsBeside = 8;

/** Rows of two bundles that face each other, two united on each side or one of them twice. */
struct FacingRows
{
  const Word * a[2];
  const Word * b[2];
};

/** Links between bundles, a word for each word of their rows. */
struct LinkedRows
{
  /** Links of a to b at x, x - 1 and x + 1, without repeats, and without those that are implied or go on. */
  Word * same;
  Word * left;
  Word * right;
  /** The bits at which the runs of both bundles are known to be linked by links of the same word or those before. */
  Word * joined;
  /** The words of `same`, `left` and `right` that have bits, of these kinds (LinkedSame ...). */
  WordList list;
};

inline constexpr int LinkedSame = 0;
inline constexpr int LinkedLeft = 1;
inline constexpr int LinkedRight = 2;

/** Where links at the same x are implied by others: where all of these rows, two or three of them, have a bit, or, if
 *  there are such, both of `others`. */
struct ImpliedLinks
{
  const Word * rows[3] = {};
  /** 0 if no links are implied. */
  int          count = 0;
  const Word * others[2] = {};
};

/** The links between bundles a and b as LinksTo, WithoutRepeats and JoinedBits (Runs/Bundle.h) have them, many words at
 *  once, for bundles whose rows face each other in `faceCount` (1 or 2) ways; with two ways all voxels at the same x
 *  are neighbours. Where `areStraight`, voxels of one face at the same x alone are neighbours. A link at the same x is
 *  left out if its runs were linked in the words before, or are by other links in its own (WithoutImplied), and lies
 *  where WithoutImplied moves it if there can be such links. `links.list` is added to. */
void LinkBundles(const FacingRows *   faces,
                 int                  faceCount,
                 bool                 areStraight,
                 const Word *         unitedA,
                 const Word *         unitedB,
                 std::int64_t         words,
                 const ImpliedLinks & implied,
                 LinkedRows &         links);

} // namespace brickccl::simd

#endif
