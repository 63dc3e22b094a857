// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Files/Disk/AtomicFile.h"
#include "BrickCCL/Host/Buffer.h"
#include "BrickCCL/Host/HugePages.h"
#include "BrickCCL/Host/Parallel.h"
#include "BrickCCL/Host/UninitializedVector.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <random>
#include <thread>
#include <vector>

#ifdef __linux__
#  include "BrickCCL/Files/Disk/TemporaryFolder.h"

#  include <sys/mman.h>
#  include <sys/wait.h>
#  include <unistd.h>
#endif
#ifndef _WIN32
#  include <sys/stat.h>
#endif

namespace brickccl
{
namespace
{

namespace fs = std::filesystem;

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

class AtomicFile : public ::testing::Test
{
protected:
  void
  SetUp() override
  {
    m_Folder = fs::temp_directory_path() / ("brickccl-test-" + std::to_string(std::random_device()()));
    fs::create_directories(m_Folder);
    m_Path = (m_Folder / "file.txt").string();
  }
  void
  TearDown() override
  {
    fs::remove_all(m_Folder);
  }
  std::string
  Content() const
  {
    std::ifstream stream(m_Path);
    return { std::istreambuf_iterator<char>(stream), {} };
  }

  fs::path    m_Folder;
  std::string m_Path;
};

TEST_F(AtomicFile, KeepsTheOldFileWhenWritingFails)
{
  ReplaceTextFile(m_Path, [](std::ostream & stream) { stream << "old"; });
  EXPECT_THROW(ReplaceTextFile(m_Path,
                               [](std::ostream & stream) {
                                 stream << "half of the new";
                                 throw std::runtime_error("no more");
                               }),
               std::runtime_error);
  EXPECT_EQ(Content(), "old");
  ReplaceTextFile(m_Path, [](std::ostream & stream) { stream << "new"; });
  EXPECT_EQ(Content(), "new");
  EXPECT_EQ(std::distance(fs::directory_iterator(m_Folder), fs::directory_iterator()), 1) << "nothing is left behind";
}

#ifndef _WIN32
TEST_F(AtomicFile, KeepsTheModeOfTheFileThatItReplaces)
{
  const auto mode = [](const fs::path & path) { return static_cast<unsigned>(fs::status(path).permissions()); };
  const auto writeBoth = [&] {
    ReplaceFile(m_Path, [](const std::string & temporary) {
      std::ofstream(temporary) << "header";
      std::ofstream(temporary + ".raw") << "data";
    });
  };
  const ::mode_t before = ::umask(027);
  writeBoth();
  ::umask(before);
  EXPECT_EQ(mode(m_Path), 0640u) << "a new file has what the umask leaves";
  EXPECT_EQ(mode(m_Path + ".raw"), 0640u);
  fs::permissions(m_Path, fs::perms(0600));
  fs::permissions(m_Path + ".raw", fs::perms(0664));
  writeBoth();
  EXPECT_EQ(mode(m_Path), 0600u);
  EXPECT_EQ(mode(m_Path + ".raw"), 0664u);
  const fs::path link = m_Folder / "link";
  fs::create_symlink(m_Path, link);
  ReplaceTextFile(link.string(), [](std::ostream & stream) { stream << "new"; });
  EXPECT_EQ(Content(), "new");
  EXPECT_EQ(mode(m_Path), 0600u);
}
#endif

#ifdef __linux__
TEST_F(AtomicFile, WhatAKilledProcessLeftGoesWithTheNextFileAndNoLivingOne)
{
  // The child prints its folder, and lives until the other end of the pipe is closed.
  const auto start = [&](bool lives, int & tellsToGo) {
    int toChild[2];
    int fromChild[2];
    EXPECT_EQ(::pipe(toChild) + ::pipe(fromChild), 0);
    const ::pid_t child = ::fork();
    if (child == 0)
    {
      ::close(toChild[1]);
      const TemporaryFolder folder(m_Folder);
      std::ofstream(folder.Path() / "half") << "half";
      const std::string path = folder.Path().string() + "\n";
      char              byte = 0;
      const bool        isTold = ::write(fromChild[1], path.data(), path.size()) > 0;
      ::_exit(isTold && lives && ::read(toChild[0], &byte, 1) == 0 ? 0 : 1);
    }
    std::string path;
    for (char byte = 0; ::read(fromChild[0], &byte, 1) == 1 && byte != '\n';)
    {
      path += byte;
    }
    for (const int descriptor : { toChild[0], fromChild[0], fromChild[1] })
    {
      ::close(descriptor);
    }
    tellsToGo = toChild[1];
    return std::make_pair(child, path);
  };
  const auto files = [&] { return std::distance(fs::directory_iterator(m_Folder), fs::directory_iterator()); };
  int        toDead = 0;
  int        toLiving = 0;
  const auto [living, livingPath] = start(true, toLiving);
  const auto [dead, deadPath] = start(false, toDead);
  ::waitpid(dead, nullptr, 0);
  EXPECT_TRUE(fs::exists(fs::path(deadPath) / "half"));
  ReplaceTextFile(m_Path, [](std::ostream & stream) { stream << "new"; });
  EXPECT_FALSE(fs::exists(deadPath));
  EXPECT_TRUE(fs::exists(fs::path(livingPath) / "half"));
  EXPECT_EQ(files(), 2);
  ::close(toDead);
  ::close(toLiving);
  ::waitpid(living, nullptr, 0);
}
#endif

TEST_F(AtomicFile, ManyFilesAreReplacedTogether)
{
  const auto write = [&](const std::string & text) {
    for (int i = 0; i < 200; ++i)
    {
      ReplaceTextFile((m_Folder / std::to_string(i)).string(), [&](std::ostream & stream) { stream << i << text; });
    }
  };
  const auto are = [&](const std::string & text) {
    for (int i = 0; i < 200; ++i)
    {
      std::ifstream     stream(m_Folder / std::to_string(i));
      const std::string content(std::istreambuf_iterator<char>(stream), {});
      EXPECT_EQ(content, std::to_string(i) + text);
    }
    EXPECT_EQ(std::distance(fs::directory_iterator(m_Folder), fs::directory_iterator()), 200);
  };
  for (const char * const text : { "old", "new" })
  {
    ReplacedTogether together;
    write(text);
    together.Move();
  }
  are("new");
  {
    ReplacedTogether together;
    write("newer");
  }
  are("new");
}

TEST_F(AtomicFile, OutputsOfAJobAreReplacedTogether)
{
  const std::string other = (m_Folder / "other").string();
  const auto        write = [](const std::string & path, const std::string & text) {
    ReplaceTextFile(path, [&](std::ostream & stream) { stream << text; });
  };
  const auto textOf = [](const fs::path & path) {
    std::ifstream stream(path);
    return std::string(std::istreambuf_iterator<char>(stream), {});
  };
  const auto entries = [&] { return std::distance(fs::directory_iterator(m_Folder), fs::directory_iterator()); };
  write(m_Path, "old");
  {
    ReplacedTogether together;
    write(m_Path, "new");
    write(other, "new");
    EXPECT_EQ(Content(), "old");
    EXPECT_FALSE(fs::exists(other));
  }
  EXPECT_EQ(Content(), "old") << "what never moved is gone";
  EXPECT_EQ(entries(), 1);
  {
    ReplacedTogether together;
    write(m_Path, "new");
    write(other, "new");
    together.Move();
    EXPECT_EQ(Content() + textOf(other), "newnew");
  }
  EXPECT_EQ(entries(), 2);
  // A folder takes the place of the last file after all are written: it cannot be replaced, and so none is.
  const fs::path third = m_Folder / "third";
  {
    ReplacedTogether together;
    write(m_Path, "newer");
    write(other, "newer");
    write((m_Folder / "first").string(), "newer");
    write(third.string(), "newer");
    fs::create_directories(third / "in it");
    EXPECT_THROW(together.Move(), Error);
    EXPECT_EQ(Content() + textOf(other), "newnew");
    EXPECT_FALSE(fs::exists(m_Folder / "first"));
  }
  EXPECT_EQ(entries(), 3);
  write(other, "alone");
  EXPECT_EQ(textOf(other), "alone") << "without a job it goes into place at once";
}

TEST_F(AtomicFile, SaysWhyAFileCannotBeWritten)
{
  EXPECT_THROW(CheckWritable((m_Folder / "missing" / "file").string()), Error);
  EXPECT_THROW(CheckWritable(m_Folder.string()), Error);
  EXPECT_NO_THROW(CheckWritable(m_Path));
  EXPECT_FALSE(fs::exists(m_Path)) << "checking writes nothing";
}

} // namespace
} // namespace brickccl
