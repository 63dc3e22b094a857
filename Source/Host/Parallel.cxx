#include "BrickCCL/Host/Parallel.h"

#include <atomic>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#ifdef BRICKCCL_USE_TBB
#  include <tbb/parallel_for.h>
#  include <tbb/task_arena.h>
#endif

namespace brickccl
{

namespace
{

/** The numbers 0 .. count - 1, a part of them for each thread. A thread first takes those of its own part. So it meets,
 *  step after step, the memory that it was the first to touch, which the system has put beside its processor. Then it
 *  helps the others. */
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
  /** Leaves the rest untaken. */
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
#ifdef BRICKCCL_USE_TBB
  // More threads than the machine has gain nothing, and oneTBB warns of them on the error stream.
  const int most = tbb::this_task_arena::max_concurrency();
  return threads > 0 ? std::min(threads, most) : most;
#else
  return threads > 0 ? threads : static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
#endif
}

void
ParallelFor(std::int64_t count, const HostContext & context, const std::function<void(std::int64_t)> & work)
{
  const int  threads = static_cast<int>(std::min<std::int64_t>(EffectiveThreadCount(context.threads), count));
  SharedWork shared(count, std::max(1, threads));
  std::atomic<std::int64_t> done{ 0 };
  std::exception_ptr        failure;
  std::mutex                failureMutex;
  const std::thread::id     caller = std::this_thread::get_id();

  const auto takeWork = [&](int thread) {
    const bool isCaller = std::this_thread::get_id() == caller;
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

  if (threads <= 1)
  {
    takeWork(0);
  }
  else
  {
#ifdef BRICKCCL_USE_TBB
    // Arenas are kept, one for each number of threads. oneTBB takes longer for every new arena while old ones linger.
    // Work that calls this function again must not end the arena that it runs in.
    thread_local std::map<int, std::unique_ptr<tbb::task_arena>> arenas;
    auto &                                                       arena = arenas[threads];
    if (!arena)
    {
      arena = std::make_unique<tbb::task_arena>(threads);
    }
    // Threads keep their slots in an arena, as far as they can.
    const auto takeOwn = [&takeWork](int) { takeWork(tbb::this_task_arena::current_thread_index()); };
    arena->execute([&] { tbb::parallel_for(0, threads, takeOwn, tbb::simple_partitioner{}); });
#else
    std::vector<std::thread> helpers;
    for (int thread = 1; thread < threads; ++thread)
    {
      helpers.emplace_back(takeWork, thread);
    }
    takeWork(0);
    for (std::thread & helper : helpers)
    {
      helper.join();
    }
#endif
  }
  if (failure)
  {
    std::rethrow_exception(failure);
  }
  context.progress.Update(1);
}

} // namespace brickccl
