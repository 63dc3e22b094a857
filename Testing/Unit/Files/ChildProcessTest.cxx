// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Files/Isolation/ChildProcess.h"

#include <gtest/gtest.h>

#ifndef _WIN32

#  include "SlowBuild.h"

#  include "BrickCCL/Host/Buffer.h"

#  include <csignal>
#  include <cstdio>
#  include <filesystem>
#  include <fstream>
#  include <map>
#  include <numeric>
#  include <set>
#  include <sys/mman.h>
#  include <unistd.h>

namespace brickccl
{
namespace
{

constexpr std::size_t KeyCount = 12;

/** The files that processes leave for this one. */
struct Shared
{
  pid_t         process[KeyCount];
  std::uint64_t sum[KeyCount];
};

class ForkedProcesses : public ::testing::Test
{
protected:
  void
  SetUp() override
  {
    if (testing::HasThreadSanitizer)
    {
      GTEST_SKIP() << "the thread sanitizer does not follow forked processes";
    }
    void * const memory = ::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(memory, MAP_FAILED);
    m_Shared = new (memory) Shared{};
    std::filesystem::create_directories(m_Folder);
  }

  ~ForkedProcesses() override
  {
    std::filesystem::remove_all(m_Folder);
  }

  /** Key 5 ends by a signal, key 7 by an exception; the others have their key as the exit code. */
  int
  Work(std::size_t key)
  {
    std::fprintf(stderr, "key %zu", key);
    std::fflush(stderr);
    m_Shared->process[key] = ::getpid();
    // Large memory, which is kept from key to key.
    Buffer<std::uint64_t> numbers;
    numbers.Resize(1000000 + 100000 * (key % 3));
    for (std::size_t i = 0; i < numbers.Size(); ++i)
    {
      numbers[i] = key;
    }
    m_Shared->sum[key] = std::accumulate(numbers.Data(), numbers.Data() + numbers.Size(), std::uint64_t{ 0 });
    if (key == 5)
    {
      ::raise(SIGKILL);
    }
    if (key == 7)
    {
      throw 7;
    }
    return static_cast<int>(key);
  }

  std::string
  ErrorFile(std::size_t key) const
  {
    return (m_Folder / std::to_string(key)).string();
  }

  Shared *              m_Shared = nullptr;
  std::filesystem::path m_Folder =
    std::filesystem::temp_directory_path() / ("brickccl-children-" + std::to_string(::getpid()));
};

TEST_F(ForkedProcesses, DoTheWorkOfEveryKeyAndTellHowItEnded)
{
  std::map<std::size_t, ChildEnd> ends;
  {
    ChildProcesses children(
      { [this](std::size_t key) { return Work(key); }, [this](std::size_t key) { return ErrorFile(key); } });
    for (std::size_t key = 0; key < KeyCount || children.Count() > 0;)
    {
      if (key < KeyCount && children.Count() < 2)
      {
        children.Start(key++);
        continue;
      }
      const auto all = children.WaitForSome();
      ASSERT_FALSE(all.empty());
      for (const ChildProcesses::Ended & ended : all)
      {
        ASSERT_TRUE(ends.emplace(ended.key, ended.end).second) << "key " << ended.key << " ended twice";
      }
    }
    EXPECT_TRUE(children.WaitForSome().empty());
  }
  ASSERT_EQ(ends.size(), KeyCount);
  std::set<pid_t> processes;
  for (const auto & [key, end] : ends)
  {
    EXPECT_EQ(end.signal, key == 5 ? SIGKILL : 0) << key;
    EXPECT_EQ(end.exitCode, key == 5 || key == 7 ? 1 : static_cast<int>(key)) << key;
    EXPECT_EQ(m_Shared->sum[key], key * (1000000 + 100000 * (key % 3)));
    std::ifstream stream(ErrorFile(key));
    std::string   text;
    std::getline(stream, text);
    EXPECT_EQ(text, "key " + std::to_string(key));
    processes.insert(m_Shared->process[key]);
  }
  EXPECT_EQ(processes.count(::getpid()), 0u);
  // Two at work, and one for that which died, unless the other had done the rest before the end of it was known.
  EXPECT_GE(processes.size(), 2u);
  EXPECT_LE(processes.size(), 3u);
  for (const pid_t process : processes)
  {
    EXPECT_NE(::kill(process, 0), 0) << "a process is left";
  }
}

} // namespace
} // namespace brickccl

#endif
