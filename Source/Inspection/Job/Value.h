// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_JOB_VALUE_H
#define BRICKCCL_JOB_VALUE_H

#include "BrickCCL/Criteria/Criterion.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace brickccl::job
{

/** What the value of a parameter is. */
enum class Kind
{
  Flag,
  /** A whole number from `minimum` to `maximum`, written in digits. */
  Whole,
  /** A number from `minimum` to `maximum`, finite unless that is `Unlimited`. With a unit, it may have one that
     measures the same: "500 um". */
  Number,
  /** The same above 0. */
  Above,
  /** Two numbers, the lower one first; inf and -inf are numbers as well. */
  Range,
  /** Up to four numbers above 0. */
  Spacing,
  Text,
  /** One of `choices`. */
  Choice,
  /** As ThresholdMethod::FromText reads it. */
  Threshold,
  /** A number of neighbors, "faces" or "full". */
  Neighbors,
  /** An amount of memory: "4GiB", "500 MB", "1.5G" (as GiB), "2000000". */
  Memory,
  /** Names of columns and of groups of columns, with commas between. */
  Columns
};

/** A maximum that infinite numbers keep, too. */
inline constexpr double Unlimited = std::numeric_limits<double>::infinity();
/** The largest finite number. */
inline constexpr double Finite = std::numeric_limits<double>::max();

/** The values that a parameter takes. */
struct Form
{
  Kind                     kind = Kind::Text;
  double                   minimum = -Finite;
  double                   maximum = Finite;
  std::string              unit = {};
  std::vector<std::string> choices = {};
  /** Of texts: says what would be right, or nothing if the text is. It may throw InvalidArgument. */
  std::string (*check)(const std::string & text) = nullptr;
};

/** One of several texts. */
inline Form
OneOf(const std::vector<std::string> & choices)
{
  return { Kind::Choice, -Finite, Finite, {}, choices };
}

/** Where a value goes. */
using Slot = std::variant<bool *,
                          int *,
                          std::uint64_t *,
                          double *,
                          std::string *,
                          std::vector<double> *,
                          std::optional<Number> *,
                          std::optional<Criterion::Range> *>;

/** A value that does not fit, and what would be right: "a whole number from 1 to 4, ...". */
struct ValueFault
{
  std::string value;
  std::string right;

  explicit operator bool() const
  {
    return !right.empty();
  }
};

/** Reads a value from its texts.
 *  \throws InvalidArgument for a threshold or a filter that is not known. */
ValueFault SetValue(const Form & form, const std::vector<std::string> & texts, Slot slot);

/** "a whole number from 0 to 4096". */
std::string RightValue(const Form & form);

/** Whether two slots of one type hold the same value. */
bool AreSame(const Slot & a, const Slot & b);

/** The number that the whole of a text is: a decimal fraction, such as 0.5, -1000 or 2.5e-3, inf, -inf or nan. Nothing
 *  for other texts, and for numbers too large or too near to 0 for a double. */
std::optional<Number> NumberOf(const std::string & text);

/** "; write 0.5" for a number with a comma, and why a double cannot hold a number; else nothing. */
std::string HintOnNumber(std::string text);

/** "a, b, c". */
std::string ListOfNames(const std::vector<std::string> & names);

} // namespace brickccl::job

#endif
