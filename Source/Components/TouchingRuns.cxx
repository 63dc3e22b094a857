#include "BrickCCL/Components/TouchingRuns.h"

#include "BrickCCL/Components/LabeledRuns.h"
#include "BrickCCL/Runs/FindRuns.h"

#include <algorithm>
#include <atomic>
#include <vector>

namespace brickccl
{

namespace
{

/** Of runs in order, whether any two in a row differ though one ends where the other begins. */
bool
DifferInRow(const std::vector<LabeledRun> & runs)
{
  const auto differ = [](const LabeledRun & a, const LabeledRun & b) { return a.end == b.begin && a.label != b.label; };
  return std::adjacent_find(runs.begin(), runs.end(), differ) != runs.end();
}

/** Whether runs of two rows, in neither of which any differ, touch and differ. */
bool
DifferBetween(const std::vector<LabeledRun> & a, const std::vector<LabeledRun> & b)
{
  for (auto own = a.begin(), other = b.begin(); own != a.end() && other != b.end();)
  {
    if (own->begin <= other->end && other->begin <= own->end && own->label != other->label)
    {
      return true;
    }
    ++(own->end < other->end ? own : other);
  }
  return false;
}

} // namespace

bool
TouchingRunsAreJoined(const RunVolume & volume, const HostContext & context)
{
  if (volume.TouchingAreJoined())
  {
    return true;
  }
  const Extent &    extent = volume.GetExtent();
  const Chunks      chunks = RowChunks(extent, context);
  std::atomic<bool> differ = false;
  ParallelFor(chunks.count, context.Silent(), [&](std::int64_t chunk) {
    LabeledRows rows(volume, true);
    for (std::int64_t row = chunks.Begin(chunk); row < chunks.End(chunk) && !differ; ++row)
    {
      if (volume.FirstRun(row) == volume.FirstRun(row + 1))
      {
        continue;
      }
      const std::int64_t              z = row / extent.size[1];
      const std::int64_t              y = row - z * extent.size[1];
      const std::vector<LabeledRun> & own = rows.At(y, z);
      const auto                      differFrom = [&](std::int64_t otherY, std::int64_t otherZ) {
        return otherY >= 0 && otherY < extent.size[1] && otherZ >= 0 && DifferBetween(own, rows.At(otherY, otherZ));
      };
      if (DifferInRow(own) || differFrom(y - 1, z) || differFrom(y - 1, z - 1) || differFrom(y, z - 1) ||
          differFrom(y + 1, z - 1))
      {
        differ = true;
      }
    }
  });
  return !differ;
}

} // namespace brickccl
