#ifndef BRICKCCL_CRITERIA_CRITERION_H
#define BRICKCCL_CRITERIA_CRITERION_H

#include <limits>
#include <optional>
#include <string>

namespace brickccl
{

/** A voxel value or bound that every voxel type converts to without loss. */
using Number = long double;
static_assert(std::numeric_limits<Number>::digits >= 64, "Number must hold every 64-bit integer");

/** Says when two neighbouring voxels belong together; chosen at run time.
 *
 *  A voxel takes part (is foreground) if it lies in `range`, where there is one. Without a range it takes part if it
 *  differs from `background`, where there is one, and otherwise always. A voxel of several channels is in a range if
 *  every channel is, and is background if every channel has the background value. NaN never takes part.
 *
 *  Two neighbouring foreground voxels are joined
 *  - `Foreground`: always;
 *  - `EqualValue`: if all their channels are equal (segments, as Stava and Benes label them);
 *  - `Tolerance`: if the sum over the channels of |a - b| is at most `tolerance` (the gradient threshold of links-based
 *    propagation). Differences are exact for every integer type: nothing wraps. */
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
  /** Segments of equal value. Without a background value every voxel takes part. */
  static Criterion EqualValue(std::optional<Number> background = 0);
  /** Neighbours that differ by at most the tolerance. \throws InvalidArgument if it is negative or NaN. */
  static Criterion Tolerance(Number tolerance, std::optional<Number> background = 0);

  /** Whether neighbours are joined exactly if both are foreground. Then nobody needs to look at their values. */
  bool
  FollowsForeground() const
  {
    return joining == Joining::Foreground;
  }

  /** The same joining among the voxels of a range. */
  Criterion Within(Number low, Number high) const;

  /** \throws InvalidArgument if a bound or the tolerance has no meaning. */
  void Validate() const;

  /** "equal value within [100, inf]", for summaries. */
  std::string ToString() const;

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

#endif
