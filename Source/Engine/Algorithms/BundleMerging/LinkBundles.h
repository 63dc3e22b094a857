// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Core/BitRow.h"
#include "BrickCCL/Runs/WordList.h"

#include <cstdint>

namespace brickccl::simd
{

/** This many words before and after each row must be readable, with any values; as many past results are written. */
inline constexpr std::int64_t MaximumWordsBeside = 8;

/** Rows of two bundles that face each other. Each side has two rows, which are united, or one row twice. */
struct FacingRows
{
  const Word * a[2];
  const Word * b[2];
};

/** Two bundles for vector code: one face each or two (all voxels at the same x are neighbors), and the united bits. */
struct FacingBundles
{
  FacingRows faces[2];
  int        faceCount;
  /** Only voxels of a face at the same x are neighbors. */
  bool         areStraight;
  const Word * unitedA;
  const Word * unitedB;
  std::int64_t words;
};

/** The links between two bundles, one word for each word of their rows. */
struct LinkedRows
{
  /** The links of a to b at x, x - 1 and x + 1, without repeats, implied links and continuing links. */
  Word * same;
  Word * left;
  Word * right;
  /** The bits at which links of the same word or of earlier ones join the runs of both bundles. */
  Word * joined;
  /** The words of `same`, `left` and `right` that have bits. Their kinds are LinkedSame ... If it has no room for words
   *  (`bits` is null), its count only says whether there are any. */
  WordList list;
};

inline constexpr int LinkedSame = 0;
inline constexpr int LinkedLeft = 1;
inline constexpr int LinkedRight = 2;

/** Links at the same x are implied where all `count` rows have a bit or, if given, where both of `others` do. */
struct ImpliedLinks
{
  const Word * rows[3] = {};
  /** 2 or 3, or 0 if no links are implied. */
  int          count = 0;
  const Word * others[2] = {};
};

/** Finds the links between bundles a and b as LinksTo, WithoutRepeats and JoinedBits (Runs/Bundle.h) do, many words at
 *  once, and appends to `links.list`. A link at the same x is left out if earlier words link its runs, or if other
 *  links in its word do (WithoutImplied). If there can be implied links, it is where WithoutImplied moves it. */
void LinkBundles(const FacingBundles & bundles, const ImpliedLinks & implied, LinkedRows & links);

} // namespace brickccl::simd
