// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Files/Disk/FileBytes.h"

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Files/Disk/MappedFiles.h"
#include "BrickCCL/Files/ErrorContext.h"

#include <cstring>
#include <filesystem>
#include <system_error>

namespace brickccl::files
{

/** \throws Error for a name that the system would cut. */
static void
CheckName(const std::string & path)
{
  ThrowIf(path.find('\0') != std::string::npos, "there is no such file: its name contains a NUL byte");
}

FileBytes
FileBytes::Map(const std::string & path)
{
  CheckName(path);
  FileBytes bytes;
  bytes.m_Path = path;
  bytes.m_IsMapped = true;
  bytes.m_Owner = MapFile(path, bytes.m_Size);
  bytes.m_Data = static_cast<const unsigned char *>(bytes.m_Owner.get());
  return bytes;
}

FileBytes
FileBytes::FromMemory(std::string path, const void * data, std::size_t size)
{
  // The copy is exactly as long as the bytes, so that a sanitizer sees a read past their end.
  const auto copy = std::shared_ptr<unsigned char>(new unsigned char[size], std::default_delete<unsigned char[]>());
  if (size > 0)
  {
    std::memcpy(copy.get(), data, size);
  }
  FileBytes bytes;
  bytes.m_Path = std::move(path);
  bytes.m_Data = copy.get();
  bytes.m_Size = size;
  bytes.m_Owner = copy;
  return bytes;
}

std::string
FileBytes::QuotedName() const
{
  return "'" + std::filesystem::path(m_Path).filename().string() + "'";
}

void
FileBytes::Require(std::uint64_t begin, std::uint64_t count) const
{
  if (begin > m_Size || count > m_Size - begin)
  {
    const std::uint64_t needs = count > UINT64_MAX - begin ? UINT64_MAX : begin + count;
    throw Error("the file is truncated: " + QuotedName() + " has " + std::to_string(m_Size) + " bytes of " +
                std::to_string(needs));
  }
}

std::uint64_t
FileBytes::Number(std::uint64_t place, std::size_t size, bool isBigEndian) const
{
  Require(place, size);
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < size; ++i)
  {
    number = number << 8 | m_Data[place + (isBigEndian ? i : size - 1 - i)];
  }
  return number;
}

double
FileBytes::Real(std::uint64_t place, std::size_t size, bool isBigEndian) const
{
  const std::uint64_t bits = Number(place, size, isBigEndian);
  const auto          half = static_cast<std::uint32_t>(bits);
  float               single = 0;
  double              real = 0;
  std::memcpy(&single, &half, sizeof(single));
  std::memcpy(&real, &bits, sizeof(real));
  return size == sizeof(single) ? double{ single } : real;
}

bool
FileBytes::BeginsWith(const char * text, std::size_t length) const
{
  return m_Size >= length && std::memcmp(m_Data, text, length) == 0;
}

bool
IsThere(const std::string & path)
{
  std::error_code failure;
  return std::filesystem::exists(path, failure);
}

bool
IsRegularFile(const std::string & path)
{
  std::error_code failure;
  return std::filesystem::is_regular_file(path, failure);
}

std::string
PathBeside(const std::string & header, const std::string & name)
{
  const std::filesystem::path path(name);
  return path.is_absolute() ? name : (std::filesystem::path(header).parent_path() / path).generic_string();
}

std::vector<FileBytes>
MapDataFiles(const std::string & header, const std::vector<std::string> & names)
{
  std::vector<FileBytes> files;
  for (const std::string & name : names)
  {
    WithContext("its data file " + Quoted(name) + " cannot be read: ", [&] {
      CheckName(name);
      const std::string path = PathBeside(header, name);
      std::error_code   ignored;
      ThrowIf(std::filesystem::equivalent(path, header, ignored), "it is the header itself");
      files.push_back(FileBytes::Map(path));
    });
  }
  return files;
}

} // namespace brickccl::files
