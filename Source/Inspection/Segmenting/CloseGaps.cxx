// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Segmenting/CloseGaps.h"

#include "BrickCCL/Segmenting/FindGaps.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <queue>
#include <utility>
#include <vector>

namespace brickccl
{

namespace
{

constexpr auto Outside = static_cast<std::uint8_t>(GapState::Outside);
constexpr auto Gap = static_cast<std::uint8_t>(GapState::Gap);
/** A voxel of a gap that the outside reaches, and one that deep voxels reach as well. */
constexpr std::uint8_t Reached = 3;
constexpr std::uint8_t ReachedBack = 4;

/** Lets states spread among neighbors by faces, edges and corners. */
class StateSpreader
{
public:
  StateSpreader(std::uint8_t * states, const Extent & extent, const GapLimits & limits)
    : m_States(states)
    , m_Extent(extent)
  {
    for (int place = 0; place < 27; ++place)
    {
      Step   step{ { place % 3 - 1, place / 3 % 3 - 1, place / 9 - 1 }, 0, 0 };
      double square = 0;
      for (int axis = 2; axis >= 0; --axis)
      {
        step.offset = step.offset * extent.size[axis] + step.by[axis];
        square += step.by[axis] * step.by[axis] * limits.geometry.spacing[axis] * limits.geometry.spacing[axis];
      }
      step.length = std::sqrt(square);
      if (square > 0)
      {
        m_Steps.push_back(step);
      }
    }
  }

  using Entry = std::pair<double, std::int64_t>;

  /** Gives the state `to` to voxels of state `from` that the voxels of the state `source` reach along them. Paths end
   * at the first voxel that is not nearer than `reach`. \return these voxels and the lengths of the paths to them, the
   * nearest first */
  std::vector<Entry>
  Spread(std::uint8_t source, std::uint8_t from, std::uint8_t to, double reach, const HostContext & context) const
  {
    Queue              queue = StartsOf(source, from, context);
    StopPoint          stop(context);
    std::uint64_t      count = 0;
    std::vector<Entry> reached;
    while (!queue.empty())
    {
      const auto [length, place] = queue.top();
      queue.pop();
      stop.AskAt(++count);
      if (m_States[place] == from)
      {
        m_States[place] = to;
        reached.push_back({ length, place });
        ForEachNeighbor(place, [&, length = length](std::int64_t other, double step) {
          if (m_States[other] == from && length < reach)
          {
            queue.push({ length + step, other });
          }
        });
      }
    }
    return reached;
  }

  /** Gives the state `to` to voxels with a neighbor of this state to which the path is longer.
   * \param reached  voxels and the lengths of the paths to them, the nearest first */
  void
  Climb(const std::vector<Entry> & reached, std::uint8_t to, const HostContext & context) const
  {
    StopPoint                 stop(context);
    std::vector<std::int64_t> joined;
    for (std::size_t end = reached.size(); end > 0;)
    {
      const double length = reached[end - 1].first * (1 - 1e-9);
      for (; end > 0 && reached[end - 1].first > length; --end)
      {
        stop.AskAt(static_cast<std::uint64_t>(end));
        bool isNextTo = false;
        ForEachNeighbor(reached[end - 1].second,
                        [&](std::int64_t other, double) { isNextTo = isNextTo || m_States[other] == to; });
        if (isNextTo)
        {
          joined.push_back(reached[end - 1].second);
        }
      }
      for (const std::int64_t place : joined)
      {
        m_States[place] = to;
      }
      joined.clear();
    }
  }

private:
  struct Step
  {
    int          by[3];
    std::int64_t offset;
    double       length;
  };
  using Queue = std::priority_queue<Entry, std::vector<Entry>, std::greater<>>;

  template <typename TWork>
  void
  ForEachNeighbor(std::int64_t place, TWork work) const
  {
    const std::int64_t at[3] = { place % m_Extent.size[0],
                                 place / m_Extent.size[0] % m_Extent.size[1],
                                 place / m_Extent.size[0] / m_Extent.size[1] };
    for (const Step & step : m_Steps)
    {
      bool isThere = true;
      for (int axis = 0; axis < 3; ++axis)
      {
        const std::int64_t to = at[axis] + step.by[axis];
        isThere = isThere && to >= 0 && to < m_Extent.size[axis];
      }
      if (isThere)
      {
        work(place + step.offset, step.length);
      }
    }
  }

  /** The voxels next to the sources. */
  Queue
  StartsOf(std::uint8_t source, std::uint8_t from, const HostContext & context) const
  {
    const Chunks                    chunks(m_Extent.RowCount(), 1, 1024);
    std::vector<std::vector<Entry>> starts(static_cast<std::size_t>(chunks.count));
    ParallelFor(chunks.count, context, [&](std::int64_t chunk) {
      const std::int64_t end = chunks.End(chunk) * m_Extent.RowLength();
      for (std::int64_t place = chunks.Begin(chunk) * m_Extent.RowLength(); place < end; ++place)
      {
        double least = std::numeric_limits<double>::infinity();
        if (m_States[place] == from)
        {
          ForEachNeighbor(place, [&](std::int64_t other, double step) {
            least = m_States[other] == source ? std::min(least, step) : least;
          });
        }
        if (std::isfinite(least))
        {
          starts[static_cast<std::size_t>(chunk)].push_back({ least, place });
        }
      }
    });
    std::vector<Entry> all;
    for (const std::vector<Entry> & some : starts)
    {
      all.insert(all.end(), some.begin(), some.end());
    }
    return Queue(std::greater<>(), std::move(all));
  }

  std::uint8_t *    m_States;
  const Extent &    m_Extent;
  std::vector<Step> m_Steps;
};

} // namespace

void
KeepDeepGaps(std::uint8_t * states, const Extent & extent, const GapLimits & limits, const HostContext & context)
{
  const StateSpreader spreader(states, extent, limits);
  const double        reach = limits.depth * (1 - 1e-6);
  const auto          reached = spreader.Spread(Outside, Gap, Reached, reach, context.Part(0, 0.5));
  if (!spreader.Spread(Gap, Reached, ReachedBack, 1.5 * reach, context.Part(0.5, 1)).empty())
  {
    spreader.Climb(reached, Gap, context);
  }
  const Chunks chunks(extent.VoxelCount(), 1 << 16, 256);
  ParallelFor(chunks.count, context.Silent(), [&](std::int64_t chunk) {
    std::uint8_t * const begin = states + chunks.Begin(chunk);
    std::transform(begin, states + chunks.End(chunk), begin, [](std::uint8_t state) {
      return state == Reached ? Outside : state == ReachedBack ? Gap : state;
    });
  });
}

void
FindGapsToClose(std::uint8_t *                mask,
                const Extent &                extent,
                const GapLimits &             limits,
                const HostContext &           context,
                const std::function<void()> & fillHoles)
{
  FindGaps(mask, extent, limits.geometry, limits.width, Gap, context.Part(0, 0.5), limits.sides);
  fillHoles();
  KeepDeepGaps(mask, extent, limits, context.Part(0.6, 1));
}

} // namespace brickccl
