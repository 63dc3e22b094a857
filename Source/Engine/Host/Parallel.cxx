// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Host/Parallel.h"

#include "BrickCCL/Host/System.h"
#include "BrickCCL/Host/ThreadPool.h"

#include <exception>
#include <mutex>
#include <string>
#include <vector>

namespace brickccl
{

namespace
{

/** The numbers 0 .. count - 1, a part for each thread. A thread first takes its own part, so as to meet the memory that
 *  it touched first, which the system has placed near its processor. Then it helps the others. */
class SharedWork
{
public:
  SharedWork(std::int64_t count, int threads)
    : m_Parts(static_cast<std::size_t>(threads))
  {
    const Chunks parts(count, 1, threads);
    for (std::size_t i = 0; i < m_Parts.size(); ++i)
    {
      m_Parts[i].next = parts.Begin(static_cast<std::int64_t>(i));
      m_Parts[i].end = parts.End(static_cast<std::int64_t>(i));
    }
  }

  /** Takes the next number for a thread; negative if there is none. */
  std::int64_t
  Take(int thread)
  {
    for (std::size_t i = 0; i < m_Parts.size(); ++i)
    {
      Part & part = m_Parts[(static_cast<std::size_t>(thread) + i) % m_Parts.size()];
      if (part.next < part.end)
      {
        if (const std::int64_t number = part.next++; number < part.end)
        {
          return number;
        }
      }
    }
    return -1;
  }
  void
  Stop()
  {
    for (Part & part : m_Parts)
    {
      part.next = part.end;
    }
  }

private:
  /** Each part has a cache line of its own. */
  struct alignas(64) Part
  {
    std::atomic<std::int64_t> next{ 0 };
    std::int64_t              end = 0;
  };

  std::vector<Part> m_Parts;
};

} // namespace

int
EffectiveThreadCount(int threads)
{
  if (threads < 0)
  {
    throw InvalidArgument("the number of threads " + std::to_string(threads) +
                          " is invalid; it must be at least 1, or 0 for all");
  }
  return threads > 0 ? std::min(threads, MaximumThreadCount()) : ProcessorCount();
}

void
ParallelFor(std::int64_t count, const HostContext & context, const std::function<void(std::int64_t)> & work)
{
  const int  threads = static_cast<int>(std::min<std::int64_t>(EffectiveThreadCount(context.threads), count));
  SharedWork shared(count, std::max(1, threads));
  std::atomic<std::int64_t> done{ 0 };
  std::exception_ptr        failure;
  std::mutex                failureMutex;

  const auto takeWork = [&](int thread) {
    // Progress hooks are called only on the calling thread.
    const bool isCaller = thread == 0;
    try
    {
      for (std::int64_t i = shared.Take(thread); i >= 0; i = shared.Take(thread))
      {
        work(i);
        ++done;
        if (isCaller)
        {
          context.progress.Update(static_cast<double>(done.load()) / static_cast<double>(count));
        }
      }
    }
    catch (...)
    {
      shared.Stop();
      const std::lock_guard<std::mutex> lock(failureMutex);
      if (!failure)
      {
        failure = std::current_exception();
      }
    }
  };

  RunOnThreads(threads, std::ref(takeWork));
  if (failure)
  {
    std::rethrow_exception(failure);
  }
  context.progress.Update(1);
}

} // namespace brickccl
