#ifndef BRICKCCL_CRITERIA_PACKROW_H
#define BRICKCCL_CRITERIA_PACKROW_H

#include "BrickCCL/Core/BitRow.h"

#include <cstdint>
#include <type_traits>

namespace brickccl::simd
{

/** Bit i of `bits[w]`: whether value 64 w + i lies in [low, high], or outside of it if `outside`; NaN never counts.
 * `low` is at most `high`. Whole words alone. Only where HasVectors() (ExpandRow.h) says that this build has vector
 * code; for all types of pixels. */
template <typename T>
void PackWords(const T * values, std::int64_t words, T low, T high, bool outside, Word * bits);

/** Bit i of `below[w]` and of `above[w]`: whether value 64 w + i is at most `low`, and at least `high`; unspecified
 *  of NaN. Whole words alone, whose values are in the caches. Only where HasVectors(); for all types of pixels. */
template <typename T>
void PackSeparated(const T * values, std::int64_t words, T low, T high, Word * below, Word * above);

/** What differences of values are compared with: of integers the unsigned type of their size, which holds all of them.
 */
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

/** Bit i of `bits[w]`: whether that of `candidates[w]` is set and values 64 w + i of `a` and of `b`, which are numbers,
 *  differ by at most `limit`. Whole words alone, and those without candidates are not looked at. Only where
 *  HasVectors(); for all types of pixels. */
template <typename T>
void PackNear(const T *                 a,
              const T *                 b,
              std::int64_t              words,
              typename LimitOf<T>::Type limit,
              const Word *              candidates,
              Word *                    bits);

/** What is foreground, as PackWords says, and by how much neighbours may differ that are joined. */
template <typename T>
struct RowRule
{
  T                         low;
  T                         high;
  bool                      outside;
  typename LimitOf<T>::Type limit;
};

/** A row of an image to be compared with: its values and foreground, and where the links to it go. */
template <typename T>
struct NearRow
{
  const T *    values;
  const Word * foreground;
  Word *       links;
};

/** A row of an image: its values, where its foreground and the starts of its runs go, and at most two other rows that
 * it is linked to. */
template <typename T>
struct LinkedRow
{
  const T *          values;
  Word *             foreground;
  Word *             starts;
  const NearRow<T> * rows;
  int                rowCount;
};

/** Foreground, starts of runs and straight links to other rows, all of a row at once. As many values as the words have
 * bits can be read of each row, and one before the row's first; those past `length` do not count. Only where
 * HasVectors(); for all types of pixels. */
template <typename T>
void PackLinkedRow(const LinkedRow<T> & row, std::int64_t length, const RowRule<T> & rule);

/** The same of two rows at once, each linked to two, of which the second row's last one is the first row: its values
 *  are read once. */
template <typename T>
void
PackLinkedPair(const LinkedRow<T> & first, const LinkedRow<T> & second, std::int64_t length, const RowRule<T> & rule);

} // namespace brickccl::simd

#endif
