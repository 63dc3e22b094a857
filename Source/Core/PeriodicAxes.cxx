#include "BrickCCL/Core/PeriodicAxes.h"

#include "BrickCCL/Core/Error.h"

#include <cstddef>

namespace brickccl
{

namespace
{

constexpr char AxisNames[MaximumDimension + 1] = "xyzt";

} // namespace

PeriodicAxes
PeriodicAxes::FromNames(const std::string & names)
{
  PeriodicAxes axes;
  for (const char name : names)
  {
    const std::size_t axis = std::string(AxisNames).find(name);
    if (axis == std::string::npos)
    {
      throw InvalidArgument("'" + names + "' does not name periodic axes; use letters of " + AxisNames);
    }
    if (axes.Has(static_cast<int>(axis)))
    {
      throw InvalidArgument("'" + names + "' names the periodic axis " + name + " twice");
    }
    axes.Add(static_cast<int>(axis));
  }
  return axes;
}

std::string
PeriodicAxes::ToString() const
{
  std::string names;
  for (int axis = 0; axis < MaximumDimension; ++axis)
  {
    names += Has(axis) ? std::string(1, AxisNames[axis]) : std::string();
  }
  return names;
}

} // namespace brickccl
