// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Core/Connectivity.h"
#include "BrickCCL/Criteria/Criterion.h"
#include "BrickCCL/Segmenting/Smoothing.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace brickccl::job
{

enum class Kind
{
  Flag,
  /** A whole number from `minimum` to `maximum`, written in digits. */
  Whole,
  /** From `minimum` to `maximum`, finite unless `Unlimited`; may have a unit of the same kind: "500 um". */
  Number,
  /** The same above 0. */
  Above,
  /** Two numbers, the lower one first; inf and -inf are numbers as well. */
  Range,
  /** Up to four numbers above 0, which may have units as well. */
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
inline constexpr double Finite = std::numeric_limits<double>::max();

/** The values that a parameter takes. */
struct Form
{
  Kind   kind = Kind::Text;
  double minimum = -Finite;
  double maximum = Finite;
  /** "mm", "mm3", or "mm3 or mm2" of an Amount. */
  std::string              unit = {};
  std::vector<std::string> choices = {};
  /** Of texts: says what would be right, or nothing if the text is. It may throw InvalidArgument. */
  std::string (*check)(const std::string & text) = nullptr;
  /** Whether there may be several, with ";" between. */
  bool isList = false;
};

inline Form
OneOf(const std::vector<std::string> & choices)
{
  return { Kind::Choice, -Finite, Finite, {}, choices };
}

/** A volume in mm3 or an area in mm2. */
struct Amount
{
  double value = 0;
  /** 3 or 2 for a unit of volume or area; 0 without a unit: mm3, or mm2 for slices. */
  int power = 0;

  bool
  operator==(const Amount & other) const
  {
    return value == other.value && power == other.power;
  }
};

/** Where a value goes. */
using Slot = std::variant<bool *,
                          int *,
                          std::uint64_t *,
                          double *,
                          std::string *,
                          Amount *,
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

/** Reads a value from its texts. \throws InvalidArgument for a threshold or a filter that is not known. */
ValueFault SetValue(const Form & form, const std::vector<std::string> & texts, Slot slot);

/** "a whole number from 0 to 4096". */
std::string RightValue(const Form & form);

bool AreSame(const Slot & a, const Slot & b);

/** The number of a whole text: 0.5, -1000, 2.5e-3, inf, -inf or nan. Nothing if a double cannot hold it. */
std::optional<Number> NumberOf(const std::string & text);

/** "; write 0.5" for a number with a comma, and why a double cannot hold a number; else nothing. */
std::string HintOnNumber(std::string text);

inline const Form AnyVolume = { Kind::Number, 0, Unlimited, "mm3 or mm2" };

inline const Form AnyLength = { Kind::Number, 0, Finite, "mm" };

/** The amount for components along the axes of a connectivity. \throws InvalidArgument, which names the parameter, for
 * a unit of volumes if these are two axes, and for one of areas if they are three. */
double SizeFor(const Connectivity & connectivity, const Amount & amount, const std::string & parameter);

/** A filter, whose deviation may have a unit: "gaussian:500um". \throws InvalidArgument */
std::vector<SmoothingMethod> SmoothingOf(const std::string & text);

} // namespace brickccl::job
