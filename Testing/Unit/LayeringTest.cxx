// The rooms of Source/ are layers: a file includes only rooms of a lower or its own rank, algorithms never include
// each other, and foreign headers stay in the rooms made for them.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>

namespace
{

namespace fs = std::filesystem;

const std::map<std::string, int> Ranks = {
  { "Core", 0 }, { "Criteria", 1 }, { "Forest", 1 },     { "Simd", 1 },       { "Bricks", 1 },   { "Host", 2 },
  { "Runs", 2 }, { "Cuda", 2 }, { "Voxels", 2 },     { "Algorithms", 3 }, { "Components", 3 }, { "Dispatch", 4 }, { "OutOfCore", 5 }, { "Files", 6 },
  { "Itk", 6 },  { "Vtk", 6 },      { "Pictures", 6 }, { "Phantoms", 6 },   { "Cli", 7 }
};

int
RankOf(const std::string & room)
{
  const auto found = Ranks.find(room);
  EXPECT_NE(found, Ranks.end()) << "room " << room << " has no rank";
  return found == Ranks.end() ? -1 : found->second;
}

/** The header that a line includes, or nothing. */
std::string
IncludedBy(const std::string & line)
{
  const auto hash = line.find_first_not_of(" \t");
  if (hash == std::string::npos || line[hash] != '#')
  {
    return {};
  }
  const auto word = line.find_first_not_of(" \t", hash + 1);
  const auto open = line.find_first_of("<\"", hash);
  const auto close = line.find_last_of(">\"");
  const bool isInclude = word != std::string::npos && line.compare(word, 7, "include") == 0;
  return isInclude && open != std::string::npos && close > open ? line.substr(open + 1, close - open - 1)
                                                                : std::string();
}

bool
StartsWith(const std::string & text, const std::string & start)
{
  return text.compare(0, start.size(), start) == 0;
}

TEST(Layering, IncludesPointDownwards)
{
  const fs::path              source(BRICKCCL_SOURCE_DIR);
  const std::set<std::string> extensions = { ".h", ".hxx", ".cxx", ".cu", ".cuh" };
  int                         checked = 0;
  for (const auto & entry : fs::recursive_directory_iterator(source))
  {
    const fs::path    file = entry.path();
    const std::string extension = file.extension().string();
    const fs::path    relative = fs::relative(file, source);
    if (!entry.is_regular_file() || extensions.count(extension) == 0 || !relative.has_parent_path())
    {
      continue;
    }
    const std::string room = relative.begin()->string();
    const int         rank = RankOf(room);
    std::ifstream     stream(file);
    for (std::string line; std::getline(stream, line);)
    {
      const std::string header = IncludedBy(line);
      if (header.empty())
      {
        continue;
      }
      ++checked;
      if (StartsWith(header, "BrickCCL/"))
      {
        const fs::path    path(header.substr(9));
        const std::string other = path.begin()->string();
        EXPECT_LE(RankOf(other), rank) << relative << " includes " << header;
        if (room == "Algorithms" && other == "Algorithms")
        {
          EXPECT_EQ(std::next(relative.begin())->string(), std::next(path.begin())->string())
            << relative << " includes another algorithm: " << header;
        }
        if (room == "Phantoms")
        {
          EXPECT_TRUE(other == "Core" || other == "Phantoms") << relative << " includes " << header;
        }
      }
      const bool isForeign = StartsWith(header, "itk") || StartsWith(header, "vtk");
      if (isForeign && header.size() > 3 && header[3] >= 'A' && header[3] <= 'Z')
      {
        EXPECT_GE(rank, 6) << relative << " includes " << header;
      }
      if (StartsWith(header, "hwy/"))
      {
        EXPECT_EQ(room, "Simd") << relative << " includes " << header;
      }
      if (StartsWith(header, "cuda") || StartsWith(header, "thrust/") || StartsWith(header, "cub/"))
      {
        EXPECT_TRUE(room == "Cuda" || extension == ".cu" || extension == ".cuh") << relative << " includes " << header;
      }
    }
  }
  EXPECT_GT(checked, 100) << "the sources were not found";
}

} // namespace
