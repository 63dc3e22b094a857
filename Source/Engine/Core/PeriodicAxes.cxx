// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Core/Connectivity.h"

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/Printable.h"

namespace brickccl
{

PeriodicAxes
PeriodicAxes::FromNames(const std::string & names)
{
  PeriodicAxes axes;
  for (const char name : names)
  {
    const int axis = AxisFromName(std::string(1, name));
    if (axis < 0)
    {
      throw InvalidArgument(Quoted(names) + " does not name periodic axes; use letters of " + AxisNames);
    }
    if (axes.Has(axis))
    {
      throw InvalidArgument(Quoted(names) + " names the periodic axis " + name + " twice");
    }
    axes.Add(axis);
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
