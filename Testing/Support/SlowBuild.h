// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_TESTING_SLOWBUILD_H
#define BRICKCCL_TESTING_SLOWBUILD_H

#include <cstddef>
#include <vector>

// Sanitizers and emulated processors take 10 to 50 times as long. There, tests do a part of their cases: the same code
// runs on the same kinds of input, with fewer seeds and combinations. Every case is done by the builds for users.

namespace brickccl::testing
{

#if defined(__has_feature)
#  define BRICKCCL_TESTING_HAS_FEATURE(name) __has_feature(name)
#else
#  define BRICKCCL_TESTING_HAS_FEATURE(name) 0
#endif

#if defined(__SANITIZE_THREAD__) || BRICKCCL_TESTING_HAS_FEATURE(thread_sanitizer)
inline constexpr bool HasThreadSanitizer = true;
#else
inline constexpr bool HasThreadSanitizer = false;
#endif

#if defined(__SANITIZE_ADDRESS__) || BRICKCCL_TESTING_HAS_FEATURE(address_sanitizer) ||                                \
  defined(BRICKCCL_EMULATED_PROCESSOR)
inline constexpr bool IsSlowBuild = true;
#else
inline constexpr bool IsSlowBuild = HasThreadSanitizer;
#endif

/** Whether this build does a case of a table of combinations. Slow builds do one of `period` cases, so that each row
 * and each column of the table occurs. \param sumOfPlaces  the sum of the case's places along the sides of the table */
constexpr bool
IsDoneHere(std::size_t sumOfPlaces, std::size_t period)
{
  return !IsSlowBuild || sumOfPlaces % period == 0;
}

/** Numbers of threads to compare. The thread sanitizer learns nothing from a single one. */
inline std::vector<int>
NumbersOfThreads()
{
  return HasThreadSanitizer ? std::vector<int>{ 3 } : std::vector<int>{ 1, 3 };
}

} // namespace brickccl::testing

#endif
