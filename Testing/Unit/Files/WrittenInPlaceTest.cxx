// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Files/Disk/AtomicFile.h"
#include "BrickCCL/Files/Disk/FlushDisk.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <stdexcept>
#include <string>

namespace brickccl
{
namespace
{

namespace fs = std::filesystem;

class WrittenInPlaceTest : public ::testing::Test
{
protected:
  void
  SetUp() override
  {
    fs::create_directories(m_Folder / "within");
  }
  void
  TearDown() override
  {
    fs::remove_all(m_Folder);
  }
  std::ptrdiff_t
  Entries() const
  {
    return std::distance(fs::directory_iterator(m_Folder), fs::directory_iterator());
  }

  fs::path m_Folder = fs::temp_directory_path() / ("brickccl-in-place-" + std::to_string(std::random_device()()));
};

TEST_F(WrittenInPlaceTest, FilesAreWhereTheyBelongAtOnceAndNothingElseIs)
{
  const std::string path = (m_Folder / "file.txt").string();
  {
    const WrittenInPlace inPlace;
    ReplaceFile(path, [&](const std::string & file) {
      EXPECT_EQ(file, path);
      std::ofstream(file) << "text";
      EXPECT_EQ(Entries(), 2);
    });
    EXPECT_THROW(ReplaceFile((m_Folder / "none").string(), [](const std::string &) {}), Error);
  }
  EXPECT_EQ(Entries(), 2);
  FlushFolders({ m_Folder.string() });
  EXPECT_THROW(FlushFolders({ (m_Folder / "none").string() }), std::exception);
  ReplaceFile(path, [&](const std::string & file) {
    EXPECT_NE(file, path) << "it ends with its scope";
    std::ofstream(file) << "text";
  });
}

TEST_F(WrittenInPlaceTest, NoHalfOfAFileStays)
{
  const WrittenInPlace inPlace;
  const auto           fail = [](std::ostream & stream) {
    stream << "half";
    throw std::runtime_error("no more");
  };
  EXPECT_THROW(ReplaceTextFile((m_Folder / "file.txt").string(), fail), std::runtime_error);
  EXPECT_EQ(Entries(), 1);
}

} // namespace
} // namespace brickccl
