#ifndef BRICKCCL_CORE_PERIODICAXES_H
#define BRICKCCL_CORE_PERIODICAXES_H

#include "BrickCCL/Core/Extent.h"

#include <string>

namespace brickccl
{

/** The axes along which an image goes on with its other end. Two of its voxels are neighbours if any two of their
 * copies are, where copies of the image stand side by side along these axes without end. So along an axis of one voxel,
 * a voxel's neighbour is the voxel itself, and a diagonal step leads as far as its step along the other axes. */
class PeriodicAxes
{
public:
  PeriodicAxes() = default;

  /** From letters, such as "xz". \throws InvalidArgument for another letter than x, y, z and t, or one that comes
   *  twice. */
  static PeriodicAxes FromNames(const std::string & names);

  constexpr bool
  Has(int axis) const
  {
    return ((m_Axes >> axis) & 1u) != 0;
  }
  constexpr bool
  HasAny() const
  {
    return m_Axes != 0;
  }
  void
  Add(int axis)
  {
    m_Axes |= 1u << axis;
  }
  friend constexpr bool
  operator==(const PeriodicAxes & a, const PeriodicAxes & b)
  {
    return a.m_Axes == b.m_Axes;
  }
  friend constexpr bool
  operator!=(const PeriodicAxes & a, const PeriodicAxes & b)
  {
    return !(a == b);
  }

  /** "xz" */
  std::string ToString() const;

  /** A bit for each axis, x first. */
  constexpr unsigned
  Bits() const
  {
    return m_Axes;
  }

private:
  unsigned m_Axes = 0;
};

} // namespace brickccl

#endif
