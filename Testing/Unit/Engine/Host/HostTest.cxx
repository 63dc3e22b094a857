#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Host/Buffer.h"
#include "BrickCCL/Host/HugePages.h"
#include "BrickCCL/Host/Parallel.h"
#include "BrickCCL/Host/UninitializedVector.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <numeric>
#include <thread>
#include <vector>

#ifdef __linux__
#  include <sys/mman.h>
#  include <sys/wait.h>
#  include <unistd.h>
#endif

namespace brickccl
{
namespace
{

TEST(Buffer, IsAlignedAndRefusesWhatNoMemoryHolds)
{
  Buffer<std::uint64_t> buffer;
  for (const std::size_t size : { std::size_t{ 1 }, std::size_t{ 1000 }, LargePage / 8, LargePage })
  {
    buffer.Resize(size);
    const std::uintptr_t alignment = size * 8 < LargePage ? 64 : LargePage;
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer.Data()) % alignment, 0u) << size;
    std::fill_n(buffer.Data(), size, 1);
  }
  // So many bytes are 0 and 8 modulo 2^64.
  for (const std::size_t size : { std::size_t{ 1 } << 61, (std::size_t{ 1 } << 61) + 1 })
  {
    EXPECT_THROW(buffer.Resize(size), std::bad_alloc);
    EXPECT_THROW(MakeUnset<std::uint64_t>(size), std::exception);
  }
  buffer.Resize(10);
  EXPECT_EQ(buffer.Size(), 10u);
}

TEST(ParallelFor, RunsEveryPieceOnce)
{
  for (const int threads : { 1, 2, 5 })
  {
    std::vector<std::atomic<int>> runs(1000);
    ParallelFor(1000, { threads }, [&](std::int64_t i) { ++runs[static_cast<std::size_t>(i)]; });
    for (const auto & count : runs)
    {
      ASSERT_EQ(count, 1);
    }
  }
  ParallelFor(0, {}, [](std::int64_t) { FAIL() << "there is no piece"; });
}

TEST(ParallelFor, ThreadsBeginWithTheirOwnPart)
{
  constexpr std::int64_t pieces = 10;
  if (EffectiveThreadCount(2) < 2)
  {
    GTEST_SKIP() << "one processor";
  }
  int met = 0;
  for (int round = 0; round < 20; ++round)
  {
    const std::thread::id     caller = std::this_thread::get_id();
    std::atomic<std::int64_t> firstOfCaller{ -1 };
    std::atomic<std::int64_t> firstOfOther{ -1 };
    std::atomic<bool>         haveMet{ true };
    ParallelFor(pieces, { 2 }, [&](std::int64_t i) {
      const bool   isCaller = std::this_thread::get_id() == caller;
      std::int64_t none = -1;
      (isCaller ? firstOfCaller : firstOfOther).compare_exchange_strong(none, i);
      // Until both have begun; on a busy machine one may never do.
      const auto begin = std::chrono::steady_clock::now();
      while (haveMet && (isCaller ? firstOfOther : firstOfCaller) < 0)
      {
        haveMet = std::chrono::steady_clock::now() - begin < std::chrono::seconds(1);
        std::this_thread::yield();
      }
    });
    if (haveMet)
    {
      ++met;
      EXPECT_EQ(firstOfCaller, 0);
      EXPECT_EQ(firstOfOther, pieces / 2);
    }
  }
  EXPECT_GT(met, 0);
}

TEST(ParallelFor, WorksWithinItselfOnOtherNumbersOfThreads)
{
  std::atomic<int> pieces{ 0 };
  ParallelFor(8, { 3 }, [&](std::int64_t outer) {
    ParallelFor(4, { 2 + static_cast<int>(outer % 3) }, [&](std::int64_t) { ++pieces; });
  });
  EXPECT_EQ(pieces, 8 * 4);
}

TEST(ParallelFor, PassesTheFirstExceptionOn)
{
  constexpr std::int64_t pieces = 100000;
  for (const int threads : { 1, 3 })
  {
    std::atomic<std::int64_t> started{ 0 };
    std::atomic<bool>         failing{ false };
    const auto                work = [&](std::int64_t i) {
      ++started;
      if (i == 5)
      {
        failing = true;
        throw InvalidArgument("five");
      }
      // The pieces behind it come slowly, so that the failure is seen long before the last, whatever thread is held up.
      while (i > 5 && !failing)
      {
        std::this_thread::yield();
      }
      if (i > 5)
      {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
    };
    EXPECT_THROW(ParallelFor(pieces, { threads }, work), InvalidArgument);
    EXPECT_LT(started, pieces) << "the rest is skipped";
    EXPECT_TRUE(threads > 1 || started == 6) << started;
  }
}

#ifdef __linux__
TEST(FreshMemory, TellsWhatWasNeverTouched)
{
  // Pieces that end with large pages, and others; all of the pages are this test's own.
  for (const std::size_t piece : { std::size_t{ 1 } << 20, std::size_t{ 2080 }, std::size_t{ 5000000 } })
  {
    const std::size_t bytes = std::size_t{ 12 } << 20;
    void * const      memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(memory, MAP_FAILED);
    AdviseHugePages(memory, bytes);
    auto * const own = static_cast<unsigned char *>(memory) + 24;
    const auto   freshPieces = [&](unsigned char value) {
      FreshMemory fresh(own, bytes - 24);
      std::size_t count = 0;
      for (std::size_t begin = 0; begin + piece <= bytes - 24; begin += piece)
      {
        count += fresh.Touch(own + begin, piece) ? 1 : 0;
        std::fill_n(own + begin, piece, value);
      }
      return count;
    };
    const std::size_t pieces = (bytes - 24) / piece;
    EXPECT_GT(freshPieces(3), pieces / 2) << piece;
    EXPECT_EQ(freshPieces(4), 0u) << piece;
    EXPECT_EQ(own[-1], 0) << "that is someone else's";
    EXPECT_EQ(own[pieces * piece - 1], 4);
    munmap(memory, bytes);
  }
}
#endif

TEST(Chunks, CoverEverythingInOrder)
{
  for (const std::int64_t size : { 0, 1, 7, 100, 1001 })
  {
    for (const std::int64_t maximum : { 1, 3, 64 })
    {
      const Chunks chunks(size, 2, maximum);
      std::int64_t next = 0;
      for (std::int64_t chunk = 0; chunk < chunks.count; ++chunk)
      {
        EXPECT_EQ(chunks.Begin(chunk), next);
        next = chunks.End(chunk);
      }
      EXPECT_EQ(next, size);
    }
  }
}

} // namespace
} // namespace brickccl
