// SPDX-License-Identifier: Apache-2.0
// The rooms of Source/ are layers: a file includes only rooms of a lower or its own storey and rank, no two rooms
// include each other in a circle, algorithms never include each other, and foreign headers stay in the rooms made for
// them.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace
{

namespace fs = std::filesystem;

const std::map<std::string, int> Ranks = {
  // Engine
  { "Core", 0 },
  { "Criteria", 1 },
  { "Forest", 1 },
  { "Host", 2 },
  { "Cuda", 2 },
  { "Runs", 2 },
  { "Geometry", 2 },
  { "Voxels", 2 },
  { "Tables", 3 },
  { "Labels", 3 },
  { "Measuring", 3 },
  { "Algorithms", 3 },
  { "Dispatch", 4 },
  { "Bricks", 5 },
  { "Clean", 5 },
  { "Splitting", 5 },
  // Files
  { "Files", 6 },
  // Inspection
  { "Phantoms", 7 },
  { "Segmenting", 7 },
  { "Pictures", 7 },
  { "Job", 8 },
  { "Streaming", 9 },
  { "Batch", 9 },
  { "Report", 9 },
  { "View", 9 },
  // Fronts
  { "Itk", 10 },
  { "Vtk", 10 },
  { "Cli", 11 },
  { "Slicer", 11 }
};

/** The ranks of each storey end here. */
const std::map<std::string, int> HighestRanks = { { "Engine", 5 },
                                                  { "Files", 6 },
                                                  { "Inspection", 9 },
                                                  { "Fronts", 11 } };

int
RankOf(const std::string & room)
{
  const auto found = Ranks.find(room);
  EXPECT_NE(found, Ranks.end()) << "room " << room << " has no rank";
  return found == Ranks.end() ? -1 : found->second;
}

/** The path of a file below its storey: it begins with the room. */
fs::path
BelowStorey(const fs::path & file)
{
  const fs::path    relative = fs::relative(file, BRICKCCL_SOURCE_DIR);
  const std::string storey = relative.begin()->string();
  return storey == "Files" || HighestRanks.count(storey) == 0 ? relative : fs::relative(relative, storey);
}

/** The file of a header that is named by its room. */
fs::path
FileOf(const std::string & header)
{
  for (const auto & [storey, rank] : HighestRanks)
  {
    fs::path file = fs::path(BRICKCCL_SOURCE_DIR) / storey / header;
    if (fs::exists(file))
    {
      return file;
    }
  }
  return fs::path(BRICKCCL_SOURCE_DIR) / header;
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

/** Calls `function(file, header)` for every header that a file of a room includes; `file` begins with the room. */
template <typename TFunction>
void
ForEachInclude(TFunction function)
{
  const fs::path              source(BRICKCCL_SOURCE_DIR);
  const std::set<std::string> extensions = { ".h", ".hxx", ".cxx", ".cu", ".cuh" };
  for (const auto & entry : fs::recursive_directory_iterator(source))
  {
    const fs::path file = entry.path();
    const fs::path relative = BelowStorey(file);
    if (!entry.is_regular_file() || extensions.count(file.extension().string()) == 0 || !relative.has_parent_path())
    {
      continue;
    }
    std::ifstream stream(file);
    for (std::string line; std::getline(stream, line);)
    {
      const std::string header = IncludedBy(line);
      if (!header.empty())
      {
        function(relative, header);
      }
    }
  }
}

/** For each room, the rooms that it includes, each with one of the files that do. */
using RoomGraph = std::map<std::string, std::map<std::string, std::string>>;

/** Looks for a way from a room back to itself. \return the rooms and files on the way; empty if there is none. */
std::string
FindCycle(const RoomGraph & graph, const std::string & start)
{
  std::map<std::string, std::string> wayTo = { { start, start } };
  std::vector<std::string>           next = { start };
  while (!next.empty())
  {
    const std::string room = next.back();
    next.pop_back();
    const auto found = graph.find(room);
    if (found == graph.end())
    {
      continue;
    }
    for (const auto & [included, file] : found->second)
    {
      const std::string way = wayTo[room] + " -> " + included + " (" + file + ")";
      if (included == start)
      {
        return way;
      }
      if (wayTo.emplace(included, way).second)
      {
        next.push_back(included);
      }
    }
  }
  return {};
}

TEST(Layering, RoomsHaveNoCycle)
{
  RoomGraph graph;
  ForEachInclude([&](const fs::path & file, const std::string & header) {
    const std::string room = file.begin()->string();
    if (StartsWith(header, "BrickCCL/") && fs::path(header.substr(9)).has_parent_path())
    {
      const std::string included = fs::path(header.substr(9)).begin()->string();
      if (included != room)
      {
        graph[room].emplace(included, file.string());
      }
    }
  });
  EXPECT_GT(graph.size(), 10u) << "the sources were not found";
  for (const auto & [room, included] : graph)
  {
    EXPECT_EQ(FindCycle(graph, room), "");
  }
  // The complaints of the test.
  const RoomGraph circle = { { "A", { { "B", "A/a.h" } } },
                             { "B", { { "C", "B/b.h" } } },
                             { "C", { { "A", "C/c.h" } } } };
  EXPECT_EQ(FindCycle(circle, "A"), "A -> B (A/a.h) -> C (B/b.h) -> A (C/c.h)");
}

/** Adds the headers of BrickCCL that one includes, itself and those that these include. */
void
CollectIncluded(const std::string & header, std::set<std::string> & included)
{
  if (!included.insert(header).second)
  {
    return;
  }
  std::ifstream stream(FileOf(header));
  EXPECT_TRUE(stream) << header << " is missing";
  for (std::string line; std::getline(stream, line);)
  {
    const std::string other = IncludedBy(line);
    if (StartsWith(other, "BrickCCL/"))
    {
      CollectIncluded(other.substr(9), included);
    }
  }
}

/** Code that reads a table needs neither how it is measured nor 128-bit integers, which not all compilers have. */
TEST(Layering, HeadersOfTablesAreSmallAndPortable)
{
  for (const char * const header :
       { "Tables/ComponentTable.h", "Tables/ColumnGroup.h", "Tables/Condition.h", "Measuring/Measuring.h" })
  {
    std::set<std::string> included;
    CollectIncluded(header, included);
    EXPECT_LE(included.size(), 15u) << header;
    for (const std::string & other : included)
    {
      const bool isOfARoom = StartsWith(other, "Runs/") || StartsWith(other, "Criteria/");
      EXPECT_FALSE(isOfARoom || other == "Host/Parallel.h" || other == "Core/WideInteger.h")
        << header << " includes " << other;
      std::ifstream stream(FileOf(other));
      for (std::string line; std::getline(stream, line);)
      {
        EXPECT_EQ(line.find("vector_size"), std::string::npos) << other << " (of " << header << "): " << line;
        EXPECT_EQ(line.find("__int128"), std::string::npos) << other << " (of " << header << "): " << line;
      }
    }
  }
}

/** Whether a header is the operating system's, or a compiler's for it: what POSIX has and Windows does not, or the
 * other way round. */
bool
IsOfOneSystem(const std::string & header)
{
  static const std::set<std::string> known = { "csignal",     "dirent.h", "dlfcn.h",   "fcntl.h",   "fnmatch.h",
                                               "ftw.h",       "glob.h",   "grp.h",     "io.h",      "netdb.h",
                                               "poll.h",      "psapi.h",  "pthread.h", "pwd.h",     "sched.h",
                                               "semaphore.h", "signal.h", "spawn.h",   "strings.h", "syslog.h",
                                               "termios.h",   "unistd.h", "windows.h", "Windows.h" };
  return known.count(header) == 1 || StartsWith(header, "sys/") || StartsWith(header, "linux/") ||
         StartsWith(header, "mach/") || StartsWith(header, "arpa/") || StartsWith(header, "netinet/");
}

/** The files in the rooms of `source` with one of these extensions. */
std::vector<fs::path>
FilesOfRooms(const fs::path & source, const std::set<std::string> & extensions)
{
  std::vector<fs::path> files;
  for (const auto & entry : fs::recursive_directory_iterator(source))
  {
    if (entry.is_regular_file() && extensions.count(entry.path().extension().string()) == 1 &&
        BelowStorey(entry.path()).has_parent_path())
    {
      files.push_back(entry.path());
    }
  }
  return files;
}

TEST(Layering, TheSystemIsAskedInTwoRoomsAndThreeFiles)
{
  const fs::path source(BRICKCCL_SOURCE_DIR);
  int            found = 0;
  for (const fs::path & file : FilesOfRooms(source, { ".h", ".hxx", ".cxx", ".cu", ".cuh" }))
  {
    const fs::path    relative = BelowStorey(file);
    const std::string room = relative.begin()->string();
    // Sockets are for the page of `brickccl view` alone; what else Windows needs is in files of their own.
    const std::string name = relative.generic_string();
    const bool isOther = name == "View/Sockets.cxx" || name == "Cli/Windows.cxx" || name == "Batch/Digest_windows.cxx";
    const bool mayAsk = room == "Host" || room == "Files" || room == "Cuda" || isOther;
    std::ifstream stream(file);
    for (std::string line; std::getline(stream, line);)
    {
      if (IsOfOneSystem(IncludedBy(line)))
      {
        ++found;
        EXPECT_TRUE(mayAsk && file.extension() != ".h") << relative << ": " << line;
      }
    }
  }
  EXPECT_GT(found, 5) << "the sources were not found";
}

TEST(Layering, HeadersAskOneCompilerOnlyBesideAnother)
{
  const fs::path source(BRICKCCL_SOURCE_DIR);
  int            found = 0;
  for (const fs::path & file : FilesOfRooms(source, { ".h", ".hxx" }))
  {
    // The first condition of a header is its guard, or #pragma once.
    int           conditions = 0;
    std::ifstream stream(file);
    for (std::string line; std::getline(stream, line);)
    {
      const auto word = line.find_first_not_of(" \t#");
      if (line.find('#') == line.find_first_not_of(" \t") && word != std::string::npos)
      {
        const bool begins = line.compare(word, 2, "if") == 0 || line == "#pragma once";
        conditions += begins ? 1 : line.compare(word, 5, "endif") == 0 ? -1 : 0;
      }
      // All compilers that CMake takes have GCC's built-in functions.
      for (const char * const own : { "__attribute__", "_mm_", "_mm256_", "_mm512_", "__m128", "__restrict" })
      {
        if (line.find(own) != std::string::npos)
        {
          ++found;
          EXPECT_GE(conditions, 2) << fs::relative(file, source) << ": " << line;
        }
      }
    }
  }
  EXPECT_GT(found, 0) << "the sources were not found";
}

TEST(Layering, EveryRoomIsInTheStoreyOfItsRank)
{
  for (const auto & [room, rank] : Ranks)
  {
    std::string its;
    for (const char * const storey : { "Fronts", "Inspection", "Files", "Engine" })
    {
      its = rank <= HighestRanks.at(storey) ? storey : its;
    }
    EXPECT_TRUE(fs::is_directory(fs::path(BRICKCCL_SOURCE_DIR) / (room == its ? room : its + "/" + room)))
      << room << " is not in " << its;
  }
}

TEST(Layering, IncludesPointDownwards)
{
  int checked = 0;
  ForEachInclude([&](const fs::path & relative, const std::string & header) {
    const std::string extension = relative.extension().string();
    const std::string room = relative.begin()->string();
    const int         rank = RankOf(room);
    ++checked;
    if (StartsWith(header, "BrickCCL/"))
    {
      const fs::path    path(header.substr(9));
      const std::string other = path.begin()->string();
      EXPECT_LE(RankOf(other), rank) << relative << " includes " << header;
      // Code shared by all algorithms is next to their folders.
      const bool isOfFolder = std::distance(path.begin(), path.end()) > 2;
      if (room == "Algorithms" && other == "Algorithms" && isOfFolder)
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
      EXPECT_GE(rank, 7) << relative << " includes " << header;
    }
    if (StartsWith(header, "hwy/"))
    {
      const std::string name = relative.filename().string();
      EXPECT_TRUE(name.find("-simd.cxx") != std::string::npos || name.find("-inl.h") != std::string::npos)
        << relative << " includes " << header;
    }
    if (StartsWith(header, "cuda") || StartsWith(header, "thrust/") || StartsWith(header, "cub/"))
    {
      EXPECT_TRUE(room == "Cuda" || extension == ".cu" || extension == ".cuh") << relative << " includes " << header;
    }
  });
  EXPECT_GT(checked, 100) << "the sources were not found";
}

} // namespace
