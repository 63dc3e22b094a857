#ifndef BRICKCCL_CLEAN_SWEEPPLAN_H
#define BRICKCCL_CLEAN_SWEEPPLAN_H

#include <cstdint>
#include <vector>

namespace brickccl
{

/** What the steps of a sweep take, in nanoseconds of one thread. */
struct SweepCosts
{
  /** To label the foreground of a turn. */
  double labeling = 0;
  /** To make components ready for voxels that are added. */
  double preparing = 0;
  /** To add one voxel. */
  double adding = 0;
};

/** Which turns of a sweep are labeled, and to which voxels are added. */
struct SweepPlan
{
  /** For each turn whether its voxels are added to the components of the turn before. */
  std::vector<bool> adds;
  /** What each turn takes. */
  std::vector<double> costs;

  double
  Total() const
  {
    double total = 0;
    for (const double cost : costs)
    {
      total += cost;
    }
    return total;
  }
};

/** The plan that takes the least. \param entering  the voxels that each turn adds; those of turn 0 do not matter, since
 *  it is labeled */
SweepPlan PlanSweep(const std::vector<std::uint64_t> & entering, const SweepCosts & costs);

} // namespace brickccl

#endif
