#include "BrickCCL/Files/Disk/AtomicFile.h"

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Files/Disk/TemporaryFolder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace brickccl
{
namespace
{

namespace fs = std::filesystem;

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

#ifdef __linux__
TEST_F(AtomicFile, WhatAKilledProcessLeftGoesWithTheNextFileAndNoLivingOne)
{
  // The child tells which folder it has, and lives until the other end of the pipe is closed.
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
