// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Streaming/WorkFolder.h"

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/Printable.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace fs = std::filesystem;

namespace brickccl
{

WorkFolder::WorkFolder(const std::string & place, const std::string & output)
{
  const fs::path beside = fs::absolute(output.empty() ? "brickccl" : output).parent_path();
  const fs::path parent = place.empty() ? beside : fs::path(place);
  try
  {
    m_Folder.emplace(parent);
  }
  catch (const std::system_error & error)
  {
    throw Error("cannot make a folder for temporary files in " + Quoted(parent.string()) + ": " +
                error.code().message());
  }
}

std::string
WorkFolder::PathOf(std::size_t slab, Kind kind) const
{
  static const char * const endings[] = { ".record", ".runs", ".map", ".counts" };
  return (m_Folder->Path() / ("slab-" + std::to_string(slab) + endings[static_cast<int>(kind)])).string();
}

void
WorkFolder::Write(std::size_t slab, Kind kind, const Bytes & bytes) const
{
  const std::string path = PathOf(slab, kind);
  std::ofstream     stream(fs::path(path), std::ios::binary);
  stream.write(reinterpret_cast<const char *>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  stream.close();
  ThrowIf(!stream, "cannot write " + Quoted(path) + ": " + std::strerror(errno));
}

Bytes
WorkFolder::Read(std::size_t slab, Kind kind) const
{
  const std::string path = PathOf(slab, kind);
  std::ifstream     stream(fs::path(path), std::ios::binary | std::ios::ate);
  Bytes             bytes(stream ? static_cast<std::size_t>(stream.tellg()) : 0);
  stream.seekg(0);
  stream.read(reinterpret_cast<char *>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  ThrowIf(!stream, "cannot read " + Quoted(path) + ": " + std::strerror(errno));
  return bytes;
}

std::uint64_t
WorkFolder::BytesOnDisk() const
{
  std::uint64_t bytes = 0;
  for (const auto & entry : fs::directory_iterator(m_Folder->Path()))
  {
    bytes += entry.is_regular_file() ? entry.file_size() : 0;
  }
  return bytes;
}

} // namespace brickccl
