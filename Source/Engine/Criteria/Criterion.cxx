// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Criteria/Criterion.h"

#include "BrickCCL/Core/Error.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <sstream>

namespace brickccl
{

namespace
{

constexpr double TwoTo32 = 4294967296.0;
constexpr double TwoTo63 = 9223372036854775808.0;

/** The whole part of a decimal text without a sign, and whether anything follows it. */
struct WholePart
{
  std::uint64_t value = 0;
  bool          hasFraction = false;
};

/** Nothing if the text is not decimal, or its whole part has no 64 bits. */
std::optional<WholePart>
WholePartOf(const std::string & text)
{
  const std::size_t mark = std::min(text.find_first_of("eE"), text.size());
  const std::size_t point = std::min(text.find('.'), mark);
  std::string       digits = text.substr(0, point) + (point < mark ? text.substr(point + 1, mark - point - 1) : "");
  long              exponent = 0;
  if (mark < text.size())
  {
    const std::size_t begin = mark + (mark + 1 < text.size() && text[mark + 1] == '+' ? 2 : 1);
    const auto        parsed = std::from_chars(text.data() + begin, text.data() + text.size(), exponent);
    // Powers that large are left to what rounds; nothing is in between there.
    if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size() || std::abs(exponent) > 1000)
    {
      return std::nullopt;
    }
  }
  const bool areDigits = !digits.empty() && digits.find_first_not_of("0123456789") == std::string::npos;
  const long place = static_cast<long>(point) + exponent;
  if (!areDigits)
  {
    return std::nullopt;
  }
  if (place > static_cast<long>(digits.size()))
  {
    digits.append(static_cast<std::size_t>(place) - digits.size(), '0');
  }
  const std::string whole = place > 0 ? digits.substr(0, static_cast<std::size_t>(place)) : "0";
  const std::string rest = place > 0 ? digits.substr(static_cast<std::size_t>(place)) : digits;
  WholePart         part;
  const auto        parsed = std::from_chars(whole.data(), whole.data() + whole.size(), part.value);
  part.hasFraction = rest.find_first_not_of('0') != std::string::npos;
  return parsed.ec == std::errc() ? std::optional<WholePart>(part) : std::nullopt;
}

/** A number next to one that was rounded to a whole one, on the side of the text's number. \param text  unsigned */
Number
WithLostFraction(const Number & rounded, const std::string & text)
{
  const std::optional<WholePart> part = rounded.IsWhole() ? WholePartOf(text) : std::nullopt;
  return !part || !part->hasFraction    ? rounded
       : rounded == Number(part->value) ? -(-rounded).JustBelow()
                                        : rounded.JustBelow();
}

} // namespace

void
Number::SetSigned(std::int64_t value)
{
  SetUnsigned(value < 0 ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value));
  if (value < 0)
  {
    m_Nearest = -m_Nearest;
    m_Rest = -m_Rest;
  }
}

void
Number::SetUnsigned(std::uint64_t value)
{
  const double high = static_cast<double>(value >> 32) * TwoTo32;
  const auto   low = static_cast<double>(value & 0xffffffff);
  m_Nearest = high + low;
  m_Rest = low - (m_Nearest - high);
}

void
Number::SetLong(long double value)
{
  constexpr double largest = std::numeric_limits<double>::max();
  constexpr double least = std::numeric_limits<double>::denorm_min();
  m_Nearest = static_cast<double>(value);
  m_Rest = 0;
  if (!std::isfinite(value))
  {
    return;
  }
  // A sign is all that comparing needs where a rest has no exact double.
  m_Nearest = std::isfinite(m_Nearest) ? m_Nearest : std::copysign(largest, m_Nearest);
  const long double rest = value - m_Nearest;
  m_Rest = std::fabs(rest) > largest ? std::copysign(largest, static_cast<double>(rest)) : static_cast<double>(rest);
  if (rest != 0 && m_Rest == 0)
  {
    m_Rest = rest < 0 ? -least : least;
  }
}
Number
Number::Sum(double large, double small)
{
  Number sum = large + small;
  if (std::isfinite(sum.m_Nearest))
  {
    sum.m_Rest = small - (sum.m_Nearest - large);
  }
  else if (std::isfinite(large))
  {
    sum = large;
    sum.m_Rest = small;
  }
  return sum;
}

Number
operator+(const Number & a, const Number & b)
{
  // The rounding error of a sum of two doubles is exact (Knuth, The Art of Computer Programming 2, section 4.2.2).
  const double sum = a.m_Nearest + b.m_Nearest;
  if (!std::isfinite(sum))
  {
    return sum;
  }
  const double ofB = sum - a.m_Nearest;
  const double lost = (a.m_Nearest - (sum - ofB)) + (b.m_Nearest - ofB);
  return Number::Sum(sum, lost + a.m_Rest + b.m_Rest);
}

std::optional<Number>
Number::FromText(const std::string & text)
{
  const bool    hasSign = !text.empty() && (text[0] == '-' || text[0] == '+');
  const char *  end = text.data() + text.size();
  std::uint64_t digits = 0;
  const auto    parsed = std::from_chars(text.data() + (hasSign ? 1 : 0), end, digits);
  if (parsed.ec == std::errc() && parsed.ptr == end)
  {
    return hasSign && text[0] == '-' ? -Number(digits) : Number(digits);
  }
  char *       last = nullptr;
  const Number number = std::strtold(text.c_str(), &last);
  if (text.empty() || last != text.data() + text.size())
  {
    return std::nullopt;
  }
  // A fraction beyond the digits of `long double` still decides the side of a whole number on which a bound is.
  const bool   isNegative = text[0] == '-';
  const Number exact = WithLostFraction(isNegative ? -number : number, text.substr(hasSign ? 1 : 0));
  return isNegative ? -exact : exact;
}

