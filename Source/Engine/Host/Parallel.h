// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Host/Progress.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <thread>

namespace brickccl
{

/** How host work runs: the number of threads, and the receiver of progress. */
struct HostContext
{
  /** The number of threads; 0: every thread that the machine supports. */
  int      threads = 0;
  Progress progress = {};
  /** Work is cut into pieces of at least this many voxels. Results never depend on it. */
  std::int64_t grain = std::int64_t{ 1 } << 16;

  /** The same threads without reports of progress. */
  HostContext
  Silent() const
  {
    return { threads, {}, grain };
  }

  /** The same threads. Canceling works, but progress is not reported. */
  HostContext
  Quiet() const
  {
    return { threads, progress.Quiet(), grain };
  }

  /** The same threads with the part from `begin` to `end` of this context's progress. */
  HostContext
  Part(double begin, double end) const
  {
    return { threads, progress.Part(begin, end), grain };
  }
};

/** Lets long pieces of work check for canceling, on any thread of a ParallelFor. It is made on the calling thread,
 *  which asks the caller; the other threads see the answer. */
class StopPoint
{
public:
  /** About this many voxels, runs or components should be between two checks. */
  static constexpr std::int64_t Steps = std::int64_t{ 1 } << 14;

  explicit StopPoint(const HostContext & context)
    : m_Progress(context.progress.Quiet())
  {}

  /** \throws Canceled if the caller wants to stop. */
  void
  Ask()
  {
    if (std::this_thread::get_id() == m_Caller && m_Progress.IsCanceled())
    {
      m_Stops.store(true, std::memory_order_relaxed);
    }
    if (m_Stops.load(std::memory_order_relaxed))
    {
      throw Canceled();
    }
  }

  /** Asks at every Steps-th number that it is called with. */
  void
  AskAt(std::uint64_t number)
  {
    if (number % static_cast<std::uint64_t>(Steps) == 0)
    {
      Ask();
    }
  }

private:
  Progress              m_Progress;
  const std::thread::id m_Caller = std::this_thread::get_id();
  std::atomic<bool>     m_Stops{ false };
};

/** The number of threads for `threads`: 0 means one on each processor that this process may use. At most
 *  as many as these processors, or 16 if they are fewer. \throws InvalidArgument if it is negative. */
int EffectiveThreadCount(int threads);

/** Runs `work(0)` .. `work(count - 1)`, in any order, on the context's threads, and returns when all are done. The
 *  first exception is thrown again here; the rest of the work is then skipped. */
void ParallelFor(std::int64_t count, const HostContext & context, const std::function<void(std::int64_t)> & work);

/** A division of 0 .. size - 1 into consecutive ranges of nearly equal length. */
struct Chunks
{
  std::int64_t size;
  std::int64_t count;

  /** Makes at most `maximum` chunks of at least `minimum` elements each, and at least one chunk. */
  Chunks(std::int64_t elements, std::int64_t minimum, std::int64_t maximum)
    : size(elements)
    , count(std::max<std::int64_t>(1, std::min(maximum, elements / std::max<std::int64_t>(1, minimum))))
  {}

  std::int64_t
  Begin(std::int64_t chunk) const
  {
    const std::int64_t rest = size % count;
    return size / count * chunk + std::min(chunk, rest);
  }
  std::int64_t
  End(std::int64_t chunk) const
  {
    return Begin(chunk + 1);
  }
};

} // namespace brickccl
