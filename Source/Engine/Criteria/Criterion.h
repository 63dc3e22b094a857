// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_CRITERIA_CRITERION_H
#define BRICKCCL_CRITERIA_CRITERION_H

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>

namespace brickccl
{

/** A voxel value or bound. Every value of every voxel type converts to it without loss, and so does the 80-bit `long
 *  double` of x86. It consists of the nearest double and a rest, because not every compiler has a floating-point type
 *  for all 64-bit integers. A finite number beyond the largest double stays between that and infinity. */
class Number
{
public:
  Number() = default;

  template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T>>>
  Number(T value) // NOLINT(google-explicit-constructor): a number where one is asked for
  {
    if constexpr (std::is_same_v<T, long double>)
    {
      SetLong(value);
    }
    else if constexpr (std::is_floating_point_v<T>)
    {
      m_Nearest = value;
    }
    else if constexpr (std::is_signed_v<T>)
    {
      SetSigned(value);
    }
    else
    {
      SetUnsigned(value);
    }
  }

  /** The number in a text: decimal, hexadecimal, "inf" or "nan", exact for all whole numbers of 64 bits. Nothing for
   *  any other text. */
  static std::optional<Number> FromText(const std::string & text);

  /** The sum, exact if the second is not the larger one. */
  static Number Sum(double large, double small);

  /** Exact for whole numbers of 64 bits. */
  friend Number operator+(const Number & a, const Number & b);

  /** The nearest double. */
  double
  Nearest() const
  {
    return m_Nearest;
  }

  /** The difference to the nearest double. */
  double
  Rest() const
  {
    return m_Rest;
  }

  /** The largest whole number that is not above, and the smallest that is not below. */
  Number Floor() const;
  Number Ceiling() const;

  bool
  IsWhole() const
  {
    return *this == Floor();
  }

  /** A smaller number that is above every smaller value of any voxel type. This number must be finite. */
  Number JustBelow() const;

  Number operator-() const;

  /** For an integer type, the number must be whole and in the type's range. */
  template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T> && !std::is_same_v<T, bool>>>
  explicit operator T() const
  {
    if constexpr (std::is_same_v<T, long double>)
    {
      return static_cast<T>(m_Nearest) + m_Rest;
    }
    else if constexpr (std::is_floating_point_v<T>)
    {
      return static_cast<T>(m_Nearest + m_Rest);
    }
    else
    {
      return static_cast<T>(Modulo64());
    }
  }

  /** Whole numbers in the range of an integer type with all digits, others with ten digits. */
  std::string ToString() const;

  friend bool
  operator==(const Number & a, const Number & b)
  {
    return a.m_Nearest == b.m_Nearest && a.m_Rest == b.m_Rest;
  }
  friend bool
  operator!=(const Number & a, const Number & b)
  {
    return !(a == b);
  }
  friend bool
  operator<(const Number & a, const Number & b)
  {
    return a.m_Nearest < b.m_Nearest || (a.m_Nearest == b.m_Nearest && a.m_Rest < b.m_Rest);
  }
  friend bool
  operator>(const Number & a, const Number & b)
  {
    return b < a;
  }
  friend bool
  operator<=(const Number & a, const Number & b)
  {
    return a < b || a == b;
  }
  friend bool
  operator>=(const Number & a, const Number & b)
  {
    return b <= a;
  }

private:
  void SetSigned(std::int64_t value);
  void SetUnsigned(std::uint64_t value);
  void SetLong(long double value);
  /** A whole number up to a multiple of 2^64. */
  std::uint64_t Modulo64() const;

  double m_Nearest = 0;
  double m_Rest = 0;
};

/** Decides when two neighboring voxels belong together; chosen at run time.
 *
 *  A voxel is foreground if it is in `range`, if given. Without a range it is foreground if it differs from
 *  `background`, if given, and otherwise always. A voxel of several channels is in a range if every channel is, and
 *  is background if every channel has the background value. NaN is never foreground.
 *
 *  Two neighboring foreground voxels are joined
 *  - `Foreground`: always;
 *  - `EqualValue`: if all their channels are equal (segments, as in Stava and Benes);
 *  - `Tolerance`: if the sum over the channels of |a - b| is at most `tolerance` (the gradient threshold of
 *    links-based propagation). Differences are exact for every integer type: nothing wraps. */
struct Criterion
{
  enum class Joining
  {
    Foreground,
    EqualValue,
    Tolerance
  };

  struct Range
  {
    Number low;
    Number high;
  };

  Joining               joining = Joining::Foreground;
  std::optional<Number> background = 0;
  std::optional<Range>  range;
  Number                tolerance = 0;

  /** Every voxel that differs from the background value. */
  static Criterion Foreground(Number background = 0);
  /** Voxels with low <= value <= high. Either bound may be infinite. \throws InvalidArgument if low > high. */
  static Criterion InRange(Number low, Number high);
  /** Segments of equal value. Without a background value every voxel is foreground. */
  static Criterion EqualValue(std::optional<Number> background = 0);
  /** Neighbors that differ by at most the tolerance. \throws InvalidArgument if it is negative or NaN. */
  static Criterion Tolerance(Number tolerance, std::optional<Number> background = 0);

  /** Whether neighbors are joined exactly if both are foreground, so that their values are not compared. */
  bool
  FollowsForeground() const
  {
    return joining == Joining::Foreground;
  }

  /** The same joining among the voxels of a range. */
  Criterion Within(Number low, Number high) const;

  /** \throws InvalidArgument if a bound or the tolerance is invalid. */
  void Validate() const;

  /** "equal value within [100, inf]", for summaries. */
  std::string ToString() const;

  /** Reads "foreground", "equal value" or "tolerance T", optionally followed by " within [LO, HI]", ", background V"
   *  or ", no background": the format of ToString. \throws InvalidArgument for any other text. */
  static Criterion FromText(const std::string & text);

  friend bool
  operator==(const Criterion & a, const Criterion & b)
  {
    return a.joining == b.joining && a.background == b.background && a.tolerance == b.tolerance &&
           a.range.has_value() == b.range.has_value() &&
           (!a.range || (a.range->low == b.range->low && a.range->high == b.range->high));
  }
  friend bool
  operator!=(const Criterion & a, const Criterion & b)
  {
    return !(a == b);
  }
};

} // namespace brickccl

/** The limits of double, because a number may be infinite or NaN. */
template <>
class std::numeric_limits<brickccl::Number> : public std::numeric_limits<double>
{
public:
  static constexpr int digits = 64;
};

#endif