Number
Number::Floor() const
{
  if (!std::isfinite(m_Nearest))
  {
    return *this;
  }
  const double floor = std::floor(m_Nearest);
  // A number between two whole ones is not rounded beyond either.
  return floor == m_Nearest ? Sum(m_Nearest, std::floor(m_Rest)) : Number(floor);
}

Number
Number::Ceiling() const
{
  return -(-*this).Floor();
}

Number
Number::operator-() const
{
  Number negative = -m_Nearest;
  negative.m_Rest = -m_Rest;
  return negative;
}

Number
Number::JustBelow() const
{
  Number below = *this;
  below.m_Rest = std::nextafter(m_Rest, -std::numeric_limits<double>::infinity());
  return below;
}

std::uint64_t
Number::Modulo64() const
{
  if (!(std::fabs(m_Nearest) <= 2 * TwoTo63))
  {
    return 0;
  }
  // Half of a number that large is a whole one that 64 bits have.
  const double        size = std::fabs(m_Nearest);
  const std::uint64_t nearest =
    size < TwoTo63 ? static_cast<std::uint64_t>(size) : static_cast<std::uint64_t>(0.5 * size) * 2;
  return (m_Nearest < 0 ? 0 - nearest : nearest) + static_cast<std::uint64_t>(static_cast<std::int64_t>(m_Rest));
}

std::string
Number::ToString() const
{
  if (IsWhole() && *this >= -TwoTo63 && *this < 2 * TwoTo63)
  {
    return m_Nearest < 0 ? std::to_string(static_cast<std::int64_t>(*this))
                         : std::to_string(static_cast<std::uint64_t>(*this));
  }
  std::ostringstream stream;
  stream.precision(10);
  stream << m_Nearest;
  return stream.str();
}

Criterion
Criterion::Foreground(Number backgroundValue)
{
  Criterion criterion;
  criterion.background = backgroundValue;
  criterion.Validate();
  return criterion;
}

Criterion
Criterion::InRange(Number low, Number high)
{
  return Criterion{}.Within(low, high);
}

Criterion
Criterion::EqualValue(std::optional<Number> backgroundValue)
{
  Criterion criterion;
  criterion.joining = Joining::EqualValue;
  criterion.background = backgroundValue;
  criterion.Validate();
  return criterion;
}

Criterion
Criterion::Tolerance(Number toleranceValue, std::optional<Number> backgroundValue)
{
  Criterion criterion;
  criterion.joining = Joining::Tolerance;
  criterion.tolerance = toleranceValue;
  criterion.background = backgroundValue;
  criterion.Validate();
  return criterion;
}

Criterion
Criterion::Within(Number low, Number high) const
{
  Criterion criterion = *this;
  criterion.range = Range{ low, high };
  criterion.Validate();
  return criterion;
}

void
Criterion::Validate() const
{
  if (range && !(range->low <= range->high))
  {
    throw InvalidArgument("the range [" + range->low.ToString() + ", " + range->high.ToString() +
                          "] is empty; its low bound must be a number not above its high bound");
  }
  ThrowIf<InvalidArgument>(background && std::isnan(background->Nearest()),
                           "the background value is NaN; NaN voxels are always background, so omit it");
  ThrowIf<InvalidArgument>(!(tolerance >= 0),
                           "the tolerance " + tolerance.ToString() + " is invalid; it must be a number of at least 0");
}

std::string
Criterion::ToString() const
{
  std::string text = joining == Joining::EqualValue ? "equal value"
                   : joining == Joining::Tolerance  ? "tolerance " + tolerance.ToString()
                                                    : "foreground";
  return text + (range        ? " within [" + range->low.ToString() + ", " + range->high.ToString() + "]"
                 : background ? ", background " + background->ToString()
                              : ", no background");
}

Criterion
Criterion::FromText(const std::string & text)
{
  std::size_t at = 0;
  const auto  refuse = [&text] {
    return InvalidArgument("the criterion '" + text +
                           "' is unknown; write foreground, equal value or tolerance T, optionally "
                            "followed by \" within [LO, HI]\", \", background V\" or \", no background\"");
  };
  const auto take = [&](const std::string & word) {
    const bool isThere = text.compare(at, word.size(), word) == 0;
    at += isThere ? word.size() : 0;
    return isThere;
  };
  const auto takeNumber = [&] {
    const std::size_t end = std::min(text.find_first_of(" ,]", at), text.size());
    const auto        number = Number::FromText(text.substr(at, end - at));
    at = end;
    return number ? *number : throw refuse();
  };
  Criterion criterion;
  if (take("tolerance "))
  {
    criterion.joining = Joining::Tolerance;
    criterion.tolerance = takeNumber();
  }
  else if (take("equal value"))
  {
    criterion.joining = Joining::EqualValue;
  }
  else if (!take("foreground"))
  {
    throw refuse();
  }
  bool isRead = true;
  if (take(" within ["))
  {
    const Number low = takeNumber();
    isRead = take(", ");
    criterion.range = Range{ low, takeNumber() };
    isRead = isRead && take("]");
  }
  else if (take(", background "))
  {
    criterion.background = takeNumber();
  }
  else if (take(", no background"))
  {
    criterion.background.reset();
  }
  if (!isRead || at != text.size())
  {
    throw refuse();
  }
  criterion.Validate();
  return criterion;
}

} // namespace brickccl
