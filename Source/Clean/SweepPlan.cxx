#include "BrickCCL/Clean/SweepPlan.h"

#include <cstddef>

namespace brickccl
{

SweepPlan
PlanSweep(const std::vector<std::uint64_t> & entering, const SweepCosts & costs)
{
  // The least that all turns up to one take if that one is labeled, or if its voxels are added. A turn without voxels
  // is what the one before is, and costs nothing.
  const std::size_t turns = entering.size();
  std::vector<bool> addsBeforeLabeled(turns, false);
  std::vector<bool> addsBeforeAdded(turns, false);
  double            labeled = costs.labeling;
  double            added = costs.labeling + costs.preparing;
  for (std::size_t turn = 1; turn < turns; ++turn)
  {
    if (entering[turn] == 0)
    {
      addsBeforeAdded[turn] = true;
      continue;
    }
    const double before = labeled;
    addsBeforeLabeled[turn] = added < labeled;
    labeled = (addsBeforeLabeled[turn] ? added : labeled) + costs.labeling;
    addsBeforeAdded[turn] = added <= before + costs.preparing;
    added =
      (addsBeforeAdded[turn] ? added : before + costs.preparing) + costs.adding * static_cast<double>(entering[turn]);
  }
  SweepPlan plan;
  plan.adds.assign(turns, false);
  plan.costs.assign(turns, 0);
  bool adds = added < labeled;
  for (std::size_t turn = turns; turn-- > 0;)
  {
    plan.adds[turn] = adds && turn > 0;
    const bool addsBefore = turn > 0 && (adds ? addsBeforeAdded[turn] : addsBeforeLabeled[turn]);
    if (turn == 0)
    {
      plan.costs[turn] = costs.labeling + (adds ? costs.preparing : 0);
    }
    else if (entering[turn] != 0)
    {
      plan.costs[turn] = !adds
                         ? costs.labeling
                         : costs.adding * static_cast<double>(entering[turn]) + (addsBefore ? 0 : costs.preparing);
    }
    adds = addsBefore;
  }
  return plan;
}

} // namespace brickccl
