#include "BrickCCL/Criteria/Criterion.h"

#include "BrickCCL/Core/Error.h"

#include <cmath>
#include <sstream>

namespace brickccl
{

namespace
{

std::string
Text(Number value)
{
  std::ostringstream stream;
  stream.precision(std::fabs(value) < 1e18L && std::floor(value) == value ? 20 : 10);
  stream << value;
  return stream.str();
}

} // namespace

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
    throw InvalidArgument("the range [" + Text(range->low) + ", " + Text(range->high) +
                          "] is empty; its low bound must be a number not above its high bound");
  }
  if (background && std::isnan(*background))
  {
    throw InvalidArgument("the background value is not a number; NaN voxels never take part, so none is needed");
  }
  if (!(tolerance >= 0))
  {
    throw InvalidArgument("the tolerance " + Text(tolerance) + " is invalid; it must be a number of at least 0");
  }
}

std::string
Criterion::ToString() const
{
  std::string text = joining == Joining::EqualValue ? "equal value"
                   : joining == Joining::Tolerance  ? "tolerance " + Text(tolerance)
                                                    : "foreground";
  if (range)
  {
    return text + " within [" + Text(range->low) + ", " + Text(range->high) + "]";
  }
  return text + (background ? ", background " + Text(*background) : ", no background");
}

} // namespace brickccl
