// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Core/BitRow.h"

#include <cstdint>
#include <type_traits>

namespace brickccl::simd
{

/** Sets bit i of `bits[w]` if value 64 w + i is in [low, high], or if it does not and `outside` is set. NaN never
 *  counts. `low` is at most `high`. Takes whole words only; exists for every scalar type. */
template <typename T>
void PackWords(const T * values, std::int64_t words, T low, T high, bool outside, Word * bits);

/** Sets bit i of `below[w]` if value 64 w + i is at most `low`, and of `above[w]` if it is at least `high`. For NaN the
 *  bits are unspecified. Takes whole words only, whose values should be in the caches; exists for every scalar type. */
template <typename T>
void PackSeparated(const T * values, std::int64_t words, T low, T high, Word * below, Word * above);

/** The type of a limit of differences. For integers it is their unsigned type, which holds every difference. */
template <typename T, typename = void>
struct LimitOf
{
  using Type = double;
};

template <typename T>
struct LimitOf<T, std::enable_if_t<std::is_integral_v<T>>>
{
  using Type = std::make_unsigned_t<T>;
};

/** Sets bit i of `bits[w]` if it is set in `candidates[w]` and value 64 w + i of `a` differs from the one in `b` by
 *  at most `limit`. Candidates are not NaN. Takes whole words, skips words without them; exists for all types. */
template <typename T>
void PackNear(const T *                 a,
              const T *                 b,
              std::int64_t              words,
              typename LimitOf<T>::Type limit,
              const Word *              candidates,
              Word *                    bits);

/** Which values are foreground, as for PackWords, and by how much joined neighbors may differ. */
template <typename T>
struct RowRule
{
  T                         low;
  T                         high;
  bool                      outside;
  typename LimitOf<T>::Type limit;
};

/** Another row of the image that a row is compared with. */
template <typename T>
struct NearRow
{
  const T *    values;
  const Word * foreground;
  Word *       links;
};

/** A row of an image. Its foreground, the starts of its runs and links to at most two other rows are written. */
template <typename T>
struct LinkedRow
{
  const T *          values;
  Word *             foreground;
  Word *             starts;
  const NearRow<T> * rows;
  int                rowCount;
};

/** Finds the foreground, starts of runs and straight links to other rows at once, for every scalar type. Rows must be
 *  readable for all bits of their words, and one value before the first. Values past `length` do not count. */
template <typename T>
void PackLinkedRow(const LinkedRow<T> & row, std::int64_t length, const RowRule<T> & rule);

/** The same for two rows, each linked to two others. The second row's last one is the first row, which is read once. */
template <typename T>
void
PackLinkedPair(const LinkedRow<T> & first, const LinkedRow<T> & second, std::int64_t length, const RowRule<T> & rule);

} // namespace brickccl::simd
