// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Streaming/WorkFolder.h"

#include "BrickCCL/Bricks/ByteStream.h"
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Files/Disk/AtomicFile.h"

#include <algorithm>
#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>
#include <vector>

namespace fs = std::filesystem;

namespace brickccl
{

namespace
{

constexpr const char * PlanName = "plan.txt";

std::string
ReadText(const fs::path & path)
{
  std::ifstream stream(path, std::ios::binary);
  if (!stream)
  {
    throw Error("cannot read '" + path.string() + "': " + std::strerror(errno));
  }
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
}

constexpr const char * ChecksumKey = "checksum: ";

std::string
ChecksumOf(const std::string & plan)
{
  char text[20];
  std::snprintf(text,
                sizeof(text),
                "%016" PRIx64,
                Crc64(reinterpret_cast<const std::uint8_t *>(plan.data()), plan.size()));
  return text;
}

/** The last line of a plan's file, by which damage is found. */
std::string
ChecksumLine(const std::string & plan)
{
  return ChecksumKey + ChecksumOf(plan) + '\n';
}

/** The plan in a work folder. \throws Error if its file is damaged. */
std::string
ReadPlan(const fs::path & planFile)
{
  // Reading a pipe or a device need not end.
  if (!fs::is_regular_file(planFile))
  {
    throw Error(Quoted(planFile.string()) +
                " should be the plan of an earlier run but is not a file; remove the folder, or use another one");
  }
  const std::string text = ReadText(planFile);
  const std::size_t place = text.rfind(ChecksumKey);
  std::string       plan = text.substr(0, place);
  if (place == std::string::npos || text.substr(place) != ChecksumLine(plan))
  {
    throw Error(Quoted(planFile.string()) + ", the plan of an earlier run, is damaged (its checksum is wrong or "
                                            "missing); remove the folder, or use another one");
  }
  return plan;
}

using Line = std::pair<std::string, std::string>;

/** The keys and values of a plan's lines. */
std::vector<Line>
LinesOf(const std::string & plan)
{
  std::istringstream stream(plan);
  std::vector<Line>  lines;
  for (std::string line; std::getline(stream, line);)
  {
    // Names of files may hold anything; numbers and names of options hold no colon.
    const std::size_t colon = line.rfind(": ");
    lines.emplace_back(line.substr(0, colon), colon == std::string::npos ? "" : line.substr(colon + 2));
  }
  return lines;
}

/** The value of a key in a plan, for people. */
std::string
ValueOf(const std::vector<Line> & lines, const std::string & key)
{
  const auto line = std::find_if(lines.begin(), lines.end(), [&](const Line & one) { return one.first == key; });
  return line == lines.end() ? "not there" : line->second;
}

/** \throws InvalidArgument that names the first key in which two plans differ. */
void
CheckSamePlan(const std::string & path, const std::string & there, const std::string & wanted)
{
  if (there == wanted)
  {
    return;
  }
  const std::vector<Line> old = LinesOf(there);
  const std::vector<Line> now = LinesOf(wanted);
  std::vector<Line>       all = now;
  all.insert(all.end(), old.begin(), old.end());
  for (const Line & line : all)
  {
    const std::string & key = line.first;
    const std::string   a = ValueOf(old, key);
    const std::string   b = ValueOf(now, key);
    if (a != b)
    {
      const bool isTime = key.rfind(WorkFolder::TimeKey, 0) == 0 && a != "not there" && b != "not there";
      throw InvalidArgument("the state in " + Quoted(path) + " belongs to other inputs or options: " +
                            (isTime ? "the " + key.substr(std::strlen(WorkFolder::TimeKey)) + " was changed since"
                                    : key + " was " + a + " and is now " + b) +
                            "; use the earlier ones, or another folder");
    }
  }
  throw InvalidArgument("the state in " + Quoted(path) + " belongs to other inputs or options; use another folder");
}

/** Removes what files that a kill left unfinished were in (see ReplaceFile). */
void
RemoveLeftovers(const std::string & path)
{
  std::vector<fs::path> leftovers;
  for (const auto & entry : fs::directory_iterator(path))
  {
    if (entry.is_directory() && entry.path().filename().string().rfind(".brickccl-", 0) == 0)
    {
      leftovers.push_back(entry.path());
    }
  }
  for (const fs::path & leftover : leftovers)
  {
    fs::remove_all(leftover);
  }
}

} // namespace

WorkFolder::WorkFolder(const std::string & path, const std::string & output, const std::string & plan, bool resume)
  : m_Path(path)
{
  const std::string stamp = ChecksumOf(plan);
  m_Stamp.assign(stamp.begin(), stamp.end());
  try
  {
    if (path.empty())
    {
      m_Temporary.emplace(fs::absolute(output.empty() ? "brickccl" : output).parent_path());
      m_Path = m_Temporary->Path().string();
      return;
    }
    const fs::path planFile = fs::path(path) / PlanName;
    if (fs::exists(planFile))
    {
      if (!resume)
      {
        throw InvalidArgument(Quoted(path) +
                              " holds the state of an earlier run; continue it with --resume, or use another folder");
      }
      CheckSamePlan(path, ReadPlan(planFile), plan);
      RemoveLeftovers(path);
      return;
    }
    if (fs::exists(path) && !fs::is_directory(path))
    {
      throw InvalidArgument(Quoted(path) + " is a file; give a folder for the state");
    }
    if (fs::exists(path) && !fs::is_empty(path))
    {
      throw InvalidArgument(Quoted(path) + " holds other files; give an empty or new folder");
    }
    fs::create_directories(path);
    ReplaceTextFile(planFile.string(), [&](std::ostream & stream) { stream << plan << ChecksumLine(plan); });
  }
  catch (const fs::filesystem_error & error)
  {
    throw Error("cannot use the work folder " + Quoted(m_Path) + ": " + error.code().message());
  }
}

std::string
WorkFolder::PathOf(std::size_t slab, Kind kind) const
{
  static const char * const endings[] = { ".record", ".runs", ".map", ".counts" };
  std::string               number = std::to_string(slab);
  number.insert(0, number.size() < 6 ? 6 - number.size() : 0, '0');
  return (fs::path(m_Path) / ("slab-" + number + endings[static_cast<int>(kind)])).string();
}

std::string
WorkFolder::PlanIn(const std::string & path)
{
  const fs::path  planFile = fs::path(path) / PlanName;
  std::error_code ignored;
  return fs::exists(planFile, ignored) ? ReadPlan(planFile) : "";
}

bool
WorkFolder::Has(std::size_t slab, Kind kind) const
{
  std::error_code ignored;
  return fs::is_regular_file(PathOf(slab, kind), ignored);
}

void
WorkFolder::Write(std::size_t slab, Kind kind, const Bytes & bytes) const
{
  // A checksum detects a file truncated by a crash of the system, so nothing waits for the disk here.
  const std::string path = PathOf(slab, kind);
  const std::string part = path + ".part";
  std::ofstream     stream(fs::path(part), std::ios::binary);
  stream.write(reinterpret_cast<const char *>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  stream.write(reinterpret_cast<const char *>(m_Stamp.data()), static_cast<std::streamsize>(m_Stamp.size()));
  stream.close();
  std::error_code failure;
  if (stream)
  {
    fs::rename(part, path, failure);
  }
  if (!stream || failure)
  {
    throw Error("cannot write " + Quoted(path) + ": " +
                (failure ? failure.message() : std::string(std::strerror(errno))));
  }
}

Bytes
WorkFolder::Read(std::size_t slab, Kind kind) const
{
  const std::string path = PathOf(slab, kind);
  if (!fs::is_regular_file(path))
  {
    throw Error("cannot read " + Quoted(path) + ": it is missing or not a regular file");
  }
  std::ifstream stream(fs::path(path), std::ios::binary | std::ios::ate);
  Bytes         bytes(stream ? static_cast<std::size_t>(stream.tellg()) : 0);
  stream.seekg(0);
  stream.read(reinterpret_cast<char *>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  if (!stream)
  {
    throw Error("cannot read " + Quoted(path) + ": " + std::strerror(errno));
  }
  if (bytes.size() < m_Stamp.size() || !std::equal(m_Stamp.rbegin(), m_Stamp.rend(), bytes.rbegin()))
  {
    throw Error(Quoted(path) + " is damaged, or belongs to other inputs or options");
  }
  bytes.resize(bytes.size() - m_Stamp.size());
  return bytes;
}

void
WorkFolder::Remove(std::size_t slab, Kind kind) const
{
  std::error_code ignored;
  fs::remove(PathOf(slab, kind), ignored);
}

std::uint64_t
WorkFolder::BytesOnDisk() const
{
  std::uint64_t bytes = 0;
  for (const auto & entry : fs::directory_iterator(m_Path))
  {
    bytes += entry.is_regular_file() ? entry.file_size() : 0;
  }
  return bytes;
}

} // namespace brickccl
