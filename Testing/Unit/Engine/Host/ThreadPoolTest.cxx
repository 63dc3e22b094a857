// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Host/Parallel.h"
#include "BrickCCL/Files/Isolation/Program.h"
#include "BrickCCL/Host/System.h"
#include "BrickCCL/Host/TeamSteps.h"
#include "BrickCCL/Host/ThreadPool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cfenv>
#include <chrono>
#include <filesystem>
#include <functional>
#include <mutex>
#include <numeric>
#include <set>
#include <string>
#include <thread>
#include <vector>

#ifdef _WIN32
#  include <windows.h>
#else
#  include <dlfcn.h>
#  include <sys/wait.h>
#  include <unistd.h>
#endif

namespace brickccl
{
namespace
{

/** Runs a piece on each of `threads` threads, which wait until all have begun. \return whether they met, which they do
 *  not if one of them could not be started or a busy machine held it up for a minute. */
bool
Meet(int threads, const std::function<void(int)> & work = {})
{
  std::atomic<int> begun{ 0 };
  const auto       end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  RunOnThreads(threads, [&](int thread) {
    ++begun;
    while (begun < threads && std::chrono::steady_clock::now() < end)
    {
      std::this_thread::yield();
    }
    if (work)
    {
      work(thread);
    }
  });
  return begun == threads;
}

TEST(ThreadPool, EveryNumberKeepsItsThread)
{
  constexpr int                          threads = 4;
  std::vector<std::set<std::thread::id>> ids(threads);
  for (int round = 0; round < 50; ++round)
  {
    ASSERT_TRUE(
      Meet(threads, [&](int thread) { ids[static_cast<std::size_t>(thread)].insert(std::this_thread::get_id()); }));
    if (round % 10 == 9)
    {
      // Long enough for them to sleep.
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
  }
  std::set<std::thread::id> all;
  for (const auto & ofOne : ids)
  {
    EXPECT_EQ(ofOne.size(), 1u);
    all.insert(ofOne.begin(), ofOne.end());
  }
  EXPECT_EQ(all.size(), ids.size());
  EXPECT_EQ(*ids[0].begin(), std::this_thread::get_id());
}

TEST(ThreadPool, NoThreadRunsANumberTwiceOrAfterTheEnd)
{
#ifdef _WIN32
  constexpr int rounds = 1000; // threads sleep for a millisecond at least
#else
  constexpr int rounds = 3000;
#endif
  for (int round = 0; round < rounds; ++round)
  {
    std::vector<std::atomic<int>> runs(3);
    std::atomic<bool>             hasEnded{ false };
    std::atomic<int>              late{ 0 };
    const auto                    work = [&](int thread) {
      ++runs[static_cast<std::size_t>(thread)];
      // Now and then the others take longer than the caller.
      if (round % 10 == 0 && thread > 0)
      {
        std::this_thread::sleep_for(std::chrono::microseconds(round % 20 == 0 ? 20 : 200));
      }
      late += hasEnded ? 1 : 0;
    };
    if (round % 10 == 0)
    {
      ASSERT_TRUE(Meet(3, work));
    }
    else
    {
      RunOnThreads(3, work);
    }
    hasEnded = true;
    ASSERT_EQ(runs[0], 1);
    ASSERT_LE(runs[1], 1);
    ASSERT_LE(runs[2], 1);
    ASSERT_EQ(late, 0);
  }
}

TEST(ThreadPool, ServesSeveralCallersAtOnce)
{
  std::vector<std::thread>  callers;
  std::atomic<std::int64_t> sum{ 0 };
  for (int caller = 0; caller < 4; ++caller)
  {
    callers.emplace_back([&sum, caller] {
      for (int round = 0; round < 300; ++round)
      {
        ParallelFor(20, { 1 + (caller + round) % 4 }, [&](std::int64_t i) { sum += i; });
      }
    });
  }
  for (std::thread & caller : callers)
  {
    caller.join();
  }
  EXPECT_EQ(sum, 4 * 300 * 190);
}

/** Calls of ParallelFor within each other, three pieces each. */
void
Nest(int levels, std::atomic<int> & leaves)
{
  ParallelFor(3, { 3 }, [&](std::int64_t) {
    if (levels > 1)
    {
      Nest(levels - 1, leaves);
    }
    else
    {
      ++leaves;
    }
  });
}

TEST(TeamSteps, EveryPieceIsDoneOnceAndSeesThePiecesOfEarlierSteps)
{
  constexpr std::size_t pieces = 5;
  for (int round = 0; round < 200; ++round)
  {
    // Plain numbers: that each step sees those of the step before is what is tested.
    std::vector<int> first(pieces, 0);
    std::vector<int> second(pieces, 0);
    TeamSteps        steps(2, pieces);
    // Also with more threads than pieces, and with one that comes late or not at all.
    RunOnThreads(1 + round % 7, [&](int thread) {
      if (thread == 2)
      {
        std::this_thread::sleep_for(std::chrono::microseconds(round));
      }
      steps.Take(0, static_cast<std::size_t>(thread), [&](std::size_t piece) { first[piece] += 1; });
      steps.Take(1, static_cast<std::size_t>(thread), [&](std::size_t piece) {
        second[piece] += std::accumulate(first.begin(), first.end(), 0);
      });
    });
    EXPECT_EQ(first, std::vector<int>(pieces, 1));
    EXPECT_EQ(second, std::vector<int>(pieces, static_cast<int>(pieces)));
  }
}

TEST(ThreadPool, WorksWithinItselfToAnyDepth)
{
  for (int round = 0; round < 20; ++round)
  {
    std::atomic<int> leaves{ 0 };
    Nest(5, leaves);
    EXPECT_EQ(leaves, 243);
  }
}

TEST(ThreadPool, PassesExceptionsOfOtherThreadsOn)
{
  for (int round = 0; round < 100; ++round)
  {
    std::atomic<int> begun{ 0 };
    const auto       caller = std::this_thread::get_id();
    const auto       work = [&](std::int64_t) {
      ++begun;
      while (begun < 2)
      {
        std::this_thread::yield();
      }
      if (std::this_thread::get_id() != caller)
      {
        throw InvalidArgument("from elsewhere");
      }
    };
    EXPECT_THROW(ParallelFor(2, { 2 }, work), InvalidArgument);
  }
}

TEST(ThreadPool, RoundsAsTheCallerDoes)
{
  ASSERT_TRUE(Meet(2)) << "the other thread has begun before the rounding changes";
  std::mutex    mutex;
  std::set<int> roundings;
  std::fesetround(FE_UPWARD);
  const bool haveMet = Meet(2, [&](int) {
    const std::lock_guard<std::mutex> lock(mutex);
    roundings.insert(std::fegetround());
  });
  std::fesetround(FE_TONEAREST);
  EXPECT_TRUE(haveMet);
  EXPECT_EQ(roundings, std::set<int>{ FE_UPWARD });
}

TEST(ThreadPool, GivesNoMoreThreadsThanThereAre)
{
  EXPECT_GE(ProcessorCount(), 1);
  EXPECT_EQ(EffectiveThreadCount(0), ProcessorCount());
  EXPECT_EQ(EffectiveThreadCount(1), 1);
  EXPECT_EQ(EffectiveThreadCount(1000000), MaximumThreadCount());
  EXPECT_THROW(EffectiveThreadCount(-1), InvalidArgument);
  std::atomic<int> pieces{ 0 };
  ParallelFor(1000, { 1000000 }, [&](std::int64_t) { ++pieces; });
  EXPECT_EQ(pieces, 1000);
}

#ifndef _WIN32

// The thread sanitizer lets no forked process start threads. The address sanitizer's allocator keeps its locks in a
// forked process if another thread held them.
#  if !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)

TEST(ThreadPool, ForkedProcessesHaveTheirOwnThreads)
{
  ASSERT_TRUE(Meet(3));
  std::atomic<bool> isOver{ false };
  // Forked while threads sleep, and while they work for someone else.
  std::thread other([&] {
    while (!isOver)
    {
      ParallelFor(100, { 3 }, [](std::int64_t) {});
    }
  });
  for (int round = 0; round < 20; ++round)
  {
    const pid_t child = ::fork();
    if (child == 0)
    {
      // A child that hangs is ended.
      ::alarm(60);
      bool              isWell = Meet(3);
      std::atomic<long> sum{ 0 };
      ParallelFor(1000, { 3 }, [&](std::int64_t i) { sum += i; });
      isWell = isWell && sum == 499500;
      ::_exit(isWell ? 0 : 1);
    }
    ASSERT_GT(child, 0);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
    std::atomic<long> sum{ 0 };
    ParallelFor(1000, { 3 }, [&](std::int64_t i) { sum += i; });
    EXPECT_EQ(sum, 499500) << "the parent goes on";
  }
  isOver = true;
  other.join();
  EXPECT_TRUE(Meet(3)) << "the parent keeps its threads";
}

#  endif
#endif

/** A library that is loaded again, runs pieces on its own threads and is given back. */
class Module
{
public:
#ifdef _WIN32
  using Handle = HMODULE;
#else
  using Handle = void *;
#endif

  Module()
  {
    // It is next to this program.
    const std::string path =
      (std::filesystem::path(ProgramPath()).parent_path() / BRICKCCL_THREAD_POOL_MODULE).string();
#ifdef _WIN32
    m_Handle = LoadLibraryA(path.c_str());
#else
    m_Handle = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
#endif
    if (m_Handle == nullptr)
    {
      throw Error("cannot load " + path);
    }
  }
  Module(const Module &) = delete;
  Module & operator=(const Module &) = delete;
  ~Module()
  {
#ifdef _WIN32
    FreeLibrary(m_Handle);
#else
    ::dlclose(m_Handle);
#endif
  }

  int
  SumOnThreads(int count) const
  {
#ifdef _WIN32
    void * const function = reinterpret_cast<void *>(GetProcAddress(m_Handle, "SumOnThreads"));
#else
    void * const function = ::dlsym(m_Handle, "SumOnThreads");
#endif
    return reinterpret_cast<int (*)(int)>(function)(count);
  }

private:
  Handle m_Handle;
};

TEST(ThreadPool, OutlivesTheUseOfItsLibrary)
{
  for (int round = 0; round < 20; ++round)
  {
    const Module module;
    EXPECT_EQ(module.SumOnThreads(100), 4950);
    if (round % 2 == 0)
    {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
  // Threads of a library that was taken out of memory would fail now, while they wait and when the process ends.
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
}

} // namespace
} // namespace brickccl
