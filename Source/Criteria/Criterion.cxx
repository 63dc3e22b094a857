#include "BrickCCL/Criteria/Criterion.h"

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Criteria/NumberText.h"

#include <cmath>
#include <sstream>

namespace brickccl
{

std::string
TextOf(Number value)
{
  // 2^64 is the first number that 64 bits do not hold.
  constexpr Number beyond = 18446744073709551616.0L;
  const bool       isNegative = value < 0;
  const Number     size = isNegative ? -value : value;
  if (size < beyond && std::floor(size) == size)
  {
    return (isNegative ? "-" : "") + std::to_string(static_cast<unsigned long long>(size));
  }
  std::ostringstream stream;
  stream.precision(10);
  stream << static_cast<double>(value);
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
    throw InvalidArgument("the range [" + TextOf(range->low) + ", " + TextOf(range->high) +
                          "] is empty; its low bound must be a number not above its high bound");
  }
  if (background && std::isnan(*background))
  {
    throw InvalidArgument("the background value is not a number; NaN voxels never take part, so none is needed");
  }
  if (!(tolerance >= 0))
  {
    throw InvalidArgument("the tolerance " + TextOf(tolerance) + " is invalid; it must be a number of at least 0");
  }
}

std::string
Criterion::ToString() const
{
  std::string text = joining == Joining::EqualValue ? "equal value"
                   : joining == Joining::Tolerance  ? "tolerance " + TextOf(tolerance)
                                                    : "foreground";
  if (range)
  {
    return text + " within [" + TextOf(range->low) + ", " + TextOf(range->high) + "]";
  }
  return text + (background ? ", background " + TextOf(*background) : ", no background");
}

} // namespace brickccl
