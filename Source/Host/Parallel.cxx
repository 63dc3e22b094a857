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

int
EffectiveThreadCount(int threads)
{
  if (threads < 0)
  {
    throw InvalidArgument("the number of threads " + std::to_string(threads) +
                          " is invalid; it must be at least 1, or 0 for all");
  }
#ifdef BRICKCCL_USE_TBB
  // More threads than the machine has bring nothing, and oneTBB complains of them on the error stream.
  const int most = tbb::this_task_arena::max_concurrency();
  return threads > 0 ? std::min(threads, most) : most;
#else
  return threads > 0 ? threads : static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
#endif
}

void
ParallelFor(std::int64_t count, const HostContext & context, const std::function<void(std::int64_t)> & work)
{
  const int threads = static_cast<int>(std::min<std::int64_t>(EffectiveThreadCount(context.threads), count));
  std::atomic<std::int64_t> next{ 0 };
  std::atomic<std::int64_t> done{ 0 };
  std::exception_ptr        failure;
  std::mutex                failureMutex;
  const std::thread::id     caller = std::this_thread::get_id();

  const auto takeWork = [&](int) {
    const bool isCaller = std::this_thread::get_id() == caller;
    try
    {
      for (std::int64_t i = next++; i < count; i = next++)
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
      next = count;
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
    // Arenas are kept, one for each number of threads: oneTBB takes longer over every new one as long as old ones
    // linger, and work that calls this function again must not end the arena that it runs in.
    thread_local std::map<int, std::unique_ptr<tbb::task_arena>> arenas;
    auto &                                                       arena = arenas[threads];
    if (!arena)
    {
      arena = std::make_unique<tbb::task_arena>(threads);
    }
    arena->execute([&] { tbb::parallel_for(0, threads, takeWork, tbb::simple_partitioner{}); });
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
